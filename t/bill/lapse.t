#!/usr/bin/perl

# A plan expires with all programs: what every surface tells of hosts that are
# not checked, before and after the work on their records; and the return.

use strict;
use warnings;

use POSIX ();
use RblPortal;
use RblCheckd qw(world eventually conf_short script_ok);

use constant { DAY => 86_400_000 };

my $w = world();
my ($redis, $acct) = @$w{qw(redis acct)};
my $ac = $acct->{sid};
my $to = start_receiver();
my $t = { redis => $redis, acct => $acct,
    nginx => start_nginx(store => $redis,
        portal => 'rbl_portal_url http://localhost/portal/;') };
my $file = temp_dir() . '/plans.json';
write_file($file, <<'JSON');
{ "version": 1, "plans": [
{ "name": "Two", "paid": 0, "max_hosts": 2, "max_contacts": 1,
  "max_checks": 5, "interval": "1d" },
{ "name": "Plan", "paid": 1, "max_hosts": 1000, "max_contacts": 100,
  "max_checks": 5000, "interval": "2s", "price": "25.00",
  "period": "month" } ] }
JSON
my %conf = (conf_short(), gateway => 'manual', deliver => 'on',
    deliver_http => 'on', deliver_allow => '127.0.0.0/8', digest_window => '1s',
    bill_plans => $file);

sub daemon {
    return start_checkd(store => $redis, resolver => $w->{dns},
        conf => { %conf, @_ });
}

sub ctl {
    my @words = @_;

    my $r = rblctl($redis, @words, '--json');
    is("$r->{status} $r->{err}", '0 ', "rblctl @words[0, 1]");
    return json($r->{out});
}

sub bill { return json(rblctl($redis, 'bill', 'show', $ac, '--json')->{out}) }

# The period and its grace are over.
sub over {
    my ($days) = @_;

    my $key = redis_key('bill', $ac);
    my $b = record('bill', redis($redis, 'GET', $key));
    my $ends = time * 1000 - $days * DAY;
    redis($redis, 'SET', $key, record_pack('bill', %$b,
        begins => $ends - 30 * DAY, ends => $ends,
        map { $_ => \$b->{$_} } qw(account gateway plan period state open)));
    redis($redis, 'ZADD', redis_key('billdue', $ac) =~ s/:AC.*//r, 0, $ac);
}

sub pay {
    my $b = bill();
    return ctl('bill', 'paid', $ac, $b->{open})->{state};
}

sub hosts_by_value {
    my ($path) = @_;
    return map { $_->{host} => $_ } @{ accepted(call($t, 'GET', $path),
        $path)->{data} };
}

my $me;
sub seen {
    my ($path) = @_;
    return accepted(portal($t, $me, 'GET', $path), $path);
}

sub counts {
    my $c = seen('counts.json')->{data};
    return join ' ', map { "$_ $c->{$_}" } grep { $c->{$_} }
        qw(hosts listed unknown uncovered paused clear ranges);
}

sub plain { return call($t, 'GET', "listings.$_[0]")->{body} }

sub faultless { is(rblctl($redis, 'fsck')->{out}, "no fault in 1 account\n",
    "fsck: $_[0]") }

sub types { return map { $_->{json}{event_type} } received($to) }

my $daemon = daemon();
ctl('bill', 'plan', $ac, 'Plan', '--file', $file);
$me = sign_in($t);
ctl('webhook', 'add', $ac, 'All', $to->{url});
my @ids = map { accepted(call($t, 'POST', 'host/add.json', form =>
    { host => $_, name => $_, type => 'rbl' }), 'host/add')->{data}[0]{id} }
    '10.0.0.1', '10.0.0.2', '10.0.0.3';
my $co = accepted(call($t, 'POST', 'contact/add.json', form =>
    { type => 'endpoint', contact => "$to->{url}contact",
        schedule => 'start_and_end' }), 'contact/add')->{data}{id};
eventually { grep { /contact\.confirm/ } types() } 20, 'the contact has a code';
my ($code) = map { $_->{json}{authcode} }
    grep { $_->{json}{event_type} eq 'contact.confirm' } received($to);
accepted(call($t, 'POST', "contact/confirm/$co.json",
    form => { authcode => $code }), 'contact/confirm');
eventually { bill()->{open} ne '' } 20, 'the first payment is open';
is(pay(), 'active', 'and paid');
eventually { counts() eq 'hosts 3 listed 1 clear 2' } 30, 'all are checked';
is(plain('nagios'), 'CRITICAL - 1 host listed!', 'one is listed');


# --- expired, and no daemon is there -----------------------------------------

stop_server($daemon);
my %before = hosts_by_value('hosts.json');
hosts_by_value('hosts.json') for 1 .. 10;       # nginx caches the page
over(20);
is(script_ok($w, 'bill_step', [redis_key('acct', $ac)], 0, 0)->[1], 'lapsed',
    'the plan expires');
is_deeply(redis($redis, 'LLEN', redis_key('work', $ac)), 1, 'work is to come');

sub surfaces {
    my ($when) = @_;

    my %now = hosts_by_value('hosts.json');
    is_deeply([map { [sort keys %{ $now{$_} }] } sort keys %now],
        [map { [sort keys %{ $before{$_} }] } sort keys %before],
        "$when: hosts have the fields of the contract");
    for my $host (sort keys %now) {
        is_deeply([@{ $now{$host} }{qw(unknown_count next_check status)}],
            ['1', '', 'active'], "$when: $host is unknown");
        is_deeply([@{ $now{$host} }{qw(last_checked first_listed listed
            listed_count listed_details)}],
            [@{ $before{$host} }{qw(last_checked first_listed listed
            listed_count listed_details)}], "$when: and as it was");
    }
    my %listed = hosts_by_value('listings.json');
    is_deeply([map { [$_, $listed{$_}{unknown_count}] } keys %listed],
        [['10.0.0.1', '1']], "$when: the listing stays");
    like(call($t, 'GET', "host/$ids[1].xml")->{body},
        qr{<unknown_count>1</unknown_count>}, "$when: in XML");

    is(counts(), 'hosts 3 unknown 3', "$when: the counts of the portal");
    for my $path ('hosts/find.json', 'hosts.json', "host/$ids[1].json",
        'hosts/find.json?state=unknown', 'hosts/find.json?sort=name',
        'hosts/find.json?state=unknown&text=10.0.0')
    {
        my @rows = @{ seen($path)->{data} };
        is(scalar @rows, $path =~ m{^host/} ? 1 : 3, "$when: $path: hosts");
        is_deeply([map { "$_->{state} $_->{reason}" } @rows],
            [('unknown plan expired') x @rows], "$when: $path: the reason");
        ok(!grep({ $_->{not_checked_since} !~ /^2\d{3}-\d\d-\d\dT/ } @rows),
            "$when: $path: since when");
    }
    is_deeply(seen("hosts/find.json?state=$_")->{data}, [],
        "$when: no host is $_") for qw(clear listed uncovered);
    my $data = seen("host/lists/$ids[1].json")->{data};
    is($data->{host}{reason}, 'plan expired', "$when: the page of a host");
    is_deeply([map { $_->{status} } @{ $data->{lists} }],
        [('unknown') x @{ $data->{lists} }], "$when: all lists are unknown");
    like(plain('nagios'), qr/^CRITICAL - 1 host listed! The plan has expired:/,
        "$when: Nagios has the listing, and that it is old");
    is(plain('zabbix'), '1', "$when: Zabbix has it");

    for (['host/add.json', { host => '10.0.0.9', name => 'n', type => 'rbl' }],
        ['host/add.json', { host => '10.1.0.0/28', name => 'n',
            type => 'ip_range' }],
        ['check/start.json', { host => $ids[0] }],
        ['check/start.json', { host => '192.0.2.1' }],
        ["host/resume/$ids[2].json", {}])
    {
        my ($path, $form) = @$_;
        refused(call($t, 'POST', $path, form => $form), 403,
            qr/^The plan has expired\.$/, "$when: $path");
        refused(portal($t, $me, 'POST', $path, fields => $form), 403,
            qr/^The plan has expired\.$/, "$when: $path of the portal");
    }
    for (['GET', 'rblprofiles.json'], ['GET', 'rbls.json'],
        ['POST', 'rblprofile/add.json', form => { name => 'n' }])
    {
        refused(call($t, @$_), 403, qr/paid plan/, "$when: $_->[1]");
    }
    accepted(call($t, 'GET', $_), "$when: $_") for 'contacts.json',
        'contactgroups.json', "contact/$co.json";
    accepted(call($t, 'POST', "host/update/$ids[2].json",
        form => { name => "name $when" }), "$when: host/update");
}

surfaces('before the work');
faultless('before the work');


# --- a daemon is back --------------------------------------------------------

$daemon = daemon();
eventually { redis($redis, 'EXISTS', redis_key('work', $ac)) == 0 } 20,
    'the work is done';
is(redis($redis, 'ZCARD', redis_key('due', $ac)), 0, 'no host is scheduled');
surfaces('after the work');
faultless('after the work');
accepted(call($t, 'POST', "host/pause/$ids[0].json"), 'host/pause');
like(plain('nagios'), qr/^UNKNOWN - The plan has expired:/,
    'Nagios: unknown, with the reason');
is(plain('zabbix'), '-1', 'Zabbix: unknown');
is(counts(), 'hosts 3 unknown 2 paused 1', 'one is paused');
eventually { grep { $_ eq 'contact.notice' } types() } 20,
    'the contact is told';
my ($notice) = grep { $_->{json}{event_type} eq 'contact.notice' }
    received($to);
is($notice->{json}{title}, 'Plan "Plan" has expired', 'the title');
like($notice->{json}{message}, qr/No host is checked/, 'and what it means');
is(ctl('host', $ids[1])->{stopped} ne '', 1, 'rblctl host');
my $shown = bill();
is($shown->{state}, 'lapsed', 'rblctl bill');
is($shown->{checked}, 0, 'and that no host is checked');
is(scalar(grep { /delisted/ } types()), 0, 'no listing has ended');

is(json(rblctl($redis, 'account', 'plan', $ac, 'Two', '--file', $file,
    '--json')->{out})->{max_hosts}, 2, 'rblctl account plan sets its limits');
is(bill()->{state}, 'lapsed', 'and pays nothing');
is(ctl('bill', 'plan', $ac, 'Plan', '--file', $file)->{state}, 'lapsed',
    'nor does rblctl bill plan, while a payment is open');
is(ctl('account', 'show', $ac)->{max_hosts}, 1000, 'which sets its limits');
ctl('account', 'suspend', $ac);
refused(call($t, 'GET', 'hosts.json'), 403, qr/suspended/,
    'suspended and expired');
faultless('suspended and expired');
ctl('account', 'resume', $ac);
is(counts(), 'hosts 3 unknown 2 paused 1', 'resumed, and still expired');
faultless('other plans');

is(pay(), 'active', 'the plan is paid');
my ($job) = accepted(call($t, 'POST', 'check/start.json',
    form => { host => $ids[1] }), 'a check starts at once')->{data}{id};
accepted(call($t, 'GET', 'rblprofiles.json'), 'profiles are back');
accepted(call($t, 'POST', "host/resume/$ids[0].json"), 'host/resume');
eventually { counts() eq 'hosts 3 listed 1 clear 2' } 30, 'all are checked';
is(plain('nagios'), 'CRITICAL - 1 host listed!', 'Nagios');
my %now = hosts_by_value('hosts.json');
is_deeply([map { $now{$_}{unknown_count} } sort keys %now], [0, 0, 0],
    'none is unknown');
is($now{'10.0.0.1'}{first_listed}, $before{'10.0.0.1'}{first_listed},
    'the listing is the same');
eventually { (grep { $_ eq 'contact.notice' } types()) == 2 } 20,
    'the contact is told again';
is((grep { $_->{json}{event_type} eq 'contact.notice' }
    received($to))[1]{json}{title}, 'Plan "Plan" is active again', 'what');
faultless('all are checked');


# --- the fall-back plan ------------------------------------------------------

stop_server($daemon);
$daemon = daemon(bill_fallback => 'Two');
over(30);
eventually { bill()->{state} eq 'lapsed' } 20, 'expired again';
eventually { redis($redis, 'EXISTS', redis_key('work', $ac)) == 0 } 20,
    'the work is done';
is(redis($redis, 'ZCARD', redis_key('due', $ac)), 2, 'two hosts are scheduled');
is(counts(), 'hosts 3 listed 1 unknown 1 clear 1', 'two have a state');
like(plain('nagios'), qr/^CRITICAL .* The plan has expired: some hosts/,
    'Nagios');
sub last_checked {
    my %all = hosts_by_value('hosts.json');
    return $all{'10.0.0.2'}{last_checked};
}
my $checked = last_checked();
eventually { last_checked() ne $checked } 20, 'they are checked';
accepted(call($t, 'POST', "host/delete/$ids[0].json"), 'host/delete');
like(plain('nagios'), qr/^UNKNOWN - The plan has expired: some hosts/,
    'one of two is not checked');
is(plain('zabbix'), '-1', 'Zabbix');
accepted(call($t, 'POST', "host/delete/$ids[2].json"), 'host/delete');
is(plain('nagios'), 'OK - 0 hosts listed!', 'all that are left are checked');
is(plain('zabbix'), '0', 'Zabbix');
refused(call($t, 'POST', 'host/add.json', form => { host => '10.0.0.9',
    name => 'n', type => 'rbl' }), 403, qr/expired/, 'none can be added');
is(bill()->{checked}, 1, 'rblctl bill');
faultless('a fall-back plan');

sub config_says {
    my ($plans) = @_;

    my $path = temp_dir() . '/bad.conf';
    write_file($path, "bill_fallback Gone\nbill_plans $plans\n");
    my $r = run_cmd(build_dir() . '/rbl-checkd', '-t', '-c', $path);
    return $r->{err} . $r->{out};
}

like(config_says($file), qr/bill_fallback: .* has no plan "Gone"/,
    'a fall-back plan that is not in the file');
my $pipe = temp_dir() . '/pipe';
POSIX::mkfifo($pipe, 0600) or die "mkfifo: $!";
like(config_says($_), qr/bill_fallback: \Q$_\E is not a regular file/,
    "plans in $_") for temp_dir(), '/dev/zero', $pipe;
done_testing();
