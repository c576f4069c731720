#!/usr/bin/perl

# The clock of the store was two days ahead while hosts were checked, and is set
# right: the hosts are checked within an interval, and the log says so.  No
# account is billed while the clocks differ.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblDns;
use RblTest;
use RblTest::Redis;

my $file = temp_dir() . '/clock';
sub clock { my ($by) = @_; write_file($file, "$by\n"); return }
my $lib = temp_dir() . '/clock.so';
write_file("$lib.c", <<'C');
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long
ahead(void)
{
    long   by = 0;
    FILE  *f = fopen(getenv("CLOCK_AHEAD"), "r");

    if (f != NULL) {
        if (fscanf(f, "%ld", &by) != 1) {
            by = 0;
        }

        fclose(f);
    }

    return by;
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
    int  rc = (int) syscall(SYS_clock_gettime, id, ts);

    ts->tv_sec += id == CLOCK_REALTIME ? ahead() : 0;
    return rc;
}

int
gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    struct timespec  ts;

    (void) zone;
    clock_gettime(CLOCK_REALTIME, &ts);
    tv->tv_sec = ts.tv_sec;
    tv->tv_usec = ts.tv_nsec / 1000;
    return 0;
}
C
my $made = run_cmd('cc', '-shared', '-fPIC', '-o', $lib, "$lib.c");
is($made->{status}, 0, 'the clock is made') or diag($made->{err});
clock(2 * 86_400);

my $dns = RblDns->new(rules => [test_entry(), not_there()]);
my $w;
{
    local @ENV{'LD_PRELOAD', 'CLOCK_AHEAD'} = ($lib, $file);
    $w = world(no_dns => 1, zones => { 'a.test' => { control => 'ip' } },
        account => { args => ['--interval', '60'] });
}
my $checkd = start_checkd(store => $w->{redis}, resolver => $dns->port,
    conf => { conf_short(gateway => 'manual') });
my @host = map { add_host($w, "10.0.0.$_") } 1 .. 3;
sub checked { return scalar grep { host_record($w, $_)->{checked} } @host }
eventually { checked() == 3 } 30, 'the hosts are checked while it is ahead';
eventually { log_count($checkd, 'billing: nothing is done while the clocks') }
    30, 'the log says that no account is billed while the clocks differ';
clock(0);
my $right = time;
sub late { return scalar grep { host_record($w, $_)->{checked} / 1000 > time
    + 3600 } @host }
is(late(), 3, 'the last checks are in the future');
eventually { late() == 0 } 120, 'the hosts are checked after it was set right';
cmp_ok(log_count($checkd, 'were due later than they can be'), '>', 0,
    'the log says that hosts were due too late');

ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
