#!/usr/bin/perl
# A store without AUTH repeats the arguments in its error: no program shows the
# password.

use strict;
use warnings;

use lib 't/lib';
use RblCheckd;
use RblRedis;
use RblTest;

my $redis = start_redis(cluster => 1,          # its replicas would need AUTH
    args => ['--rename-command', 'AUTH', '']);
my $refusal = qr/does not support AUTH/;

my $r = rblctl($redis, 'account', 'list');
is($r->{status}, 3, 'rblctl exits with status 3');
like($r->{err}, $refusal, 'the message of rblctl has the reason');
unlike("$r->{out}$r->{err}", qr/secret of/,
    'rblctl does not show the password');

my $d = start_checkd(store => $redis, resolver => 5399, ready => '');
ok(wait_log($d, $refusal, 10), 'rbl-checkd logs the reason');
unlike(read_file($d->{log}), qr/secret of/,
    'the log of rbl-checkd does not show the password');

my $nginx = start_nginx(store => $redis, workers => 1);
ok(wait_for { error_log($nginx) =~ /is not ready: / } 10,
    'nginx logs the reason');
unlike(error_log($nginx), qr/secret of/,
    'the log of nginx does not show the password');
done_testing();
