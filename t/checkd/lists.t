#!/usr/bin/perl

# Daemons apply changes by rblctl lists within a second and without a restart.
# A key is in the query names and nowhere else.

use strict;
use warnings;

use RblTest;
use RblCheckd;
use RblDns;
use Time::HiRes 'time';

my $dns = RblDns->new(rules => [
    [ '\.s3cret\.k\.test( TXT)?$', { a => ['127.0.0.2'], txt => ['why S3cret'] } ],
    [ '\.n3xt\.k\.test', 'nxdomain' ],
    [ '.', 'nxdomain' ],
]);
my $w = world(no_dns => 1, zones => {
    'a.test' => { families => ['ipv4'] },
    'd.test' => { families => ['domain'], type => 'uribl' },
});
my $json = read_file($w->{lists_file});
$json =~ s/("lists": \[\n)/$1\{"zone": "{key}.k.test", "name": "Keyed", "type": "rbl", "families": ["ipv4"], "codes": ["127.0.0.2=spam"], "enabled": false, "control": "none"},\n/;
write_file($w->{lists_file}, $json);
rblctl($w->{redis}, 'lists', 'load', $w->{lists_file});
my $checkd = start_checkd(store => $w->{redis},
    resolver => { port => $dns->port },
    # Queries are counted: none may be repeated because its response is late.
    conf => { conf_short(dns_timeout => '2s', dns_tries => 1),
        log_level => 'debug' });

sub lists {
    my ($opt, @args) = @_;

    my $r = rblctl($w->{redis}, $opt, 'lists', @args);
    is($r->{status}, 0, "lists @args[0, 1]") or diag($r->{err});
    return;
}

# The statuses of a check by zone, one second after the change.
my $d;
sub checked {
    my ($host, $family) = @_;

    my $pp = check_value($w, $host, $family // 1);
    wait_check($w, $pp);
    $d = details($w, $pp);
    return { map { $_ => $d->{$_}{status} } keys %$d };
}

# The daemon looks once a second: its log shows that it has seen the change.
sub seen {
    my ($name) = @_;

    my $changed = time;
    my $version = redis($w->{redis}, 'GET', 'rbl:{0}:lists:ver');
    my $line = qr/system lists, version $version\b/;
    ok(wait_log($checkd, $line), "$name: seen without a restart");
    cmp_ok(log_time($checkd, $line) - $changed, '<', 3, "$name: at once");
    return;
}

is_deeply(checked('10.0.0.1'), { 'a.test' => 'clear' },
    'a list without its key is not queried');

lists({ stdin => "s3cret\n" }, 'key', '{key}.k.test');
lists({}, 'enable', '{key}.k.test');
seen('key and enable');
is_deeply(checked('10.0.0.1'),
    { 'a.test' => 'clear', '{key}.k.test' => 'listed' },
    'the list with its key lists the host');
is($d->{'{key}.k.test'}{reason}, 'why {key}',
    'the reason has a placeholder instead of the key');
cmp_ok($dns->asked('^1\.0\.0\.10\.s3cret\.k\.test A$'), '>=', 1,
    'the key is in the name of the query');
is($dns->asked('\{key\}'), 0, 'no query has the placeholder in its name');

lists({ stdin => "n3xt\n" }, 'key', '{key}.k.test');
seen('another key');
is_deeply(checked('10.0.0.2'),
    { 'a.test' => 'clear', '{key}.k.test' => 'clear' },
    'the list with another key finds the host clear');
cmp_ok($dns->asked('^2\.0\.0\.10\.n3xt\.k\.test A$'), '>=', 1,
    'the other key is in the queries');

lists({}, 'key', '{key}.k.test', '--remove');
seen('removed');
is_deeply(checked('10.0.0.3'), { 'a.test' => 'clear' },
    'the list without its key is not in the results');
is($dns->asked('^3\.0\.0\.10\.\S*k\.test'), 0,
    'no query is sent to the list without its key');

# A key removed from an active list: the list is skipped, and no listing ends.
lists({ stdin => "s3cret\n" }, 'key', '{key}.k.test');
lists({}, 'enable', '{key}.k.test');
seen('key and enable');
redis($w->{redis}, 'DEL', 'rbl:{0}:lists:keys');
redis($w->{redis}, 'INCR', 'rbl:{0}:lists:ver');
seen('lost');
is_deeply(checked('10.0.0.4'),
    { 'a.test' => 'clear', '{key}.k.test' => 'skipped' },
    'the list with a lost key is skipped');
is($dns->asked('^4\.0\.0\.10\.\S*k\.test'), 0,
    'no query is sent to the list with a lost key');
like(read_file($checkd->{log}), qr/1 active lists are not queried: no key/,
    'the daemon logs that a list has no key');
lists({}, 'disable', '{key}.k.test');

# disable, kill
lists({}, 'kill', 'a.test', 'lists the world');
lists({}, 'kill', 'd.test', 'lists the world');
seen('kill');
my $r = wait_check($w, check_value($w, '10.0.0.5'));
is($r->{message}, 'No blocklist applies to this host.',
    'no killed list applies to a host');
lists({}, 'unkill', $_) for 'a.test', 'd.test';
seen('unkill');
is_deeply(checked('10.0.0.5'), { 'a.test' => 'clear' },
    'the list is queried again after unkill');

# names
is_deeply(checked('www.example.co.uk', 4), { 'd.test' => 'clear' },
    'a domain is clear on the domain list');
is($dns->asked('^' . quotemeta("$_.d.test") . ' A$'), 1, "$_ is queried")
    for 'www.example.co.uk', 'example.co.uk';
lists({}, 'override', 'd.test', '--names', 'registered');
seen('override');
is_deeply(checked('www.example.org', 4), { 'd.test' => 'clear' },
    'a subdomain is clear with the override');
is($dns->asked('^www\.example\.org\.d\.test'), 0,
    'the subdomain is not queried with the override');
is($dns->asked('^example\.org\.d\.test A$'), 1,
    'the registered domain is queried once');

# metrics of the daemons
eventually {
    my $r = rblctl($w->{redis}, 'lists', 'show', 'a.test', '--stored', '--json');
    my $v = $r->{status} == 0 ? json($r->{out}) : {};
    ($v->{answered} // 0) >= 4 && $v->{latency_ms};
} 20, 'lists show has the counts of queries';

# no key in the log, even at debug level
unlike(read_file($checkd->{log}), qr/s3cret|n3xt/, 'no key in the log');
my $all = redis_dump($w->{redis});
is_deeply([grep { !/lists:keys$/ && $all->{$_} =~ /s3cret|n3xt/ } keys %$all],
    [], 'no other key of the store has a key');

done_testing();
