#!/usr/bin/perl

# The portal's table of hosts in an account with 100,000 hosts: in Debian's
# Chromium at a quarter of its speed, the time until the first rows are shown,
# beside the least page that gets them, and the time of the frames while 10,000
# rows are scrolled, beside plain HTML; and the CPU of the store for searches,
# beside an account with 100 hosts.  BENCH_HOSTS sets another number of hosts.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/lib";

use List::Util qw(max);
use RblBench;
use RblBenchChecks;
use RblBenchStore;
use RblBrowser;
use RblTest;

use constant { SMALL => 100, BLOCK => 1024, ROWS => smoke(1_000) // 10_000,
    SLOWER => 4, EACH => smoke(5) // 200, LIMIT => 10, SOME => 20, EVERY => 8,
    SPREAD => 2000 };

my $blocks = int(($ENV{BENCH_HOSTS} || smoke(2_000) || 100_000) / BLOCK
    + 0.999);
my $big_hosts = $blocks * BLOCK;
die 'BENCH_HOSTS is less than ' . ROWS . ", which are scrolled\n"
    if $big_hosts < ROWS;

bench('portal', "the table of hosts, $big_hosts of them");

# Pages of plain HTML: one row, and all rows.  The least page gets the same
# hosts as the portal's table, and makes rows of them in a few lines of script.
my $plain = temp_dir();
mkdir "$plain/floor" or die "$plain: $!\n";
my $row = '<tr><th>192.0.2.1</th><td>name</td><td>clear</td><td></td>'
    . '<td>5 minutes ago</td></tr>';
for (['one', 1], ['all', ROWS]) {
    my ($name, $n) = @$_;
    write_file("$plain/floor/$name.html", '<!doctype html><title>x</title>'
        . '<link rel="icon" href="data:,"><style>tr { height: 36px }</style>'
        . "<table>\n" . "$row\n" x $n . "</table>\n");
}
write_file("$plain/floor/least.html", <<'EOF');
<!doctype html><title>x</title><link rel="icon" href="data:,">
<table id="rows"></table>
<script type="module">
const answer = await fetch('/portal/1/hosts/find.json?limit=50');
for (const host of (await answer.json()).data) {
    const row = document.getElementById('rows').insertRow();
    const lists = host.listed_details.map((list) => list.host).join(', ');
    for (const text of [host.host, host.name, lists ? 'listed' : 'clear', lists,
        host.last_checked])
    {
        row.insertCell().textContent = text;
    }
}
</script>
EOF

my $lists = temp_dir() . '/lists.json';
write_file($lists, '{ "version": 1, "lists": [' . join(',', map {
    qq({"zone": "list$_.dnsbl.example", "name": "List $_", "type": "rbl",)
        . ' "families": ["ipv4"], "codes": ["127.0.0.2=spam"],'
        . ' "control": "none"}' } 1 .. 4) . '] }');
my $t = browser_setup(lists => $lists, workers => 1,
    http => 'rbl_store_timeout 60s;',
    server => "location /floor/ { root $plain; }");
my $redis = $t->{redis};
my $store = RblBenchStore->new($redis);
my ($big, $small) = ($t->{acct}, $t->{other});
my %who = (big => sign_in($t), small => sign_in($t, acct => $small));


# --- hosts -----------------------------------------------------------------

sub write_call {
    my ($size, $path, $fields) = @_;

    my $r = portal($t, $who{$size}, 'POST', "$path.json", fields => $fields,
        timeout => 120);
    die "$path: $r->{raw}\n" if $r->{status} != 200;
    return json($r)->{data};
}

sub read_call {
    my ($size, $path) = @_;

    my $r = portal($t, $who{$size}, 'GET', $path, timeout => 60);
    die "$path: $r->{raw}\n" if $r->{status} != 200;
    return $r->{body};
}

sub fill {
    my ($size, @nets) = @_;

    return map { @{ write_call($size, 'host/add', { host => $_,
        name => "server $_", type => 'rbl' }) } } @nets;
}

# All hosts of an account are due now.
sub make_due {
    my ($acct) = @_;

    my $key = redis_key('due', $acct->{sid});
    redis($redis, 'ZUNIONSTORE', $key, 1, $key, 'WEIGHTS', 0);
    redis($redis, 'ZADD', $key =~ s/:AC.*//r, 0, $acct->{sid});
}

# Some hosts of an account are in another state than clear, or have a name; each
# eighth of the first ones is in a group.
sub prepare {
    my ($size, $acct, @hosts) = @_;

    my $group = write_call($size, 'contactgroup/add',
        { name => 'Some' })->{id};
    for my $i (0 .. max(SPREAD, SOME) - 1) {
        my $id = ($hosts[$i] // last)->{id};
        write_call($size, "host/update/$id", { contact_group => $group })
            if $i % EVERY == 0;
        write_call($size, "host/update/$id", { name => "Rare $i" })
            if $i < SOME;
        write_call($size, "host/pause/$id", {}) if $i >= 20 && $i < 20 + SOME;
        list_host($t, $id, acct => $acct->{sid}) if $i >= 40 && $i < 40 + SOME;
    }
    # unknown, and not covered
    set_host($acct, $hosts[$_]{id}, unknown_count => 1) for 60 .. 79;
    set_host($acct, $hosts[$_]{id}, uncovered => 1) for 80 .. 99;
    return $group;
}

sub set_host {
    my ($acct, $id, %with) = @_;

    my $key = redis_key('r', $acct->{sid}, $id);
    my $host = record('host', redis($redis, 'GET', $key));
    redis($redis, 'SET', $key, record_pack('host', %$host,
        name => \$host->{name}, value => \$host->{value}, %with));
}

my %hosts = (small => [fill('small', '198.19.252.0/26', '198.19.252.64/27',
    '198.19.252.96/30')], big => [fill('big', map { sprintf '198.%d.%d.0/22',
    18 + ($_ >> 6), ($_ & 63) << 2 } 0 .. $blocks - 1)]);
make_due($_) for $small, $big;
first_round($store, partitions => partitions(), hosts => SMALL + $big_hosts);
my %group = (small => prepare('small', $small, @{ $hosts{small} }),
    big => prepare('big', $big, @{ $hosts{big} }));
my $r = rblctl($redis, 'fsck', '--repair');
die "fsck: $r->{err}\n" if $r->{status} >> 1;
forget($t, $_->{sid}) for $big, $small;


# --- the browser -----------------------------------------------------------

my ($cookie, $value) = split /=/, $who{big}{cookie}, 2;
my ($lines, $err) = browser_lines($t, 'bench', rate => SLOWER, rows => ROWS,
    rounds => rounds(3), cookie => { name => $cookie, value => $value },
    pages => [
        { name => 'one row', path => '/floor/one.html', row => 'tr' },
        { name => 'all rows', path => '/floor/all.html', row => 'tr' },
        { name => 'least', path => '/floor/least.html', row => 'tr' },
        { name => 'portal', path => '/portal/#/hosts', row => '.rows tbody tr'
        } ]);
die "the browser: $err\n" if !grep { $_->{done} } @$lines;

my %seen;
for my $v (grep { $_->{name} } @$lines) {
    die "$v->{name}: @{ $v->{faults} }\n" if @{ $v->{faults} };
    my @times = sort { $a <=> $b } 0, @{ $v->{times} };
    push @{ $seen{ $v->{name} }{first} }, $v->{first};
    # Frames are 16.7 ms or a multiple of that, give or take 0.1 ms.
    push @{ $seen{ $v->{name} }{longest} }, sprintf '%.0f', $times[-1];
    push @{ $seen{ $v->{name} }{most} }, $times[@times * 0.99];
    push @{ $seen{ $v->{name} }{frames} }, scalar @times;
    push @{ $seen{ $v->{name} }{rows} }, $v->{most};
}
my $page = { map { my $name = $_; $name => { map { $_ =>
    stat_of(@{ $seen{$name}{$_} }) } keys %{ $seen{$name} } } } keys %seen };

remark('Chromium, its CPU at a quarter of the speed; times in ms; the wheel');
remark('moves 40,000 pixels a second; rows: at most, in the document');
my @pages = (['plain HTML, one row', 'one row'],
    ['plain HTML, ' . ROWS . ' rows', 'all rows'],
    ['the least page, the first 50 hosts', 'least'],
    ['portal, the first ' . ROWS . " of $big_hosts hosts", 'portal']);
table(['page', 'first row shown', 'longest frame', '99 of 100 frames', 'frames',
    'rows'], map { my ($text, $name) = @$_; [$text, map {
    figure($page->{$name}{$_}) } qw(first longest most frames rows)] } @pages);
print "\n";
my ($sizes) = read_file(build_dir() . '/portal.log')
    =~ /^(scripts of a page, compressed: .*)/m;
remark($sizes // 'sizes of the scripts: see the build');


# --- searches --------------------------------------------------------------

my @searches = (
    ['all, by creation'           => ''],
    ['all, by name'               => 'sort=name'],
    ['all, by address'            => 'sort=address'],
    ['listed, by time'            => 'sort=since'],
    ['prefix of a value, many'    => 'text=10.'],
    ['prefix of a value, few'     => { small => 'text=198.19.252.1',
        big => 'text=198.18.0.1' }],
    ['prefix of a name'           => 'text=rare'],
    ['prefix that nothing has'    => 'text=zzz'],
    (map { ["state $_" => "state=$_"] } qw(listed unknown uncovered paused
        clear)),
    ['group of each eighth host'  => { map { $_ => "group=$group{$_}" }
        keys %group }],
    ['counts'                     => undef],
);

sub search {
    my ($size, $query) = @_;

    my $path = defined $query ? 'hosts/find.json?limit=' . LIMIT . '&'
        . (ref $query ? $query->{$size} : $query) : 'counts.json';
    return sub {
        my $c = spend(sub { read_call($size, $path) for 1 .. EACH },
            redis => [$redis->{pid}]);
        return { redis => $c->{redis} / 1000 / EACH };
    };
}

for my $s (@searches) {
    my ($name, $query) = @$s;
    next if !defined $query;
    my ($x, $y) = map { scalar @{ json(read_call($_, 'hosts/find.json?limit='
        . LIMIT . '&' . (ref $query ? $query->{$_} : $query)))->{data} } }
        'small', 'big';
    die "$name: $x and $y hosts\n" if $x != $y;
}
my $found = interleave(rounds(5), [
    me => sub {
        my $c = spend(sub { read_call('big', 'me.json') for 1 .. EACH },
            redis => [$redis->{pid}]);
        return { redis => $c->{redis} / 1000 / EACH };
    },
    map { my ($name, $query) = @$_; map { ("$name, $_" => search($_, $query)) }
        'small', 'big' } @searches], warm => 1);

print "\n";
remark('CPU of Redis for a search of ' . LIMIT . ' hosts through nginx, with');
remark('the proof of the session, in us');
table(['search', SMALL . ' hosts', "$big_hosts hosts", 'ratio'],
    ['me: the session, and two records', '-', figure($found->{me}{redis}), '-'],
    map { my $name = $_->[0]; [$name,
        (map { figure($found->{"$name, $_"}{redis}) } 'small', 'big'),
        figure(ratio($found, "$name, big", "$name, small", 'redis'))] }
        @searches);

sub beside {
    my ($name, $of, $key) = @_;

    my ($x, $y) = map { $page->{$_}{$key}{all} } $name, $of;
    return stat_of(map { $x->[$_] / $y->[$_] } 0 .. $#$x);
}

target('first row shown: of the least page', beside('portal', 'least',
    'first'), '<=', 4, 'x');
target("$_->[0], while " . ROWS . ' rows are scrolled: of plain HTML',
    beside('portal', 'all rows', $_->[1]), '<=', $_->[2], 'x')
    for ['99 of 100 frames', 'most', 1.4], ['longest frame', 'longest', 2];
target("$_->[0], $big_hosts hosts to " . SMALL, ratio($found, "$_->[0], big",
    "$_->[0], small", 'redis'), '<=', 2) for @searches;
stop_server($_) for $t->{nginx}, $redis;
bench_end();
