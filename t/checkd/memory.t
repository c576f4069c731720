#!/usr/bin/perl

# Ten thousand checks leave a daemon no larger than a thousand did: one-off
# values and hosts, manual and scheduled, listed and clear, with delivered
# callbacks.  RBL_MEMORY_CHECKS changes the number.

use strict;
use warnings;
use RblTest;
use RblCheckd;

# Checks per batch; number of batches; KiB per check.
use constant { BATCH => 500, STEPS => 5, BOUND => 100 };

# A sanitizer keeps freed memory, so sizes mean nothing; it reports leaks
# itself.
my $sanitized = read_file(build_dir() . '/rbl-checkd') =~ /__asan_init/;
my $many = $ENV{RBL_MEMORY_CHECKS} // ($sanitized ? 1000 : 10_000);
my $w = world(partitions => 4, zones => {
    'a.test' => { data => listed_entry('10.1.0.0/16') },
    'b.test' => { data => listed_entry('10.1.0.0/17') },
    'c.test' => { data => listed_entry('10.9.9.9') },
});
my $hook = start_receiver();
script_ok($w, 'hook_put', [RblCheckd::akey($w, 'acct')],
    hook => fresh_sid('WH'), name => 'hook', url => $hook->{url},
    secret => 'secret', types => 'rbl.host.delisted');
my $daemon = start_checkd(store => $w->{redis}, resolver => $w->{dns},
    ready => qr/rbl-checkd/,
    # Freed memory is returned at once; small batches make even peaks.
    env => { MALLOC_CONF => 'dirty_decay_ms:0,muzzy_decay_ms:0' },
    conf => { log_level => 'notice', checks_max => 32, deliver_http => 'on',
        deliver_allow => '127.0.0.0/8' });
my @hosts = values %{ add_many($w, map { "10.1.250.$_" } 1 .. 100) };
my $done = 0;

# One batch, half of it of listed values; returns when all of it has finished.
sub batch {
    my @pp;
    for my $n (1 .. BATCH - @hosts) {
        my $value = sprintf '10.%d.%d.%d', $n % 2, $n >> 8, $n & 255;
        push @pp, script_ok($w, 'check_start', [RblCheckd::akey($w, 'acct')],
            check => fresh_sid('PP'), value => $value, family => 1,
            callback => $n % 20 ? '' : $hook->{url}, app => $w->{acct}{app},
            keep => 60_000)->[1];
    }
    for my $n (0 .. $#hosts) {
        $n % 2 ? check_host($w, $hosts[$n]) : set_due($w, $hosts[$n]);
    }
    wait_for { jobs_left($w) == 0 && hosts_due($w) == 0 } 60, 'a batch';
    is(check_state($w, $pp[-1])->{status}, 'completed', 'a batch is completed')
        if $done % 2000 == 0;
    $done += BATCH;
}

sub idle {
    return wait_for { !grep { $_ } map { redis($w->{redis}, @$_) }
        ['XLEN', RblCheckd::pkey($w, 'outbox')],
        ['ZCARD', RblCheckd::pkey($w, 'retry')] } 60, 'the deliveries';
}

batch() while $done < 1000;
ok(idle(), 'the first thousand checks leave no delivery behind');
my @kib = (heap_kib($daemon->{pid}));
for my $step (1 .. STEPS) {
    batch() while $done < 1000 + $many * $step / STEPS;
    ok(idle(), 'everything is delivered');
    push @kib, heap_kib($daemon->{pid});
}
note("heap after 1000 checks and $many more: @kib KiB; callbacks: "
    . received($hook));
cmp_ok(scalar received($hook), '>=', $many / BATCH * 20,
    'the callbacks came');
cmp_ok(growth(@kib), '<=', BOUND, 'the daemon has not grown')
    if !$sanitized;

done_testing();
