#!/usr/bin/perl

# Lifetime of check records: a requested check is kept until it has finished,
# however long it waits for a daemon, and then for the longest time that one of
# its requests asked for.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant {
    KEEP => 60_000,                         # of the daemon, in RblScript
    YEAR => 365 * 86_400_000,               # most that a check may wait
};

redis_new();
my ($ac, $acct) = account(interval => 600);

sub start {
    my ($ht, $keep, $value) = @_;

    my $pp = sid('PP');
    return script('check_start', [$acct], check => $pp, host => $ht,
        value => $value // '', family => 4, callback => 'https://cb.example/',
        app => 'APx', keep => $keep)->[1];
}
sub left { return cmd('PTTL', k('check', $ac, $_[0])) }
sub status { return cmd('HGET', k('check', $ac, $_[0]), 'status') }
my $n_hosts = 0;
sub host {
    return unpacked(add_host($acct, 'rbl', '192.0.2.' . ++$n_hosts)->[1])->[1];
}
sub told { return scalar @{ cmd('XRANGE', k('outbox'), '-', '+') } }

# Waiting and running checks are kept.  `end` finishes one.
sub kept_until {
    my ($name, $pp, $keep, $end, $begin) = @_;

    cmp_ok(left($pp), '>', YEAR, "$name: its record is kept while it waits");
    if ($begin->()) {
        cmp_ok(left($pp), '>', YEAR, "$name: and while it runs");
    }
    $end->();
    cmp_ok(left($pp), '>', $keep - 5000,
        "$name: it is kept when it is finished");
    cmp_ok(left($pp), '<=', $keep, "$name: for so long");
    ok(!cmd('EXISTS', k('leases')), "$name: no lease is left");
}

for (['the longest is the daemon\'s', 10_000, KEEP],
    ['the longest is that of the request', 120_000, 120_000])
{
    my ($name, $keep, $longest) = @$_;
    for my $ht ('', host()) {
        my $pp = start($ht, $keep, '192.0.2.250');
        my $of = $ht eq '' ? 'one-off' : 'host';
        kept_until("$name, $of", $pp, $longest,
            sub { finish_check($acct, $pp, $ht, [result('RBa', 'clear'),
                result('RBb', 'clear')]) },
            sub { take('m', 1); is(begin($acct, $pp, $ht)->[0], 'OK',
                'started');
                1 });
        is(status($pp), 'completed', "$name, $of: the check is completed");
    }
}

# another request asks for a longer, or shorter, time
my $ht = host();
my $pp = start($ht, 20_000);
is(start($ht, 300_000), $pp, 'a second request gets the same check');
is(start($ht, 10_000), $pp, 'a third request gets the same check');
kept_until('three requests', $pp, 300_000,
    sub { finish_check($acct, $pp, $ht, [], 'No.') },
    sub { take('m', 1); begin($acct, $pp, $ht) });
is(status($pp), 'failed', 'the requested check has failed');

# in flight, and finished: a new request gets a finished one
cmd('HSET', k('flight'), "$ac:$ht", $pp);
my $next = start($ht, 20_000);
isnt($next, $pp, 'a finished check is not returned');
is(cmd('HGET', k('flight'), "$ac:$ht"), $next, 'the new one is in flight');
take('m', 1);
is(begin($acct, $next, $ht)->[0], 'OK', 'the new check starts');
finish_check($acct, $next, $ht, [], 'No.');

# a scheduled check that is requested while it runs
cmd('DEL', k('due'), k('due', $ac));
$ht = host();
script('hook_put', [$acct], hook => sid('WH'), name => 'n',
    url => 'https://x.example/', secret => 's');
my ($job) = take('d', 1);
$pp = (split /:/, $job)[1];
is(begin($acct, $pp, $ht)->[0], 'OK', 'a scheduled one starts');
cmp_ok(left($pp), '>', 50_000,
    'a check that was not requested expires by itself');
is(start($ht, 200_000), $pp, 'a request while it runs');
kept_until('requested while it ran', $pp, 200_000,
    sub { finish_check($acct, $pp, $ht, [result('RBa', 'clear'),
        result('RBb', 'clear')], '', kind => 'd') },
    sub { 0 });
cmp_ok(cmd('PTTL', k('check', $ac, "$pp:d")), '>', 190_000,
    'the details of the check expire with it');

# other ends: each is reported
sub ends {
    my ($name, $end, $ht) = @_;

    $ht //= host();
    my $waits = start($ht, 100_000, '192.0.2.251');
    my $before = told();
    kept_until($name, $waits, 100_000, sub { $end->($waits, $ht) },
        sub { 0 });
    is(status($waits), 'failed', "$name: it has failed");
    is(told(), $before + 1, "$name: the callback is reported");
}
ends('the host is deleted', sub {
    is(script('host_delete', [$acct], host => $_[1], keep => KEEP)->[0], 'OK',
        'host_delete deletes the host');
    take('m', 1);
    is(begin($acct, @_)->[0], 'GONE',
        'check_begin starts no check of a deleted host');
});
for my $of (undef, '') {
    my $name = defined $of ? 'a one-off, ' : 'a host, ';
    ends("${name}the account is suspended", sub {
        script('account_status', [$acct], status => 'suspended');
        take('m', 1);
        is(begin($acct, @_)->[0], 'GONE',
            'check_begin starts no check of a suspended account');
        script('account_status', [$acct], status => 'active');
    }, $of);
}
ends('no key links it to its host', sub {
    cmd('HDEL', k('flight'), "$ac:$_[1]");
    take('m', 1);
    is(begin($acct, @_)->[0], 'GONE',
        'check_begin starts no check without its key');
});
ends('the host is lost', sub {
    cmd('DEL', k('r', $ac, $_[1]));
    take('m', 1);
    is(begin($acct, @_)->[0], 'GONE',
        'check_begin starts no check of a lost host');
    ok(!cmd('HEXISTS', k('flight'), "$ac:$_[1]"),
        'the lost host has no check in flight');
});
my $of_lost = start('', 100_000, '192.0.2.252');
my $account = cmd('GET', $acct);
cmd('DEL', $acct);
take('m', 1);
is(begin($acct, $of_lost, '')->[0], 'GONE', 'an account that is lost');
cmp_ok(left($of_lost), '>', 50_000, 'keeps no records');
cmd('SET', $acct, $account);

done_testing();
