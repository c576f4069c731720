#!/usr/bin/perl
# rblctl account and webhook.

use strict;
use warnings;

use lib 't/lib';
use RblCtl;

my $redis = ctl_store();
my ($r, $v);

my $none = 'AC' . 'f' x 32;

# account add
$v = good('account add', 'account', 'add', '  Paid & Söhne ', '--paid',
    '--max-hosts', 10, '--max-contacts', 3, '--interval', '15m');
like($v->{id}, qr/^AC[0-9a-f]{32}$/,
    'account add returns the SID of the account');
my $ac = $v->{id};
is($v->{name}, "Paid & S\x{f6}hne", 'rblctl trims the name of the account');
my $a = record('account', redis($redis, 'GET', redis_key('acct', $ac)));
my $chosen = record('chosen', redis($redis, 'GET', redis_key('chosen', $ac)));
is_deeply([@$a{qw(version id status timezone plan paid max_hosts max_contacts
    interval)}], [1, $ac, 'active', 'UTC', 'paid', 1, 10, 3, 900],
    'the record has the values of the options');
ok(redis($redis, 'EXISTS', redis_key('r', $ac, $chosen->{profile})),
    'the new account has a default profile');
ok(redis($redis, 'EXISTS', redis_key('r', $ac, $chosen->{group})),
    'the new account has a default group');
$v = good('an account without options', 'account', 'add', 'Free');
is_deeply([@$v{qw(plan interval)}, $v->{hosts}{max}, $v->{paid} ? 1 : 0],
    ['free', 3600, 0, 0],
    'an account without options is free, hourly and unlimited');
my $free = $v->{id};
is(good('interval', 'account', 'add', 'x', '--interval', $_->[0])->{interval},
    $_->[1], "the interval $_->[0] is $_->[1] seconds")
    for ['1', 1], ['90s', 90], ['2h', 7200],
    ['30d', 2592000], ['900', 900];
is(good('plan', 'account', 'add', 'x', '--plan', 'Starter', '--file',
    repo_dir() . '/conf/plans.json')->{plan}, 'Starter',
    'the account gets the plan of the option');
is(good('name', 'account', 'add', "\xc3\xa9" x 255)->{plan}, 'free',
    'a name may have 255 characters');
is(rblctl($redis, 'account', 'add', '--json', '--', '--paid')->{status}, 0,
    'a name that looks like an option');

bad('no name', 'name of an account', 'account', 'add', ' ');
bad('long name', 'name of an account', 'account', 'add', 'x' x 256);
bad('control characters', 'name of an account', 'account', 'add', "a\nb");
bad('bad UTF-8', 'name of an account', 'account', 'add', "a\xff");
bad('both plans', 'exclude', 'account', 'add', 'x', '--paid', '--free');
bad("interval $_", '--interval must be', 'account', 'add', 'x', '--interval',
    $_) for '0', '-1', '31d', '1w', 'm', '', '1.5h', '99999999999999999999';
bad("max-hosts $_", '--max-hosts must be', 'account', 'add', 'x',
    '--max-hosts', $_) for '-1', 'x', '', '1e3', '99999999999';
bad('max-contacts', '--max-contacts must be', 'account', 'add', 'x',
    '--max-contacts', '-2');
bad('plan', 'there is no plan', 'account', 'add', 'x', '--plan', '', '--file',
    repo_dir() . '/conf/plans.json');

# show, list, suspend, resume
$v = good('account show', 'account', 'show', uc $ac);
is_deeply([@$v{qw(id listed apps webhooks)}, $v->{hosts}{used}],
    [$ac, 0, 0, 0, 0],
    'account show has the SID and four counts');
bad('unknown account', 'there is no account', 'account', 'show', $none);
bad("SID $_", 'is not the SID of an account', 'account', 'show', $_)
    for '', 'AC', 'x' x 34, 'AP' . '0' x 32, $none . '0';
$v = good('account list', 'account', 'list');
is(scalar @$v, 10, 'account list shows the accounts of all partitions');
is(scalar(grep { $_->{id} eq $ac } @$v), 1,
    'account list shows the first account once');
is(good('suspend', 'account', 'suspend', $ac)->{status}, 'suspended',
    'account suspend reports the status suspended');
is(good('suspend again', 'account', 'suspend', $ac)->{status}, 'suspended',
    'a suspended account remains suspended');
is(good('resume', 'account', 'resume', $ac)->{status}, 'active',
    'account resume reports the status active');
bad('suspend an unknown account', 'there is no account', 'account',
    'suspend', $none);
bad('resume an unknown account', 'there is no account', 'account',
    'resume', $none);

# time zones
is(good('show', 'account', 'show', $ac)->{timezone}, 'UTC',
    'the default time zone is UTC');
$v = good('account add --timezone', 'account', 'add', 'x', '--timezone',
    'America/New_York');
is($v->{timezone}, 'America/New_York',
    'account add sets the time zone of its option');
is(record('account', redis($redis, 'GET', redis_key('acct', $v->{id})))
    ->{timezone}, 'America/New_York',
    'the record has the time zone of the option');
$a = record('account', redis($redis, 'GET', redis_key('acct', $ac)));
is(good("account timezone $_", 'account', 'timezone', $ac, $_)->{timezone},
    $_, "account timezone sets $_")
    for qw(Europe/Berlin Etc/GMT-14 EST5EDT UTC Asia/Kolkata);
is_deeply(record('account', redis($redis, 'GET', redis_key('acct', $ac))),
    { %$a, timezone => 'Asia/Kolkata' },
    'account timezone changes no other field');
like(rblctl($redis, 'account', 'show', $ac)->{out},
    qr{^time zone\s+Asia/Kolkata$}m, 'account show displays the time zone');
for my $bad ('', 'Europe/Bonn', 'europe/berlin', 'Europe', '../passwd',
    '/etc/passwd', 'posix/UTC', 'right/UTC', 'localtime', 'zone.tab',
    'Europe/Berlin ', "Europe/Berlin\n", 'EST5EDT,M3.2.0,M11.1.0', 'x' x 300)
{
    my $shown = quotemeta substr $bad =~ s/\n/\\n/r, 0, 80;
    bad("time zone $shown", 'unknown time zone', 'account', 'timezone', $ac,
        $bad);
    bad("time zone $shown", 'unknown time zone', 'account', 'add', 'x',
        '--timezone', $bad);
}
is(record('account', redis($redis, 'GET', redis_key('acct', $ac)))
    ->{timezone}, 'Asia/Kolkata', 'a refused time zone changes no record');
bad('time zone of an unknown account', 'there is no account', 'account',
    'timezone', $none, 'UTC');
bad('time zone of no SID', 'is not the SID', 'account', 'timezone', 'x',
    'UTC');

# webhooks
my $url = 'https://hooks.example.com/x?y=1';
$v = good('webhook add', 'webhook', 'add', $ac, 'Ops', $url, '--types',
    'rbl.host.listed,rbl.host.delisted');
like($v->{id}, qr/^WH[0-9a-f]{32}$/,
    'webhook add returns the SID of the receiver');
like($v->{secret}, qr/^whsec_/,
    'webhook add returns the secret of the receiver');
is_deeply($v->{types}, ['rbl.host.listed', 'rbl.host.delisted'],
    'webhook add returns the types of the receiver');
my $hook = record('hook', redis($redis, 'GET', redis_key('s', $ac,
    $v->{id})));
is_deeply([@$hook{qw(name url types secret status)}], ['Ops', $url,
    $v->{types}, $v->{secret}, 'active'],
    'the record has the values of the receiver');
is_deeply(good('every type', 'webhook', 'add', $ac, 'All', $url)->{types},
    [], 'a receiver without types gets all types');
$v = good('webhook list', 'webhook', 'list', $ac);
is_deeply([map { $_->{name} } @$v], ['Ops', 'All'],
    'webhook list shows both receivers');
unlike(rblctl($redis, 'webhook', 'list', $ac)->{out}, qr/whsec_/,
    'webhook list shows no secret');
bad("URL $_", 'url value', 'webhook', 'add', $ac, 'x', $_)
    for '', 'ftp://a.example/', 'https://', 'https://u:p@a.example/',
    'https://a.example/#x', 'https://a.example:0/',
    'hooks.example.com';
bad("types '$_'", 'they are rbl.host.check.started', 'webhook', 'add', $ac,
    'x', $url, '--types', $_) for 'frob', 'rbl.host.listed,', ',rbl.host.listed',
    'rbl.host.listed,frob';
bad('webhook without a name', 'No name value', 'webhook', 'add', $ac,
    ' ', $url);
bad('webhook of an unknown account', 'there is no account', 'webhook',
    'add', $none, 'x', $url);
bad('webhooks of an unknown account', 'there is no account', 'webhook',
    'list', $none);

# A reader of the output may end early.  A closed descriptor must not become the
# connection to the store, which would get the output.
good('an account for a long list', 'account', 'add', 'a' x 200) for 1 .. 20;

sub list_into {
    my ($how, $before) = @_;

    local $SIG{PIPE} = 'DEFAULT';
    return run_cmd({ env => { RBL_STORE => $redis->{addr} } }, 'bash', '-c',
        ($before // '') . build_dir() . "/rblctl account list $how;"
        . ' echo ${PIPESTATUS[0]}');
}

$r = list_into('>&3', 'exec 3> >(:); wait $!; ');
is($r->{out} . $r->{err}, "141\n",
    'SIGPIPE ends account list after its reader');
$r = list_into('| head -1');
like($r->{out}, qr/\AACCOUNT .*\n(?:0|141)\n\z/,
    'account list | head -1 prints one line');
is($r->{err}, '', 'account list | head -1 prints no error');
for my $how ('>&-', '<&- >&-', '--json <&- >&-', '>/dev/full',
    '--json >/dev/full') {
    $r = list_into($how);
    is($r->{out} . $r->{err},
        "3\nrblctl: cannot write to standard output\n",
        "account list $how: one line says that the output is lost");
}

redis($redis, 'SET', redis_key('acct', $free), 'junk');
bad('a damaged account', 'is damaged', 'account', 'show', $free);

done_testing();
