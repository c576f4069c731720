#!/usr/bin/perl
# rblctl lists: a file is loaded completely or not at all.

use strict;
use warnings;

use lib 't/lib';
use Digest::SHA qw(sha256_hex);
use JSON::XS ();
use RblTest;

my $redis = start_redis();
init_store($redis, partitions => 4);
my $dir = temp_dir();
my ($r, $v);

sub list_sid { return 'RB' . substr sha256_hex($_[0]), 0, 32 }

sub entry {
    my (%member) = @_;

    return { zone => 'bl.example.org', name => 'Example', type => 'rbl',
        families => ['ipv4'], %member };
}

sub load {
    my ($what) = @_;

    my $text = ref $what ? JSON::XS->new->canonical->encode($what) : $what;
    write_file("$dir/lists.json", $text);
    return rblctl($redis, 'lists', 'load', "$dir/lists.json", '--json');
}

sub load_entries {
    my (@entries) = @_;

    return load({ version => 1, lists => \@entries });
}

# mistakes: each line names the entry and the member
sub refused {
    my ($name, $pattern, @entries) = @_;

    my $got = load_entries(@entries);
    is($got->{status}, 3, "$name is refused with exit status 3");
    my @lines = split /\n/, $got->{err};
    like($lines[0] // '', $pattern, "$name: the message names the member");
    is(scalar @lines, 2,
        "$name: the message has one line, and another for the file");
    is(redis($redis, 'EXISTS', 'rbl:{0}:lists'), 0, "$name: no list is stored");
}

my $false = JSON::XS::false();
my $at = qr/lists\.json: lists\[0\] bl\.example\.org: /;
refused('no zone', qr/lists\[0\]: zone: must be/, entry(zone => ''));
refused("zone '$_'", qr/: zone: must be/, entry(zone => $_))
    for '.', 'a..b', 'nodots!', 'x' x 300, '-a.example', 'a b.example',
    'a.{foo}.example';
refused('zone no text', qr/lists\[0\]: zone: must/, entry(zone => 5));
refused('zone twice', qr/lists\[1\] bl\.example\.org: zone: .*twice/, entry(),
    entry());
refused('no name', qr/${at}name: /, entry(name => ''));
refused('long name', qr/${at}name: /, entry(name => 'x' x 256));
refused('name no text', qr/${at}name: /, entry(name => "a\nb"));
refused('type', qr/${at}type: must be one of "rbl", "uribl"/,
    entry(type => 'frob'));
refused('families', qr/${at}families: /, entry(families => $_))
    for [], ['ipv5'], ['ipv4', 'ipv4'], 'ipv4', undef, [4];
refused('families of a uribl', qr/${at}families: .*uribl/,
    entry(type => 'uribl'));
refused('enabled', qr/${at}enabled: /, entry(enabled => 'yes'));
refused('a zone with a key', qr/enabled: .*key/,
    entry(zone => '{key}.bl.example.org'));
refused("code $_", qr/${at}codes\[1\]: .*is not a rule/,
    entry(codes => ['127.0.0.2=x', $_]))
    for '', 'frob', '127.0.0.300=x', 'bit:3=x', '127.0.0.9-127.0.0.2=x';
refused('code no text', qr/${at}codes\[0\]: /, entry(codes => [2]));
refused('codes no list', qr/${at}codes: /, entry(codes => '127.0.0.2=x'));
refused('codes too many', qr/${at}codes\[\d+\]: .*too many/,
    entry(codes => [map { "127.0.1.$_=x" } 1 .. 60]));
refused("$_ no URL", qr/${at}$_: must be empty or begin with http/,
    entry($_ => 'javascript:x')) for qw(website lookup delist);
refused('a long website', qr/${at}website: must be text of at most 128 bytes/,
    entry(website => 'https://e.example/' . 'x' x 111));
refused("$_", qr/${at}$_: must be one of/, entry($_ => 'frob'))
    for qw(weight scope kind);
refused('control', qr/${at}control: must be/, entry(control => $_))
    for 'frob', 'name:', 'name:a b';
refused("names $_->[2]", qr/${at}names: $_->[2]/,
    entry(families => $_->[0], names => $_->[1]))
    for [['domain'], 'frob', 'must be one of "both", "full", "registered"'],
    [['domain'], 5, 'must be text'], [['ipv4'], 'full', '.*domains'];
for my $name (qw(min_interval rate day_quota)) {
    refused("$name $_->[0]", qr/${at}$name: must be a whole number from 0 to \d/,
        entry($name => $_->[1]))
        for ['below 0', -1], ['a text', '5'], ['a part', 1.5], ['null', undef],
        ['too large', 1_000_000_000_001];
}
refused("terms: $_->[0]", qr/${at}terms: must be a list of "registration"/,
    entry(terms => $_->[1])) for ['a text', 'key'], ['no term', ['free']],
    ['a number', [1]];
refused('note', qr/${at}note: must be text/, entry(note => 'x' x 2000));
my %way = (how => 'form', cause => 'trap');
refused("removal: $_->[0]", qr/${at}$_->[1]/, entry(removal => $_->[2])) for
    ['a text', 'removal: must be a list of 1 to 8 objects', 'form'],
    ['none', 'removal: must be a list of 1 to 8 objects', []],
    ['nine', 'removal: must be a list of 1 to 8 objects', [({ %way }) x 9]],
    ['how', 'how: must be one of "form"', [{ %way, how => 'frob' }]],
    ['no how', 'how: must be one of "form"', [{ cause => 'trap' }]],
    ['cause', 'cause: must be one of "malware"', [{ %way, cause => 'x' }]],
    ['url', 'url: must be empty or begin with http',
        [{ %way, url => 'javascript:alert(1)' }]],
    ['mail', 'removal: mail: must be an address of mail',
        [{ %way, mail => 'a b@c' }]],
    ['ages', 'ages: must be a whole number from 0 to', [{ %way, ages => -1 }]],
    ['takes', 'takes: must be a whole number from 0 to',
        [{ %way, takes => 9000 }]],
    ['code', 'removal: codes: must be a list of codes',
        [{ %way, codes => ['frob'] }, { %way }]],
    ['a rule as a code', 'removal: codes: must be a list of codes',
        [{ %way, codes => ['127.0.0.2=x'] }, { %way }]],
    ['no codes', 'removal: codes: must have a code',
        [{ %way, codes => [] }, { %way }]],
    ['day', 'removal: read: must be a day', [{ %way, read => '1.2.2026' }]],
    ['codes at the end', 'removal: must end with an object without codes',
        [{ %way, codes => ['127.0.0.2'] }]],
    ['two for all', 'removal: must end with an object without codes',
        [{ %way }, { %way }]],
    ['member', 'frob: is not a member', [{ %way, frob => 1 }]],
    ['too long', 'removal: is too long',
        [map({ { %way, codes => ["127.0.0.$_"], note => 'x' x 500 } } 2 .. 6),
        { %way }]];
refused('unknown member', qr/${at}fro\\x1bb: is not a member/,
    entry("fro\eb" => 1));
refused('no object', qr/lists\[0\]: entry: must be an object/, 'x');

$r = load_entries(entry(type => 'x'), entry(zone => 'b.example', weight => 'x'),
    entry(zone => 'c.example', codes => ['x', 'y']));
is(() = $r->{err} =~ /\n/g, 5, 'rblctl reports all mistakes at once');
$r = load({ version => 1, lists => [entry()],
    killed => [{ zone => 'bl.example.org', reason => 'x' }] });
like($r->{err}, qr/killed\[0\] bl\.example\.org: zone: .*twice/,
    'a list that is also killed is refused');
for my $text ('', '{', '[]', '{"version": 2, "lists": []}',
    '{"version": 1}', '{"version": 1, "lists": {}}',
    '{"version": 1, "lists": [], "killed": 1}',
    '{"version": 1, "lists": [], "lists": []}', "\xff", "[" x 5000)
{
    $r = load($text);
    is($r->{status}, 3, 'not a file of lists: ' . substr $text, 0, 40);
    like($r->{err}, qr/\Arblctl: \S+lists\.json:/,
        'the message names the file');
}
is(rblctl($redis, 'lists', 'load', "$dir/none")->{status}, 3,
    'a missing file is refused');
is(rblctl($redis, 'lists', 'load', $dir)->{status}, 3,
    'a directory is refused as a file');

# a good one
my @all = (
    entry(families => ['ipv4', 'ipv6', 'domain'], codes => ['127.0.0.2=spam',
        '!127.255.255.254=refused', 'bit:4=x'], website => 'https://e.example/',
        lookup => 'https://e.example/?q=%s', delist => '', weight => 'high',
        scope => 'ip', kind => 'block', control => 'ip', note => 'n',
        names => 'registered', min_interval => 3600, rate => 10,
        day_quota => 300_000, removal => [{ codes => ['127.0.0.2', 'bit:4'],
        how => 'mail', cause => 'trap', url => 'https://e.example/r?q=%s',
        mail => 'off@e.example', ages => 48, takes => 24, note => 'once',
        source => 'https://e.example/faq', read => '2026-11-30' },
        { how => 'ages', cause => 'policy' }]),
    entry(zone => 'uri.example.org', type => 'uribl', families => ['domain'],
        control => 'name:test'),
    entry(zone => '{key}.dq.example.org', enabled => $false));
$r = load({ version => 1, lists => \@all,
    killed => [{ zone => 'dead.example.org', reason => 'gone' }] });
is($r->{status}, 0, 'lists load accepts a valid file') or diag($r->{err});
$v = json($r->{out});
is_deeply([@$v{qw(active disabled killed partitions)}], [2, 1, 1, 4],
    'lists load counts lists and partitions');
my $sid = list_sid('bl.example.org');
for my $p (0 .. 3) {
    my $l = record('list', redis($redis, 'GET', "rbl:{$p}:r:SYS:$sid"));
    is_deeply($l, { version => 1, id => $sid, type => 'rbl',
        zone => 'bl.example.org', name => 'Example',
        website => 'https://e.example/', families => 7, custom => 0,
        status => 'active', health => '', codes => $all[0]{codes},
        lookup => 'https://e.example/?q=%s', delist => '', weight => 'high',
        scope => 'ip', kind => 'block', control => 'ip',
        names => 'registered', min_interval => 3600, rate => 10,
        day_quota => 300_000, reason => '', note => 'n', servers => '',
        removal => [[['127.0.0.2', 'bit:4'], 'mail', 'trap',
        'https://e.example/r?q=%s', 'off@e.example', 48, 24, 'once',
        'https://e.example/faq', '2026-11-30'],
        [[], 'ages', 'policy', '', '', 0, 0, '', '', '']], key => undef },
        "record in partition $p");
    is_deeply(redis($redis, 'ZRANGE', "rbl:{$p}:lists", 0, -1),
        [map { list_sid($_->{zone}) } @all], "order in partition $p");
}
$v = record('list', redis($redis, 'GET', 'rbl:{2}:r:SYS:'
    . list_sid('dead.example.org')));
is_deeply([@$v{qw(name status reason)}], ['dead.example.org', 'killed', 'gone'],
    'the record of a killed list has the reason');
$v = record('list', redis($redis, 'GET', 'rbl:{1}:r:SYS:'
    . list_sid('uri.example.org')));
is_deeply([@$v{qw(names min_interval rate day_quota note)}], ['', 0, 0, 0, ''],
    'a list without options has the defaults');

# show
$v = json(rblctl($redis, 'lists', 'show', '--json')->{out});
is_deeply([map { [@{ $_->{list} }{qw(host status)}] } @$v], [['bl.example.org', 'active'],
    ['uri.example.org', 'active'], ['{key}.dq.example.org', 'disabled']],
    'lists show prints lists that are not killed');
for my $name ('BL.example.org', $sid) {
    $v = json(rblctl($redis, 'lists', 'show', $name, '--stored',
        '--json')->{out});
    is_deeply([@{ $v->{list} }{qw(id host)}, @{ $v->{list}{families} }],
        [$sid, 'bl.example.org', qw(ipv4 ipv6 domain)], "lists show $name");
}
like(rblctl($redis, 'lists', 'show', 'dead.example.org')->{out},
    qr/^status +killed$/m, 'lists show finds a killed list by its name');
$r = rblctl($redis, 'lists', 'show', 'none.example');
is($r->{status}, 3, 'lists show of an unknown list exits with 3');
like($r->{err}, qr/there is no list none\.example/,
    'the message has the reason');

# enable, disable: set by hand, and kept over a load
sub statuses {
    return [map { record('list',
        redis($redis, 'GET', "rbl:{$_}:r:SYS:$sid"))->{status} } 0 .. 3];
}
is(rblctl($redis, 'lists', 'disable', 'bl.example.org')->{status}, 0,
    'lists disable succeeds for an active list');
is_deeply(statuses(), [('disabled') x 4],
    'the list is disabled in every partition');
is(load_entries(@all)->{status}, 0, 'lists load succeeds a second time');
is_deeply(statuses(), [('disabled') x 4],
    'a load does not enable a disabled list');
is(rblctl($redis, 'lists', 'enable', $sid)->{status}, 0,
    'lists enable accepts a SID');
is_deeply(statuses(), [('active') x 4],
    'the list is active in every partition');
for my $name ('none.example', 'dead.example.org', 'x' x 400) {
    for my $verb ('enable', 'disable') {
        $r = rblctl($redis, 'lists', $verb, $name);
        is($r->{status}, 3, "$verb of an unknown list");
        like($r->{err}, qr/there is no/, 'the message has the reason');
    }
}
for my $name ('{key}.dq.example.org', list_sid('{key}.dq.example.org')) {
    $r = rblctl($redis, 'lists', 'enable', $name);
    is($r->{status}, 3, "$name is not enabled");
    like($r->{err}, qr/needs a key, and has none/,
        'the message says that the list needs a key');
}

# loading again changes records, kills lists, and keeps the others
$r = load({ version => 1, lists => [entry(name => 'New')],
    killed => [{ zone => 'uri.example.org', reason => 'x' }] });
is($r->{status}, 0, 'lists load accepts an update');
$v = json(rblctl($redis, 'lists', 'show', '--json')->{out});
is_deeply([map { [@{ $_->{list} }{qw(host name)}] } @$v], [['bl.example.org', 'New'],
    ['{key}.dq.example.org', 'Example']],
    'an update changes, kills and keeps lists');

# at most 200: a file that would exceed that is refused completely
sub zones { return map { entry(zone => "n$_.example") } $_[0] .. $_[1] }
sub there {
    return [map { scalar @{ redis($redis, 'ZRANGE', "rbl:{$_}:$_[0]", 0, -1) } }
        0 .. 3];
}
$r = load_entries(zones(1, 199));
is($r->{status}, 3, 'a file that leads to 201 lists is refused');
like($r->{err}, qr/: there would be 201 system lists, at most 200 may be there/,
    'the message has the number of lists and the limit');
like($r->{err}, qr/: nothing was loaded from /,
    'the message says that nothing was loaded');
is_deeply(there('lists'), [(2) x 4],
    'a refused file adds no list to the index');
is(redis($redis, 'EXISTS', 'rbl:{0}:r:SYS:' . list_sid('n1.example')), 0,
    'a refused file writes no record');
is(load_entries(zones(1, 198))->{status}, 0,
    'a file that leads to 200 lists is loaded');
is_deeply([there('lists'), there('lists:active')], [[(200) x 4], [(199) x 4]],
    'every partition has 200 lists');
is(load_entries(zones(1, 198))->{status}, 0,
    'a file with 198 of 200 lists can be loaded again');
is(load_entries(zones(199, 199))->{status}, 3,
    'a file with the 201st list is refused');
$r = load({ version => 1, lists => [zones(201, 250)], killed => [map {
    { zone => "n$_.example", reason => 'x' } } 1 .. 50] });
is($r->{status}, 0, 'a file may replace 50 lists') or diag($r->{err});
is_deeply(there('lists'), [(200) x 4],
    'the number of lists is the same after a replacement');
redis($redis, 'ZADD', 'rbl:{3}:lists', 999, list_sid('n1.example'));
$r = load({ version => 1, lists => [entry(zone => 'n300.example')],
    killed => [{ zone => 'n60.example', reason => 'x' }] });
is($r->{status}, 3, 'a file is refused when one partition has no room');
is_deeply(there('lists'), [200, 200, 200, 201],
    'a refused file changes no partition');
redis($redis, 'ZREM', 'rbl:{3}:lists', list_sid('n1.example'));
is(rblctl($redis, 'lists', 'kill', 'n100.example', 'x')->{status}, 0,
    'lists kill succeeds for an active list');
is(load_entries(zones(100, 100))->{status}, 0,
    'a load of a list killed by hand succeeds');
is_deeply(there('lists'), [(199) x 4], 'a killed list takes no place');
is(load_entries(zones(300, 300))->{status}, 0,
    'another list takes the place of a killed list');
$r = rblctl($redis, 'lists', 'unkill', 'n100.example');
is($r->{status}, 3, 'lists unkill is refused at the limit');
like($r->{err}, qr/There are as many system lists as there may be/,
    'the message says that there are too many lists');
is(rblctl($redis, 'lists', 'kill', 'n101.example', 'x')->{status}, 0,
    'lists kill makes room for another list');
is(rblctl($redis, 'lists', 'unkill', 'n100.example')->{status}, 0,
    'lists unkill succeeds below the limit');

# the lists of the project, in a store with more lists from before the limit:
# none is lost
for my $p (0 .. 3) {
    my $like = mp_unpack(redis($redis, 'GET', "rbl:{$p}:r:SYS:"
        . list_sid('n100.example')));
    for my $n (400 .. 409) {
        my $sid = list_sid("n$n.example");
        redis($redis, 'SET', "rbl:{$p}:r:SYS:$sid",
            mp_pack([@$like[0], $sid, @$like[2], "n$n.example",
                @$like[4 .. $#$like]]));
        redis($redis, 'ZADD', "rbl:{$p}:lists", 1000 + $n, $sid);
    }
}
my $n = there('lists')->[0];
cmp_ok($n, '>', 200, 'the store has more lists than the limit');
is(load_entries(zones(400, 409))->{status}, 0,
    'a file of lists above the limit can be loaded again');
is_deeply([there('lists'), there('lists:active')], [[($n) x 4],
    [($n - 1) x 4]], 'every partition keeps all its active lists');
$r = load_entries(zones(400, 410));
is($r->{status}, 3, 'a file with one list more is refused');
like($r->{err}, qr/: there would be @{[$n + 1]} system lists, at most 200 may/,
    'the message has the number of lists and the limit');
is(rblctl($redis, 'lists', $_, 'n400.example')->{status}, 0,
    "lists $_ succeeds above the limit")
    for qw(disable enable);
$r = load({ version => 1, lists => [zones(401, 409)], killed => [
    { zone => 'n400.example', reason => 'x' }] });
is($r->{status}, 0, 'a file may kill a list above the limit')
    or diag($r->{err});
$r = load({ version => 1, lists => [zones(402, 410)], killed => [
    { zone => 'n401.example', reason => 'x' }] });
is($r->{status}, 3, 'a file may not replace a list above the limit');
is_deeply(there('lists'), [($n - 1) x 4],
    'a kill above the limit leaves one list less');

redis($redis, 'FLUSHALL');
init_store($redis, partitions => 4);
for my $file ('conf/lists.json', 'conf/demo/lists.json') {
    $r = rblctl($redis, 'lists', 'load', repo_dir() . "/$file");
    is($r->{status}, 0, "$file is valid") or diag($r->{err});
}

done_testing();
