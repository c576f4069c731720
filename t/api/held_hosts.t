#!/usr/bin/perl

# A host in a cached page must be in its current state: JSON that is read
# repeatedly is compared with XML, which is written for each request, after
# every change that a record can go through.

use strict;
use warnings;

use RblApi;
use RblRedis;
use RblTest;

my $t = api_setup(workers => 1);
my $redis = $t->{redis};
my ($ac, $other) = map { $_->{sid} } @$t{qw(acct other)};
my @h = map { add_host($t, "10.0.0.$_", name => "name $_") } 1 .. 8;
my $key = redis_key('r', $ac, $h[0]{id});

# --- views of a host ---------------------------------------------------------

# Three times in JSON, so that it is cached and then written again, and in XML;
# repeated if a second ended in between and changed a period.
sub as_it_is {
    my ($name, %opt) = @_;

    my $acct = $opt{auth} // $t->{acct};
    my @json;
    my $xml;
    my $path = $opt{path} // 'hosts';
    for (1 .. 5) {
        my @r = map { call($t, 'GET', $_, auth => $acct) } ("$path.json") x 3,
            "$path.xml", "$path.json";
        $xml = hosts_of_xml((splice @r, 3, 1)->{body});
        @json = map { json($_)->{data} } @r;
        last if !grep { $r[0]{body} ne $_->{body} } @r;
    }
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is_deeply($json[$_], $xml, "$name: reading " . ($_ + 1)) for 0 .. $#json;
    return $xml;
}

as_it_is('new hosts');
is(scalar @{ as_it_is('once more') }, 8, 'the page has all hosts');
as_it_is('one', path => "host/$h[0]{id}");

# --- changed over the API ----------------------------------------------------

for (['renamed', 'update', { name => 'Other 1' }],
    ['of a name as long', 'update', { name => 'other 2' }],
    ['of a name with quotes', 'update', { name => '"<&>"' }],
    ['paused', 'pause'], ['going on', 'resume'])
{
    my ($name, $verb, $form) = @$_;
    call($t, 'POST', "host/$verb/$h[0]{id}.json", form => $form // '');
    my $v = as_it_is($name)->[0];
    is($v->{name}, $form->{name}, "the page shows the name: $name") if $form;
    is($v->{status}, $verb eq 'pause' ? 'paused' : 'active',
        "the page shows the status: $name");
}

# --- changed by daemons, and by hand -----------------------------------------

sub change {
    my ($k, %to) = @_;

    my $v = record('host', redis($redis, 'GET', $k));
    redis($redis, 'SET', $k, record_pack('host', %$v, name => \$v->{name},
        value => \$v->{value}, %to));
    forget($t, $k =~ /:(AC\w+):/);
}

my $now = int(time) * 1000;
for my $to ({ checked => $now }, { checked => $now - 1000 },
    { next_check => $now + 1000 }, { unknown_count => 3 }, { groups => [] },
    { groups => ['CG1', 'CG2'] }, { profile => 'RP1' }, { checked => 0 },
    map { my $n = 'x' x 7; substr($n, $_, 1) = 'y'; { name => \$n } } 0 .. 6)
{
    change($key, %$to);
    as_it_is(join ' ', map { ref $to->{$_} eq 'SCALAR' ? ${ $to->{$_} } : $_ }
        keys %$to);
}

# --- listed ------------------------------------------------------------------

list_host($t, $h[1]{id}, since => $now - 86_400_000);
my $was = as_it_is('listed')->[1];
is($was->{listed}, 1, 'the page shows a listed host');
like($was->{listed_period}, qr/^1 day 0/, 'the host is listed for one day');
is(@{ as_it_is('listings', path => 'listings') }, 1, 'listings shows one host');
my $is = wait_for { my $v = as_it_is('a second later')->[1];
    $v->{listed_period} ne $was->{listed_period} && $v } 5;
ok($is, 'the period of a listing grows');
list_host($t, $h[1]{id}, lists => 3, since => $now + 3_600_000);
$is = as_it_is('listed in the future', path => 'listings')->[0];
is($is->{listed_period}, '0 days 00:00:00',
    'a listing in the future has no period');
is(@{ $is->{listed_details} }, 3, 'the host has details of three lists');
list_host($t, $h[1]{id}, lists => 9);
$is = as_it_is('a row that is too long', path => 'listings')->[0];
is($is->{listed_count}, 9, 'the host is listed by nine lists');

# Read as a host, and as a listing although it is not listed.
change(redis_key('r', $ac, $h[1]{id}), listed_count => 0, details => []);
as_it_is('no longer listed');
is_deeply(as_it_is('in the index all the same', path => 'listings'), [],
    'listings does not show a host that is not listed');
list_host($t, $h[1]{id});
as_it_is('listed again');
call($t, 'POST', "host/pause/$h[1]{id}.json");
redis($redis, 'ZADD', redis_key('listed', $ac), 1, $h[1]{id});
forget($t, $ac);
as_it_is('paused');
is_deeply(as_it_is('a paused host', path => 'listings'), [],
    'listings does not show a paused host');

# --- the same bytes in another account, in another time zone -----------------

my $raw = redis($redis, 'GET', $key);
redis($redis, 'SET', redis_key('r', $other, $h[0]{id}), $raw);
redis($redis, 'ZADD', redis_key('hosts', $other), 1, $h[0]{id});
for my $zone ('America/New_York', 'Europe/Berlin', 'UTC') {
    rblctl($redis, 'account', 'timezone', $other, $zone);
    change(redis_key('r', $_, $h[0]{id}), checked => 1_478_570_493_000)
        for $ac, $other;
    my $ours = as_it_is("beside $zone")->[0]{last_checked};
    my $v = as_it_is($zone, auth => $t->{other})->[0]{last_checked};
    is($ours, '2016-11-08 02:01:33 UTC',
        "the first account keeps UTC beside $zone");
    is($v, { 'America/New_York' => '2016-11-07 21:01:33 EST', UTC => $ours,
        'Europe/Berlin' => '2016-11-08 03:01:33 CET' }->{$zone},
        "the other account shows its time in $zone");
}

# --- records that are not hosts ----------------------------------------------

redis($redis, 'SET', $key, substr($raw, 0, -1));
is(call($t, 'GET', "host/$h[0]{id}.json")->{status}, 500,
    'a damaged record is refused with 500');
redis($redis, 'SET', $key, $raw);
forget($t, $ac);
as_it_is('repaired');
call($t, 'POST', "host/delete/$h[0]{id}.json");
is(call($t, 'GET', "host/$h[0]{id}.json")->{status}, 404,
    'a deleted host is not found');
is(scalar @{ as_it_is('the others') }, 7, 'the other seven hosts are shown');

as_it_is('in the end', path => "host/$h[3]{id}");
done_testing();
