#!/usr/bin/perl

# Digests in delivery: claimed by one daemon at a time, which may die; stored as
# messages, one after the other and at a limited rate; contacts that are paused
# or deleted meanwhile; many hosts at once; damaged records.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my ($ac, $acct, $cg, $other) = digests_new();
my $here = contact('start_and_end');
my ($in, $out, $two) = (host(), host($other), host($cg, $other));
my @v = map { last_address($_) } 2, 1, 0;

# --- claims ------------------------------------------------------------------

check($two, qw(listed clear));
tells();
check($in, qw(listed listed));
my $wait = claim(window => 60_000);
ok($wait > 59_000 && $wait <= 60_000, 'nothing before the end of the window');
is(scalar(my @none = claim(window => 60_000)), 0, 'no daemon gets it');
check($two, qw(clear clear));
my ($g) = claim();
is_deeply([@$g{qw(member apart timezone listed delisted clear)}],
    ["$ac:$here", 0, 'UTC', 1, 1, 0],
    'a daemon claims the digest after the window');
is_deeply([map { unpacked($_)->[2] } @{ $g->{hosts} }[0, 2]], [$v[0], $v[2]],
    'the digest has its two hosts');
is_deeply([@{ $g->{hosts} }[1, 3]], [0, 1],
    'the digest has the changes of its hosts');
is_deeply([sort map { unpacked($_)->[3] } @{ $g->{lists} }],
    ['a.example', 'b.example'], 'the digest has the lists of its listed hosts');
is(scalar(@none = claim()), 0, 'a claimed digest is leased');
leases_end($here);
my ($again) = claim();
is_deeply({ %$again, event => '', now => 0 }, { %$g, event => '', now => 0 },
    'an expired lease: another daemon claims the same');
isnt($again->{event}, $g->{event}, 'the digest that is made again has another event');

# later changes are for the next digest
check($out, qw(listed clear));
leases_end($here);
my $late = $g;
($g) = claim();
is($g->{listed}, 1, 'the repeated claim counts the same hosts');
is_deeply(store($late), ['STALE'], 'a late daemon cannot store the digest');
is_deeply(store($g), ['OK', 1], 'digest_store stores the digest');
is_deeply(store($g), ['STALE'], 'digest_store stores the digest only once');
my ($m) = take_one();
is_deeply([@$m[0 .. 4, 6, 7, 8]], ["$ac:$g->{event}:$here", 'contact.trigger',
    "https://x.example/$here", '', 0, $g->{event}, '{"m":1}', 'endpoint'],
    'a delivery to the contact');

# it gets no other message before that one is over
leases_end($here);
is(scalar(@none = claim()), 0, 'the next digest waits for it');
is(done($m, 'retry', 1000), 'OK',
    'delivery_done queues the message for another attempt');
leases_end($here);
is(scalar(@none = claim()), 0, 'the message is still pending');
due_now($m);
($m) = take_one();
is(done($m, 'ok'), 'OK', 'delivery_done records the message as delivered');
is(done($m, 'ok'), 'STALE', 'delivery_done records the message only once');
leases_end($here);
my ($h) = claim();
is_deeply([@$h[4, 5, 6]], [0, 0, 0],
    'the digest has no host of another group') if $h;
leases_end($here);
($h) = claim();
is($h, undef, 'nothing else waits') or diag explain $h;
nothing_left('after the report');

# deterministic cases of the end of a listing
check($in, qw(clear clear));
($g) = claim();
check($in, qw(listed clear));
leases_end($here);
($again) = claim();
is_deeply([@$again{qw(listed delisted)}], [0, 1], 'a claimed end stays an end');
store($again);
($m) = take_one();
done($m, 'ok');
leases_end($here);
($g) = claim();
is_deeply([@$g{qw(listed delisted)}], [1, 0], 'the next digest has the listing');
check($in, qw(clear clear));
leases_end($here);
($again) = claim();
is_deeply([@$again{qw(listed delisted)}], [0, 0],
    'a listing that ends before its report is not reported');
is_deeply(store($again, messages => []), ['OK', 0],
    'a digest without news is stored without a message');
leases_end($here);
($g) = claim();
is($g, undef, 'the next digest has no end of it');
nothing_left('without a report');

# another list between a claim and the next is reported once
check($in, qw(listed clear));
($g) = claim();
check($in, qw(listed listed));
leases_end($here);
($again) = claim();
is_deeply([@$again{qw(listed delisted)}], [0, 0],
    'a host with news is left to the next');
is_deeply(store($g), ['STALE'], 'a claim from before is stale');
is_deeply(store($again, messages => []), ['OK', 0],
    'a digest without news is stored without a message');
leases_end($here);
($g) = claim();
is_deeply([@$g{qw(listed delisted)}], [1, 0], 'the next digest has the host');
is(scalar @{ unpacked($g->{hosts}[0])->[16] }, 2,
    'the host in the digest has both of its lists');
store($g);
($m) = take_one();
done($m, 'ok');
leases_end($here);
($h) = claim();
is($h, undef, 'a reported host is not reported again') or diag explain $h;
check($in, qw(clear clear));
store($_) for claim();
($m) = take_one();
done($m, 'ok');
nothing_left('a further list');

# a deleted host
check($in, qw(listed clear));
my $gone = host();
check($gone, qw(listed clear));
script('host_delete', [$acct], host => $gone, keep => 60_000);
($g) = claim();
is_deeply([@$g{qw(listed unreported)}, $#{ $g->{hosts} }], [1, 0, 1],
    'neither its listing nor its end is reported');
store($g);
($m) = take_one();
done($m, 'dead');
my $letter = cmd('XREVRANGE', k('dead', $ac), '+', '-', 'COUNT', 1)->[0][1];
is({ @$letter }->{b}, '{"m":1}', 'a message that is given up is a dead letter');
nothing_left('dead');

# --- several messages: one after the other, rate-limited ---------------------

check($in, qw(clear clear));
tells();
check($in, qw(listed clear));
tells();
check($in, qw(clear clear));
($g) = claim();
my @ev = map { sid('EV') } 1 .. 5;
cmd('DEL', k('pace', $ac, $here));
is_deeply(store($g, limit => 3, messages => [map { [$ev[$_], "{\"m\":$_}",
    $_ == 2 || $_ == 4 ? $in : ''] } 0 .. 4]), ['OK', 5],
    'digest_store stores five messages');
sub retry { return cmd('ZRANGE', k('retry'), 0, -1) }
for my $i (0 .. 2) {
    is_deeply(retry(), ["$ac:$ev[$i]:$here"], "only message $i is tried");
    ($m) = take_one();
    is($m && $m->[7], "{\"m\":$i}", "message $i is tried at once");
    done($m, $i == 1 ? 'dead' : 'ok');
}
is(scalar(@none = take_one()), 0, 'the fourth has to wait');
my ($now) = map { $_->[0] * 1000 } cmd('TIME');
my $at = cmd('ZSCORE', k('retry'), "$ac:$ev[3]:$here");
ok($at > $now + 15_000 && $at < $now + 25_000,
    'the fourth message waits a third of a minute') or diag $at - $now;
due_now(["$ac:$ev[3]:$here"]);
($m) = take_one();

# the last message reports a host as listed, whose listing has ended
check($in, qw(listed clear));
check($in, qw(clear clear));
done($m, 'ok');
due_now(["$ac:$ev[4]:$here"]);
is(scalar(@none = take_one()), 0,
    'an ended listing is dropped before the first attempt');
is_deeply(retry(), [], 'the queue of attempts is empty');
leases_end($here);
is(scalar(@none = claim()), 0, 'the next digest has no end of it');
check($in, qw(listed clear));
($g) = claim();
is_deeply(store($g, limit => 1000, messages => [[$ev[0], '{}', $in]]),
    ['OK', 1], 'digest_store stores the report of the next listing');
due_now(["$ac:$ev[0]:$here"]);
($m) = take_one();
is(done($m, 'retry', 0), 'OK',
    'delivery_done queues the message for another attempt');
check($in, qw(clear clear));
due_now($m);
is(scalar(my @tried = take_one()), 1,
    'a message that was tried is tried again');
done($tried[0], 'ok');
leases_end($here);
($g) = claim();
is_deeply([@$g{qw(listed delisted)}], [0, 1],
    'the next digest has the end of the listing');
store($g, limit => 1000);
due_now(["$ac:$g->{event}:$here"]);
($m) = take_one();
done($m, 'ok');
nothing_left('in turn');

# --- contacts that are paused or deleted meanwhile ---------------------------

my %ends = (
    'paused' => sub { script('contact_status', [$acct], contact => $_[0],
        status => 'paused') },
    'deleted' => sub { script('contact_delete', [$acct], contact => $_[0]) },
);
script('contact_delete', [$acct], contact => $here);
my $dead = cmd('XLEN', k('dead', $ac));
for my $name (sort keys %ends) {
    my $to = contact('while_listed');
    check($in, qw(listed clear));
    $ends{$name}->($to);
    is(scalar(@none = claim()), 0, "$name before the claim");
    nothing_left($name);

    $to = contact('while_listed');
    check($in, qw(listed clear));
    ($g) = claim();
    check($in, qw(listed clear));
    $ends{$name}->($to);
    is_deeply(store($g), ['GONE'], "$name before it is stored");
    nothing_left($name);

    $to = contact('while_listed');
    check($in, qw(listed clear));
    ($g) = claim();
    store($g, messages => [[$ev[0], '{}', ''], [$ev[1], '{}', '']]);
    check($in, qw(listed clear));
    $ends{$name}->($to);
    for (1 .. 2) {
        is(scalar(@none = take_one()), 0, "$name before the attempt");
    }
    leases_end($to);
    is(scalar(@none = claim()), 0, "$name: no digest is claimed afterwards");
    nothing_left($name);
    script('contact_delete', [$acct], contact => $to);
}
is(cmd('XLEN', k('dead', $ac)), $dead, 'none of it is a dead letter');

# more ends than one call takes back
my $many = contact('start_and_end');
check($in, qw(clear listed));
($g) = claim();
store($g);
my @many = map { sid('HT') } 1 .. 1300;
sub many_in { return scalar grep { defined }
    @{ cmd('HMGET', k($_[0], $ac, $many), @many[0 .. 1199]) } }
cmd('HSET', k('ends', $ac, $many), map { ($_, '1|10.0.0.1|n') } @many[0 .. 1199]);
cmd('HSET', k('ends', $ac, $many), map { ("+$_", '') } @many[1200 .. 1299]);
$ends{paused}->($many);
my $calls = 0;
for (; cmd('ZCARD', k('retry')) && $calls < 10; $calls++) {
    is(scalar(@none = take_one()), 0, 'many ends: nothing is sent');
    is(many_in('ends') + many_in('open'), 1200, 'each end is in one place');
}
cmp_ok($calls, '>', 1, 'many ends are taken back by several calls');
is(many_in('open'), 1200, 'all of them');
script('contact_delete', [$acct], contact => $many);

# a contact that its service reports as gone
my $to = contact('while_listed');
check($in, qw(listed clear));
($g) = claim();
store($g);
($m) = take_one();
is(done($m, 'gone'), 'OK', 'the contact is unreachable');
is(unpacked(cmd('GET', k('r', $ac, $to)))->[5], 'paused',
    'the contact that is gone is paused');
check($in, qw(listed clear));
nothing_left('the contact is unreachable');
script('contact_delete', [$acct], contact => $to);

# --- a storm ------------------------------------------------------------------

$to = contact('start_and_end');
my @storm = map { sid('HT') } 1 .. 300;
for my $i (0 .. $#storm) {
    script('host_add', [$acct], name => 'n', type => 'rbl', family => 1,
        host => $storm[$i], value => '10.0.' . int($i / 250) . '.' . $i % 250);
    check($storm[$i], qw(listed clear));
}
($g) = claim();
is($g->{listed}, 300, 'all are counted');
is(scalar @{ $g->{hosts} } / 2, 50, 'the message has 50 of them');
is(unpacked($g->{hosts}[0])->[1], $storm[0], 'the first ones');
is(scalar(@{ $g->{lists} }), 1, 'each list once');
is_deeply(store($g), ['OK', 1],
    'digest_store stores one message for the storm');
($m) = take_one();
done($m, 'ok');
nothing_left('a storm');

# many ends with a message each: the excess is reported in the next one
my $n = 0;
my $pager = contact('start_and_end', type => 'pagerduty');
for my $ht (@storm[0 .. 249]) {
    check($ht, $_, 'clear') for 'clear', 'listed';
}
store($_, messages => []) for claim();
check($_, qw(clear clear)) for @storm[0 .. 249];
for my $ends ((25) x 10) {
    my %claimed = map { $_->{member} => $_ } claim();
    my $d = $claimed{"$ac:$pager"};
    is($d->{delisted}, $ends, "$ends ends of 250");
    is(scalar @{ $d->{hosts} } / 2, $ends, 'each is reported');
    is($claimed{"$ac:$to"}{delisted}, 250, 'the other contact gets all at once')
        if !$n++;
    store($_, messages => []) for values %claimed;
}
script('contact_delete', [$acct], contact => $pager);
nothing_left('many ends');

# nor is a deleted host counted, however many there are
check($_, qw(listed clear)) for @storm[0 .. 249];
script('host_delete', [$acct], host => $_, keep => 60_000)
    for @storm[0 .. 229];
($g) = claim();
is_deeply([@$g{qw(listed delisted unreported)}, @{ $g->{hosts} } / 2],
    [20, 0, 0, 20],
    'hosts that are deleted before the report');
store($g, messages => []);

# a host with a message of its own that finds no room is in the next digest
$pager = contact('start_and_end', type => 'pagerduty');
my @large = map { host() } 1 .. 3;
for my $ht (@large) {
    check($ht, qw(listed clear));
    my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
    $h->[16][0][3] = 'x' x 50_000;
    cmd('SET', k('r', $ac, $ht), packed($h));
}
my @shown;
for (@large) {
    my ($d) = grep { $_->{member} eq "$ac:$pager" } my @all = claim();
    is_deeply([$d->{listed}, scalar @{ $d->{hosts} } / 2], [1, 1],
        'one of the large hosts is shown, and counted');
    push @shown, unpacked($d->{hosts}[0])->[1];
    store($_, messages => []) for @all;
}
is_deeply([sort @shown], [sort @large], 'each of them is shown in the end');
script('contact_delete', [$acct], contact => $pager);

# damaged records wait and affect no other contact
check($in, qw(clear clear));
my $fine = contact('every_check');
check($in, qw(listed clear));
cmd('SET', k('r', $ac, $to), 'x');
my @got = claim();
is_deeply([map { $_->{member} } @got], ["$ac:$fine"], 'the valid one is claimed');
ok(cmd('ZSCORE', k('digests'), "$ac:$to") > $now, 'the other waits');
cmd('ZADD', k('digests'), 0, 'what is this');
is(scalar(@none = claim()), 0, 'an invalid member');
is(cmd('ZSCORE', k('digests'), 'what is this'), undef,
    'an invalid member leaves the queue of digests');

done_testing();
