#!/usr/bin/perl

# Random lives of contacts' digests: hosts are listed and delisted, move between
# groups and are deleted, contacts are added, deleted, paused, moved and get
# other schedules, while daemons claim digests, die, and store and deliver them
# late or twice.  The test collects each contact's messages in their order.
# Whenever all messages are delivered, a contact that gets ends knows as listed
# exactly its listed hosts, and it got every report that it subscribes to;
# alerts of PagerDuty are open accordingly; and nothing is left.
#
# RBL_SEED is the seed of one life, RBL_LIVES the number of lives.

use strict;
use warnings;
use RblLife;
use RblScript;
use RblTest;
use RblTold;

use constant { STEPS => 480, LOOK => 60, HOSTS => 5, KIDS => 32 };

my ($redis, $ac, $acct, $range, @groups);
my $addresses = 0;

sub some { my %g = map { $_ => 1 } pick(@groups), chance(0.3) ? pick(@groups)
    : (); return sort keys %g }
sub meets { my %g = map { $_ => 1 } @{ $_[0]{groups} };
    return scalar grep { $g{$_} } @{ $_[1]{groups} } }
sub active { return grep { $co{$_}{status} eq 'active' } sort keys %co }
sub fields {
    return @{ unpacked(cmd('GET', k('r', $ac, $_[0])) // packed([])) };
}


# --- hosts and contacts -----------------------------------------------------

# Hosts that must be reported to a contact; a contact that is not subscribed now
# need not get a report.
sub must_not {
    for my $c (values %co) {
        delete @{ $c->{must} }{ grep { !$host{$_} || !$host{$_}{listed}
            || !meets($c, $host{$_}) } keys %{ $c->{must} } };
    }
}
sub must {
    my ($ht, $which) = @_;
    for my $c (@co{ active() }) {
        $c->{must}{$ht} = 1
            if meets($c, $host{$ht}) && hears($c) && $which->($c);
    }
}
sub look {
    my ($ht, @says) = @_;
    return if !$host{$ht};
    my %before = map { $_->[0] => 1 } @{ (fields($ht))[16] };
    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
    take('m', 1);
    my $begun = begin($acct, $pp, $ht);
    my @zones = ('a', 'b');
    finish_check($acct, $pp, $ht, [map { my $l = 'RB' . shift @zones;
        $_ eq 'listed' ? listed_result($l) : result($l, $_) } @says], '',
        events => $begun->[7])->[0] eq 'OK' or wrong('a check ends');
    no_flapping($ac, $ht);
    my @h = fields($ht);
    my $new = grep { !$before{ $_->[0] } } @{ $h[16] };
    $host{$ht}{listed} = $h[13] > 0;
    must($ht, sub { $new || $_[0]{schedule} ne 'start_and_end' }) if $h[13] > 0;
    must_not();
}
sub a_host {
    return pick(grep { !$host{$_}{of} || chance(0.1) } sort keys %host);
}
sub host_add {
    return if HOSTS <= grep { !$_->{of} } values %host;
    my $ht = sid('HT');
    my $g = pick(@groups);
    script('host_add', [$acct], name => 'name', type => 'rbl', family => 1,
        group => $g, host => $ht, value => '192.0.2.' . ++$addresses % 250);
    $host{$ht} = { groups => [$g], listed => 0 };
}
sub range_add {
    return if $range;
    my ($net, $g) = (++$addresses % 250, pick(@groups));
    my @kids = map { sid('HT') } 1 .. KIDS;
    $range = sid('HT');
    script('host_add', [$acct], name => 'name', type => 'ip_range',
        family => 1, group => $g, range => $range, net => "10.0.$net.0/27",
        host => \@kids, value => [map { "10.0.$net.$_" } 0 .. KIDS - 1]);
    $host{$_} = { groups => [$g], listed => 0, of => $range } for @kids;
}
sub those { return $_[0] eq ($range // '') ? grep { $host{$_}{of} }
    sort keys %host : $_[0] }
sub thing { return $range && chance(0.25) ? $range : a_host() }
sub host_delete {
    my $ht = thing() // return;
    script('host_delete', [$acct], host => $ht, keep => 60_000);
    delete @host{ those($ht) };
    $range = undef if $ht eq ($range // '');
    must_not();
}
sub host_move {
    my $ht = thing() // return;
    my @g = some();
    script('host_update', [$acct], host => $ht, named => chance(0.3),
        name => 'other', groups => \@g);
    for my $each (those($ht)) {
        my %had = map { $_ => meets($co{$_}, $host{$each}) } keys %co;
        $host{$each}{groups} = \@g;
        must($each, sub { !$had{ $_[0]{id} } }) if $host{$each}{listed};
    }
    must_not();
}
sub range_look {
    my @says = @_ ? @_ : (pick(qw(listed listed clear)), 'clear');
    look($_, @says) for grep { $host{$_}{of} } sort keys %host;
}
sub contact_add {
    return if keys %co >= 5;
    my ($co, $type) = (sid('CO'), pick(qw(endpoint pagerduty)));
    my ($schedule, @g) = (pick(qw(every_check start_and_end while_listed)),
        some());
    script('contact_add', [$acct], contact => $co, type => $type,
        value => "https://$co/", schedule => $schedule, digest => 'd',
        code => 'code', event => sid('EV'), groups => \@g);
    script('contact_confirm', [$acct], contact => $co, digest => 'd');
    $co{$co} = { id => $co, type => $type, schedule => $schedule, groups => \@g,
        status => 'active', line => [], map { $_ => {} } qw(must told heard
            open) };
}
sub contact_change {
    my ($what) = @_;
    my $co = pick(sort keys %co) // return;
    my $c = $co{$co};
    if ($what eq 'delete') {
        script('contact_delete', [$acct], contact => $co);
        delete $co{$co};
        delete @msg{ @{ $c->{line} } };
    } elsif ($what eq 'move' || $what eq 'schedule') {
        my @g = $what eq 'move' ? some() : ();
        my $new = @g ? '' : pick(qw(every_check start_and_end while_listed));
        script('contact_update', [$acct], contact => $co, schedule => $new,
            groups => \@g);
        forget_ends($c);
        $c->{groups} = \@g if @g;
        $c->{schedule} = $new if $new;
        %{ $c->{$_} } = () for hears($c) ? () : qw(must told);
        must_not();
    } else {
        script('contact_status', [$acct], contact => $co, status => $what);
        @$c{qw(status leased)} = ($what, 0);
        $c->{must} = {} if $what eq 'paused';
    }
}


my %may = (add => [2, \&host_add], range => [0.3, \&range_add],
    look => [16, sub { look(a_host(), map { pick(qw(listed listed clear clear
        clear unknown)) } 1, 2) if %host }],
    range_look => [0.5, \&range_look], delete => [1, \&host_delete],
    move => [3, \&host_move], contact => [2, \&contact_add],
    pause => [0.5, sub { script('host_status', [$acct],
        host => thing() // return, status => pick(qw(active paused))) }],
    tell => [12, sub { script('telling_step', [k('tellings')]) }],
    claim => [10, \&claim], store => [9, \&store], send => [8, \&send_some],
    record => [8, \&record_one], late => [3, sub { due('digests') }],
    due => [4, sub { due('retry') }],
    (map { my $what = $_; ("contact $what" => [{ active => 1.2, paused => 0.8 }
        ->{$what} // 0.6, sub { contact_change($what) }]) }
        qw(active paused move schedule delete)));
my @order = map { ($_) x (10 * $may{$_}[0]) } sort keys %may;


# --- a life -----------------------------------------------------------------

sub list { return join ' ', sort @_ }
# A contact without reports of ends forgets a listing at its end; the model does
# it here.
sub forget_ends {
    my ($c) = @_;
    my %knows = @{ cmd('HGETALL', k('open', $ac, $c->{id})) };
    delete @{ $c->{heard} }{ grep { !$knows{$_} } keys %{ $c->{heard} } }
        if !hears($c);
}
sub truth {
    my ($when, $all) = @_;
    for my $co (active()) {
        my $c = $co{$co};
        my @own = grep { $host{$_}{listed} && meets($c, $host{$_}) } keys %host;
        my %own = map { $_ => 1 } @own;
        my $who = "$when: $co ($c->{type}, $c->{schedule})";
        my @knows = grep { /^HT/ } @{ cmd('HKEYS', k('open', $ac, $co)) };
        forget_ends($c);
        wrong("$who is recorded to know " . list(@knows) . ', but knows '
            . list(keys %{ $c->{heard} }))
            if list(@knows) ne list(keys %{ $c->{heard} });
        wrong("$who is recorded to know an ended listing: $_")
            for grep { !$own{$_} } @knows;
        next if !hears($c);
        wrong("$who shows a host as listed that is not: $_")
            for grep { !$own{$_} } sort keys %{ $c->{told} };
        wrong("$who got no report of a listing: $_")
            for grep { !$c->{told}{$_} }
                $all ? @own : sort keys %{ $c->{must} };
        wrong("$who still has hosts recorded as listed")
            if !@own && cmd('EXISTS', k('open', $ac, $co));
        next if !per_host($c->{type});
        my @storms = grep { /^EV/ } keys %{ $c->{open} };
        wrong("$who has an alert that is open: $_") for grep { /^EV/
            ? !keys %{ $c->{told} } : !$own{$_} } sort keys %{ $c->{open} };
        wrong("$who has no alert: $_") for grep { !@storms && !$c->{open}{$_} }
            sort keys %{ $c->{told} };
    }
    my $left = list(map { @{ cmd('KEYS', k($_)) } } 'digest*', 'making*', 'batch*',
        'line*', 'ends*', 'event*', 'dlv*', 'retry');
    wrong("$when: $left is left") if $left ne '' || %msg;
    my $r = rblctl($redis, 'fsck');
    wrong("$when: fsck: $r->{out}") if $r->{status} != 0;
}

$redis = redis_new();
for (defined $ENV{RBL_SEED} ? $ENV{RBL_SEED} : 1 .. ($ENV{RBL_LIVES} // 8)) {
    srand $_;
    # Half of the lives run as if contacts and hosts were many.
    script_limits($_ % 2 ? () : (notify_at_once => pick(0, 1, 3),
        slice_contacts => pick(1, 2), notify_groups => pick(2, 150),
        states_hosts => pick(1, 2, 5), known_hosts => pick(1, 2, 5),
        told_rows => pick(1, 2, 5)));
    $name = "seed $_";
    cmd('FLUSHALL');
    rblctl($redis, 'init', '--partitions', 1);
    ($ac, $acct) = account();
    @groups = (chosen($acct)->[2], sid('CG'), sid('CG'));
    script('group_add', [$acct], group => $_, name => 'g') for @groups[1, 2];
    @$_ = () for \(@claims, @sent, @log);
    %$_ = () for \(%co, %host, %msg, %stored, %unnamed);
    $range = undef;
    contact_add(), host_add() for 1 .. 4;
    for my $step (1 .. STEPS) {
        my $what = pick(@order);
        push @log, $what if $ENV{RBL_LOG};
        $may{$what}[1]->();
        if ($step % LOOK == 0) {
            drain();
            truth("step $step");
            @log = ();
        }
    }
    script("contact_status", [$acct], contact => $_, status => "active"),
        $co{$_}{status} = "active" for sort keys %co;
    for my $says ('clear', 'listed', 'clear') {
        look($_, $says, 'clear') for sort keys %host;
        drain();
        truth("all are $says", 1);
    }
    ok(keys %stored > 10, "$name: " . keys(%stored) . ' digests were sent');
}
done_testing();
