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
    return ctl('bill', 'paid', $ac, $b->{payment}{id})->{state};
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
    '192.0.2.1', '192.0.2.2', '192.0.2.3';
my $co = accepted(call($t, 'POST', 'contact/add.json', form =>
    { type => 'endpoint', contact => "$to->{url}contact",
        schedule => 'start_and_end' }), 'contact/add')->{data}{id};
eventually { grep { /contact\.confirm/ } types() } 20, 'the contact has a code';
my ($code) = map { $_->{json}{authcode} }
    grep { $_->{json}{event_type} eq 'contact.confirm' } received($to);
accepted(call($t, 'POST', "contact/confirm/$co.json",
    form => { authcode => $code }), 'the contact is confirmed by its code');
eventually { bill()->{payment} } 20, 'the first payment is open';
is(pay(), 'active', 'the payment makes the bill active');
eventually { counts() eq 'hosts 3 listed 1 clear 2' } 30, 'all are checked';
is(plain('nagios'), 'CRITICAL - 1 host listed!',
    'Nagios reports one listed host');


# --- expired, and no daemon is there -----------------------------------------

stop_server($daemon);
my %before = hosts_by_value('hosts.json');
hosts_by_value('hosts.json') for 1 .. 10;       # nginx caches the page
over(20);
is(script_ok($w, 'bill_step', [redis_key('acct', $ac)], grace => 0,
    kept => 0)->[1], 'lapsed', 'bill_step lets the plan expire');
is_deeply(redis($redis, 'LLEN', redis_key('work', $ac)), 1,
    'one item of work waits for a daemon');

sub surfaces {
    my ($when) = @_;

    my %now = hosts_by_value('hosts.json');
    is_deeply([map { [sort keys %{ $now{$_} }] } sort keys %now],
        [map { [sort keys %{ $before{$_} }] } sort keys %before],
        "$when: hosts have the fields of the contract");
    for my $host (sort keys %now) {
        is_deeply([@{ $now{$host} }{qw(unknown_count next_check status)}],
            ['1', '', 'active'], "$when: the host $host is unknown");
        is_deeply([@{ $now{$host} }{qw(last_checked first_listed listed
            listed_count listed_details)}],
            [@{ $before{$host} }{qw(last_checked first_listed listed
            listed_count listed_details)}],
            "$when: other fields of $host are unchanged");
    }
    my %listed = hosts_by_value('listings.json');
    is_deeply([map { [$_, $listed{$_}{unknown_count}] } keys %listed],
        [['192.0.2.1', '1']], "$when: the listing is still reported");
    like(call($t, 'GET', "host/$ids[1].xml")->{body},
        qr{<unknown_count>1</unknown_count>},
        "$when: the XML says that the host is unknown");

    is(counts(), 'hosts 3 unknown 3',
        "$when: the portal counts three unknown hosts");
    for my $path ('hosts/find.json', 'hosts.json', "host/$ids[1].json",
        'hosts/find.json?state=unknown', 'hosts/find.json?sort=name',
        'hosts/find.json?state=unknown&text=192.0.2')
    {
        my @rows = @{ seen($path)->{data} };
        is(scalar @rows, $path =~ m{^host/} ? 1 : 3,
            "$when: $path has the expected number of hosts");
        is_deeply([map { "$_->{state} $_->{reason}" } @rows],
            [('unknown plan expired') x @rows],
            "$when: $path has the reason of each host");
        ok(!grep({ $_->{not_checked_since} !~ /^2\d{3}-\d\d-\d\dT/ } @rows),
            "$when: $path says since when hosts are not checked");
    }
    is_deeply(seen("hosts/find.json?state=$_")->{data}, [],
        "$when: no host is $_") for qw(clear listed uncovered);
    my $data = seen("host/lists/$ids[1].json")->{data};
    is($data->{host}{reason}, 'plan expired',
        "$when: the page of a host has the reason");
    is_deeply([map { $_->{status} } @{ $data->{lists} }],
        [('unknown') x @{ $data->{lists} }], "$when: all lists are unknown");
    like(plain('nagios'), qr/^CRITICAL - 1 host listed! The plan has expired:/,
        "$when: Nagios reports the listing and the expired plan");
    is(plain('zabbix'), '1', "$when: Zabbix reports one listed host");

    for (['host/add.json', { host => '192.0.2.9', name => 'n', type => 'rbl' }],
        ['host/add.json', { host => '10.1.0.0/28', name => 'n',
            type => 'ip_range' }],
        ['check/start.json', { host => $ids[0] }],
        ['check/start.json', { host => '192.0.2.1' }],
        ["host/resume/$ids[2].json", {}])
    {
        my ($path, $form) = @$_;
        refused(call($t, 'POST', $path, form => $form), 403,
            qr/^The plan has expired\.$/, "$when: the API refuses $path");
        refused(portal($t, $me, 'POST', $path, fields => $form), 403,
            qr/^The plan has expired\.$/, "$when: the portal refuses $path");
    }
    for (['GET', 'rblprofiles.json'], ['GET', 'rbls.json'],
        ['POST', 'rblprofile/add.json', form => { name => 'n' }])
    {
        refused(call($t, @$_), 403, qr/paid plan/,
            "$when: $_->[1] needs a paid plan");
    }
    accepted(call($t, 'GET', $_), "$when: the API accepts $_")
        for 'contacts.json',
        'contactgroups.json', "contact/$co.json";
    accepted(call($t, 'POST', "host/update/$ids[2].json",
        form => { name => "name $when" }),
        "$when: the API accepts host/update");
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
accepted(call($t, 'POST', "host/pause/$ids[0].json"),
    'the API accepts host/pause without a plan');
like(plain('nagios'), qr/^UNKNOWN - The plan has expired:/,
    'Nagios reports UNKNOWN with the reason');
is(plain('zabbix'), '-1', 'Zabbix reports -1 for an expired plan');
is(counts(), 'hosts 3 unknown 2 paused 1',
    'the portal counts the paused host apart');
sub titled { my ($title) = @_;
    return grep { ($_->{json}{title} // '') eq $title } received($to) }
eventually { titled('Plan "Plan" has expired') } 20, 'the contact is told';
my ($notice) = titled('Plan "Plan" has expired');
is($notice->{json}{event_type}, 'contact.notice', 'the message is a notice');
like($notice->{json}{message}, qr/No host is checked/,
    'the notice says that no host is checked');
is(ctl('host', $ids[1])->{host}{not_checked_since} ne '', 1,
    'rblctl host says that the host is not checked');
my $shown = bill();
is($shown->{state}, 'lapsed', 'rblctl bill shows the state lapsed');
is($shown->{checked}, 0, 'rblctl bill shows that no host is checked');
is(scalar(grep { /delisted/ } types()), 0,
    'no event says that a listing has ended');

is(rblctl($redis, 'account', 'plan', $ac, 'Two', '--file', $file)->{status}, 3,
    'rblctl account plan refuses an account with a bill');
is(bill()->{state}, 'lapsed', 'rblctl account plan does not pay the bill');
is(ctl('bill', 'plan', $ac, 'Plan', '--file', $file)->{state}, 'lapsed',
    'rblctl bill plan does not pay an open payment');
is(ctl('account', 'show', $ac)->{hosts}{max}, 1000,
    'rblctl bill plan sets the limits of the plan');
ctl('account', 'suspend', $ac);
refused(call($t, 'GET', 'hosts.json'), 403, qr/suspended/,
    'a suspended account is refused as suspended');
faultless('suspended and expired');
ctl('account', 'resume', $ac);
is(counts(), 'hosts 3 unknown 2 paused 1',
    'the plan of a resumed account is still expired');
faultless('other plans');

is(pay(), 'active', 'the payment makes the plan active');
my ($job) = accepted(call($t, 'POST', 'check/start.json',
    form => { host => $ids[1] }), 'a check starts at once')->{data}{id};
accepted(call($t, 'GET', 'rblprofiles.json'),
    'the API accepts rblprofiles after the payment');
accepted(call($t, 'POST', "host/resume/$ids[0].json"),
    'the API accepts host/resume after the payment');
eventually { counts() eq 'hosts 3 listed 1 clear 2' } 30, 'all are checked';
is(plain('nagios'), 'CRITICAL - 1 host listed!',
    'Nagios reports one listed host after the payment');
my %now = hosts_by_value('hosts.json');
is_deeply([map { $now{$_}{unknown_count} } sort keys %now], [0, 0, 0],
    'no host is unknown after the payment');
is($now{'192.0.2.1'}{first_listed}, $before{'192.0.2.1'}{first_listed},
    'the listing has its old start');
eventually { titled('Plan "Plan" is active again') } 20,
    'the contact is told again';
is(scalar(titled('Plan "Plan" has expired')), 1, 'of the end once');
faultless('all are checked');


# --- the fall-back plan ------------------------------------------------------

stop_server($daemon);
$daemon = daemon(bill_fallback => 'Two');
over(30);
eventually { bill()->{state} eq 'lapsed' } 20, 'the plan expires a second time';
eventually { redis($redis, 'EXISTS', redis_key('work', $ac)) == 0 } 20,
    'the work is done';
is(redis($redis, 'ZCARD', redis_key('due', $ac)), 2, 'two hosts are scheduled');
is(counts(), 'hosts 3 listed 1 unknown 1 clear 1',
    'two of three hosts have a state');
like(plain('nagios'), qr/^CRITICAL .* The plan has expired: some hosts/,
    'Nagios reports that some hosts are not checked');
sub last_checked {
    my %all = hosts_by_value('hosts.json');
    return $all{'192.0.2.2'}{last_checked};
}
my $checked = last_checked();
eventually { last_checked() ne $checked } 20,
    'a host of the fall-back plan is checked';
accepted(call($t, 'POST', "host/delete/$ids[0].json"),
    'the API accepts the deletion of a checked host');
like(plain('nagios'), qr/^UNKNOWN - The plan has expired: some hosts/,
    'Nagios reports one of two hosts as not checked');
is(plain('zabbix'), '-1', 'Zabbix reports -1 for one unchecked host');
accepted(call($t, 'POST', "host/delete/$ids[2].json"),
    'the API accepts the deletion of the unchecked host');
is(plain('nagios'), 'OK - 0 hosts listed!',
    'Nagios reports that no host is listed');
is(plain('zabbix'), '0', 'Zabbix reports 0 listed hosts');
refused(call($t, 'POST', 'host/add.json', form => { host => '192.0.2.9',
    name => 'n', type => 'rbl' }), 403, qr/expired/,
    'the API refuses a new host');
is(bill()->{checked}, 1, 'rblctl bill counts one checked host');
faultless('a fall-back plan');

sub config_says {
    my ($plans) = @_;

    my $path = temp_dir() . '/bad.conf';
    write_file($path, "bill_fallback Gone\nbill_plans $plans\n");
    my $r = run_cmd(build_dir() . '/rbl-checkd', '-t', '-c', $path);
    return $r->{err} . $r->{out};
}

like(config_says($file), qr/bill_fallback: .* has no plan "Gone"/,
    'a fall-back plan must be in the file');
my $pipe = temp_dir() . '/pipe';
POSIX::mkfifo($pipe, 0600) or die "mkfifo: $!";
like(config_says($_), qr/bill_fallback: \Q$_\E is not a regular file/,
    "plans in $_ are refused as no regular file")
    for temp_dir(), '/dev/zero', $pipe;
done_testing();
