#!/usr/bin/perl

# Random lives of events: three daemons read them, die, take over events that
# others have read, and record attempts late or twice, while receivers are
# added, changed, disabled, enabled and deleted, fail for days or answer 410,
# contacts are added and deleted, applications are revoked and dead letters are
# replayed.  A model of all deliveries (open, delivered, dead letter, or without
# a target) runs alongside, and the store always agrees with it.  At the end
# nothing is open and nothing is left.
#
# RBL_SEED is the seed of one life, RBL_LIVES the number of lives.

use strict;
use warnings;
use RblLife;
use RblOutbox;
use RblScript;
use RblTest;

use constant { STEPS => 600, LOOK => 60 };

my $redis;


# --- receivers, contacts, applications, dead letters ------------------------

sub emit {
    my $ev = sid('EV');
    $event{$ev} = { type => pick(@types), body => "{\"b\":\"$ev\"}", cb =>
        [map { [$_, "https://cb.example/$_", pick(sort keys %app)] }
            map { "CB$_" } 0 .. pick(-1, -1, 0, 1)] };
    cmd('XADD', k('outbox'), '*', 'a', $ac, 'e', $ev, 'd', 'x');
}
sub circuits_end {
    for my $wh (grep { $hook{$_}{till} } keys %hook) {
        cmd('HSET', k('hook', $ac, $wh), 'till', now_ms() - 2000);
        cmd('HDEL', k('hook', $ac, $wh), 'probe') if chance(0.7) || $_[0];
    }
    # Circuits of callbacks, and the account's budget.
    my @others = (@{ cmd('KEYS', k('hook', $ac, 'CB*')) },
        k('hook', $ac, 'all'));
    cmd('DEL', @others) if chance(0.7) || $_[0];
}
sub hook_change {
    my ($what) = @_;
    my $wh = pick(sort keys %hook) // return;
    my ($h, $k, $value) = ($hook{$wh}, k('s', $ac, $wh), sid('XX'));
    if ($what eq 'types') {
        script('hook_update', [$acct], hook => $wh, typed => 1,
            types => $h->{types} = [grep { chance(0.5) } @types]);
    } elsif ($what eq 'url') {
        $h->{url} = "https://$value/";
        script('hook_update', [$acct], hook => $wh, url => $h->{url},
            typed => 0);
        forget_fails($h);
    } elsif ($what eq 'secret') {
        my $overlap = pick(0, DAY);
        script('hook_secret', [$acct], hook => $wh, secret => $value,
            stays => $overlap / 1000);
        @$h{qw(old secret)} = ($overlap ? $h->{secret} : '', $value);
    } elsif ($what eq 'active') {
        script('hook_status', [$acct], hook => $wh, status => 'active');
        forget_fails($h);
        $h->{status} = 'active';
    } elsif ($what eq 'disabled') {
        script('hook_status', [$acct], hook => $wh, status => 'disabled');
        @$h{qw(status late)} = ('disabled', 0) if $h->{status} eq 'active';
    } elsif ($what eq 'late' && $h->{status} eq 'disabled') {
        cmd('SET', $k, record_pack('hook', %{ record('hook', cmd('GET', $k)) },
            disabled => now_ms() - 6 * DAY));
        $h->{late} = 1;
    } elsif ($what eq 'long' && $h->{fails}) {
        cmd('HSET', k('hook', $ac, $wh), 'fails', 9, 'since', now_ms() - 6 * DAY);
        @$h{qw(fails long)} = (9, 1);
    } elsif ($what eq 'test') {
        my $ev = sid('EV');
        my $r = script('hook_test', [$acct], hook => $wh, event => $ev,
            type => 'webhook.test', body => '{}', most => 0);
        $event{$ev} = { type => 'webhook.test', body => '{}', done => 1 };
        begins("$ev:$wh", test => 1) if $h->{status} eq 'active';
        fail('a test') if ($r->[0] eq 'OK') != ($h->{status} eq 'active');
    } elsif ($what eq 'delete' && keys %hook > 2) {
        script('hook_delete', [$acct], hook => $wh);
        delete $hook{$wh};
        delete $logged{$wh};
    }
}
sub hook_add {
    return if keys %hook >= 4;
    my $wh = sid('WH');
    $hook{$wh} = { url => "https://$wh.example/", secret => "s$wh", old => '',
        types => [grep { chance(0.3) } @types], status => 'active',
        fails => 0 };
    my $h = $hook{$wh};
    script('hook_put', [$acct], hook => $wh, name => 'n', url => $h->{url},
        secret => $h->{secret}, types => $h->{types});
}
sub contact_change {
    my ($what) = @_;
    my @there = grep { !$co{$_}{gone} } sort keys %co;
    my $co = @there && $what ne 'add' ? pick(@there) : sid('CO');
    my ($c, $code) = ($co{$co}, sid('XX'));
    if ($what eq 'add' && @there < 3) {
        script('contact_add', [$acct], contact => $co, type => 'endpoint',
            value => "https://$co.example/", schedule => 'start_and_end',
            digest => $code, code => $code, event => sid('EV'));
        $co{$co} = { status => 'pending', code => $code, line => [] };
    } elsif (!$c) {
        return;
    } elsif ($what eq 'confirm') {
        $c->{status} = 'active' if script('contact_confirm', [$acct],
            contact => $co, digest => $c->{code})->[0] eq 'OK';
    } elsif ($what eq 'resend') {
        @$c{qw(code old)} = ($code, 0) if script('contact_resend', [$acct],
            contact => $co, digest => $code, code => $code,
            event => sid('EV'))->[0] eq 'OK';
    } elsif ($what eq 'old' && $c->{status} eq 'pending') {
        my $k = k('r', $ac, $co);
        cmd('SET', $k, record_pack('contact', %{ record('contact',
            cmd('GET', $k)) }, until => 1));
        $c->{old} = 1;
    } elsif ($what =~ /^(?:active|paused)$/) {
        $c->{status} = $what
            if script('contact_status', [$acct], contact => $co,
            status => $what)->[0] eq 'OK';
    } elsif ($what eq 'delete') {
        script('contact_delete', [$acct], contact => $co);
        @$c{qw(status gone)} = ('gone', 1);
    }
}
sub replay {
    my ($all, $whose) = @_;
    $whose //= pick(sort(keys %hook), sort keys %app);
    my ($n, $only) = $all ? (10_000, '') : (pick(3, 100), chance(0.2)
        ? (split /:/, pick('', sort keys %dead))[0] // '' : '');
    my @want;
    for my $entry (@{ cmd('XRANGE', k('dead', $ac), '-', '+', 'COUNT', $n) }) {
        my %l = @{ $entry->[1] };
        push @want, "$l{e}:$l{to}" if ($l{to} eq $whose || $l{a} eq $whose)
            && ($only eq '' || $only eq $l{e});
    }
    my $active = !$hook{$whose} || $hook{$whose}{status} eq 'active';
    @want = () if !$active;
    my $r = script('hook_replay', [$acct], hook => $whose, from => '-',
        to => '+', most => $n, event => $only);
    is("@$r[0 .. 1]", 'OK ' . @want,
        'hook_replay replays each dead letter of the receiver')
        if $active && "@$r[0 .. 1]" ne 'OK ' . @want;
    for my $k (@want) {
        delete $dead{$k};
        begins($k, $app{$whose} ? (app => $whose) : ());
    }
}
sub revoke { script('app_revoke', [$acct], app => pick(sort keys %app)) }
sub trim { script('consumers_trim', [k('outbox')], group => 'deliver',
    idle => 0) }

my %may = (emit => [8, \&emit], read => [7, \&read_some],
    end => [9, \&end_some],
    claim => [8, \&claim], send => [1, \&send_one], record => [9, \&record_one],
    due => [2, \&due], circuits => [1, \&circuits_end], trim => [0.3, \&trim],
    hook => [1, \&hook_add], replay => [1, \&replay], revoke => [0.1, \&revoke],
    (map { my $what = $_; ($what => [0.5, sub { hook_change($what) }]) }
        qw(types url secret disabled late test delete)),
    active => [1, sub { hook_change('active') }],
    long => [1.5, sub { hook_change('long') }],
    (map { my $what = $_; ("contact $what" => [0.4,
        sub { contact_change($what) }]) }
        qw(resend old active paused delete)),
    (map { my $what = $_; ($what => [1.2, sub { contact_change($what) }]) }
        qw(add confirm)));
my @order = map { ($_) x (10 * $may{$_}[0]) } sort keys %may;


# --- a life -----------------------------------------------------------------

# Compares the store with the model.
sub agrees {
    my ($when) = @_;
    my (%n, @retry);
    for my $k (keys %open) {
        my ($ev, $to) = split /:/, $k;
        $n{$ev}++;
        push @retry, "$ac:$k" if !$co{$to} || $event{$ev}{co}
            || $co{$to}{line}[0] eq $ev;
    }
    same([map { /:dlv:\w+:(.*)/ } @{ cmd('KEYS', k('dlv', '*')) }],
        [keys %open], "$when: deliveries");
    same([map { my ($ev) = /(EV\w+)$/; join ' ', $ev, @{ cmd('HMGET', $_,
        'open', 'type', 'body') } } @{ cmd('KEYS', k('event', '*')) }],
        [map { "$_ $n{$_} @{ $event{$_} }{qw(type body)}" } keys %n],
        "$when: events, and how many deliveries each has");
    same(cmd('ZRANGE', k('retry'), 0, -1), \@retry,
        "$when: the pending attempts");
    same([map { my %l = @{ $_->[1] }; "$l{e}:$l{to} $l{t} $l{b}" }
        @{ cmd('XRANGE', k('dead', $ac), '-', '+') }],
        [map { my $e = $event{ (split /:/)[0] }; "$_ $e->{type} "
            . ($e->{co} ? '' : $e->{body}) } keys %dead],
        "$when: dead letters");
    same([map { "$_ " . cmd('LLEN', k('log', $ac, $_)) } keys %hook, keys %app],
        [map { "$_ " . ($logged{$_} // 0) } keys %hook, keys %app],
        "$when: attempts that are logged");
    same([map { record('hook', cmd('GET', k('s', $ac, $_)))->{status} . $_ }
        keys %hook], [map { $hook{$_}{status} . $_ } keys %hook],
        "$when: receivers");
    my $r = rblctl($redis, 'fsck');
    is($r->{out}, "no fault in 1 account\n", "fsck finds no fault $when")
        if $r->{status} != 0;
}

# Daemons without faults finish everything.
sub end_all {
    for (1 .. 200) {
        script('digest_claim', [k('digests')], window => 0, lease => 1,
            most => 50, events => [map { sid('EV') } 1 .. 4]);
        read_some('>');
        read_some('over');
        end_some() while @read;
        due(1);
        circuits_end(1);
        claim();
        record_one('ok') while @claimed;
        return if !cmd('EXISTS', k('retry'), k('outbox'))
            || !cmd('ZCARD', k('retry')) && !cmd('XLEN', k('outbox'));
    }
    fail('all is delivered');
}

$redis = redis_new();
my @seeds = defined $ENV{RBL_SEED} ? $ENV{RBL_SEED}
    : 1 .. ($ENV{RBL_LIVES} // 8);
for my $seed (@seeds) {
    srand $seed;
    cmd('FLUSHALL');
    rblctl($redis, 'init', '--partitions', 1);
    ($ac, $acct) = account();
    cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', '0', 'MKSTREAM');
    @$_ = () for \(@read, @claimed);
    %$_ = () for \(%hook, %app, %co, %event, %open, %dead, %over, %logged);
    ($notices, $noticed) = (0, 0);
    for my $ap (sid('AP'), sid('AP')) {
        my $token = substr $ap, -16;
        script('app_put', [$acct], app => $ap, name => 'app',
            secret => 'callback', field => $token, digest => pack('H16',
            $token) . 'd' x 24);
        $app{$ap} = 1;
    }
    hook_add() for 1 .. 3;
    for my $step (1 .. STEPS) {
        my $what = pick(@order);
        $may{$what}[1]->();
        agrees("seed $seed, step $step, after $what") if $step % LOOK == 0;
    }
    end_all();
    hook_change('active') for 1 .. 20;
    replay(1, $_) for sort(keys %hook), sort keys %app;
    end_all();
    agrees("seed $seed, the end");
    same([map { @{ cmd('KEYS', k("$_*")) } } qw(dlv event line retry digest
        batch pending)], [], 'nothing is left');
    is(cmd('XPENDING', k('outbox'), 'deliver')->[0], 0,
        'the outbox has no pending event');
    same([grep { !$event{$_}{done} } keys %event], [], 'all events are done');
    is($noticed, $notices, 'each disabled receiver caused one notice');
    ok(keys %over > 30, "seed $seed: much was delivered");
}
done_testing();
