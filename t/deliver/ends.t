#!/usr/bin/perl

# No contact is notified of an end whose beginning it was not notified of, and
# none loses the end of a listing that it knows: the ways from a beginning that
# was not delivered to the end, for an HTTP receiver, a mail server, and a
# service with a message for each host.

use strict;
use warnings;
use Digest::SHA ();
use RblDeliver;
use RblMail;
use RblScript;
use RblTest;

deliver_setup();
lists_of_messages();
my $other = sid('CG');
script('group_add', [$ACCT], group => $other, name => 'other',
    is_default => '0');
my $group = record('chosen', cmd('GET', k('chosen', $AC)))->{group};

my $hook = start_receiver();
my $pager = start_receiver(status => 202);
my $smtp = start_fake_smtp();
my %conf = (digest_window => '200ms', contact_limit => 1000,
    pagerduty_url => "http://127.0.0.1:$pager->{port}/pd",
    smtp_url => "smtp://127.0.0.1:$smtp->{port}",
    smtp_from => 'blocklists@example.net');
my $d = start_deliverd(conf => \%conf);

# --- the contacts, and what they get -------------------------------------------

my %address = (endpoint => $hook->{url}, email => 'ops@example.net',
    pagerduty => '0123456789abcdef' x 2);

# refuse: the message surely did not arrive; silent: it did, without an answer.
my %answers = (
    endpoint => { refuse => sub { answer_with($hook, status => 503) },
        silent => sub { answer_with($hook, broken => 'reset') },
        late => sub { answer_with($hook, delay => 20) },
        gone => sub { answer_with($hook, status => 410) },
        accept => sub { answer_with($hook) } },
    pagerduty => { refuse => sub { answer_with($pager, status => 503) },
        silent => sub { answer_with($pager, status => 202,
            broken => 'reset') },
        accept => sub { answer_with($pager, status => 202) } },
    email => { refuse => sub { answer_smtp($smtp, rcpt => '451 later') },
        silent => sub { answer_smtp($smtp, end => 'cut') },
        accept => sub { answer_smtp($smtp) } },
);

my (%ht, %value, $n_hosts, $co, $type, %seen, $tries);

sub by_id { my %name = reverse %ht; return $name{ $_[0] } // '?' }
sub of_text {
    my ($status, @told) = ('');
    for (split /\r?\n/, $_[0]) {
        $status = { Listed => 'listed', 'No longer listed' => 'delisted',
            'Was listed' => 'unreported',
            'Checked and not listed' => 'clear' }->{$1}
            if /^(Listed|No longer listed|Was listed|Checked and not listed)\b/;
        for my $name (sort keys %ht) {
            push @told, "$status $name" if /^\Q$value{$name}\E(?![\d.])/;
        }
        last if /^Content-Type: text\/html/;
    }
    return @told;
}
my %reads = (
    endpoint => sub { map { my $m = $_->{json}; [$m->{event_sid}, map {
        "$_->{status} " . by_id($_->{id}) } @{ $m->{hosts} }] }
        grep { $_->{status} == 200 } received($hook) },
    pagerduty => sub { map { my $m = $_->{json};
        [$_->{nth}, { trigger => 'listed ', resolve => 'delisted ' }
            ->{ $m->{event_action} } . by_id($m->{dedup_key} =~ s/^rbl-//r)] }
        grep { $_->{status} == 202 } received($pager) },
    email => sub { map { my $m = $_->{line};
        [($m =~ /^Message-ID: <(\w+)/mi), of_text($m)] }
        smtp_seen($smtp, 'message') },
);

# All that the contact got in this case, each message once.
sub told {
    my %had;
    my @all = $reads{$type}->();
    return join ', ', map { my ($ev, @told) = @$_; $had{$ev}++ ? () : @told }
        @all[$seen{$type} // 0 .. $#all];
}

# --- steps -------------------------------------------------------------------

sub mine { return grep { /:\Q$co\E$/ } sort keys %{ deliveries() } }
sub attempts { my ($m) = mine(); return $m ? delivery($m)->{attempt} : undef }
sub again {
    my ($m) = mine() or return;
    my $before = delivery($m)->{attempt};
    due_now($m);
    wait_for { wake(); (delivery($m)->{attempt} // '') ne $before } 15,
        'the end of an attempt';
}
sub leases_end {
    for my $k ('retry', 'digests') {
        cmd('ZADD', k($k), 'XX', 0, $_) for @{ cmd('ZRANGE', k($k), 0, -1) };
    }
}
sub contact_now {
    my (%o) = @_;
    $co = contact_active($type, $address{$type}, schedule => 'start_and_end',
        %o);
}
sub check {
    my ($name, $listed) = @_;
    event_emit(host => $ht{$name}, results => [map { $listed =~ /$_/
        ? listed_result("RB$_") : result("RB$_", 'clear') } 'a', 'b']);
}
sub is_ok { my ($r) = @_; die "@$r" if $r->[0] ne 'OK' }
my %step = (
    on => sub { check($_[0], $_[1] // 'a') },
    off => sub { check($_[0], '') },
    delete => sub { is_ok(script('host_delete', [$ACCT], host => $ht{ $_[0] },
        keep => 60_000)) },
    idle => sub { wait_for { wake(); idle() } 20, 'the end of deliveries' },
    tried => sub { wait_for { (attempts() // 0) > $tries } 15, 'an attempt';
        $tries = attempts() },
    stored => sub { wait_for { mine() } 15, 'a message' },
    begun => sub { wait_for { told() ne '' } 15, 'a request' },
    again => sub { again() },
    dead => sub { while (mine()) { again() } },
    hold => sub { pause_server($d) },
    go => sub { signal_server($d, 'CONT') },
    pace => sub { cmd('SET', k('pace', $AC, $co), 1000 * (time + 600)) },
    free => sub { cmd('DEL', k('pace', $AC, $co)) },
    kill => sub { kill_server($d); leases_end() },
    stop => sub { stop_server($d) },
    start => sub { $d = start_deliverd(conf => \%conf) },
    contact => sub { contact_now() },
    pending => sub { contact_now(status => 'pending');
        contact_code($co, 'code') },
    confirm => sub { is_ok(script('contact_confirm', [$ACCT], contact => $co,
        digest => Digest::SHA::sha256("${co}code"))) },
    status => sub { is_ok(script('contact_status', [$ACCT], contact => $co,
        status => $_[0])) },
    schedule => sub { is_ok(script('contact_update', [$ACCT], contact => $co,
        schedule => $_[0])) },
    group => sub { is_ok(script('contact_update', [$ACCT], contact => $co,
        groups => $_[0] eq 'other' ? $other : $group)) },
    moves => sub { is_ok(script('host_update', [$ACCT], host => $ht{ $_[0] },
        groups => $_[1] eq 'other' ? $other : $group)) },
    map({ my $how = $_; $how => sub { $answers{$type}{$how}->() } }
        qw(refuse silent late gone accept)),
);

# --- the table ------------------------------------------------------------------

# A name; the channels, or "" for all; the steps; what the contact gets.  It has
# the schedule start_and_end, unless a step says otherwise.  A host on one more
# list begins again.
my @table = (
    ['a listing from beginning to end', '', 'on A, idle, off A, idle',
        'listed A, delisted A'],
    ['a listing that began and ended while a message was retried', '',
        'refuse, on A, tried, on B, off B, accept, again, idle', 'listed A'],
    ['its next beginning and end', 'endpoint',
        'refuse, on A, tried, on B, off B, accept, again, idle, on B, idle, '
        . 'off B, idle', 'listed A, listed B, delisted B'],
    ['the listing of the retried message has ended, too', 'endpoint email',
        'refuse, on A, tried, on B, off B, off A, accept, again, idle',
        'listed A, delisted A'],
    ['a known listing ends while a message is retried', '',
        'on B, idle, refuse, on A, tried, off B, accept, again, idle',
        'listed B, listed A, delisted B'],
    ['a listing within one window', '', 'hold, on A, off A, go, idle', ''],
    ['two of them', 'endpoint', 'hold, on A, off A, on A, off A, go, idle', ''],
    ['a known listing, and one more list within the window of its end',
        'endpoint', 'on A, idle, hold, on A ab, off A, go, idle',
        'listed A, delisted A'],
    ['a listing within one window, every check', 'endpoint email',
        'schedule every_check, hold, on A, off A, go, idle', 'clear A'],
    ['a listing within one window, while listed', 'endpoint',
        'schedule while_listed, hold, on A, off A, go, idle', ''],
    ['a listing that ended while the message with it alone waited', '',
        'pace, on A, stored, off A, free, again, idle', ''],
    ['the same of one more list', '', 'on A, idle, pace, on A ab, stored, '
        . 'off A, free, again, idle', 'listed A, delisted A'],
    ['the same of two hosts', 'endpoint email', 'hold, on A, on B, pace, go, '
        . 'stored, off A, free, again, idle', 'listed A, listed B, delisted A'],

    # dead letters
    ['the beginning is a dead letter', '',
        'refuse, on A, tried, dead, accept, off A, idle', ''],
    ['and then a beginning arrives', '', 'refuse, on A, tried, dead, accept, '
        . 'off A, idle, on A, idle, off A, idle', 'listed A, delisted A'],
    ['one more list is a dead letter', '', 'on A, idle, refuse, on A ab, tried, '
        . 'dead, accept, off A, idle', 'listed A, delisted A'],
    ['a dead letter with two beginnings', '', 'hold, on A, on B, refuse, go, '
        . 'tried, dead, accept, off A, off B, idle', ''],
    ['a dead letter with a beginning and an end', 'endpoint',
        'on B, idle, hold, on A, off B, refuse, go, tried, dead, accept, '
        . 'off A, idle', 'listed B'],
    ['a dead letter with a beginning, and one more list', 'endpoint',
        'refuse, on A, tried, dead, accept, on A ab, idle, off A, idle',
        'listed A, delisted A'],
    ['a dead letter that may have arrived', '', 'silent, on A, tried, refuse, '
        . 'again, dead, accept, off A, idle', 'listed A, delisted A'],
    ['a contact that is gone, and is resumed', 'endpoint', 'on B, idle, gone, '
        . 'on A, idle, accept, status active, off A, off B, idle',
        'listed B, delisted B'],

    # contacts that change
    ['the contact is paused before the beginning arrives', '', 'refuse, on A, '
        . 'tried, status paused, again, accept, status active, off A, idle',
        ''],
    ['the same, and it may have arrived', '', 'silent, on A, tried, '
        . 'status paused, again, accept, status active, off A, idle',
        'listed A, delisted A'],
    ['a listing begins while the contact is paused', '', 'status paused, on A, '
        . 'idle, status active, off A, idle', ''],
    ['a listing begins and ends while the contact is paused', 'endpoint',
        'status paused, on A, off A, idle, status active, idle', ''],
    ['a known listing ends while the contact is paused', '', 'on A, idle, '
        . 'status paused, off A, idle, status active, idle',
        'listed A, delisted A'],
    ['the contact is added during the listing', '',
        'on A, idle, contact, off A, idle, on A, idle, off A, idle',
        'listed A, delisted A'],
    ['the contact is confirmed during the listing', 'endpoint',
        'pending, on A, idle, confirm, off A, idle', ''],
    ['the contact gets the group of a listed host', 'endpoint', 'group other, '
        . 'on A, idle, group default, idle, off A, idle', ''],
    ['the contact leaves the group of a known listing', 'endpoint', 'on A, '
        . 'idle, group other, idle, off A, idle', 'listed A, unreported A'],
    ['the contact leaves the group before the beginning arrives', 'endpoint',
        'hold, on A, group other, go, idle, off A, idle', ''],
    ['a listed host gets the group of the contact', 'endpoint', 'moves A '
        . 'other, on A, idle, moves A default, idle, off A, idle',
        'listed A, delisted A'],
    ['a listed host gets the group of the contact, and the listing ends',
        'endpoint', 'moves A other, on A, idle, hold, moves A default, off A, '
        . 'go, idle', ''],
    ['from while_listed to start_and_end', 'endpoint', 'schedule while_listed, '
        . 'on A, idle, schedule start_and_end, off A, idle',
        'listed A, delisted A'],
    ['from while_listed to start_and_end, without the beginning', 'endpoint',
        'schedule while_listed, refuse, on A, tried, dead, accept, schedule '
        . 'start_and_end, off A, idle', ''],
    ['an end during while_listed', 'endpoint', 'on A, idle, schedule '
        . 'while_listed, off A, idle, schedule start_and_end, idle',
        'listed A'],
    ['a beginning and an end during while_listed', 'endpoint', 'schedule '
        . 'while_listed, on A, idle, off A, idle, schedule start_and_end, '
        . 'idle', 'listed A'],
    ['a group that a contact with while_listed gets, is no check', 'endpoint',
        'schedule while_listed, moves A other, on A, idle, moves A default, '
        . 'idle', ''],

    # hosts that are deleted
    ['a host that is deleted within the window', 'endpoint',
        'hold, on A, delete A, go, idle', ''],
    ['a host that is deleted while a message is retried', 'endpoint',
        'refuse, on A, tried, on B, delete B, accept, again, idle', 'listed A'],
    ['a host of a dead letter is deleted', 'endpoint', 'refuse, on A, tried, '
        . 'dead, accept, delete A, idle', ''],

    # daemons that end
    ['a daemon that is killed while a message is retried', 'endpoint email',
        'refuse, on A, tried, on B, kill, off B, accept, start, again, idle',
        'listed A'],
    ['a daemon that is restarted while a message is retried', 'endpoint',
        'refuse, on A, tried, on B, stop, off B, accept, start, again, idle',
        'listed A'],
    ['a daemon that is killed before it knows the answer', 'endpoint',
        'late, on A, begun, off A, kill, accept, start, idle',
        'listed A, delisted A'],
);

for my $way (qw(endpoint email pagerduty)) {
    $type = $way;
    for my $case (@table) {
        my ($name, $on, $steps, $want) = @$case;
        next if $on ne '' && $on !~ /$way/;
        for my $host ('A', 'B') {
            ($ht{$host}, $value{$host}) = (sid('HT'), '192.0.2.'
                . (1 + $n_hosts++ % 250));
            is_ok(script('host_add', [$ACCT], type => 'rbl', family => 1,
                host => $ht{$host}, value => $value{$host}));
        }
        $seen{$type} = () = $reads{$type}->();
        $tries = 0;
        contact_now() if $steps !~ /\b(?:contact|pending)\b/;
        for (split /, /, $steps) {
            my ($what, @of) = split / /;
            ($step{$what} // die $what)->(@of);
        }
        is(told(), $want, "$way: $name: the contact gets its messages");
        $answers{$type}{accept}->();
        script('host_delete', [$ACCT], host => $_, keep => 60_000)
            for values %ht;
        script('contact_delete', [$ACCT], contact => $co);
        leases_end();
        $step{idle}->();
        is_deeply([map { @{ cmd('KEYS', k($_, $AC, $co)) } }
            qw(open ends line batch digest)], [],
            "$way: $name: the store keeps nothing of the contact");
    }
}

ok(stop_server($d, 5), 'the daemon ends on TERM');
done_testing();
