#!/usr/bin/perl

# Keys in the zones of own lists, below zones that the catalogue has with {key}:
# they are queried, and appear in no answer of the API, no message, no event and
# no log.

use strict;
use warnings;

use RblTest;
use RblCheckd ();
use RblDns;
use RblPortal;

my $key = 'abcdefghijklmnopqrstuvwxyz';
my $other = 'zyxwvutsrqponmlkjihgfedcba';
my $hidden = '****.zen.keyed.test';
my $dns = RblDns->new(rules => [ RblCheckd::test_entry(),
    ["^9\\.2\\.0\\.192\\.$key\\.zen\\.", { a => ['127.0.0.2'], ttl => 0,
        txt => ["https://check.example/?k=$key&K=" . uc $key] }],
    RblCheckd::not_there() ]);
my $redis = start_redis();
my $lists = temp_dir() . '/lists.json';
write_file($lists, '{ "version": 1, "lists": [' . join(',', map { '{"zone": '
    . qq("$_->[0]", "name": "$_->[0]", "type": "$_->[1]", "website": )
    . qq("https://a.test/", "codes": ["127.0.0.2=spam"], "families": $_->[2],)
    . ' "control": "none", "enabled": ' . "$_->[3]}" }
    ['a.test', 'rbl', '["ipv4"]', 'true'],
    ['{key}.zen.keyed.test', 'rbl', '["ipv4", "ipv6"]', 'false'],
    ['mid.{key}.keyed.test', 'rbl', '["ipv4"]', 'false']) . '] }');
init_store($redis, lists => $lists);
my $nginx = start_nginx(store => $redis,
    portal => 'rbl_portal_url http://localhost/portal/;');
my $checkd = start_checkd(store => $redis, resolver => $dns->port, conf => {
    log_level => 'debug', dns_timeout => '500ms', check_timeout => '3s',
    digest_window => '1s', deliver_http => 'on',
    deliver_allow => '127.0.0.0/8' });
my $acct = make_account($redis);
my ($hook, $web) = (start_receiver(), start_receiver());
rblctl($redis, 'webhook', 'add', $acct->{sid}, 'w', $web->{url});

sub post { return api($nginx, $acct, 'POST', @_) }
sub body { return http($nginx, 'GET', "/3.0/$_[0]", auth => $acct)->{body} }
sub add { return post('/3.0/rbl/add.json', { type => 'rbl', host => $_[0] }) }
sub update { return post("/3.0/rbl/update/$_[0].json", { host => $_[1] }) }
sub stored {
    return record('list', redis($redis, 'GET', redis_key('r', $acct->{sid},
        $_[0])));
}

my $co = post('/3.0/contact/add.json', { type => 'endpoint',
    contact => $hook->{url}, schedule => 'start_and_end' })->{data}{id};
wait_for { received($hook) == 1 } 15, 'the code';
post("/3.0/contact/confirm/$co.json",
    { authcode => (received($hook))[0]{json}{authcode} });

# --- which zones ------------------------------------------------------------

for (["$key.zen.keyed.test", $hidden, $key],
    ["a.$key.zen.keyed.test", $hidden, "a.$key"],
    ["mid.$key.keyed.test", 'mid.****.keyed.test', $key],
    ['x.mid.nokey.keyed.test', 'x.mid.nokey.keyed.test', ''],
    ['zen.keyed.test', 'zen.keyed.test', ''],
    ['nokey.zen.other.test', 'nokey.zen.other.test', ''])
{
    my ($zone, $shown, $secret) = @$_;

    my $l = add($zone)->{data};
    is("$l->{host} $l->{name}", "$shown $shown",
        "the zone $zone is shown as $shown");
    is(stored($l->{id})->{key} // '', $secret,
        "the key of $zone is \"$secret\"");
    post("/3.0/rbl/delete/$l->{id}.json");
}

my $rb = add("$key.zen.keyed.test")->{data}{id};
is(add("$other.zen.keyed.test")->{status_code}, 409,
    'a second key for the same zone is refused');
is(add($hidden)->{status_code}, 400, 'a hidden key cannot be added');

# --- a hidden zone that is written back -------------------------------------

my $before = stored($rb);
for my $text ($hidden, uc $hidden, " $hidden ") {
    is(update($rb, $text)->{status_code}, 200,
        "the hidden zone \"$text\" is accepted");
    is_deeply(stored($rb), $before, "\"$text\" changes nothing");
}
for my $text ('****.xbl.keyed.test', 'mid.****.keyed.test', '****', '****.',
    "a.$hidden")
{
    is(update($rb, $text)->{status_code}, 400,
        "the hidden zone of another list is refused: $text");
    is_deeply(stored($rb), $before, "$text changes nothing");
}
is(update($rb, "$other.zen.keyed.test")->{status_code}, 200,
    'the list gets another key');
is(stored($rb)->{key}, $other, 'the list has the other key');
is(update($rb, 'plain.test')->{status_code}, 200,
    'the list gets a zone without a key');
is(stored($rb)->{key}, '', 'the list has no key any longer');
is(update($rb, "$key.zen.keyed.test")->{status_code}, 200,
    'the list gets its first zone again');

# --- who sees it -------------------------------------------------------------

my $rp = post('/3.0/rblprofile/add.json', { name => 'own', is_default => 1,
    entries => $rb })->{data}{id};
my $ht = post('/3.0/host/add.json', { host => '192.0.2.9', name => 'mx',
    type => 'rbl', rbl_profile => $rp })->{data}[0]{id};
ok((wait_for { body('listings.json') =~ /"total_listed":1/ } 30),
    'the own list lists the host');
my $pp = post('/3.0/check/start.json', { host => $ht, details => 1 });
my $id = $pp->{data}{id};
ok((wait_for { body("check/status/$id.json") =~ /"completed","host/ } 15),
    'a check on demand completes');
ok((wait_for { grep({ ($_->{json}{hosts} // [])->[0] } received($hook)) } 20),
    'the contact is told');
ok((wait_for { grep { $_->{json}{event_type} eq 'rbl.host.listed' }
    received($web) } 20), 'the webhook is told');

my $listing = json(body('listings.json'))->{data}[0]{listed_details}[0];
is($listing->{host}, $hidden, 'the listing names the zone without its key');
like($listing->{details}, qr{^https://check\.example/\?k=\*\*\*\*&K=\*\*\*\*$},
    'the reason has the mark in place of the key');
my $t = { redis => $redis, nginx => $nginx, acct => $acct };
my %user = map { $_ => sign_in($t, role => $_) } 'viewer', 'owner';
sub page {
    my ($role, $path) = @_;
    my $r = portal($t, $user{$role}, 'GET', $path);
    is($r->{status}, 200, "the portal shows $path to the $role");
    return $r->{body};
}
my %seen = ((map { my $role = $_; map { ("the portal, $role: $_"
    => page($role, $_)) } 'rbls.json?page_size=100', "rbl/$rb.json",
    "host/$ht.json", 'hosts/find.json', 'listings.json', 'rblprofiles.json',
    'changes.json', "host/lists/$ht.json", "host/history/$ht.json",
    "list/$rb.json", "contact/log/$co.json" } sort keys %user),
    'check/start' => join(' ', map { %$_ } @{ $pp->{data}{rbls} }),
    'the contact' => join(' ', map { $_->{body} } received($hook)),
    'the webhook' => join(' ', map { $_->{body} } received($web)),
    'the log of the daemon' => read_file($checkd->{log}),
    'the log of nginx' => read_file("$nginx->{dir}/error.log"),
    'rblctl host' => rblctl($redis, 'host', $acct->{sid}, '192.0.2.9')->{out},
    'rblctl audit' => rblctl($redis, 'audit', $acct->{sid})->{out},
    map { ($_ => body($_)) } 'rbls.json?page_size=100', "rbl/$rb.json",
    'hosts.json', 'listings.json', "host/$ht.json", 'listings.xml',
    "check/status/$id.json?details=1", 'rblprofiles.json');
for my $where (sort keys %seen) {
    ok(length $seen{$where}, "$where has something");
    unlike($seen{$where}, qr/$key|$other/i, "$where has no key");
}
like($seen{'rblctl audit'}, qr/\Q$hidden\E/, 'the audit log has the zone');

$dns->stop;
done_testing();
