#!/usr/bin/perl

# Complete replies with wrong contents: another type, one element fewer, a
# number that no index has, bytes that are not a record.  The module answers
# each request, and no worker crashes.
#
# RBL_DAMAGED: number of requests at least (1500); RBL_SEED: the seed, which is
# printed.

use strict;
use warnings;

use RblApi;
use RblDamage;
use RblRedis;

use constant { SOME => 10, PATIENCE => 120 };

my $count = $ENV{RBL_DAMAGED} // 1500;
my $seed = int($ENV{RBL_SEED} // time ^ $$);
note("seed $seed");
srand $seed;
expect_denial();                        # invalid SIDs make such keys

my $t = api_setup(workers => 1, redis => { cluster => 1 });   # its relay
my ($ac, $ap) = @{ $t->{acct} }{qw(sid app)};
my $relay = start_damage($t->{redis}, $seed);
my ($user, $password) = store_login($t->{redis}, 'rbl-api');
my $login = "rbl_store_user $user; rbl_store_password_file $password;";
$t->{nginx} = start_nginx(store_addr => $relay->{addr}, workers => 1,
    http => "$login rbl_zone z 1m; rbl_etag on; rbl_store_timeout 2s;");
wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10, 'the store';
my ($worker) = workers($t->{nginx});

sub made { return json(call($t, 'POST', $_[0], form => $_[1]))->{data}{id} }

my @hosts = map { $_->{id} } add_host($t, '10.0.0.0/28');
list_host($t, $_, lists => 2) for @hosts[0 .. 3];
my $profile = made('rblprofile/add.json', { name => 'p' });
my $group = made('contactgroup/add.json', { name => 'g' });
my $contact = made('contact/add.json', { contact => 'a@a.test',
    type => 'email', schedule => 'every_check' });
my $list = made('rbl/add.json', { host => 'l.test', type => 'rbl' });
my $check = made('check/start.json', { host => '10.0.0.3' });
my @lists = qw(hosts listings contacts contactgroups rblprofiles rbls);
my @one = ("host/$hosts[0]", "contact/$contact", "contactgroup/$group",
    "rblprofile/$profile", "rbl/$list");

# --- totals -----------------------------------------------------------------

# The totals of hosts and listings are one record, which is made again if
# damaged.
my $in_one = qr{^(?:hosts|listings|host/.*)$};
my @stamped = grep { /$in_one/ } @lists, @one;
my @counted = grep { !/$in_one/ } @lists, @one;
for my $n (-1, '9223372036854775807', '-9223372036854775808', 10 ** 13) {
    damage($relay, 'integers', $n);
    refused(call($t, 'GET', "$_.json"), 500, qr/^Internal error\.$/,
        "$_: $n in all is no total") for @counted;
    for my $path (@stamped) {
        redis($t->{redis}, 'SET', redis_key('totals', $ac),
            mp_pack([1, 1, $n, 1, $n]));
        is_deeply([@{ json(call($t, 'GET', "$path.json")) }{qw(total_hosts
            total_listed)}], [16, 4], "$path: $n in all is no total");
    }
    like(call($t, 'GET', 'listings.nagios')->{body}, qr/^UNKNOWN/,
        "a total of $n is UNKNOWN for Nagios")
        if $n < 0;
}
damage($relay, 'none');
accepted(call($t, 'GET', "$_.json"), "$_ as they are") for @lists, @one;

# --- any damage -------------------------------------------------------------

sub n { return int rand 250 }

my @calls = (
    (map { my $path = $_; sub { GET => $path } } @lists, @lists, @one, @one,
        'acls', "check/status/$check"),
    sub { GET => "check/status/$check", 'details=1' },
    sub { GET => 'rbls', 'page_size=1000' },
    sub { GET => 'contactgroups', 'page_size=1&page=2' },
    sub { POST => 'host/add', { host => join('.', 10, 1, n(), n()),
        name => 'n', type => 'rbl' } },
    sub { POST => 'host/add', { host => join('.', 10, 2, n(), 0) . '/30',
        name => 'n', type => 'ip_range' } },
    sub { POST => "host/pause/$hosts[1]" },
    sub { POST => "host/resume/$hosts[1]" },
    sub { POST => 'check/start', { host => '10.3.0.' . n(), details => 1 } },
    sub { POST => 'rblprofile/add', { name => 'x' } },
    sub { POST => "rblprofile/update/$profile", { name => 'y' } },
    sub { POST => 'contactgroup/add', { name => 'x' } },
    sub { POST => "contactgroup/update/$group", { name => 'y' } },
    sub { POST => 'contact/add', { contact => 'b@a.test', type => 'email',
        schedule => 'every_check' } },
    sub { POST => "contact/resend/$contact" },
    sub { POST => "contact/confirm/$contact", { authcode => 'wrong2' } },
    sub { POST => 'rbl/add', { host => 'l' . n() . '.test', type => 'rbl' } },
    sub { POST => "rbl/pause/$list" },
);

# A response of the module, in the envelope, with plausible totals.
sub ours {
    my ($r) = @_;

    my $v = eval { json($r) } // return 0;
    return $r->{status} == ($v->{status_code} // 0)
        && !grep { /^total/ && $v->{$_} < 0 } keys %$v;
}

# The kind of damage is random, and how often no store is available depends on
# time: so the loop runs until there are some of each.
my @statuses = (200, 401, 500, 503);
my (@bad, %seen);
my $end = time + PATIENCE;
for my $limit (0, 1_000_000) {
    rblctl($t->{redis}, 'app', 'limit', $ac, $ap, '--hour', $limit);
    damage($relay, 'random', 0.2);
    for (my $n = 0; $n < $count / 2 || time < $end
        && grep { ($seen{$_} // 0) < SOME } @statuses; $n++)
    {
        my ($method, $path, $more) = $calls[rand @calls]->();
        $path .= '.json' . (ref $more || !$more ? '' : "?$more");
        my $r = call($t, $method, $path, ref $more ? (form => $more) : ());
        $seen{ $r->{status} }++;
        push @bad, "$method $path: " . ($r->{raw} || $r->{error})
            if !ours($r);
    }
    damage($relay, 'none');
}
is("@bad[0 .. ($#bad > 4 ? 4 : $#bad)]", '', 'each response is ours');
cmp_ok($seen{$_} // 0, '>=', SOME, "some by $_") for @statuses;
is_deeply([workers($t->{nginx})], [$worker],
    'the worker is the same after all damage');
ok((wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10),
    'the API serves after the damage');

done_testing();
