# Cases of t/lua/cost.t: what is delivered.  A body is that of an event about a
# host that 400 lists have.

use strict;
use warnings;
use Digest::SHA 'sha1_hex';
use RblTest;
use RblScript;
use RblWorst;

my ($ac, $acct) = @W{qw(ac acct)};
my $body = 'b' x 60_000;
my $lease = 60_000;
my ($number, @old) = (0);

sub deliver { my ($name, @args) = @_; return slice($name, [k('retry')], @args) }

case(hook_put => '', sub { s1('hook_put', hook => sid('WH'), name => 'n',
    url => 'https://h.example/', secret => 's', types => 'a.b') });
case(hook_update => '', sub { s1('hook_update', hook => $W{wh}[0], typed => 1,
    types => [map { "rbl.host.type$_" } 1 .. 20]) });
case(hook_secret => '', sub { s1('hook_secret', hook => $W{wh}[0],
    secret => 's' x 64, stays => 1000) });
case(hook_status => '', sub { s1('hook_status', hook => $W{wh}[0],
    status => 'active') });
case(hook_test => '', sub { s1('hook_test', hook => $W{wh}[0],
    event => sid('EV'), type => 'rbl.test', body => $body, most => 100_000) });
case(hook_delete => 'with a log of 1,000', sub { my $wh = sid('WH');
    s1('hook_put', hook => $wh, name => 'n', url => 'https://h.example/',
        secret => 's');
    cmd('RPUSH', k('log', $ac, $wh), ('x' x 1500) x 1000);
    s1('hook_delete', hook => $wh) });
sub dead_letters {
    my ($n, $body) = @_;
    cmd('DEL', k('dead', $ac));
    cmd('XADD', k('dead', $ac), '*', 'e', sid('EV'), 'to', $W{wh}[1], 'url',
        '', 't', 'rbl.host.listed', 'b', $body, 's', 500, 'x', 'y', 'n', 9,
        'a', '') for 1 .. $n;
}
case(hook_replay => 'letters of 60 KB', sub { dead_letters(40, $body);
    s1('hook_replay', hook => $W{wh}[1], from => '-', to => '+', most => 40);
    cmd('DEL', k('retry')) });
case(hook_replay => 'small letters', sub { dead_letters(40, 'b' x 1000);
    s1('hook_replay', hook => $W{wh}[1], from => '-', to => '+', most => 40);
    cmd('DEL', k('retry')) });
case(hook_dead => 'letters of 60 KB', sub { dead_letters(40, $body);
    s1('hook_dead', of => $W{wh}[1], most => 100) });
case(hook_dead => 'small letters', sub { dead_letters(200, 'b' x 600);
    s1('hook_dead', of => $W{wh}[1], most => 100) });
case(hook_dead => 'small letters of others', sub { dead_letters(200, 'b' x 600);
    s1('hook_dead', of => $W{wh}[0], most => 100) });
case(delivery_log => 'of 1,000', sub { cmd('DEL', k('log', $ac, $W{wh}[1]));
    cmd('RPUSH', k('log', $ac, $W{wh}[1]), ('x' x 1500) x 1000);
    s1('delivery_log', of => $W{wh}[1], last => 1000) });
case(hook_list => 'a page of 100', sub { s1('hook_list', first => 0,
    last => 99) });
case(hook_show => '', sub { s1('hook_show', hook => $W{wh}[0]) });

# Events of the outbox: how the first attempts of their deliveries ended.
sub deliveries {
    my ($n, $outcome) = @_;
    return map { [$W{wh}[$_ % 20], $outcome, 'a' x 1500, '', '', 5000, 500,
        'error text', 0] } 1 .. $n;
}
case(event_targets => '32 events, 20 receivers', sub { slice('event_targets',
    [k('outbox')], account => $ac, what => [('rbl.host.listed') x 32]) });
case(event_targets => '32 callbacks to hosts with circuits', sub {
    my @hook = map { k('hook', $ac, 'CB' . substr sha1_hex("h$_.example"), 0,
        32) } 1 .. 32;
    cmd('HSET', $_, 'till', 1) for @hook;
    my $r = slice('event_targets', [k('outbox')], account => $ac,
        what => [map { "$W{ap}https://h$_.example/a" } 1 .. 32]);
    cmd('DEL', @hook);
    die "a circuit is closed\n" if grep { @{ $_->[0] } > 1 } @$r[1 .. 32] });
# A call has so many deliveries at least, and those of the last event.
for my $outcome (qw(ok retry dead later)) {
    case(event_done => "27 deliveries: $outcome", sub {
        slice('event_done', [k('outbox')], lease => $lease,
            events => [map { packed([read_event($ac, sid('EV')), $ac,
                sid('EV'), 'rbl.host.listed', $outcome eq 'ok' ? '' : $body,
                [deliveries($_, $outcome)]]) } 7, 20]);
        cmd('DEL', k('retry')) });
}

# Each receiver has as many pending as it may, and one more of some: the oldest
# of them have 60 KB.
my $filled = 0;
sub fill_pending {
    my $pending = k('pending', $ac);
    cmd('EVAL', "for i = 1, ARGV[2] do redis.call('ZADD', KEYS[1], 0, ARGV[1]"
        . " .. ':2000000000000:EV' .. i .. ':' .. ARGV[1]) end", 1, $pending,
        $W{wh}[$_], $_ >= 1 && $_ <= 7 ? 9998 : 9999)
        for $filled++ ? () : 0 .. 19;
    cmd('ZREMRANGEBYLEX', $pending, "[$_:0", "($_:2") for @{ $W{wh} };
    for my $i (1 .. 27) {
        my ($ev, $wh) = (sid('EV'), $W{wh}[$i % 20]);
        cmd('HSET', k('event', $ac, $ev), 'type', 't', 'body', $body, 'open',
            1);
        cmd('HSET', k('dlv', $ac, $ev, $wh), 'attempt', 1, 'first', 0);
        cmd('ZADD', $pending, 0, "$wh:0:$ev:$wh");
        cmd('ZADD', k('retry'), 9e15, "$ac:$ev:$wh");
        push @old, k('event', $ac, $ev), k('dlv', $ac, $ev, $wh);
    }
}
sub beyond {
    clean();
    fill_pending();
    slice('event_done', [k('outbox')], lease => $lease,
        events => [map { packed([read_event($ac, sid('EV')), $ac, sid('EV'),
            'rbl.host.listed', $body, [map { [$_->[0], 'retry', 'a' x 1500, '',
                '', 9e6, 500, 'error text', 0] } deliveries($_, 'retry')]]) }
            7, 20]);
    my $n = cmd('ZCOUNT', k('retry'), '-inf', int(cmd('TIME')->[0]) * 1000
        + 1000);
    die "$n are given up, not 27\n" if $n != 27;
}
case(event_done => '27 deliveries beyond the bound of 10,000', sub {
    beyond(); cmd('DEL', k('retry')) });
case(delivery_claim => '27 beyond the bound', sub { beyond();
    deliver('delivery_claim', most => 32, lease => $lease) });
case(hook_test => 'beyond the bound', sub { clean(); fill_pending();
    s1('hook_test', hook => $W{wh}[0], event => sid('EV'), type => 'rbl.test',
        body => $body, most => 0) });
case(event_fanout => 'a notice to all contacts', sub {
    my $id = read_event($ac, my $ev = sid('EV'));
    slice('event_fanout', [k('outbox')], id => $id, account => $ac,
        event => $ev, type => 'contact.notice', body => 'b' x 1000);
    cmd('DEL', k('retry'), map { k('line', $ac, $_) } @{ $W{co} }) });

# Deliveries in the queue.
sub queued {
    my ($n, @targets) = @_;
    cmd('DEL', k('retry'));
    for my $i (0 .. $n - 1) {
        my ($ev, $to) = (sid('EV'), $targets[$i % @targets]);
        cmd('HSET', k('event', $ac, $ev), 'type', 'rbl.host.listed', 'date', 1,
            'body', $body, 'open', 1);
        cmd('HSET', k('dlv', $ac, $ev, $to), 'attempt', 0, 'first', 1);
        cmd('ZADD', k('retry'), 1, "$ac:$ev:$to");
        push @old, k('event', $ac, $ev), k('dlv', $ac, $ev, $to);
    }
}
sub clean { cmd('DEL', splice @old) if @old; cmd('DEL', k('retry')) }
case(delivery_claim => '32 of 60 KB', sub { clean(); queued(32, @{ $W{wh} });
    deliver('delivery_claim', most => 32, lease => $lease) });
case(delivery_claim => '32 to no hook', sub { clean(); queued(32, sid('WH'));
    deliver('delivery_claim', most => 32, lease => $lease) });
case(delivery_send => '', sub { clean(); queued(1, $W{wh}[0]);
    deliver('delivery_send', member => cmd('ZRANGE', k('retry'), 0, 0)->[0],
        attempt => 0) });
for my $outcome (qw(ok retry dead gone)) {
    case(delivery_done => $outcome, sub { clean(); queued(1, $W{wh}[0]);
        deliver('delivery_done', member => cmd('ZRANGE', k('retry'), 0,
            0)->[0], attempt => 0, outcome => $outcome, delay => 5000,
            status => 500, error => 'text', log => 'a' x 1500, quiet => 0);
        s1('hook_status', hook => $W{wh}[0], status => 'active') });
}
case(consumers_trim => '64 daemons that have stopped', sub {
    cmd('XGROUP', 'CREATECONSUMER', k('outbox'), 'deliver', "d$_") for 1 .. 64;
    slice('consumers_trim', [k('outbox')], group => 'deliver', idle => 0) });

# Digests: hosts to be reported to the contact, and those already reported.
my @range;
sub digest_of {
    my ($co) = @_;
    if (!@range) {
        for (1 .. 2) {
            my %r = range_of(1024);
            work(s1('host_add', name => text_of(240), type => 'ip_range',
                family => 1, profile => $W{rp}[0], group => $W{cg}[0], %r));
            work(s1('host_update', host => $r{range},
                groups => [@{ $W{cg} }[0 .. 49]]));
            push @range, @{ $r{host} };
        }
    }
    cmd('DEL', map({ k($_, $ac, $co) } qw(digest making batch line)),
        k('digests'));
    cmd('ZADD', k('digest', $ac, $co), map { (100 + $_, $range[$_]) } 0 .. 1999);
    cmd('HSET', k('open', $ac, $co), map { ($range[$_], '1|10.0.0.1|'
        . 'n' x 250) } 0 .. 2047);
    cmd('ZADD', k('digests'), 1, "$ac:$co");
}
case(digest_claim => '2,000 hosts of a contact, 50 in the message', sub {
    digest_of($W{co}[1]);
    slice('digest_claim', [k('digests')], window => 1000, lease => $lease,
        most => 50, events => [map { sid('EV') } 1 .. 4]) });
case(digest_claim => '50 hosts of ranges with marks', sub {
    digest_of($W{co}[1]);
    cmd('HSET', k('marks', $ac), map { ($_, 'x' x 9000) } @range[0 .. 999]);
    cmd('DEL', k('digest', $ac, $W{co}[1]));
    cmd('ZADD', k('digest', $ac, $W{co}[1]), map { (100 + $_, $range[$_]) }
        0 .. 49);
    my @were = map { cmd('GET', k('r', $ac, $range[$_])) } 0 .. 49;
    for my $i (0 .. 49) {
        my $h = unpacked($were[$i]);
        @$h[12, 13, 16] = (1, 1, [[$W{rb}[0], 'z', '', '', ['127.0.0.2'], 1,
            1]]);
        cmd('SET', k('r', $ac, $range[$i]), packed($h));
    }
    my ($r, $took, $n) = ([], 0, 0);
    while (@$r < 4 && $n++ < 20) {
        $r = slice('digest_claim', [k('digests')], window => 1000,
            lease => $lease, most => 50, events => [map { sid('EV') } 1 .. 4]);
        $took = $RblWorst::took{digest_claim}
            if $took < $RblWorst::took{digest_claim};
    }
    die "no marks\n" if !@{ ($r->[3] // [])->[12] // [] };
    cmd('SET', k('r', $ac, $range[$_]), $were[$_]) for 0 .. 49;
    cmd('DEL', k('marks', $ac));
    counts($took) });
case(digest_claim => 'everything is to be looked at', sub {
    digest_of($W{co}[1]);
    cmd('DEL', k('digest', $ac, $W{co}[1]));
    cmd('ZADD', k('digest', $ac, $W{co}[1]), 3 * 4398046511104 + 1, '*');
    slice('digest_claim', [k('digests')], window => 1000, lease => $lease,
        most => 50, events => [map { sid('EV') } 1 .. 4]) });
case(digest_claim => 'a host, while 2,000 are to be looked at later', sub {
    my $co = $W{co}[1];
    digest_of($co);
    cmd('DEL', k('digest', $ac, $co));
    cmd('ZADD', k('digest', $ac, $co), 100, $range[0],
        map { (3 * 4398046511104 + 4e12, "+$range[$_]") } 0 .. 1999);
    slice('digest_claim', [k('digests')], window => 1000, lease => $lease,
        most => 50, events => sid('EV')) });
case(digest_when => 'a digest that waits', sub {
    cmd('ZADD', k('digests'), 1, "$ac:$W{co}[1]");
    slice('digest_when', [k('digests')], member => "$ac:$W{co}[1]",
        at => 4e12) });
# A batch of them that is made, and its event.
sub batch_of {
    my ($co, $ev) = ($_[0], sid('EV'));
    digest_of($co);
    cmd('DEL', k('digest', $ac, $co));
    cmd('ZADD', k('batch', $ac, $co), -1, $ev, map { (4398046511104 + $_,
        $range[$_]) } 0 .. 1999);
    return $ev;
}
case(digest_claim => '2,000 hosts in a message', sub {
    batch_of($W{co}[1]);
    slice('digest_claim', [k('digests')], window => 1000, lease => $lease,
        most => 50, events => sid('EV')) });
case(digest_claim => '2,000 hosts in a sent message', sub {
    my $ev = batch_of($W{co}[1]);
    cmd('ZREM', k('batch', $ac, $W{co}[1]), $ev);
    cmd('ZADD', k('batch', $ac, $W{co}[1]), -2, "+$ev");
    slice('digest_claim', [k('digests')], window => 1000, lease => $lease,
        most => 50, events => sid('EV')) });
# One that 400 lists have, as they are told first.
case(digest_claim => 'a host on 400 lists in a message', sub {
    my ($co) = $W{co}[1];
    batch_of($co);
    cmd('ZADD', k('batch', $ac, $co), 1, listed_one());
    slice('digest_claim', [k('digests')], window => 1000, lease => $lease,
        most => 50, events => sid('EV')) });
# Hosts with what they keep of their changes: 32 listings that ended, and that
# they flap; they may be on 400 lists.
sub changed_hosts {
    my ($listed, $do) = @_;
    my @k = map { k('r', $ac, $_) } @range[0 .. 49];
    my $was = cmd('MGET', @k);
    my $now = 1000 * int cmd('TIME')->[0];
    my @past = map { [$W{rb}[$_], "list$_.some.example", 1, $now,
        2, 0, 0] } 1 .. 32;
    my $on = $listed && unpacked(cmd('GET', k('r', $ac, listed_one())));
    for my $i (0 .. 49) {
        my $h = unpacked($was->[$i]);
        @$h[12 .. 14, 16] = @$on[12 .. 14, 16] if $on;
        @$h[17 .. 22] = ([], 0, 0, '', \@past,
            [$now, (1) x 5, 1, $now, 9]);
        cmd('SET', $k[$i], packed($h));
    }
    my $co = k('r', $ac, $W{co}[1]);
    my $contact = cmd('GET', $co);
    my $c = unpacked($contact);
    $c->[4] = 'start_and_end';
    cmd('SET', $co, packed($c));
    $do->();
    cmd('SET', $co, $contact);
    cmd('SET', $k[$_], $was->[$_]) for 0 .. 49;
}
# Two lists are muted within each of the groups of the host.
sub muted_within {
    my ($do) = @_;
    my @mu = map { sid('MU') } 1 .. 100;
    cmd('SET', k('r', $ac, $mu[$_]), packed([1, $mu[$_], $W{rb}[$_ % 2], 1, 1,
        9e12, '', 0, 0, text_of(200), '', 'rblctl',
        $W{cg}[$_ / 2], 'group'])) for 0 .. 99;
    cmd('ZADD', k('mutes', $ac), map { (9e12, $_) } @mu);
    $do->();
    cmd('DEL', map { k('r', $ac, $_) } @mu);
    cmd('ZREM', k('mutes', $ac), @mu);
}
for my $case ([1, 0], [0, 0], [1, 1], [0, 1]) {
    my ($listed, $within) = @$case;
    my $name = '50 hosts that flap' . ($listed ? ', on 400 lists' : '')
        . ($within ? ', with mutes within groups' : '');
    my $mute = $within ? \&muted_within : sub { $_[0]->() };
    case(digest_claim => $name, sub {
        my $co = $W{co}[1];
        digest_of($co);
        $mute->(sub { changed_hosts($listed, sub { slice('digest_claim',
            [k('digests')], window => 1000, lease => $lease, most => 50,
            events => sid('EV')) }) }) });
    case(digest_claim => "$name, in a message", sub {
        my $co = $W{co}[1];
        batch_of($co);
        cmd('ZADD', k('batch', $ac, $co), map { ($_, $range[$_]) } 0 .. 49)
            if $listed;
        $mute->(sub { changed_hosts($listed, sub { slice('digest_claim',
            [k('digests')], window => 1000, lease => $lease, most => 50,
            events => sid('EV')) }) }) });
}
# Where a hundred of the lists are muted, in a message and before it; also within
# the groups by which the contact has the host.
for my $case ([0, 0], [1, 0], [0, 1], [1, 1]) {
    my ($told, $within) = @$case;
    case(digest_claim => 'a host on 400 lists, 100 of them muted'
        . ($within ? ' within groups' : '')
        . ($told ? ', in a message' : ''), sub {
        my ($co, $ht) = ($W{co}[1], listed_one());
        my %in = map { $_ => 1 } @{ unpacked(cmd('GET', k('r', $ac, $ht)))
            ->[9] };
        my @in = grep { $in{$_} }
            @{ unpacked(cmd('GET', k('r', $ac, $co)))->[6] };
        die "no group\n" if !@in;
        my @lists = map { $_->[0] } @{ unpacked(cmd('GET', k('r', $ac, $ht)))
            ->[16] }[300 .. 399];
        my @mu = map { sid('MU') } @lists;
        cmd('SET', k('r', $ac, $mu[$_]), packed([1, $mu[$_], $lists[$_], 1, 1,
            9e12, '', 0, 0, text_of(200), '', 'rblctl', !$within ? ()
            : ($in[$_ % @in], 'group')])) for 0 .. 99;
        cmd('ZADD', k('mutes', $ac), map { (9e12, $_) } @mu);
        my $ev = batch_of($co);
        cmd('HSET', k('open', $ac, $co), $ht, '5|10.0.0.1|name');
        cmd('HSET', k('held', $ac, $co), $ht, 'm 5::' . join '', map { "$_," }
            @lists);
        cmd('ZADD', k('batch', $ac, $co), 5, $ht) if $told;
        cmd('DEL', k('batch', $ac, $co)) if !$told;
        cmd('ZADD', k('digest', $ac, $co), 5, $ht) if !$told;
        slice('digest_claim', [k('digests')], window => 1000, lease => $lease,
            most => 50, events => sid('EV'));
        cmd('DEL', k('held', $ac, $co), map { k('r', $ac, $_) } @mu);
        cmd('ZREM', k('mutes', $ac), @mu) });
}
# A message that is not delivered, with so many listings that only it has
# reported, and ends.
sub untold {
    my ($begins) = @_;
    my $co = $W{co}[1];
    clean();
    digest_of($co);
    queued(1, $co);
    my $member = cmd('ZRANGE', k('retry'), 0, 0)->[0];
    cmd('HSET', k('dlv', split /:/, $member), 'host', '*');
    cmd('HSET', k('ends', $ac, $co), map { $_ < $begins ? ("+$range[$_]", '')
        : ($range[$_], '1|10.0.0.1|' . 'n' x 250) } 0 .. 1999);
    return ($co, $member);
}
case(delivery_done => '2,000 hosts that are not known', sub {
    my ($co, $member) = untold(2000);
    deliver('delivery_done', member => $member, attempt => 0,
        outcome => 'dead', delay => 0, status => 500, error => 'text',
        log => 'a' x 1500, quiet => 0);
    cmd('DEL', k('ends', $ac, $co)) });
case(delivery_claim => '2,000 hosts of a paused contact', sub {
    my ($co) = untold(0);
    s1('contact_status', contact => $co, status => 'paused');
    deliver('delivery_claim', most => 32, lease => $lease);
    s1('contact_status', contact => $co, status => 'active');
    cmd('DEL', k('ends', $ac, $co)) });
case(digest_store => '2,000 hosts', sub {
    my $co = $W{co}[1];
    my $ev = batch_of($co);
    slice('digest_store', [k('digests')], member => "$ac:$co", claimed => $ev,
        limit => 20, event => $ev, body => 'b' x 60_000, host => '');
    cmd('DEL', k('line', $ac, $co), k('ends', $ac, $co), k('retry')) });

1;
