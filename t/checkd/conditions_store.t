#!/usr/bin/perl

# The conditions that a reader sees: a store that refuses changes, is emptied or
# away, and no daemon.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblConditions;
use RblDns;
use RblRedis;

my $dns = RblDns->new(rules => [test_entry(), not_there()]);
my $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } },
    redis => { port => 1, cluster => 0 });
my $redis = $w->{redis};
my $nginx = condition_nginx($w);
my $one = start_checkd(store => $redis, resolver => $dns->port,
    conf => { conf_short(name => 'one') });
check_host($w, add_host($w, '10.0.0.1'));
healthy($w, 'at first');

redis($redis, 'CONFIG', 'SET', 'maxmemory', 1);
named($w, 'store_refuses', 'broken', qr/OOM/);
is(messages($nginx, qr/refuses changes: OOM/), 2,
    'each worker has one line about a store that refuses');
like(http($nginx, 'GET', '/3.0/listings.nagios', auth => $w->{acct})->{body},
    qr/^UNKNOWN - The database takes no changes/,
    'Nagios gets UNKNOWN while the store refuses changes');
redis($redis, 'CONFIG', 'SET', 'maxmemory', 0);
over($w, 'store_refuses');
healthy($w, 'with a store that takes changes');

my $gone = { sid => 'AC' . '1' x 32, app => 'AP' . '1' x 32,
    token => '1' x 64 };
is(http($nginx, 'GET', '/3.0/hosts.json', auth => $gone)->{status}, 401,
    'an unknown account gets 401');
my %kept = map { $_ => redis($redis, 'DUMP', $_) }
    grep { redis($redis, 'PTTL', $_) < 0 } @{ redis($redis, 'KEYS', '*') };
# A worker that saw the meta data before a refusal believes that for a second.
my $refused = time;
wait_for { time - $refused > 1 } 10;
redis($redis, 'FLUSHALL');
is(join(' ', map { http($nginx, 'GET', '/3.0/hosts.json', auth =>
    $_ % 2 ? $w->{acct} : $gone)->{status} } 1 .. 20), join(' ', (503) x 20),
    'an emptied store gives 503, from the first request on');
like(http($nginx, 'GET', '/3.0/hosts.json', auth => $w->{acct})->{body},
    qr/lost its data/, 'the answer says that the store has lost its data');
ok(messages($nginx, qr/was emptied: the store has lost its meta data/),
    'the log says that the store was emptied');
eventually { conditions($w)->{store_emptied} } 20,
    'rblctl status names the emptied store';
is(rblctl($redis, 'status')->{status}, 2,
    'rblctl status exits with 2 with an emptied store');
eventually { sample($w, 'rbl_condition{name="store_emptied"}') eq '1' } 20,
    'the metrics name the emptied store';
redis($redis, 'FLUSHALL');
redis($redis, 'RESTORE', $_, 0, $kept{$_},
    'REPLACE') for keys %kept;
eventually { http($nginx, 'GET', '/3.0/hosts.json', auth => $w->{acct})
    ->{status} == 200 } 20, 'a restored store serves again';
over($w, 'store_emptied');

ok(stop_server($one), 'the daemon stops');
named($w, 'no_daemon', 'broken', qr/no daemon has reported/);

kill_server($redis);
eventually { sample($w, 'rbl_condition{name="store_away"}') eq '1' } 20,
    'the metrics name a store that is away';
is(sample($w, 'rbl_verdict'), '2', 'a store that is away is broken');
is(rblctl($redis, 'status')->{status}, 3,
    'rblctl status exits with 3 without the store');

$dns->stop;
done_testing();
