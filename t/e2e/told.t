#!/usr/bin/perl
# The whole system: a contact that was added and confirmed over HTTP is notified
# when a host of its group is listed and when it is delisted, and not in
# between; and when a listed host is deleted, or moved to another group; and
# after its quiet hours; and once when the host flaps.

use strict;
use warnings;

use lib 't/lib';
use POSIX qw(strftime);
use RblTest;
use RblWhole;

my $zone = 'dnsbl.told.test';
my $spam = ":127.0.0.2:spam\n127.0.0.2\n";
my $w = whole_system(direct => 1, conf => { digest_window => '2s' },
    zones => { $zone => { name => 'Told', codes => ['127.0.0.2=a source of spam'],
        lookup => 'https://list.example/q?%s',
        delist => 'https://list.example/off', weight => 'critical',
        data => $spam . "192.0.2.10\n192.0.2.11\n" } });
my ($rbldnsd, $redis, $acct, $hook, $co) = @$w{qw(dns redis acct hook contact)};

my %ht;
for my $v ('192.0.2.10', '192.0.2.11', '192.0.2.12') {
    $ht{$v} = post('/3.0/host/add.json', { host => $v, name => "mx $v",
        type => 'rbl' })->{data}[0]{id};
}
ok(wait_for(sub { received($hook) >= 2 }, 20), 'the listing is reported');
wait_for { (grep { $_->{listed} } told()) > 1
    || (told())[-1]{listed} == 2 } 15, 'both hosts';
my %listed = map { $_->{host} => $_ } map { @{ $_->{hosts} } } told();
is(join(' ', sort keys %listed), '192.0.2.10 192.0.2.11',
    'the reports have the listed hosts');
my $m = $listed{'192.0.2.10'};
is_deeply([@$m{qw(id host name status listed_count)}],
    [$ht{'192.0.2.10'}, '192.0.2.10', 'mx 192.0.2.10', 'listed', 1],
    'the report has the host with its state');
my ($l) = @{ $m->{listings} };
is_deeply([@$l{qw(host name website details reason delisting weight)}],
    [$zone, 'Told', "https://$zone/",
        'https://list.example/q?192.0.2.10', 'a source of spam',
        'https://list.example/off', 'critical'],
    'the report has the list, the reason and the links');

my $n = received($hook);
checked(values %ht);
rbldnsd_data($rbldnsd, $zone, $spam . "192.0.2.11\n");
wait_for {
    checked($ht{'192.0.2.10'});
    get('/3.0/listings.json')->{total_listed} == 1;
} 20, 'the end of the listing';
ok(wait_for(sub { received($hook) > $n }, 20), 'the end is reported');
my @m = (told())[$n .. received($hook) - 1];
is(join(' | ', map { $_->{title} } @m), '1 host delisted: 192.0.2.10',
    'the report has only the delisting');
is_deeply([map { "$_->{host} $_->{status}" } @{ $m[0]{hosts} }],
    ['192.0.2.10 delisted'], 'the report has the delisted host');
like($m[0]{message}, qr/^No longer listed:\n\n192\.0\.2\.10 \(mx /,
    'the message names the delisted host');

# a listed host is deleted, another moves to another group
$n = received($hook);
is(post("/3.0/host/delete/$ht{'192.0.2.11'}.json")->{status_code}, 200,
    'a listed host is deleted');
ok(wait_for(sub { received($hook) > $n }, 20), 'the deletion is reported');
is_deeply([map { "$_->{id} $_->{host} $_->{status}" } @{ (told())[$n]{hosts} }],
    ["$ht{'192.0.2.11'} 192.0.2.11 unreported"],
    'the report has the deleted host as unreported');
$n = received($hook);
rbldnsd_data($rbldnsd, $zone, $spam . "192.0.2.12\n");
wait_for {
    checked($ht{'192.0.2.12'});
    get('/3.0/listings.json')->{total_listed} == 1;
} 20, 'another listing';
ok(wait_for(sub { received($hook) > $n }, 20), 'the listing is reported');
$n = received($hook);
my $cg = post('/3.0/contactgroup/add.json', { name => 'other' })->{data}{id};
is(post("/3.0/host/update/$ht{'192.0.2.12'}.json", { contact_group => $cg })
    ->{status_code}, 200, 'a listed host gets another group');
ok(wait_for(sub { received($hook) > $n }, 20),
    'the former contact gets a report');
is_deeply([map { "$_->{host} $_->{status}" } @{ (told())[$n]{hosts} }],
    ['192.0.2.12 unreported'], 'the report has the moved host as unreported');

# quiet hours, in the account's time zone
rblctl($redis, 'account', 'timezone', $acct->{sid}, 'Asia/Kathmandu');
my $local = time + 5.75 * 3600;
my @quiet = map { strftime('%H:%M', gmtime $local + $_ * 3600) } -1, 2;
is(rblctl($redis, 'contact', 'alert', $acct->{sid}, $co, '--quiet',
    join '-', @quiet)->{status}, 0, 'the contact has quiet hours');
$n = received($hook);
rbldnsd_data($rbldnsd, $zone, $spam . "192.0.2.12\n192.0.2.10\n");
wait_for {
    checked($ht{'192.0.2.10'});
    get('/3.0/listings.json')->{total_listed} == 2;
} 20, 'a listing in quiet hours';
my $waits;
ok(wait_for(sub { $waits = redis($redis, 'ZSCORE', redis_key('later',
    partition_of($acct->{sid})), "$acct->{sid}:$co") }, 20),
    'the message waits');
my $end = $local + 2 * 3600;
is($waits, 1000 * ($end - $end % 60 - 5.75 * 3600),
    'the message waits until the end of the quiet hours');
is(received($hook), $n, 'the contact gets no message meanwhile');
is(rblctl($redis, 'fsck')->{out}, "no fault in 1 account\n",
    'rblctl fsck finds no fault while the message waits');
is(rblctl($redis, 'contact', 'alert', $acct->{sid}, $co, '--quiet', 'none')
    ->{status}, 0, 'the quiet hours are taken away');
ok(wait_for(sub { received($hook) > $n }, 20), 'the message is sent');
is_deeply([map { "$_->{host} $_->{status}" } @{ (told())[$n]{hosts} }],
    ['192.0.2.10 listed'], 'the message reports the listed host');
like((told())[$n]{title}, qr/^1 host listed: 192\.0\.2\.10 by Told, relisted /,
    'the title says that the list lists the host again');
like((told())[$n]{title}, qr/ \(was off it for \d+ (?:s|min)\)$/,
    'the title says how long it did not');

# the host is listed for the third time
sub listed {
    my ($n_hosts, @data) = @_;

    rbldnsd_data($rbldnsd, $zone, $spam . "192.0.2.12\n" . join '', @data);
    wait_for {
        checked($ht{'192.0.2.10'});
        get('/3.0/listings.json')->{total_listed} == $n_hosts;
    } 20, "$n_hosts listed hosts";
}
$n = received($hook);
listed(1);
ok(wait_for(sub { received($hook) > $n }, 20), 'the end is reported');
my ($past) = @{ (told())[$n]{hosts}[0]{ended} };
is("$past->{host} $past->{name}", "$zone Told", 'the message names the list');
like($past->{period}, qr/^\d+ (?:s|min)$/, 'the message says how long it was listed');
like((told())[$n]{message}, qr/^  - Told \(\Q$zone\E\), listed for \d+ /m,
    'the text says it, too');
$n = received($hook);
listed(2, "192.0.2.10\n");
ok(wait_for(sub { received($hook) > $n }, 20), 'another listing is reported');
$m = (told())[$n];
like($m->{title}, qr/^1 host listed: 192\.0\.2\.10 by Told, flapping since 2/,
    'the title says that the host flaps');
is_deeply([@{ $m->{hosts}[0] }{qw(changes held)}], [5, 1],
    'the message says how much has changed, and that the rest is held back');
like($m->{message}, qr/Flapping since .* \(5 changes\); further changes are /,
    'the text says it, too');
like(rblctl($redis, 'host', $ht{'192.0.2.10'})->{out},
    qr/^flapping since +\d{4}-/m, 'rblctl host shows it');
$n = received($hook);
listed(1);
listed(2, "192.0.2.10\n");
listed(1);
select undef, undef, undef, 4;
is(received($hook), $n, 'further changes are held back');
$waits = redis($redis, 'ZSCORE', redis_key('later',
    partition_of($acct->{sid})), "$acct->{sid}:$co");
ok($waits > 1000 * (time + 5.9 * 3600) && $waits < 1000 * (time + 6.1 * 3600),
    'until the host has been quiet for six hours');
is(rblctl($redis, 'fsck')->{out}, "no fault in 1 account\n",
    'rblctl fsck finds no fault meanwhile');
is(post("/3.0/host/delete/$ht{'192.0.2.10'}.json")->{status_code}, 200,
    'the host is deleted');
ok(wait_for(sub { received($hook) > $n }, 20), 'the contact gets that at once');
is_deeply([map { "$_->{host} $_->{status}" } @{ (told())[$n]{hosts} }],
    ['192.0.2.10 unreported'], 'the message says that it is unreported');
is(rblctl($redis, 'fsck')->{out}, "no fault in 1 account\n",
    'rblctl fsck finds no fault');
done_testing();
