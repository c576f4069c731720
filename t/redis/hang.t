#!/usr/bin/perl

# A store that hangs: 503 within rbl_store_timeout, at once from then on, and
# service within 2 seconds after it continues.  The rest of nginx is not
# affected.
#
# Alone: measures how soon requests are answered.

use strict;
use warnings;

use lib 't/lib';
use RblRedis;
use RblTest;

my $redis = start_redis();
store_meta($redis);
my $nginx = start_nginx(store => $redis, workers => 1,
    http => 'rbl_store_timeout 400ms;',
    server => 'location /plain { return 204; }');

ok(wait_for { ask($nginx) == 401 } 3, 'nginx answers requests from the store');

pause_server($redis);

my @waiting = map { send_request($nginx) } 1 .. 20;
my ($status, $seconds, $r) = asked_in($nginx);
is($status, 503, 'a request to a hung store gets 503');
ok($seconds >= 0.2 && $seconds < 1.5, sprintf 'after %.3f s', $seconds);
ok($r->{headers}{'retry-after'}, 'the response 503 has Retry-After');
is(scalar(grep { status_line($_) =~ / 503 / } @waiting), 20,
    'all 20 requests that waited get 503');

($status, $seconds) = asked_in($nginx);
is($status, 503, 'the next request to a hung store gets 503');
ok($seconds < 0.3, sprintf 'known at once: %.3f s', $seconds);
is(http($nginx, 'GET', '/plain')->{status}, 204, 'nginx itself serves');
ok(messages($nginx, qr/not ready: no reply within rbl_store_timeout/),
    'the log has the reason');

cont_server($redis);
ok(wait_for { ask($nginx) == 401 } 2, 'service within 2 seconds');

# Without a request nginx notices it by the query of the role, once a second.
my $before = messages($nginx, qr/not ready: no reply within rbl_store/);
pause_server($redis);
ok((wait_for { messages($nginx, qr/not ready: no reply within rbl_store/)
    > $before } 5), 'hung while there are no requests');
($status, $seconds) = asked_in($nginx);
is($status, 503, 'the first request');
ok($seconds < 0.3, sprintf 'does not wait for it: %.3f s', $seconds);
cont_server($redis);
ok(wait_for { ask($nginx) == 401 } 2, 'service within 2 seconds');

done_testing();
