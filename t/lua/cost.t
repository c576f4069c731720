#!/usr/bin/perl

# No script holds Redis longer than 2 ms on the worst account that the limits
# allow (t/lib/RblWorst.pm explains the measurement).  Each script in shared/lua
# has a case here with the most expensive arguments that its callers can pass.
# A script gets it from the table %most, if that has all of its arguments.
#
# RBL_COST=name,name measures only these.
#
# Alone: it measures how long scripts take.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblWorst;

use constant { BOUND => 2000, TRIES => 5, MOST => 40, KEEP => 60_000 };

my $redis = worst_store();
my ($ac, $acct, @rp) = ($W{ac}, $W{acct}, @{ $W{rp} });
my @all = (@{ $W{rb} }, @{ $W{own} });
my @cg = @{ $W{cg} };
my $now = cmd('TIME')->[0] * 1000;

my @cases;
# The script, the variant, and the code; its last call is measured, or the time
# that the code returns.
sub case { push @cases, [@_] }
my $counted;
sub counts { $counted = $_[0] }
sub s1 { my ($name, @args) = @_; return slice($name, [$acct], @args) }
sub simple {
    my ($name, @args) = @_;
    case($name => '', sub { s1($name, map { ref ? $_->() : $_ } @args) });
}

# The longest slice of some work.
sub work {
    my ($reply) = @_;
    die "no work: @$reply\n" if $reply->[0] ne 'WORK';
    my ($most, $r) = (0);
    do {
        $r = s1('work_step', id => $reply->[1]);
        die "work: @$r\n" if $r->[0] ne 'OK' || $r->[3] ne '';
        $most = $RblWorst::took{work_step} if $most < $RblWorst::took{work_step};
    } while !$r->[1];
    return $most;
}


# --- accounts and applications ---------------------------------------------

simple(account_plan => plan => 'plan', paid => 1, hosts => 0, contacts => 0,
    checks => 0, shortest => 60);
# As many requests as may wait, or are kept.
my $operators = 'AC' . '0' x 32;
my ($ops, $asked) = (k('acct', $operators), 0);
sub request { return slice('request_add', [$ops], account => sid('AC'),
    kind => 'account', name => text_of(251) . sprintf('%04d', ++$asked),
    plan => text_of(255), mail => 'x' x 240, profile => sid('RP'),
    group => sid('CG'), user => sid('US'), field => 'f' x 16,
    digest => 'd' x 32) }
sub requests {
    cmd('SET', $ops, cmd('GET', $acct));
    cmd('DEL', k('requests', $operators));
    request() for 1 .. $_[0];
}
sub taken { return slice('request_take', [$ops], lease => 1,
    plans => pack('C n', 0xdc, 200) . (pack('C n', 0xda, 1020) . 'p' x 1020)
        x 200) }
case(request_add => 'one more', sub { requests(19); request() });
case(request_take => 'of all', sub { requests(20); taken() });
case(request_end => '', sub { requests(1);
    slice('request_end', [$ops], account => sid('AC'), id => taken()->[1],
        state => 'refused', why => 'account') });
case(requests_show => '', sub {
    for (1 .. 50) {
        requests(1);
        slice('request_end', [$ops], account => sid('AC'), id => taken()->[1],
            state => 'done', why => '');
    }
    requests(20);
    slice('requests_show', [$ops]) });
case(account_put => '', sub { slice('account_put', [k('acct', sid('AC'))],
    name => text_of(255), timezone => 'UTC', plan => 'p', paid => 1,
    hosts => 0, contacts => 0, interval => 60, profile => sid('RP'),
    group => sid('CG'), checks => 0, shortest => 0) });
simple(account_status => status => 'active');
simple(account_update => name => text_of(255), timezone => 'UTC',
    interval => 7200, now => $_) for 0, 1;
for my $name ('', 'w') {
    case(accounts_show => "a page of 100, name '$name'", sub {
        my @more = map { sid('AC') } 1 .. 100;
        cmd('SET', k('acct', $_), cmd('GET', $acct)) for @more;
        cmd('ZADD', k('page'), map { ($_, $more[$_]) } 0 .. 99);
        slice('accounts_show', [k('page')], first => 0, last => 99,
            name => $name);
        cmd('DEL', k('page'), map { k('acct', $_) } @more) });
}
simple(account_visit => user => sub { sid('US') });
simple(lists_change => list => $W{rb}[0], enable => '0');
my $field = 1;
my @networks = map { "2001:db8:$_\::/48" } 1 .. 64;
# Applications with twenty tokens each, up to the tokens that an account may
# have, but for the one that a case makes.
my @ap = map { sid('AP') } 1 .. 10;
sub token { return s1('app_token', app => $_[0], field => sprintf('%016x',
    ++$field), digest => 'd' x 32, alone => '0') }
sub app_new { return s1('app_put', app => $_[0], name => text_of(255),
    secret => 's' x 64, field => sprintf('%016x', ++$field),
    digest => 'd' x 32) }
for my $ap (@ap) {
    app_new($ap);
    token($ap) for 2 .. 20 - ($ap eq $ap[-1]) * 2;
}
sub token_end { return s1('app_token_revoke', app => $_[0],
    digits => sprintf '%016x', $field) }
case(app_admit => '', sub { s1('app_admit', app => $W{ap}, kind => 1,
    hour => 1e9, second => 1e9) });
case(app_allow => '64 networks, 20 tokens', sub {
    s1('app_allow', app => $ap[0], networks => \@networks) });
case(app_limit => '64 networks, 20 tokens', sub {
    s1('app_allow', app => $ap[0], networks => \@networks);
    s1('app_limit', app => $ap[0], hour => 1e9, reads => 0, writes => 0,
        starts => 0) });
case(app_put => '198 tokens', sub { my $ap = sid('AP');
    my $r = app_new($ap);
    die "app_put: @$r\n" if $r->[0] ne 'OK';
    my $took = $RblWorst::took{app_put};
    s1('app_revoke', app => $ap);
    counts($took) });
case(app_token => '198 tokens', sub {
    my $r = token($ap[-1]);
    die "app_token: @$r\n" if $r->[0] ne 'OK';
    my $took = $RblWorst::took{app_token};
    token_end($ap[-1]);
    counts($took) });
case(app_token => '20 tokens end', sub {
    s1('app_token', app => $ap[1], field => sprintf('%016x', ++$field),
        digest => 'd' x 32, alone => '1');
    my $took = $RblWorst::took{app_token};
    token($ap[1]) for 2 .. 20;
    counts($took) });
simple(app_list => first => 0, last => 99);
case(app_stats => '31 days', sub { s1('app_stats', app => $ap[0],
    parts => [map { "$ap[0]:h$_" } 1 .. 32]) });
simple(app_refusals => app => $ap[0], first => 0, last => 999);
# A page of applications with requests and errors in each hour or day of two
# keys, and long error logs.
my @used = map { sid('AP') } 1 .. 20;
my @refusals = ('x' x 600) x 1000;
sub used {
    my ($name, $first, $n) = @_;
    for my $ap (@used) {
        cmd('HSET', k('stats', $ac, $ap, $name . $_),
            map { ($_ => 12_345, $_ . 'e' => 1234) } $first .. $first + $n - 1)
            for 1, 2;
    }
    my $r = s1('apps_usage', first => 0, last => 19,
        parts => [map { $name . $_ } 1, 2]);
    die "apps_usage: @$r\n" if $r->[0] ne 'OK' || @{ $r->[2] } != 20;
}
for my $ap (@used) {
    app_new($ap);
    s1('app_revoke', app => $ap);
    cmd('RPUSH', k('errors', $ac, $ap), @refusals);
}
case(apps_usage => '20 applications, 48 hours, 200 refusals', sub {
    used('h', 0, 24) });
case(apps_usage => '20 applications, 64 days, 200 refusals', sub {
    used('d', 19_968, 32) });
case(app_token_revoke => '', sub { token($ap[-1]); token_end($ap[-1]) });
case(app_revoke => '20 tokens', sub {
    s1('app_revoke', app => $ap[2]);
    my $took = $RblWorst::took{app_revoke};
    $ap[2] = sid('AP');
    app_new($ap[2]);
    token($ap[2]) for 2 .. 20;
    counts($took) });
case(app_usage => '64 applications, 1,000 refusals', sub {
    s1('app_usage', values => [(map { ($ac, sid('AP'), 480_000, 10, 2,
    0) } 1 .. 63), $ac, $W{ap}, 480_000, 1000, 1000, 1000,
    ('x' x 600) x 1000]) });
my $number = 0;


# --- users of the portal ----------------------------------------------------

my @us = map { sid('US') } 1 .. 99;
s1('user_put', user => $us[$_], mail => "a$_\@example.test",
    name => text_of(255), role => 'owner', field => sprintf('%016x', ++$field),
    digest => 'd' x 32) for 0 .. $#us;
my $link;
sub link_of {
    $link = sprintf '%016x', ++$field;
    s1('user_link', user => $us[0], field => $link, digest => 'd' x 32);
    return $link;
}
sub session_of {
    my $name = sprintf '%016x', ++$field;
    s1('session_start', link => link_of(), proof => 'd' x 32, field => $name,
        digest => 'e' x 32);
    return $name;
}
case(user_put => '99 users', sub { my $us = sid('US');
    s1('user_put', user => $us, mail => 'new@example.test',
        name => text_of(255), role => 'owner', field => sprintf('%016x',
        ++$field), digest => 'd' x 32);
    my $took = $RblWorst::took{user_put};
    s1('user_delete', user => $us, last => '1');
    counts($took) });
case(user_mail => '', sub { s1('user_mail', user => $us[0],
    mail => 'a0@example.test', field => sprintf('%016x', ++$field),
    digest => 'd' x 32, secret => 'e' x 64, link => "$ac." . 'f' x 64,
    event => sid('EV'), url => 'https://a.example/' . 'x' x 230 . '/',
    from => '2001:db8::1') });
cmd('ZADD', k('mail', 'a' x 32), $_, "$ac:" . sid('US')) for 1 .. 1000;
case(mail_put => '1000 users', sub { slice('mail_put', [k('mail', 'a' x 32)],
    member => "$ac:" . sid('US'), confirmed => 1) });
case(mail_ask => '1000 users', sub { slice('mail_ask', [k('asked', 'a' x 32)],
    most => 1_000_000) });
case(user_link => '', sub { link_of() });
case(session_start => '20 sessions', sub { session_of() });
case(session_end => '20 sessions', sub { session_of() for 1 .. 20;
    s1('session_end', field => session_of(), everywhere => '1') });
case(challenge_new => '', sub { slice('challenge_new', [k('challenge',
    sprintf '%064x', ++$field)], network => '01c0000200',
    most => 1_000_000) });
sub passkey_of {
    my ($of) = @_;
    my $pk = sid('PK');
    my $challenge = sprintf '%064x', ++$field;
    cmd('SET', k('challenge', $ac, $challenge), 'session');
    s1('passkey_add', passkey => $pk, user => $of, session => 'session',
        challenge => $challenge, name => text_of(255),
        credential => 'c' x 1023, algorithm => -257, key => 'k' x 600,
        counter => 0, rp => 'r' x 32);
    return $pk;
}
my @pk = map { passkey_of($us[0]) } 1 .. 9;
case(passkey_add => 'the tenth', sub { push @pk, passkey_of($us[0]);
    my $took = $RblWorst::took{passkey_add};
    s1('passkey_delete', passkey => pop @pk, user => $us[0]);
    counts($took) });
case(passkey_delete => '', sub { s1('passkey_delete',
    passkey => passkey_of($us[0]), user => $us[0]) });
case(session_passkey => '20 sessions', sub { s1('session_passkey',
    passkey => $pk[0], user => $us[0], counter => 0, field => sprintf('%016x',
    ++$field), digest => 'e' x 32, begun => 1e13) });
case(user_signout => '20 sessions, 5 links', sub { session_of() for 1 .. 20;
    link_of() for 1 .. 5;
    s1('user_signout', user => $us[0]) });
case(user_role => '20 sessions', sub { session_of() for 1 .. 20;
    s1('user_role', user => $us[0], role => 'viewer');
    my $took = $RblWorst::took{user_role};
    s1('user_role', user => $us[0], role => 'owner');
    counts($took) });
case(user_delete => '20 sessions', sub { my $us = shift @us; unshift @us, $us;
    session_of() for 1 .. 20;
    s1('user_delete', user => $us, last => '0');
    my $took = $RblWorst::took{user_delete};
    s1('user_put', user => $us, mail => 'a0@example.test',
        name => text_of(255), role => 'owner', field => sprintf('%016x',
        ++$field), digest => 'd' x 32);
    counts($took) });


# --- the audit log ----------------------------------------------------------

# As long as it can be, with entries as large as they can be.
my @audit = (k('audit', $ac), k('audit', 'rest', $ac));
my $audited;
sub audited {
    my $by = mp_pack([1, $W{ap}, '', '', 'n' x 200, 'c' x 200,
        ['name', ('v' x 200) x 5]]);
    $audited //= do {
        for my $n (1 .. 2000) {
            cmd('XADD', $_, "$n-1", 'b', $by, 't', $us[0], 'n', text_of(255),
                'c', $n) for map { "$_:kept" } @audit;
        }
        1;
    };
    cmd('COPY', "$_:kept", $_, 'REPLACE') for @audit;
}
case(audit_show => '300 entries', sub {
    audited();
    s1('audit_show', most => 200, looks => 300, target => $us[1]);
    my $took = $RblWorst::took{audit_show};
    s1('audit_show', most => 200, looks => 300, who => $W{ap});
    counts($took > $RblWorst::took{audit_show} ? $took
        : $RblWorst::took{audit_show}) });
case(account_settle => 'the largest entries', sub {
    audited();
    cmd('DEL', k('past', $ac), k('past', 'rest', $ac));
    s1('account_settle') });


# --- profiles, groups, lists -----------------------------------------------

my @mine = ();
case(profile_add => '400 entries', sub { push @mine, sid('RP');
    s1('chosen_delete', id => shift @mine, index => 'profiles') if @mine > 1;
    s1('profile_add', profile => $mine[-1], name => text_of(255), given => '1',
        entries => \@all) });
case(profile_update => '400 entries', sub {
    s1('profile_update', profile => $rp[5], named => '1', name => 'name',
        given => '1', entries => \@all) });
case(profile_update => 'all system lists are left out', sub {
    s1('profile_update', profile => $rp[5], named => '1', name => 'name',
        given => '2', entries => $W{rb}) });
case(profile_show => '', sub { s1('profile_show', profile => $rp[5]) });
case(profiles_show => 'a page of 50', sub { s1('profiles_show', first => 0,
    last => 49) });
case(chosen_delete => 'the default profile', sub { my $rp = sid('RP');
    s1('chosen_delete', id => pop @mine, index => 'profiles') if @mine;
    s1('profile_add', profile => $rp, name => 'n', is_default => '1',
        given => '1', entries => \@all);
    s1('chosen_delete', id => $rp, index => 'profiles');
    my $took = $RblWorst::took{chosen_delete};
    s1('profile_update', profile => $W{default}, is_default => '1');
    counts($took) });
case(group_add => '', sub { push @mine, sid('CG');
    s1('chosen_delete', id => $_, index => 'groups') for splice @mine, 0,
        @mine - 1;
    s1('group_add', group => $mine[-1], name => text_of(255)) });
simple(group_update => group => $cg[70], named => '1', name => text_of(255));
case(chosen_delete => 'a group', sub { s1('chosen_delete', id => pop @mine,
    index => 'groups') if @mine;
    my $cg = sid('CG'); s1('group_add', group => $cg, name => 'n');
    s1('chosen_delete', id => $cg, index => 'groups') });
# As many mutes as there may be of a list, or within a group; then what ends them.
sub mutes_of { my ($list, $cg, $do) = @_;
    my @mu = map { sid('MU') } 1 .. 100;
    cmd('SET', k('r', $ac, $_), packed([1, $_, $list, 1, 1, 9e12, '', 0, 0,
        text_of(200), text_of(255), text_of(255), $cg, text_of(255)]))
        for @mu;
    cmd('ZADD', k('mutes', $ac), map { (9e12, $_) } @mu);
    cmd('ZADD', k('unmutes'), map { (9e12, "$ac:$_") } @mu);
    $do->();
    cmd('DEL', k('tellings'), k('telling', $ac), map { k('r', $ac, $_) } @mu);
    cmd('ZREM', k('mutes', $ac), @mu) }
case(chosen_delete => 'a group with 100 mutes', sub { my $cg = sid('CG');
    s1('group_add', group => $cg, name => 'n');
    mutes_of($W{rb}[0], $cg, sub { s1('chosen_delete', id => $cg,
        index => 'groups') }) });
case(rbl_update => '200 lists', sub { s1('rbl_update', list => $W{own}[9],
    zone => 'u' . ++$number . '.' . 'z' x 60 . '.example') });
case(rbl_status => '', sub { s1('rbl_status', list => $W{own}[9],
    status => $number++ % 2 ? 'paused' : 'active') });


# --- hosts -----------------------------------------------------------------

sub new_range {
    my %range = range_of(1024);
    my $r = s1('host_add', name => text_of(240), type => 'ip_range',
        family => 1, profile => $rp[0], group => $cg[0], %range);
    return ($range{range}, $r);
}
sub full_range {
    my ($range, $r) = new_range();
    work($r);
    return $range;
}
case(host_add => 'a range of 1,024', sub { full_range() });
case(host_add => 'a subnet of 1,024', sub {
    my %of = range_of(1024);
    s1('host_add', name => text_of(250), type => 'rbl', family => 1,
        profile => $rp[0], group => $cg[0], host => $of{host},
        value => $of{value}) });
case(work_step => 'host_add, 1,024', sub {
    counts(work((new_range())[1])) });
case(work_step => 'host_update, 50 groups', sub { my $range = full_range();
    counts(work(s1('host_update', host => $range, named => '1',
        name => 'x' x 240, profile => $rp[3], groups => [@cg[0 .. 49]]))) });
case(work_step => 'host_update, 50 other groups', sub {
    my $range = full_range();
    work(s1('host_update', host => $range, groups => [@cg[0 .. 49]]));
    counts(work(s1('host_update', host => $range,
        groups => [@cg[50 .. 99]]))) });
case(work_step => 'host_status', sub { my $range = full_range();
    my $paused = work(s1('host_status', host => $range, status => 'paused'));
    my $active = work(s1('host_status', host => $range, status => 'active'));
    counts($paused > $active ? $paused : $active) });
case(work_step => 'host_delete, 50 groups, 32 with checks', sub {
    my $range = full_range();
    work(s1('host_update', host => $range, groups => [@cg[0 .. 49]]));
    my @kids = @{ cmd('ZRANGE', k('kids', $ac, $range), 0, 31) };
    open_check($_, queued => 1) for @kids;
    my $took = work(s1('host_delete', host => $range, keep => KEEP));
    cmd('DEL', k('manual'), k('manual', $ac), k('outbox'));
    cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', 0, 'MKSTREAM');
    counts($took) });
my %range;
for (['host_update', named => '1', name => 'n', groups => [@cg[0 .. 49]]],
    ['host_status', status => 'active'], ['host_delete', keep => KEEP])
{
    my ($name, @args) = @$_;
    case($name => 'a range', sub { $range{$name} //= full_range();
        my $r = s1($name, host => $range{$name}, @args);
        my $took = $RblWorst::took{$name};
        work($r);
        delete $range{$name} if $name eq 'host_delete';
        counts($took) });
}

# One listed by all lists, with a history.
sub listed_host {
    my $ht = host_in();
    my $pp = open_check($ht);
    finish_check($acct, $pp, $ht, listed_on('listed'));
    cmd('DEL', k('outbox'));
    cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', 0, 'MKSTREAM');
    return $ht;
}
my $listed;
sub listed_one { return $listed //= listed_host() }
case(host_update => '50 other groups, listed', sub { my $ht = listed_one();
    $number++;
    s1('host_update', host => $ht, named => '1', name => 'n',
        groups => [$number % 2 ? @cg[0 .. 49] : @cg[50 .. 99]]) });
case(host_status => 'listed', sub { my $ht = listed_one();
    s1('host_status', host => $ht, status => 'paused');
    my $took = $RblWorst::took{host_status};
    s1('host_status', host => $ht, status => 'active');
    counts($took) if $took > $RblWorst::took{host_status} });
# Many hosts: those of a call are 200, and few of them need a slice.
sub bulk { return s1('host_bulk', keep => 60_000, @_) }
sub bulk_all {
    my ($action, @hosts) = @_;
    splice @hosts, 0, @hosts - bulk(action => $action, hosts => \@hosts)->[1]
        while @hosts;
}
my @listed;
case(host_bulk => 'pause, listed', sub {
    @listed = map { listed_host() } 1 .. 4 if !@listed;
    bulk(action => 'pause', hosts => \@listed);
    my $took = $RblWorst::took{host_bulk};
    bulk_all('pause', @listed);
    bulk_all('resume', @listed);
    counts($took) });
case(host_bulk => '50 other groups, listed', sub {
    $number++;
    bulk(action => 'group', hosts => \@listed,
        to => join ',', $number % 2 ? @cg[0 .. 49] : @cg[50 .. 99]) });
case(host_bulk => 'a profile, 200 hosts', sub {
    bulk(action => 'profile', to => $rp[$number++ % 2],
        hosts => cmd('ZRANGE', k('hosts', $ac), 0, 199)) });
case(host_bulk => 'nothing, 200 hosts in 50 groups', sub {
    bulk(action => 'resume', hosts => [(listed_one()) x 200]) });
case(host_bulk => 'delete, listed', sub { my @ht = map { listed_host() } 1, 2;
    bulk(action => 'delete', hosts => \@ht);
    my $took = $RblWorst::took{host_bulk};
    bulk_all('delete', @ht);
    counts($took) });
case(host_bulk => 'delete, 200 hosts', sub {
    my @ht = map { host_in() } 1 .. 30;
    bulk(action => 'delete', hosts => \@ht);
    my $took = $RblWorst::took{host_bulk};
    bulk_all('delete', @ht);
    counts($took) });
case(host_delete => 'listed, with a check of 32 callbacks', sub {
    my $ht = listed_host();
    open_check($ht, queued => 1);
    s1('host_delete', host => $ht, keep => KEEP);
    cmd('DEL', k('manual'), k('manual', $ac)) });


# --- contacts --------------------------------------------------------------

case(contact_add => '50 groups', sub { s1('contact_delete',
    contact => pop @{ $W{co} });
    my $co = sid('CO'); push @{ $W{co} }, $co;
    s1('contact_add', contact => $co, type => 'email',
        value => 'n' . ++$number . '@a.example', schedule => 'every_check',
        digest => 'digest', code => 'abcdef', event => sid('EV'),
        groups => [@cg[0 .. 49]]) });
case(contact_confirm => '', sub { s1('contact_delete',
    contact => pop @{ $W{co} });
    my $co = sid('CO'); push @{ $W{co} }, $co;
    s1('contact_add', contact => $co, type => 'email',
        value => 'n' . ++$number . '@a.example', schedule => 'every_check',
        digest => 'digest', code => 'abcdef', event => sid('EV'),
        groups => [@cg[0 .. 49]]);
    s1('contact_confirm', contact => $co, digest => 'digest') });
case(contact_delete => '', sub { s1('contact_delete',
    contact => pop @{ $W{co} }) });
case(contact_resend => '', sub { my $co = sid('CO');
    s1('contact_add', contact => $co, type => 'email',
        value => 'n' . ++$number . '@a.example', schedule => 'every_check',
        digest => 'digest', code => 'abcdef', event => sid('EV'),
        groups => [@cg[0 .. 9]]);
    my $c = unpacked(cmd('GET', k('r', $ac, $co)));
    $c->[11] = 0;
    cmd('SET', k('r', $ac, $co), packed($c));
    s1('contact_resend', contact => $co, digest => 'digest', code => 'abcdef',
        event => sid('EV'));
    my $took = $RblWorst::took{contact_resend};
    s1('contact_delete', contact => $co);
    counts($took) });
case(contact_test => '', sub { my $co = $W{co}[0];
    my $c = unpacked(cmd('GET', k('r', $ac, $co)));
    $c->[5] = 'active';
    $c->[11] = 0;
    cmd('SET', k('r', $ac, $co), packed($c));
    s1('contact_test', contact => $co, event => sid('EV'),
        type => 'contact.test', body => 'x' x 500) });
case(contact_status => '', sub { s1('contact_status', contact => $W{co}[0],
    status => 'paused');
    s1('contact_status', contact => $W{co}[0], status => 'active') });
case(contact_update => '50 other groups', sub { $number++;
    s1('contact_update', contact => $W{co}[0],
        groups => [$number % 2 ? @cg[0 .. 49] : @cg[50 .. 99]]) });
case(contact_alert => '', sub { s1('contact_alert', contact => $W{co}[0],
    weight => 1 + ++$number % 4) });
case(contact_show => '', sub { s1('contact_show', contact => $W{co}[0]) });
case(contacts_show => 'a page of 1,000', sub { s1('contacts_show', first => 0,
    last => 999) });
# As many mutes as there may be, which have ended.
sub muted { my ($ends, $within) = @_;
    my $mu = sid('MU');
    s1('mute_add', mute => $mu, target => $ends ? '' : $W{rb}[0],
        group => $within // '', ends => (cmd('TIME')->[0] + 3600) * 1000,
        reason => text_of(200), longest => 86_400_000);
    return $mu }
for (1 .. 100) {
    my $mu = muted(1);
    my $m = unpacked(cmd('GET', k('r', $ac, $mu)));
    $m->[5] = $_;
    cmd('SET', k('r', $ac, $mu), packed($m));
    cmd('ZADD', k('mutes', $ac), $_, $mu);
}
case(mute_add => '100 mutes', sub { muted(1);
    my $took = $RblWorst::took{mute_add};
    my ($mu) = @{ cmd('ZRANGE', k('mutes', $ac), -1, -1) };
    s1('mute_end', mute => $mu);
    counts($took) });
case(mute_add => 'a list within a group', sub { muted(0, $cg[0]);
    my $took = $RblWorst::took{mute_add};
    my ($mu) = @{ cmd('ZRANGE', k('mutes', $ac), -1, -1) };
    s1('mute_end', mute => $mu);
    counts($took) });
case(mute_end => '', sub { my $mu = muted(1); s1('mute_end', mute => $mu) });
case(mutes_show => 'a page of 100', sub { s1('mutes_show', first => 0,
    last => 99) });
# Mutes that are repeated and have no next time, or are over.
sub windows { my ($n, $last) = @_;
    my @mu = map { sid('MU') } 1 .. $n;
    for my $mu (@mu) {
        cmd('SET', k('r', $ac, $mu), packed([1, $mu, '', 1, 1, 1,
            'weekly mon,tue,wed,thu,fri,sat,sun 23:59', 1439, $last,
            text_of(200), '', 'rblctl']));
        cmd('ZADD', k('mutes', $ac), $last || 'inf', $mu);
        cmd('ZADD', k('unmutes'), 1, "$ac:$mu");
    }
    return @mu }
sub windows_end {
    cmd('DEL', k('unmutes'), k('tellings'), k('telling', $ac),
        map { k('r', $ac, $_) } @_);
    cmd('ZREM', k('mutes', $ac), @_) }
case(mute_next => '', sub { my ($mu) = windows(1, 0);
    slice('mute_next', [k('unmutes')], member => "$ac:$mu", begins => 4e12,
        ends => 4e12 + 1);
    windows_end($mu) });
for my $last (0, 1) {
    case(telling_step => '8 mutes, whose times ' . ($last ? 'are over'
        : 'have to be found'), sub { my @mu = windows(8, $last);
        slice('telling_step', [k('tellings')]);
        windows_end(@mu) });
}
# A contact in each of a hundred groups: few enough to be notified at once.
my $few;
sub few_contacts {
    while (cmd('HGET', k('refs', $ac), 'c') > 9_900) {
        s1('contact_delete', contact => pop @{ $W{co} });
    }
    for my $cg (@cg[100 .. 199]) {
        my $co = sid('CO');
        s1('contact_add', contact => $co, type => 'email',
            value => 'f' . ++$number . '@a.example', schedule => 'every_check',
            digest => 'digest', code => 'abcdef', event => sid('EV'),
            groups => $cg);
        s1('contact_confirm', contact => $co, digest => 'digest');
    }
    s1('host_update', host => $few = host_in(), groups => [@cg[100 .. 149]]);
    tellings_end();
}
case(host_update => 'a contact in each of 100 groups', sub {
    few_contacts() if !$few;
    $number++;
    for my $from (150, 100) {
        s1('host_update', host => $few, groups => [@cg[$from .. $from + 49]]);
    }
    die "it is reported later\n" if cmd('HEXISTS', k('telling', $ac), $few) });
case(check_finish => 'a contact in each of 50 groups', sub {
    few_contacts() if !$few;
    my $pp = open_check($few);
    finish_check($acct, $pp, $few, [listed_on('listed')->[0]]);
    forget_checks();
    die "it is reported later\n" if cmd('HEXISTS', k('telling', $ac), $few) });
case(telling_step => '1,000 contacts in 50 groups', sub {
    my $ht = listed_one();
    for my $groups ([@cg[0 .. 49]], [@cg[50 .. 99]]) {
        s1('host_update', host => $ht, groups => $groups);
    }
    slice('telling_step', [k('tellings')]) });

# Searches among 1,024 addresses in 50 groups, and hosts on 400 lists.
my $found_in;
sub find {
    my ($what, %o) = @_;
    case(host_find => $what, sub {
        if (!$found_in) {
            $found_in = full_range();
            work(s1('host_update', host => $found_in, profile => $rp[1],
                groups => [@cg[0 .. 49]]));
            listed_host() for 1 .. 4;
            my $ht = host_in();
            s1('host_update', host => $ht, profile => $rp[9],
                groups => $cg[60]);
            cmd('ZREM', k('states', $ac), $ht);
        }
        my $r = s1('host_find', %o);
        die "host_find: @$r\n" if $r->[0] ne 'OK' });
}
find('all', limit => 500);
find('by value', text => '11.', limit => 500);
find('by name', text => text_of(100), limit => 500);
find('by name, on', text => text_of(100), limit => 500, after => 'n'
    . unpack 'H*', text_of(240) . ' 11.');
find('sorted by name', sort => 'name', limit => 500);
find('sorted by address', sort => 'address', limit => 500);
find('without addresses of ranges', sort => 'address', parent => 'none',
    limit => 500);
find('unknown', state => 2, limit => 500);
find('listed since, on 400 lists', sort => 'since', limit => 500);
find('of the last group', group => $cg[49], limit => 500);
find('of one host', group => $cg[60], profile => $rp[9], limit => 500);
find('clear, one is', state => 0, limit => 500);
find('of a list and weight', list => $W{own}[7], weight => 3, limit => 500);
find('of another weight', weight => 1, limit => 500);
find('a text that nothing has', text => 'zzz', part => '1', limit => 500,
    after => 'c0HT' . '0' x 32);
# Histories as long as they can be, and a range with all of its addresses.
my @stripped;
sub stripped {
    if (!@stripped) {
        @stripped = (map({ host_in() } 1 .. 50), full_range());
        for my $ht (@stripped[0 .. 49]) {
            my $from = $now - 29 * 86_400_000;
            cmd('XADD', k('hist', $ac, $ht), $from + $_ * 8_000_000 . '-0', 'c',
                sid('PP'), 't', packed([[$W{rb}[0], 'list1.some.example',
                $_ % 2 ? 'clear' : 'listed', '127.0.0.102,127.0.0.103']]))
                for 1 .. 300;
        }
    }
    return @stripped;
}
case(host_strips => 'hosts of 300 changes', sub {
    s1('host_strips', hosts => [(stripped())[0 .. 49]]) });
case(host_strips => '50 ranges of 1,024', sub {
    s1('host_strips', hosts => [((stripped())[50]) x 50]) });
case(host_strips => '50 hosts without a change', sub {
    s1('host_strips', hosts => [map { cmd('ZRANGE', k('hosts', $ac), $_,
        $_)->[0] } 1 .. 50]) });
case(host_strips => 'hosts on 400 lists', sub {
    s1('host_strips', hosts => [map { listed_one() } 1 .. 50]) });
find('a text in a state', text => '10.', sort => 'since', group => $cg[49],
    limit => 500);


# --- checks ----------------------------------------------------------------

sub forget_checks {
    cmd('DEL', k('manual'), k('manual', $ac), k('leases'), k('flight'),
        k('outbox'));
    cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', 0, 'MKSTREAM');
}
case(check_start => '400 lists, 32 callbacks', sub {
    open_check(listed_one(), queued => 1); forget_checks() });
case(check_start => 'a one-off', sub { open_check('', queued => 1,
    callbacks => 1); forget_checks() });
case(host_lists => '400 listings', sub { s1('host_lists',
    host => listed_one()) });
case(host_history => 'of 300 checks', sub { my $ht = host_in();
    cmd('XADD', k('hist', $ac, $ht), '*', 'c', 'PP' . 'f' x 32, 't',
        mp_pack([[sid('RB'), 'list.test', 'listed', '127.0.0.2']]))
        for 1 .. 300;
    s1('host_history', host => $ht, most => 1000) });
case(host_alerts => '50 groups, 1,000 contacts', sub { my $ht = listed_one();
    s1('host_update', host => $ht, groups => [@cg[0 .. 49]]);
    s1('host_alerts', host => $ht, most => 10) });
# The range, its addresses as fields of "uniq", and a range above it.
sub fields_of {
    full_range();
    my @ht = @{ cmd('ZRANGE', k('hosts', $ac), -256, -1) };
    my @raw = map { unpacked(cmd('GET', k('r', $ac, $_)))->[2] } @ht;
    return (\@ht, [map { "rbl|$_" } @raw]);
}
case(range_cells => '256 addresses', sub {
    my (undef, $fields) = fields_of();
    my $r = s1('range_cells', from => 0, ranges => 16,
        fields => [map({ "ip_range|10.0.0.0/$_" } 9 .. 24), @$fields]);
    die "range_cells: @$r\n" if $r->[0] ne 'OK' || @{ $r->[2] } != 256 });
case(range_cells => 'of one host on 400 lists', sub {
    my $ht = listed_one();
    my $value = unpacked(cmd('GET', k('r', $ac, $ht)))->[2];
    my $r = s1('range_cells', from => 0, ranges => 0,
        fields => [("rbl|$value") x 256]);
    die "range_cells: @$r\n" if @{ $r->[2] } != 256 || !@{ $r->[4] } });
case(range_history => '256 addresses', sub {
    my ($ht, $fields) = fields_of();
    for my $i (0 .. 4) {
        cmd('XADD', k('hist', $ac, $ht->[$i * 60]), '*', 'c', 'PP' . 'f' x 32,
            't', mp_pack([[sid('RB'), 'list.test', 'listed', '127.0.0.2']]))
            for 1 .. 100 - cmd('XLEN', k('hist', $ac, $ht->[$i * 60]));
    }
    my $r = s1('range_history', from => 0, oldest => 0, fields => $fields);
    die "range_history: @$r\n" if $r->[0] ne 'OK' || @{ $r->[2] } < 2 });
case(range_history => 'of which none has changed', sub {
    my ($ht, $fields) = fields_of();
    cmd('DEL', map { k('hist', $ac, $_) } @$ht);
    my $r = s1('range_history', from => 0, oldest => 0, fields => $fields);
    die "range_history: @$r\n" if $r->[1] != -1 });
case(host_changes => 'of 600 checks', sub { my $ht = host_in();
    cmd('XADD', k('changes', $ac), '*', 'h', $ht, 'v', '192.0.2.1', 'n', 5, 't',
        mp_pack([map { [sid('RB'), 'list.test', 'listed', '127.0.0.2'] }
        1 .. 5])) for 1 .. 600;
    s1('host_changes', most => 50) });
# Seven days with new listings by all lists, and 400 days of numbers that are
# large.
sub long_days {
    my ($today) = (int $now / 86_400_000);
    cmd('SET', k('days', $ac), "\1" . "\xff\xff\1" x 5 . ("\1" . "\xff\1" x 5)
        x 405);
    cmd('SET', k('today', $ac), packed([1, $today - 1, (9_999) x 6,
        $today - 400, $today - 2, $today - 400]));
    for my $i (0 .. 6) {
        cmd('HSET', k('newly', $ac, $today - $i), map { $_ => 7 } @all);
    }
    cmd('HSET', k('refs', $ac), map({ ("$_:h" => 7) } @all),
        map { ("$_:l" => 7) } @cg[0 .. 198]);
    cmd('HSET', k('moved', $ac, $today), map { $_ => 7 } @cg[0 .. 198]);
    # As many changes as fit: of a hundred lists on a day, of one on many.
    cmd('SET', k('trends', $ac), packed([1, $today - 400, $today - 2,
        join('', map { pack 'H12', substr $_, 2 } @all), "\6" x @all,
        "\1\x64" . join('', map { chr($_) . "\2\1" } 0 .. 99)
        . "\1\1\0\2\1" x 170]));
}
case(days_show => '400 lists, seven days', sub {
    long_days(); s1('days_show', most => 20) });
case(lists_mine => '400 lists, seven days', sub {
    long_days(); s1('lists_mine') });
case(list_days => 'the largest record', sub {
    long_days(); s1('list_days', list => $all[0]) });
case(account_settle => 'the day of 400 lists', sub {
    long_days();
    my $r = s1('account_settle');
    my $t = unpacked(cmd('GET', k('trends', $ac)));
    die "trends\n" if $t->[2] < int($now / 86_400_000) - 1;
});
case(check_finish => 'the end of a listing on another day', sub {
    my $ht = listed_host(); my $pp = open_check($ht);
    long_days();
    finish_check($acct, $pp, $ht, listed_on('clear'));
    forget_checks() });
case(host_count => '1,024 addresses', sub { full_range(); s1('host_count') });
case(check_begin => 'manual, 400 listings', sub {
    open_check(listed_one()); forget_checks() });
my $but_one;
sub host_but_one {
    return $but_one if $but_one;
    my $rp = sid('RP');
    s1('profile_add', profile => $rp, name => 'n', given => '2',
        entries => [$W{rb}[7]]);
    return $but_one = host_in($rp);
}
case(check_begin => 'manual, all system lists but one', sub {
    open_check(host_but_one()); forget_checks() });
case(check_start => 'all system lists but one', sub { my $ht = host_but_one();
    s1('check_start', check => sid('PP'), host => $ht, keep => KEEP,
        lists => '1'); forget_checks() });
case(check_begin => 'scheduled, 400 listings', sub { my $ht = listed_one();
    forget_checks();
    cmd('DEL', k('due'), k('flight:due'));
    cmd('ZADD', k('due', $ac), 0, $ht);
    cmd('ZADD', k('due'), 0, $ac);
    begin_job((take('d', 1))[0]);
    cmd('DEL', k('flight:due')) });
case(check_finish => 'listed by 400 lists, 1,000 contacts, 20 receivers', sub {
    my $ht = host_in(); my $pp = open_check($ht);
    finish_check($acct, $pp, $ht, listed_on('listed'));
    forget_checks() });
case(check_finish => 'listed as before', sub { my $ht = listed_one();
    my $pp = open_check($ht);
    finish_check($acct, $pp, $ht, listed_on('listed'));
    forget_checks() });
case(check_finish => 'the end of 400 listings', sub {
    my $ht = listed_host(); my $pp = open_check($ht);
    finish_check($acct, $pp, $ht, listed_on('clear'));
    forget_checks() });
case(check_finish => '400 lists list a host again', sub {
    my $ht = listed_host();
    for my $says ('clear', 'listed') {
        my $pp = open_check($ht);
        finish_check($acct, $pp, $ht, listed_on($says));
        forget_checks();
    } });
case(check_finish => 'the end of 400 listings, whose lists are not used', sub {
    my $ht = listed_host(); my $pp = open_check($ht);
    finish_check($acct, $pp, $ht, [listed_on('clear')->[0]]);
    forget_checks() });
case(check_finish => 'the end of 400 listings, no list applies', sub {
    my $ht = listed_host(); my $pp = open_check($ht);
    my $rp = unpacked(cmd('GET', k('r', $ac, $ht)))->[8];
    my $raw = cmd('GET', k('r', $ac, $rp));
    my $p = unpacked($raw);
    $p->[5] = [];
    cmd('SET', k('r', $ac, $rp), packed($p));
    cmd('HSET', k('check', $ac, $pp), 'total', 0);
    finish_check($acct, $pp, $ht, [], 'No blocklist applies to this host.');
    cmd('SET', k('r', $ac, $rp), $raw);
    forget_checks() });
case(check_finish => 'unknown at 400 lists', sub { my $ht = listed_one();
    my $pp = open_check($ht);
    finish_check($acct, $pp, $ht, listed_on('unknown'));
    forget_checks() });
# Lists that changed since the class was noted are all read.
case(check_finish => 'unknown at 400 lists that changed', sub {
    my $ht = listed_one(); my $pp = open_check($ht);
    finish_check($acct, $pp, $ht, listed_on('unknown'), '',
        asks => sprintf('%016x', ++$number) . "\x32" . "\xff" x 50
            . "\x3f" x 400,
        members => join '', map { pack 'H32 N', sprintf('%032x', $_), 60 }
            1 .. 400);
    forget_checks() });
# All the marks that a host and an account may have.
sub mark_all {
    my ($ht) = @_;
    my @text = ('x' x 255) x 3;
    cmd('HSET', k('marks', $ac), map({ (sid('HT'), 'x' x 9000) } 1 .. 999),
        $ht, packed([map { [$all[$_], $now, $text[0], $now, $text[1],
            "\xc3\xa4" x 64, $now, $text[2]] } 0 .. 19]));
}
sub unmark { cmd('DEL', k('marks', $ac)) }
case(check_finish => 'the end of 400 listings, 20 with marks', sub {
    my $ht = listed_host(); my $pp = open_check($ht);
    mark_all($ht);
    finish_check($acct, $pp, $ht, listed_on('clear'));
    my $took = $RblWorst::took{check_finish};
    unmark();
    forget_checks();
    counts($took) });
case(host_mark => 'the last of 20 marks', sub { my $ht = listed_one();
    mark_all($ht);
    s1('host_mark', host => $ht, list => $all[19], asked => '0', told => '1',
        ticket => 'x' x 64);
    unmark() });
case(host_lists => '400 listings, 20 with marks', sub { my $ht = listed_one();
    mark_all($ht);
    s1('host_lists', host => $ht);
    unmark() });
my $siblings;
case(check_finish => 'listed by 400 lists, of a range of 1,024 addresses', sub {
    $siblings //= full_range();
    my $ht = cmd('ZRANGE', k('kids', $ac, $siblings), 5, 5)->[0];
    my $r = unpacked(cmd('GET', k('r', $ac, $ht)));
    my $pp = open_check($ht);
    finish_check($acct, $pp, $ht, listed_on('listed'));
    my $took = $RblWorst::took{check_finish};
    die "no siblings\n" if !cmd('EXISTS', k('siblings'));
    cmd('SET', k('r', $ac, $ht), packed($r));
    cmd('DEL', k('siblings'), k('siblings', $ac));
    forget_checks();
    counts($took) });
case(telling_step => 'siblings of 1,024 addresses', sub {
    $siblings //= full_range();
    cmd('ZADD', k('siblings'), 0, "$ac:$siblings");
    cmd('DEL', k('tellings'), k('telling', $ac));
    slice('telling_step', [k('tellings')]);
    my $took = $RblWorst::took{telling_step};
    cmd('DEL', k('siblings'));
    counts($took) });
case(check_progress => '', sub { my $ht = listed_one();
    my $pp = open_check($ht);
    s1('check_progress', check => $pp, checked => 400, listed => 100,
        unknown => 0); forget_checks() });
my @clear;
sub clear_hosts {
    my ($profile) = @_;
    push @clear, host_in($W{default}) while @clear < 32;
    cmd('DEL', k('flight:due'), k('due', $ac));
    my $till = int(cmd('TIME')->[0]) * 1000 + KEEP;
    cmd('ZADD', k('due', $ac), $till, $_) for @clear;
    return map { ("$ac:$_", sid('PP') . ":1:$till:d") } @clear;
}
sub flights {
    my (%flight) = @_;
    my @members = sort keys %flight;
    return (member => \@members, flight => [@flight{@members}]);
}
case(check_open => '32 hosts', sub {
    slice('check_open', [k('flight:due')],
        sum => cmd('HGET', k('defaults:for'), 'sum'),
        flights(clear_hosts())) });
case(check_clear => '32 hosts', sub { my %flight = clear_hosts();
    cmd('HSET', k('flight:due'), %flight);
    slice('check_clear', [k('flight:due')], flights(%flight),
        interval => 3600) });
case(check_clear => '32 hosts, of 400 lists only some answered', sub {
    my %flight = clear_hosts();
    my @lists = map { ['RB' . sprintf('%032x', $_), 0, 0, $_ % 2] } 1 .. 400;
    my $pp = open_check($clear[0]);
    finish_check($acct, $pp, $clear[0], [result($all[0], 'clear')], '',
        asks => asks_of(@lists), members => members_of(@lists));
    forget_checks();
    %flight = clear_hosts();
    cmd('HSET', k('flight:due'), %flight);
    $_->[3] = 1 - $_->[3] for @lists;
    my $r = slice('check_clear', [k('flight:due')], flights(%flight),
        interval => 3600, asks => asks_of(@lists));
    die "check_clear: @$r\n" if "@$r" ne 'OK' . ' 1' x 32 });
case(check_take => '100 hosts and 100 checks', sub { forget_checks();
    cmd('ZADD', k('due', $ac), 0, map { ($_) } $clear[0] // listed_one());
    cmd('ZADD', k('due', $ac), map { (0, sid('HT')) } 1 .. 200);
    cmd('ZADD', k('due'), 0, $ac);
    cmd('RPUSH', k('manual', $ac), map { sid('PP') . ':' } 1 .. 50);
    cmd('ZADD', k('manual'), 0, $ac);
    slice('check_take', [k('leases')], kinds => 'md', most => 100,
        share => 100, lease => KEEP, daemon => 'd', alone => 1);
    cmd('DEL', k('due', $ac), k('leases'), k('manual', $ac), k('manual')) });
case(check_take => '100 accounts, leases that ran out', sub { forget_checks();
    my @ac = map { sid('AC') } 1 .. 100;
    for my $a (@ac) {
        cmd('ZADD', k('due', $a), 0, sid('HT'));
        cmd('ZADD', k('due'), 0, $a);
    }
    cmd('ZADD', k('leases'), map { (1, "$ac:" . sid('PP') . '::m:1:d') }
        1 .. 100);
    slice('check_take', [k('leases')], kinds => 'md', most => 100,
        share => 100, lease => KEEP, daemon => 'd', alone => 1);
    cmd('DEL', k('leases'), k('due'), map { k('due', $_) } @ac) });
sub in_flight {
    my ($n) = @_;
    cmd('DEL', k('leases'), k('flight:due'), k('due', $ac));
    my $till = int(cmd('TIME')->[0]) * 1000 + KEEP;
    for (1 .. $n) {
        my $ht = sid('HT');
        cmd('ZADD', k('leases'), $till, "$ac:" . sid('PP') . '::m:1:d');
        cmd('HSET', k('flight:due'), "$ac:$ht", sid('PP') . ":1:$till:d");
        cmd('ZADD', k('due', $ac), $till, $ht);
    }
}
case(check_recall => '4,000 in flight in the partition', sub {
    in_flight(2000) if !cmd('EXISTS', k('leases'));
    slice('check_recall', [k('leases')], daemon => 'd', rank => 0,
        cursor => 0) });
case(daemons_show => '4,000 in flight in the partition', sub {
    in_flight(2000) if cmd('ZCARD', k('leases')) < 2000;
    slice('daemons_show', [k('lists')], rank => 0, cursor => 0) });
case(queue_age => '', sub { slice('queue_age', [k('leases')]) });
case(check_ahead => '32 hosts of each of 32 accounts', sub {
    my $till = int(cmd('TIME')->[0]) * 1000 + 9 * KEEP;
    my $raw = cmd('GET', $acct);
    for my $n (1 .. 32) {
        my $a = sprintf 'AC%032x', $n;
        cmd('SET', k('acct', $a), $raw);
        cmd('ZADD', k('due'), $till, $a);
        cmd('ZADD', k('due', $a), map { ($till, sid('HT')) } 1 .. 32);
    }
    slice('check_ahead', [k('due')], from => 0, most => 32, lease => 60_000);
    cmd('DEL', k('due'), map { my $a = sprintf 'AC%032x', $_;
        (k('acct', $a), k('due', $a)) } 1 .. 32) });
case(queue_count => '250 accounts', sub {
    for (1 .. 1000) {
        last if cmd('ZCARD', k('manual')) >= 1000;
        my $a = sid('AC');
        cmd('ZADD', k('due'), 0, $a);
        cmd('ZADD', k('due', $a), 0, sid('HT'));
        cmd('ZADD', k('manual'), 0, $a);
    }
    slice('queue_count', [k('lists')], rank => 0, accounts => 250);
});
case(daemon_greet => '16 addresses', sub { slice('daemon_greet',
    [k('daemons:addr')],
    members => [map { "192.0.2.$_ host.example" } 1 .. 16]) });
case(series_add => '64 lists', sub { slice('series_add', [k('leases')],
    (map { $_ => 4_000_000_000 } qw(checks answered refused timed_out failed
        oldest delivered retried dead)), (map { $_ => 4_000_000_000 }
        qw(responses refusals failures)), list => [@all[0 .. 63]]) });
sub buy { return slice('bill_plan', [$acct], gateway => 'manual', plan => 'P',
    price => $_[0] // 1_000_000, period => 'month', paid => 1, hosts => 0,
    contacts => 0, checks => 0, shortest => 900, now => 1) }
case(bill_plan => 'with an open payment', sub {
    buy(); slice('bill_step', [$acct], grace => 0, kept => 0); buy() });
sub upgrades {
    cmd('DEL', k('bill', $ac));
    buy();
    script('bill_settle', [$acct], result => 'paid',
        payment => slice('bill_step', [$acct],
        grace => 0, kept => 0)->[2]);
    buy(2_000_000);
}
case(bill_plan => 'an upgrade that replaces another one', sub {
    upgrades(); buy(3_000_000) });
case(bill_step => 'an upgrade that is not paid', sub {
    upgrades();
    my $b = unpacked(cmd('GET', k('bill', $ac)));
    $b->[$_] -= 27 * 86_400_000 for 7, 8;
    cmd('SET', k('bill', $ac), packed($b));
    slice('bill_step', [$acct], grace => 0, kept => 0) });
case(bill_step => 'opens a payment', sub {
    cmd('DEL', k('bill', $ac)); buy();
    slice('bill_step', [$acct], grace => 0, kept => 0) });
case(bill_settle => 'a payment', sub {
    cmd('DEL', k('bill', $ac));
    buy();
    slice('bill_settle', [$acct], result => 'paid',
        payment => slice('bill_step', [$acct],
        grace => 0, kept => 0)->[2], reference => ++$field . 'x' x 250);
});
case(bill_terms => 'all of them', sub {
    buy(); slice('bill_terms', [$acct], renew => 0, falls => 5, to => 25,
        alert => 5) });
sub pays {
    cmd('DEL', map { k($_, $ac) } qw(bill sources setup terms));
    script('bill_plan', [$acct], gateway => 'stripe', plan => 'P',
        price => 1_000_000, period => 'month', paid => 1, hosts => 0,
        contacts => 0, checks => 0, shortest => 900);
    script('bill_setup', [$acct], back => 'https://portal.example/');
    for (1 .. 10) {
        my $made = unpacked(cmd('GET', k('setup', $ac)))->[2];
        script('bill_session', [$acct], made => $made, state => 'done',
            session => 'cs_1', customer => 'cus_1', method => "pm_$_",
            live => 1, type => 'card', brand => 'visa', last4 => '4242',
            month => 12, year => 2001);
        script('bill_setup', [$acct], back => 'https://portal.example/');
    }
    script('bill_step', [$acct], grace => 0, kept => 0);
}
sub sent { slice('bill_send', [$acct], gateway => 'stripe', live => 1,
    lease => 60_000) }
sub answered {
    my $py = unpacked(cmd('GET', k('bill', $ac)))->[10];
    slice('bill_answer', [$acct], payment => $py, attempt => 1, @_,
        text => 'text' x 60);
}
case(bill_send => 'a charge, 10 cards', sub { pays(); sent() });
case(bill_answer => 'declined', sub { pays(); sent();
    answered(result => 'declined', reason => 'card_declined') });
case(bill_answer => 'succeeded', sub { pays(); sent();
    answered(result => 'succeeded', reference => 'pi_1') });
case(bill_settle => 'succeeded', sub { pays(); sent();
    slice('bill_settle', [$acct], payment => unpacked(cmd('GET',
        k('bill', $ac)))->[10], result => 'succeeded',
        reference => ++$field . 'x' x 250) });
case(bill_plan => 'ends, with an open payment', sub {
    buy(); slice('bill_step', [$acct], grace => 0, kept => 0);
    slice('bill_plan', [$acct], gateway => 'manual', plan => 'P', price => 0,
        period => '', paid => 0, hosts => 0, contacts => 0, checks => 0,
        shortest => 900, now => 1) });
case(bill_setup => '', sub { pays();
    slice('bill_setup', [$acct], back => 'https://portal.example/') });
case(bill_session => 'a card', sub { pays();
    slice('bill_session', [$acct], made => unpacked(cmd('GET',
        k('setup', $ac)))->[2], state => 'done', session => 'cs_1',
        customer => 'cus_1', method => 'pm_x', live => 1, type => 'card',
        brand => 'visa', last4 => '4242', month => 12, year => 2001) });
case(bill_card => 'an alert', sub { pays();
    my ($m, $y) = (gmtime)[4, 5];
    slice('bill_card', [$acct], source => cmd('ZRANGE', k('sources', $ac), 0,
        0)->[0], brand => 'visa', last4 => '4242', month => $m + 1,
        year => $y + 1900) });
sub by_check {
    script('bill_plan', [$acct], gateway => 'manual', plan => 'P',
        price => 2000, period => 'check', paid => 1, hosts => 0, contacts => 0,
        checks => 0, shortest => 900);
    cmd('HSET', k('money', $ac), 'balance', 30_000_000, 'used', 29_000_000,
        'day', 1, 'alerted', 0, 'last', 0, 'runs', 0);
    slice('bill_terms', [$acct], falls => 5_000_000, to => 25_000_000,
        alert => 5_000_000, now => 1);
}
sub by_none { cmd('DEL', map { k($_, $ac) } qw(bill terms meter money)) }
case(bill_step => 'books, alerts and opens a recharge', sub {
    by_check(); slice('bill_step', [$acct], grace => 0, kept => 0);
    counts($RblWorst::took{bill_step}); by_none() });
case(bill_plan => 'no longer by the check', sub {
    by_check(); slice('bill_step', [$acct], grace => 0, kept => 0); buy();
    counts($RblWorst::took{bill_plan}); by_none() });
case(bill_settle => 'a recharge', sub {
    by_check();
    slice('bill_settle', [$acct], result => 'paid',
        payment => slice('bill_step', [$acct],
        grace => 0, kept => 0)->[2], reference => ++$field . 'x' x 250);
    counts($RblWorst::took{bill_settle}); by_none() });
case(bill_refund => 'a recharge', sub {
    by_check();
    script('bill_terms', [$acct], to => 0, falls => 0, alert => 0);
    my $once = ++$field . 'x' x 250;
    slice('bill_adjust', [$acct], what => 'topup',
        once => '', amount => 5_000_000,
        reference => $once);
    slice('bill_refund', [$acct], payment => cmd('ZRANGE',
        k('payments', $ac), -1, -1)->[0], amount => 4_000_000,
        reference => "r$once");
    counts($RblWorst::took{bill_refund}); by_none() });
case(bill_wish => '', sub { by_check();
    slice('bill_plan', [$acct], gateway => 'http', plan => 'P', price => 2000,
        period => 'check', paid => 1, hosts => 0, contacts => 0, checks => 0,
        shortest => 900);
    slice('bill_wish', [$acct], once => ++$field . 'x' x 40,
        amount => 5_000_000);
    counts($RblWorst::took{bill_wish}); by_none() });
case(bill_adjust => 'a top-up', sub { by_check();
    slice('bill_adjust', [$acct], what => 'topup',
        once => ++$field, amount => 5_000_000,
        reference => $field . 'x' x 250);
    counts($RblWorst::took{bill_adjust}); by_none() });
case(bill_adjust => '', sub { by_check();
    slice('bill_adjust', [$acct], once => ++$field, amount => -5_000_000,
        reason => 'x' x 255, reference => $field . 'x' x 250);
    counts($RblWorst::took{bill_adjust}); by_none() });
sub lapse {
    my ($paid) = @_;
    cmd('DEL', k('bill', $ac), k('work', $ac));
    buy();
    my $b = unpacked(cmd('GET', k('bill', $ac)));
    @$b[7, 8] = (1, 2);
    cmd('SET', k('bill', $ac), packed($b));
    return slice('bill_step', [$acct], grace => 0, kept => $paid);
}
case(bill_step => 'an expired plan', sub { lapse(500) });
case(work_step => 'hosts stop', sub { lapse(0); slice('work_step', [$acct]) });
case(work_step => 'hosts go on', sub {
    1 while slice('work_step', [$acct])->[2] > 0;
    script('bill_settle', [$acct], result => 'paid',
        payment => unpacked(cmd('GET',
        k('bill', $ac)))->[10]);
    slice('work_step', [$acct]);
});
my @ps = map { sid('PS') } 1 .. 20;
sub sources {
    buy();
    cmd('ZADD', k('sources', $ac), map { ($_, $ps[$_]) } 0 .. 19);
    cmd('SET', k('source', $ac, $_), packed([1, $_, 'card', 'visa', '4242', 12,
        2030, 'm' x 255, 1, 0, 0, 0])) for @ps;
}
case(bill_show => '20 sources', sub {
    sources(); slice('bill_show', [$acct]) });
case(bill_sources => '20', sub { sources(); slice('bill_sources', [$acct]) });
case(bill_payments => 'a page of 1,000', sub {
    my @py = map { sid('PY') } 1 .. 1000;
    cmd('ZADD', k('payments', $ac), map { ($_, $py[$_]) } 0 .. 999);
    cmd('SET', k('pay', $ac, $_), packed([1, $_, 'renewal', 'x' x 60, 1, 'open',
        0, 'x' x 255, 'unpaid', 1, 1, 1, 1])) for @py;
    slice('bill_payments', [$acct], first => 0, last => 999);
    cmd('DEL', k('payments', $ac), map { k('pay', $ac, $_) } @py) });
case(payments_show => 'a page of 250', sub {
    my @py = map { sid('PY') } 1 .. 250;
    cmd('ZADD', k('unpaid', 'open'), map { ($_, "$ac:$py[$_]") } 0 .. 249);
    cmd('SET', k('pay', $ac, $_), packed([1, $_, 'renewal', 'x' x 60, 1, 'open',
        0, 'x' x 255, 'unpaid', 1, 1, 1, 1])) for @py;
    slice('payments_show', [k('accounts')], state => 'open', first => 0,
        last => 249);
    cmd('DEL', k('unpaid', 'open'), map { k('pay', $ac, $_) } @py) });
case(bill_ledger => 'a page of 200', sub {
    cmd('XADD', k('ledger', $ac), '*', k => 'x' x 60, d => 'cash',
        c => 'revenue', a => 1, b => 1, r => 'x' x 255) for 1 .. 200;
    slice('bill_ledger', [$acct], most => 200);
    cmd('DEL', k('ledger', $ac)) });
case(bill_table => 'slices of 250', sub {
    cmd('XADD', k('ledger', $ac), '*', k => 'x' x 60, d => 'cash',
        c => 'revenue', a => 1, b => 1, r => 'x' x 255) for 1 .. 250;
    slice('bill_table', [$acct], what => 'ledger', cursor => '', most => 250);
    cmd('DEL', k('ledger', $ac));
    my @py = map { sid('PY') } 1 .. 250;
    cmd('ZADD', k('payments', $ac), map { ($_, $py[$_]) } 0 .. 249);
    cmd('SET', k('pay', $ac, $_), packed([1, $_, 'renewal', 'x' x 60, 1, 'open',
        0, 'x' x 255, 'unpaid', 1, 1, 1, 1])) for @py;
    slice('bill_table', [$acct], what => 'payments', cursor => '', most => 250);
    cmd('DEL', k('payments', $ac), map { k('pay', $ac, $_) } @py) });
case(bill_retry => 'an expired plan', sub {
    sources();
    my $b = unpacked(cmd('GET', k('bill', $ac)));
    @$b[9, 10] = ('lapsed', '');
    cmd('SET', k('bill', $ac), packed($b));
    cmd('DEL', k('terms', $ac));
    slice('bill_retry', [$acct]) });
case(bill_source_gone => 'the one that is chosen', sub {
    sources();
    script('bill_terms', [$acct], source => $ps[7]);
    slice('bill_source_gone', [$acct], source => $ps[7]) });
case(accounts_take => '8 accounts', sub {
    cmd('ZADD', k('works'), map { (1, sid('AC')) } 1 .. 8);
    slice('accounts_take', [k('works')], most => 8); cmd('DEL', k('works')) });


# --- state of lists shared by daemons --------------------------------------

case(list_grant => '', sub { slice('list_grant', [k('list', 'RBa')],
    want => 10, rate => 0, quota => 1000, patience => 100) });
case(list_told => '', sub { slice('list_told', [k('list', 'RBb')],
    refused => 1) });
case(list_turn => '', sub { slice('list_turn', [k('list', 'RBc')],
    clear => 100, fresh => 9) });
case(list_thaw => '', sub { slice('list_turn', [k('list', 'RBd')], clear => 0,
    fresh => 99);
    slice('list_thaw', [k('list', 'RBd')]) });
case(zone_ask => '', sub { slice('zone_ask', [k('zone', 'a.test'),
    k('seen', 'RBa', '192.0.2.1')], family => 1, resolver => 'r', order => 10,
    response => 'clear', age => 0, ttl => 300_000, any => 1,
    waits => [302_000, 62_000]) });
case(zone_told => '', sub { slice('zone_told', [k('zone', 'a.test')],
    family => 1, ttl => 5, entry => 1, soa => 2) });


# --- the operator's scripts for system lists -------------------------------

require './t/lua/cost/lists.pl';
require './t/lua/cost/deliver.pl';
require './t/lua/cost/fsck.pl';

# Last, because they make the profiles shorter.
sub own_gone { my $rb = shift; work(s1('rbl_delete', list => $rb)) }
case(rbl_add => 'the 200th', sub { own_gone(pop @{ $W{own} });
    my $rb = sid('RB'); push @{ $W{own} }, $rb;
    s1('rbl_add', list => $rb, type => 'rbl',
        zone => join '.', 'n' . ++$number, ('z' x 60) x 3) });
case(rbl_delete => '', sub { own_gone(pop @{ $W{own} }) });
case(work_step => 'rbl_delete, 999 profiles', sub {
    counts(own_gone(pop @{ $W{own} })) });
case(work_step => 'rbl_delete, 100 mutes', sub { my $rb = pop @{ $W{own} };
    mutes_of($rb, $cg[0], sub { counts(own_gone($rb)) }) });


# --- all of them -----------------------------------------------------------

my %only = map { $_ => 1 } split /,/, $ENV{RBL_COST} // '';
my %cases;
push @{ $cases{ $_->[0] } }, $_ for @cases;
my %file = map { m{/([a-z]\w*)\.lua$} ? ($1 => $_) : () }
    glob repo_dir() . '/shared/lua/*/*.lua';
my @scripts = sort keys %file;

# The most expensive argument of a name.
my %most = (host => \&listed_one, contact => $W{co}[0], group => $cg[70],
    profile => $rp[5], list => sub { $W{own}[9] }, app => $ap[1],
    user => $us[0], passkey => $pk[0], named => '1', name => text_of(255));
my @others = splice @cases;
for my $name (grep { !$cases{$_} } @scripts) {
    my ($key, @names) = read_file($file{$name}) =~ /^--- (?:key|arg): (\S+)/mg;
    next if ($key // '') ne 'acct' || grep { !$most{$_} } @names;
    simple($name => map { $_ => $most{$_} } @names);
    push @{ $cases{$name} }, $cases[-1];
}
cmp_ok(scalar @cases, '>', 0, 'some cases are from the names of arguments');
push @cases, @others;
is(join(' ', grep { !$cases{$_} } @scripts), '', 'each script has a case');
is(join(' ', grep { my $n = $_; !grep { $_ eq $n } @scripts }
    sort keys %cases), '', 'each case belongs to a script');

my (%worst, %of);
for my $c (@cases) {
    my ($name, $what, $code) = @$c;
    next if %only && !$only{$name};
    my ($us, $least, @looks);
    for my $try (1 .. MOST) {
        last if $try > TRIES && $least <= BOUND;
        push @looks, calibrate();
        undef $counted;
        eval { $code->(); 1 } or die "$name, $what: $@";
        my $took = $counted // $RblWorst::took{$name};
        my $word = $RblWorst::word{$name};
        die "$name, $what: $word\n"
            if $word !~ /^(?:OK|MORE|WORK|FROZEN|MAYBE|UPGRADE|[0-9a-f]{16})$/;
        $us = $took if !defined $us || $took < $us;
        $least = $us / slowness(@looks);
    }
    $worst{$name} = $least, $of{$name} = $what
        if ($worst{$name} // -1) < $least;
    note sprintf '%6d us  (%6d here) %-18s %s', $least, $us, $name, $what
        if $ENV{RBL_COST};
}
for my $name (sort { $worst{$b} <=> $worst{$a} } keys %worst) {
    note sprintf '%6d us  %-18s %s', $worst{$name}, $name, $of{$name};
    cmp_ok($worst{$name}, '<=', BOUND,
        "$name holds Redis at most 2 ms: $of{$name}");
}

done_testing();
