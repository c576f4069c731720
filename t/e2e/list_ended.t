#!/usr/bin/perl
# The whole system: a host leaves a list that is no longer used for it.  The
# webhook gets rbl.host.delisted with the reason, and the contact reads which
# list it was: the operator disables it, the profile leaves it out, an own list
# gets another zone, an own list is deleted, and no list is left.

use strict;
use warnings;

use lib 't/lib';
use RblTest;
use RblWhole;

my ($zone, $own, $new) = map { "$_.ended.test" } qw(one own new);
my $spam = "\$TTL 1\n:127.0.0.2:spam\n127.0.0.2\n";
my $w = whole_system(conf => { digest_window => '500ms' }, zones => {
    $zone => { data => "${spam}192.0.2.10\n" },
    'two.ended.test' => { data => $spam },
    $own => { data => "${spam}192.0.2.10\n", own => 1 },
    $new => { data => $spam, own => 1 } });
my ($redis, $sid) = ($w->{redis}, $w->{acct}{sid});
my $receiver = start_receiver();
rblctl($redis, 'webhook', 'add', $sid, 'All', $receiver->{url},
    '--types', 'rbl.host.listed,rbl.host.delisted');

sub ctl {
    my $r = rblctl($redis, '--json', @_);
    die "rblctl @_: $r->{err}" if $r->{status} != 0;
    return json($r->{out});
}
sub events { return map { $_->{json} } received($receiver) }
sub listed_count { return get("/3.0/host/$_[0].json")->{data}[0]{listed_count} }

my ($rp, $rb);
sub own_list {
    $rb = post('/3.0/rbl/add.json', { type => 'rbl', host => $own })
        ->{data}{id};
    return post('/3.0/rblprofile/add.json', { name => 'own',
        entries => $rb })->{data}{id};
}
my ($one) = grep { $_->{host} eq $zone } @{ get('/3.0/rbls.json')->{data} };

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
    my $event;
    ok(wait_for(sub { ($event) = grep { $_->{event_type} eq 'rbl.host.delisted' }
        (events())[$seen .. events() - 1] }, 15),
        "$name: the webhook gets the end");
    is_deeply([@$event{qw(total details reason)}], [0, [], 'list_ended'],
        "$name: the event has the reason");
    my ($raw) = map { $_->{body} } grep { $_->{body} =~ /delisted"/ }
        (received($receiver))[-1];
    like($raw, qr/"details":\[\],"reason":"list_ended"\}\z/,
        "$name: the reason is the end of the event");
    ok(wait_for(sub { told() > $told }, 15),
        "$name: the contact gets a message");
    my $m = (told())[-1];
    is($m->{title}, "1 host no longer reported: 192.0.2.10, list $list is no"
        . ' longer used', "$name: the title");
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
