#!/usr/bin/perl
# The whole system: a host leaves a list that is no longer used for it.  The
# webhook gets rbl.host.delisted with the reason, and the contact reads which
# list it was: the operator disables it, the profile leaves it out, an own list
# gets another zone, an own list is deleted, and no list is left.

use strict;
use warnings;

use lib 't/lib';
use RblTest;

my ($zone, $other, $own, $new) = map { "$_.ended.test" } qw(one two own new);
my $spam = "\$TTL 1\n:127.0.0.2:spam\n127.0.0.2\n";
my $rbldnsd = start_rbldnsd(zones => [map { [$_, 'ip4set', $spam
    . ($_ eq $zone || $_ eq $own ? "192.0.2.10\n" : '')] }
    $zone, $other, $own, $new]);
my $redis = start_redis();
my $lists = temp_dir() . '/lists.json';
write_file($lists, qq({ "version": 1, "lists": [) . join(', ', map {
    qq({"zone": "$_", "name": "List $_", "type": "rbl", "families": ["ipv4"],
        "codes": ["127.0.0.2=a source of spam"]}) } $zone, $other) . '] }');
init_store($redis, lists => $lists);
my $nginx = start_nginx(store => $redis);
my $checkd = start_checkd(store => $redis, resolver => $rbldnsd, conf => {
    dns_timeout => '500ms', check_timeout => '3s', digest_window => '500ms',
    deliver_http => 'on', deliver_allow => '127.0.0.0/8' });
my $acct = make_account($redis);
my $sid = $acct->{sid};
my ($hook, $receiver) = (start_receiver(), start_receiver());
rblctl($redis, 'webhook', 'add', $sid, 'All', $receiver->{url},
    '--types', 'rbl.host.listed,rbl.host.delisted');

sub get { return api($nginx, $acct, 'GET', @_) }
sub post { return api($nginx, $acct, 'POST', @_) }
sub ctl {
    my $r = rblctl($redis, '--json', @_);
    die "rblctl @_: $r->{err}" if $r->{status} != 0;
    return json($r->{out});
}
sub told { return map { $_->{json} } received($hook) }
sub events { return map { $_->{json} } received($receiver) }
sub checked {
    my ($ht) = @_;

    my $pp = post('/3.0/check/start.json', { host => $ht })->{data}{id};
    wait_for { get("/3.0/check/status/$pp.json")->{data}{status}
        =~ /^(?:completed|failed)$/ } 15, 'the end of the check';
}
sub listed_count { return get("/3.0/host/$_[0].json")->{data}[0]{listed_count} }

my $co = post('/3.0/contact/add.json', { type => 'endpoint',
    contact => $hook->{url}, schedule => 'start_and_end' })->{data}{id};
wait_for { received($hook) == 1 } 15, 'the code';
is(post("/3.0/contact/confirm/$co.json", { authcode => (told())[0]{authcode} })
    ->{status_code}, 200, 'the contact is confirmed');

my ($rp, $rb);
sub own_list {
    $rb = post('/3.0/rbl/add.json', { type => 'rbl', host => $own })
        ->{data}{id};
    return post('/3.0/rblprofile/add.json', { name => 'own',
        entries => $rb })->{data}{id};
}
my ($one) = grep { $_->{host} eq $zone } @{ get('/3.0/rbls.json')->{data} };
my $n = 9;

# Each row: the profile of the host, what happens, the list as the contact reads
# it.
for my $row (
    ['the operator disables the list', sub { $rp = '' },
        sub { ctl('lists', 'disable', $zone) }, "List $zone"],
    ['the profile leaves the list out', sub { ctl('lists', 'enable', $zone);
        $rp = ctl('profile', 'add', $sid, 'Most')->{profile}{id} },
        sub { ctl('profile', 'except', $sid, $rp, $zone) }, "List $zone"],
    ['the own list gets another zone', sub { $rp = own_list() },
        sub { post("/3.0/rbl/update/$rb.json", { host => $new }) }, $own],
    ['the own list is deleted, and no list is left', sub {
        post("/3.0/rbl/update/$rb.json", { host => $own }) },
        sub { post("/3.0/rbl/delete/$rb.json") }, $own],
)
{
    my ($name, $before, $happens, $list) = @$row;
    $before->();
    my $ht = post('/3.0/host/add.json', { host => '192.0.2.10', name => 'mx',
        type => 'rbl', $rp ? (rbl_profile => $rp) : () })->{data}[0]{id};
    my ($told, $seen) = (scalar told(), scalar events());
    ok(wait_for(sub { checked($ht); listed_count($ht) == 1 }, 30),
        "$name: the host is listed");
    ok(wait_for(sub { told() > $told }, 15), "$name: the contact reads so");
    $told = told();
    $happens->();
    checked($ht);
    ok(wait_for(sub { grep { $_->{event_type} eq 'rbl.host.delisted' }
        (events())[$seen .. $#{ [events()] }] }, 15),
        "$name: the webhook gets the end");
    my ($event) = grep { $_->{event_type} eq 'rbl.host.delisted' }
        (events())[$seen .. $#{ [events()] }];
    is_deeply([@$event{qw(total details reason)}], [0, [], 'list_ended'],
        "$name: the event has the reason");
    my ($raw) = map { $_->{body} } grep { $_->{body} =~ /delisted"/ }
        (received($receiver))[-1];
    like($raw, qr/"details":\[\],"reason":"list_ended"\}\z/,
        "$name: the reason is the end of the event");
    ok(wait_for(sub { told() > $told }, 15),
        "$name: the contact gets a message");
    my $m = (told())[-1];
    is($m->{title}, '1 host no longer reported: 192.0.2.10, '
        . substr("list $list is no longer used", 0, 48), "$name: the title");
    is($m->{message}, "Was listed, and is no longer reported:\n\n192.0.2.10"
        . " (mx): list $list is no longer used\n",
        "$name: the message names the list");
    is_deeply([@{ $m->{hosts}[0] }{qw(status reason why)}], ['unreported',
        'list_ended', "list $list is no longer used"],
        "$name: the host has the reason");
    is(post("/3.0/host/delete/$ht.json")->{status_code}, 200,
        "$name: the host is deleted");
}
is(rblctl($redis, 'fsck')->{out}, "no fault in 1 account\n",
    'rblctl fsck finds no fault');
done_testing();
