#!/usr/bin/perl

# Scripts whose changes are in the audit log: each one that a call or a command
# on an account runs; the entry is made together with the change, and with no
# refusal; without its last argument, or a log, a script does nothing.  Entries
# about rights outlive those about hosts, and many changes of one thing are one.

use strict;
use warnings;

use RblSeam;
use RblTest;
use RblScript;

my $redis = redis_new();
my ($ac, $acct) = account();
my ($log, $rest) = (k('audit', $ac), k('audit', 'rest', $ac));
my @again = map { s/:\Q$ac\E$/:again$&/r } $log, $rest;

sub source { return seam_source($_[0]) }
sub entries { return map { +{ @{ $_->[1] } } } @{ cmd('XRANGE', $_[0] // $rest,
    '-', '+') } }

# --- which scripts are audited ---------------------------------------------------

my @c = map { read_file($_) } map { glob repo_dir() . "/$_" }
    'ngx_rbl_module/*/*.c', 'rbl-checkd/ctl/*.c', 'shared/op/*.c';
my %runs = map { $_ => 1 } map { /\.script = &rbl_script_(\w+)/g,
    /\bngx_rbl_run\([^,;]+,\s*(\w+)/g, /\bCTL_SCRIPT\((\w+)/g,
    /\bctl_script\(ctl, &rbl_script_(\w+)/g } @c;
# These change nothing, or nothing of an account.
delete @runs{qw(name check_start work_step host_lists host_find host_count
    host_strips host_history host_alerts range_cells range_history
    host_changes days_show lists_mine list_days audit_show app_list
    apps_usage app_show app_stats app_refusals challenge_new user_mail
    mail_put user_list contact_show contacts_show mutes_show profile_show
    profiles_show hook_dead hook_list hook_show delivery_log queue_count
    daemons_show list_thaw totals_make bill_show bill_sources bill_payments
    bill_ledger bill_table account_show accounts_show payments_show
    requests_show),
    grep { /^(?:lists|fsck)_/ } keys %runs};
cmp_ok(scalar keys %runs, '>', 40, 'the scripts were found');
is(join(' ', grep { !caller_of(source($_)) } sort keys %runs), '',
    'each one is audited');
my @daemon = map { /\bstore_call\([^,;]+,\s*(\w+)/g } map { read_file($_) }
    map { glob repo_dir() . "/rbl-checkd/$_" } '*.c', '*/*.c', '*/*/*.c';
is(join(' ', grep { $_ ne 'name' && caller_of(source($_)) } @daemon), '',
    'no script of the daemon is, but those of the requests of operators');
is(join(' ', grep { !caller_of(source($_)) } read_file(repo_dir()
    . '/rbl-checkd/requests.c') =~ /&rbl_script_(\w+)/g), '',
    'each change that an operator requested is');

# --- the entry ------------------------------------------------------------------

cmd('DEL', $log, $rest, @again);
my $ht = sid('HT');
script('host_add', [$acct], name => 'n', type => 'rbl', family => 1,
    host => $ht, value => '192.0.2.1');
my ($e) = entries();
is($e->{t}, $ht, 'a host is added: which');
is($e->{n}, '192.0.2.1', 'the entry has the address of the host');
is($e->{b}, (caller_of(source('host_add')))[0],
    'the entry names the caller of host_add');
is(script('host_status', [$acct], host => sid('HT'), status => 'paused')->[0],
    'HOST', 'a refused change');
is(scalar(my @all = entries()), 1, 'a refused change adds no entry');
script('host_delete', [$acct], host => $ht, keep => 60_000);
is((entries())[1]{n}, '192.0.2.1', 'a deleted host is named');

my $range = sid('HT');
script('host_add', [$acct], name => 'n', type => 'ip_range', family => 1,
    range => $range, net => '192.0.2.16/28',
    host => [map { sid('HT') } 1 .. 16],
    value => [map { "192.0.2.$_" } 16 .. 31]);
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

# --- no log, no change ---------------------------------------------------------

# The scripts have no arguments but that one: who reads another before looks for
# the log ends by an error of Lua.
for my $key ($log, $rest) {
    my $was = cmd('DUMP', $key);
    cmd('SET', $key, 'damaged');
    for my $name (sort keys %runs) {
        my $before = digest();
        like(redis_try($redis, 'EVAL', source($name), 1, $acct,
            caller_of(source($name))), qr/WRONGTYPE/,
            "$name: is refused where $key is damaged");
        is(digest(), $before, "$name: has changed nothing then");
    }
    cmd('DEL', $key);
    cmd('RESTORE', $key, 0, $was) if defined $was;
}
my $visitor = sid('US');
cmd('SET', $log, 'damaged');
redis_try($redis, 'EVAL', source('account_visit'), seam_words('account_visit',
    [$acct], user => $visitor)) for 1, 2;
cmd('DEL', $log);
is(script('account_visit', [$acct], user => $visitor)->[0], 'OK',
    'a visit that could not be logged is logged the next time');
is((entries($log))[-1]{t}, $ac, 'the entry is about the account');

# --- many changes of one thing are one entry -------------------------------------

# With a caller: what the entry of a script says about who calls it.
sub as {
    my ($name, $by, @args) = @_;

    my @words = seam_words($name, [$acct], @args);
    my $r = cmd('EVAL', source($name), @words[0 .. $#words - 1],
        caller_of(source($name), %$by));
    is($r->[0], 'OK', "$name is made") if $r->[0] ne 'OK';
}
sub of_rest { return grep { $_->{t} eq $_[0] } entries($rest) }
my ($one, $two) = (sid('RP'), sid('RP'));
as('profile_add', { call => 'test/add' }, profile => $_, name => "p $_")
    for $one, $two;
sub rename_it { as('profile_update', $_[2] // {}, profile => $_[0], named => 1,
    name => $_[1]) }
my @head = map { scalar of_rest($_) } $one, $two;
for my $n (1 .. 10) {
    rename_it($one, "one $n");
    rename_it($two, "two $n");
}
is(scalar(of_rest($one)) - $head[0], 10, 'ten changes of one profile are ten'
    . ' entries');
for my $n (11 .. 500) {
    rename_it($one, "one $n");
    rename_it($two, "two $n") if $n <= 12;
}
is(scalar(of_rest($one)) - $head[0], 11, '500 changes make eleven entries');
is((of_rest($one))[-1]{c}, 490, 'the last entry says how many it stands for');
is((of_rest($one))[-1]{n}, 'one 499', 'the last entry is about the last change');
is(scalar(of_rest($two)) - $head[1], 11, 'changes of another profile between'
    . ' them are entries of their own');
is((of_rest($two))[-1]{c}, 2, 'the last entry counts those of its profile');
rename_it($one, 'from elsewhere', { from => '192.0.2.98' });
rename_it($one, 'by another', { who => 'AP' . '1' x 32 });
is(scalar(of_rest($one)) - $head[0], 13, 'a change by another caller, or from'
    . ' another address, is an entry of its own');
my $ttl = cmd('PTTL', $again[1]);
ok($ttl > 0 && $ttl <= 3_600_000, 'the numbers are kept for an hour');
cmd('DEL', $again[1]);
rename_it($one, 'an hour later');
is(scalar(of_rest($one)) - $head[0], 14, 'an hour later there is a new entry');
for my $bad (sub { cmd('SET', $again[1], 'x') }, sub { cmd('DEL', $again[1]);
    cmd('HSET', $again[1], join(' ', 'AP' . '0' x 32, '192.0.2.99', 'test/call',
        $one), 'x') }, sub { cmd('HSET', $again[1], join(' ', 'AP' . '0' x 32,
        '192.0.2.99', 'test/call', $one), 99, join(' ', '!AP' . '0' x 32,
        '192.0.2.99', 'test/call', $one), 'x') })
{
    $bad->();
    my $before = () = of_rest($one);
    rename_it($one, 'damaged');
    is(scalar(my @now = of_rest($one)), $before + 1,
        'a change has an entry although the numbers are damaged');
}
cmd('DEL', @again);

# --- entries about rights stay ----------------------------------------------------

cmd('DEL', $log, $rest);
my $ap = sid('AP');
script('app_put', [$acct], app => $ap, name => 'backdoor', secret => 's',
    field => 'f' x 16, digest => 'd' x 32);
as('profile_update', { account => 'AC' . '0' x 32 }, profile => $one,
    named => 1, name => 'x');
for (1 .. 2500) {
    cmd('XADD', $rest, 'MAXLEN', '~', 2000, '*', 'b', 'x', 't', $one, 'n', '');
}
rename_it($one, 'x');
is(join(' ', map { $_->{t} } entries($log)), "$ap $one",
    'changes of profiles push out none of rights, and none by operators');
is(join(' ', map { $_->{t} } grep { $_->{t} ne $one } entries($rest)), '',
    'the other stream has nothing of rights');

# --- the history of rights outlives an hour of many changes ----------------------

cmd('DEL', $log, $rest, @again);
my @user = map { sid('US') } 1 .. 3;
my $operators = 'AC' . '0' x 32;
as('user_put', { call => 'user/add', who => 'rblctl' }, user => $user[$_],
    mail => "history$_\@example.test", role => 'owner',
    field => sprintf('%016d', $_), digest => 'd' x 32, sure => '0') for 0 .. 2;
my @history = map { $_->[0] } @{ cmd('XRANGE', $log, '-', '+') };
sub link_of { as('user_link', $_[1], user => $_[0], field => 'f' x 16,
    digest => 'd' x 32) }
for my $n (1 .. 2500) {                 # as many users, from many addresses
    link_of($user[$n % 3], { call => 'user/link', who => sid('US'),
        from => "2001:db8::$n" });
}
as('user_role', { call => 'user/role' }, user => $user[1], role => 'admin');
my @now = @{ cmd('XRANGE', $log, '-', '+') };
is_deeply([map { $_->[0] } @now[0 .. 2]], \@history,
    '2,500 changes by users of an account push out none of its history');
is(scalar @now, 3 + 200 + 2, '200 of them are entries of their own, and the rest'
    . ' is one for each call');
my %last = @{ $now[-2][1] };
is($last{c}, 2300, 'the entry of many changes has their number');
for my $by ({ who => 'rblctl' }, { account => $operators }) {
    link_of($_, { call => 'user/link', %$by }) for @user;
}
is(scalar(() = entries($log)), @now + 6,
    'changes by rblctl and by operators stay entries of their own');
cmd('DEL', $again[0]);
link_of($user[0], { call => 'user/link' });
is(scalar(() = entries($log)), @now + 7, 'the next hour has entries again');
for my $bad (['SET', $again[0], 'x'], ['HSET', $again[0], '#', 'x']) {
    cmd('DEL', $again[0]);
    cmd(@$bad);
    my $before = () = entries($log);
    link_of($user[0], { call => 'user/link' });
    is(scalar(() = entries($log)), $before + 1,
        "a change has an entry although the numbers are damaged: @$bad[0]");
}
cmd('DEL', @again);

# --- both are shown as one log -----------------------------------------------------

cmd('DEL', $log, $rest);
my $row = sub { cmd('XADD', $_[0], $_[1], 'b', (caller_of(source('host_add')))[0],
    't', $ac, 'n', $_[2]) };
my @ids = map { my $ms = $_; map { "$ms-$_" } 0 .. 3 } 5 .. 60;
$row->($log, $_, "log $_") for @ids;
$row->($rest, $_, "rest $_") for @ids, '61-0';
my @want = ('rest 61-0', map { ("rest $_", "log $_") } reverse @ids);
for my $most (1, 2, 3, 49, 50, 51, 100, 1000) {
    my ($before, @got, %seen) = '';
    do {
        (undef, $before, my $page) = @{ script('audit_show', [$acct],
            before => $before, most => $most, looks => 300) };
        push @got, map { $_->[3] } @$page;
        $seen{ $_->[0] }++ for @$page;
    } while ($before ne '' && @got < 2000);
    is(join(',', @got), join(',', @want), "pages of $most show each entry once,"
        . ' the newest first');
    is(scalar keys %seen, scalar @want, 'no two entries have one id');
}
for my $before ('0-0', '0-1', '1-0', '5-0', '00-00',
    '18446744073709551615-18446744073709551615')
{
    my $r = redis_try($redis, 'EVAL', source('audit_show'),
        seam_words('audit_show', [$acct], before => $before, most => 50,
        looks => 300));
    ok(ref $r eq 'ARRAY', "a page behind $before is no error") or diag($r);
}
cmd('DEL', $log, $rest);

# --- the log is capped -------------------------------------------------------------

script('account_update', [$acct], timezone => 'UTC', now => 1) for 1 .. 10;
cmd('EVAL', "for i = 1, 3000 do redis.call('XADD', KEYS[1], '*', 'b', 'x', 't',"
    . " 'y', 'n', 'z') end", 1, $log);
script('account_update', [$acct], timezone => 'UTC', now => 1);
my $n = cmd('XLEN', $log);
ok($n >= 2000 && $n < 2200, 'about 2,000 entries are kept');

# what a damaged record has for a name is no name
my $k = k('r', $ac, (my $rp = sid('RP')));
script('profile_add', [$acct], profile => $rp, name => 'p');
cmd('SET', $k, "\xc1");
is(script('chosen_delete', [$acct], id => $rp, index => 'profiles')->[0], 'OK',
    'a damaged record is deleted');
is(((entries())[-1])->{n}, '', 'the entry of a damaged record has no name');

done_testing();
