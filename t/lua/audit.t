#!/usr/bin/perl

# Scripts whose changes are in the audit log: each one that a call or a command
# on an account runs; the entry is made together with the change, and with no
# refusal; without its last argument a script does nothing.

use strict;
use warnings;

use RblTest;
use RblScript;

my $redis = redis_new();
my ($ac, $acct) = account();
my $log = k('audit', $ac);

sub source { return read_file(build_dir() . "/gen/lua/$_[0].lua") }
sub entries { return map { +{ @{ $_->[1] } } } @{ cmd('XRANGE', $log, '-',
    '+') } }

# --- which scripts are audited ---------------------------------------------------

my @c = map { read_file($_) } map { glob repo_dir() . "/$_" }
    'ngx_rbl_module/*/*.c', 'rbl-checkd/ctl/*.c';
my %runs = map { $_ => 1 } map { /\.script = &rbl_script_(\w+)/g,
    /\bngx_rbl_run\([^,;]+,\s*(\w+)/g, /\bCTL_SCRIPT\((\w+)/g,
    /\bctl_script\(ctl, &rbl_script_(\w+)/g } @c;
# These change nothing, or nothing of an account.
delete @runs{qw(name check_start work_step host_lists host_find audit_show
    app_tokens challenge_new user_mail mail_put hook_dead queue_count daemons_show list_thaw totals_make
    bill_show),
    grep { /^(?:lists|fsck)_/ } keys %runs};
cmp_ok(scalar keys %runs, '>', 40, 'the scripts were found');
is(join(' ', grep { !caller_of(source($_)) } sort keys %runs), '',
    'each one is audited');
my @daemon = map { /\bstore_call\([^,;]+,\s*(\w+)/g } map { read_file($_) }
    map { glob repo_dir() . "/rbl-checkd/$_" } '*.c', '*/*.c', '*/*/*.c';
is(join(' ', grep { $_ ne 'name' && caller_of(source($_)) } @daemon), '',
    'no script of the daemon is');

# --- the entry ------------------------------------------------------------------

cmd('DEL', $log);
my $ht = sid('HT');
script('host_add', [$acct], 'n', 'rbl', 1, '', '', '', '', $ht, '192.0.2.1');
my ($e) = entries();
is($e->{t}, $ht, 'a host is added: which');
is($e->{n}, '192.0.2.1', 'the entry has the address of the host');
is($e->{b}, (caller_of(source('host_add')))[0],
    'the entry names the caller of host_add');
is(script('host_status', [$acct], sid('HT'), 'paused')->[0], 'HOST',
    'a refused change');
is(scalar(my @all = entries()), 1, 'a refused change adds no entry');
script('host_delete', [$acct], $ht, 60_000);
is((entries())[1]{n}, '192.0.2.1', 'a deleted host is named');

my @rest = map { (sid('HT'), "192.0.2.$_") } 16 .. 31;
my $range = sid('HT');
script('host_add', [$acct], 'n', 'ip_range', 1, '', '', $range, '192.0.2.16/28',
    @rest);
is(scalar(@all = entries()), 3, 'a range is one entry');
is("$all[2]{t} $all[2]{n}", "$range 192.0.2.16/28", 'of the range');

# --- without the last argument ---------------------------------------------------

for my $name (sort keys %runs) {
    my $before = digest();
    for my $args ([], ['x'], ["\x97\x02"], ['x' x 300]) {
        my $r = redis_try($redis, 'EVAL', source($name), 1, $acct, @$args);
        like($r, qr/^ERR an audited script has to know who calls it/, "$name: "
            . @$args . ' arguments without who calls it');
    }
    is(digest(), $before, "$name: nothing is done");
}

# --- the log is capped -------------------------------------------------------------

script('account_update', [$acct], '', 'UTC', '') for 1 .. 10;
cmd('EVAL', "for i = 1, 3000 do redis.call('XADD', KEYS[1], '*', 'b', 'x', 't',"
    . " 'y', 'n', 'z') end", 1, $log);
script('account_update', [$acct], '', 'UTC', '');
my $n = cmd('XLEN', $log);
ok($n >= 2000 && $n < 2200, 'about 2,000 entries are kept');

# what a damaged record has for a name is no name
my $k = k('r', $ac, (my $rp = sid('RP')));
script('profile_add', [$acct], $rp, 'p', '', '');
cmd('SET', $k, "\xc1");
is(script('profile_delete', [$acct], $rp)->[0], 'OK',
    'a damaged record is deleted');
is(((entries())[-1])->{n}, '', 'the entry of a damaged record has no name');

done_testing();
