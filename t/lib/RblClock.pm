package RblClock;

# A clock that a test sets, for programs that it starts: CLOCK_REALTIME of the C
# library, so many seconds ahead.
#
#     my %env = clock_env();              # for start_checkd(env => {...})
#     set_clock(2 * 86_400);

use strict;
use warnings;

use Exporter 'import';

use RblTest;

our @EXPORT = qw(clock_env set_clock);

my ($file, $lib);

sub set_clock {
    my ($ahead) = @_;

    $file //= temp_dir() . '/clock';
    write_file("$file.new", "$ahead\n");
    rename "$file.new", $file or die "$file: $!";
    return;
}

sub clock_env {
    set_clock(0) if !$file;
    if (!$lib) {
        $lib = temp_dir() . '/clock.so';
        write_file("$lib.c", source());
        my $made = run_cmd('cc', '-shared', '-fPIC', '-o', $lib, "$lib.c");
        die $made->{err} if $made->{status} != 0;
    }
    return (LD_PRELOAD => $lib, CLOCK_AHEAD => $file, ASAN_OPTIONS => join ':',
        $ENV{ASAN_OPTIONS} // (), 'verify_asan_link_order=0');
}

sub source {
    return <<'C';
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

time_t
time(time_t *at)
{
    struct timespec  ts;

    clock_gettime(CLOCK_REALTIME, &ts);

    if (at != NULL) {
        *at = ts.tv_sec;
    }

    return ts.tv_sec;
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
}

1;
