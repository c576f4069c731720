package RblTest;

# Starts real servers for a test, in a private directory, and stops each by its
# pid.  Re-exports Test::More.  done_testing() (or the end of the program) also
# stops all servers and checks the logs.
#
#     use RblTest;
#     my $redis = start_redis();
#     rblctl($redis, 'init');
#     my $nginx = start_nginx(store => $redis);
#     my $acct  = make_account($redis);
#     my $r     = http($nginx, 'GET', '/3.0/hosts.json', auth => $acct);
#     is($r->{status}, 200);
#     done_testing();
#
# A server is a hash: name, pid, dir, log (path), port and socket where it has
# them.  Environment: RBL_BUILD (build directory, default "build"), RBL_NGINX
# (another nginx binary), RBL_PRELOAD (LD_PRELOAD of nginx), RBL_KEEP (1: the
# directory stays, and its name is printed).

use strict;
use warnings;

use Exporter 'import';
use Test::More;

use RblTest::Clock;
use RblTest::Dns;
use RblTest::Http;
use RblTest::Memory;
use RblTest::Process;
use RblTest::Receiver;
use RblTest::Redis;
use RblTest::Servers;

our @EXPORT = (
    @Test::More::EXPORT, @RblTest::Clock::EXPORT, @RblTest::Dns::EXPORT,
    @RblTest::Http::EXPORT,
    @RblTest::Memory::EXPORT, @RblTest::Process::EXPORT,
    @RblTest::Receiver::EXPORT, @RblTest::Redis::EXPORT,
    @RblTest::Servers::EXPORT,
);

1;
