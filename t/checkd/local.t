#!/usr/bin/perl

# Addresses that are not public: no list of the system is asked about them, so
# that they are not covered and never clear; own lists are asked.

use strict;
use warnings;

use RblTest;
use RblCheckd ();
use RblDns;

my $dns = RblDns->new(rules => [ RblCheckd::test_entry(),
    ['^.*\.a\.test\.?$' => { a => ['127.0.0.2'], ttl => 0 }],
    ['^1(?:\.0\.0\.10|(?:\.0){29}\.d\.f)\.own\.test\.?$'
        => { a => ['127.0.0.2'], ttl => 0 }],
    RblCheckd::not_there() ]);
my $redis = start_redis();
my $lists = temp_dir() . '/lists.json';
write_file($lists, '{ "version": 1, "lists": [{"zone": "a.test", "name": "A",'
    . ' "type": "rbl", "families": ["ipv4", "ipv6"], "control": "none",'
    . ' "website": "https://a.test/", "codes": ["127.0.0.2=spam"]}] }');
init_store($redis, lists => $lists);
my $nginx = start_nginx(store => $redis);
my $checkd = start_checkd(store => $redis, resolver => $dns->port,
    conf => { RblCheckd::conf_short() });
my $acct = make_account($redis);

sub post {
    my $r = api($nginx, $acct, 'POST', @_);

    die "$_[0]: $r->{status_message}\n" if $r->{status_code} != 200;
    return $r;
}
sub get { return api($nginx, $acct, 'GET', @_) }
sub add {
    my ($host, %more) = @_;

    return post('/3.0/host/add.json', { host => $host, name => $host,
        type => 'rbl', %more })->{data};
}
sub over {
    my ($started) = @_;

    my $pp = $started->{data}{id};
    my $data;
    wait_for { $data = get("/3.0/check/status/$pp.json?details=1")->{data};
        $data->{status} =~ /^(?:completed|failed)$/ } 15, 'the check ends';
    return $data;
}

my $no = 'No blocklist applies to this host: it is not a public address.';
my @local = qw(0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.2 169.254.1.1 172.31.0.1
    192.168.0.1 224.0.0.1 255.255.255.255 :: ::1 fe80::1 fd00::1 ff02::1);
my %id = map { $_ => add($_)->[0]{id} } @local;
my @range = @{ add('10.5.0.0/31', type => 'ip_range') };
my @subnet = @{ add('192.168.7.0/30') };
my @all = (@id{@local}, (map { $_->{id} } @range[1, 2], @subnet));

sub covered { return get("/3.0/host/$_[0].json")->{data}[0]{covered} }
ok((wait_for { !grep { covered($_) } @all } 30),
    'scheduled checks find out that no list applies');
for my $sid (@all) {
    my $h = get("/3.0/host/$sid.json")->{data}[0];
    is("$h->{covered} $h->{reason} $h->{listed} $h->{last_checked}",
        '0 not a public address 0 ',
        "$h->{host} is not covered, with the reason");
}
for my $host (@local) {
    my $check = over(post('/3.0/check/start.json', { host => $host }));
    is("$check->{status} $check->{covered} $check->{message}",
        "failed 0 $no", "a check of $host fails with the reason");
}
like(http($nginx, 'GET', '/3.0/listings.nagios', auth => $acct)->{body},
    qr/^UNKNOWN/, 'an account of nothing else is UNKNOWN');

# Documentation and benchmark networks are asked like any other.
for my $host (qw(192.0.2.1 198.18.0.1 2001:db8::1)) {
    my $h = add($host)->[0];
    ok((wait_for { get("/3.0/host/$h->{id}.json")->{data}[0]{listed} } 30),
    "$host is checked at the list of the system");
}

# An own list beside the list of the system.
my ($system) = map { $_->{id} } @{ get('/3.0/rbls.json')->{data} };
my $rb = post('/3.0/rbl/add.json', { type => 'rbl', host => 'own.test' })
    ->{data}{id};
my $rp = post('/3.0/rblprofile/add.json', { name => 'both',
    entries => "$system,$rb" })->{data}{id};
for my $host ('10.0.0.1', 'fd00::1') {
    post("/3.0/host/update/$id{$host}.json", { rbl_profile => $rp });
    my $check;
    ok((wait_for { $check = over(post('/3.0/check/start.json',
        { host => $id{$host}, details => 1 }));
        $check->{listed} } 30), "$host is listed at the own list");
    is_deeply([map { "$_->{host} $_->{status}" } @{ $check->{details} }],
        ['own.test listed'], "$host: the own list alone is asked");
    my $h = get("/3.0/host/$id{$host}.json")->{data}[0];
    is("$h->{covered} $h->{reason}", '1 ', "$host is covered");
}

$dns->stop;
done_testing();
