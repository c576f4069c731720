package RblUpgrade;

# Stores as released versions have left them: t/upgrade/<schema>.rdb.gz, and the
# answers of the API about them, <schema>.json.gz.  t/upgrade/save.pl makes both;
# t/upgrade/stores.t upgrades each.

use strict;
use warnings;

use Exporter 'import';

use RblFailover;
use RblTest;

our @EXPORT = (@RblTest::EXPORT, qw(saved_stores saved_said
    upgrade_lists upgrade_dns upgrade_said upgrade_store upgrade_load
    upgrade_judge));

my $DIR = repo_dir() . '/t/upgrade';

# The calls for an account, and the fields that a check, or a new host, changes.
# Fields that an older version did not show need no entry here.
my @READ = qw(hosts.json rblprofiles.json rbls.json contacts.json
    contactgroups.json acls.json);
my @VOLATILE = qw(last_checked next_check unknown_count listed_period
    total_hosts);

sub saved_stores {
    return sort { $a <=> $b } map { m{/(\d+)\.rdb\.gz$} } glob "$DIR/*.rdb.gz";
}

sub saved_said {
    my ($schema) = @_;

    return json({ body => unzipped("$schema.json.gz") });
}

sub unzipped {
    my ($name) = @_;

    my $r = run_cmd('gzip', '-dc', "$DIR/$name");
    die "$name: $r->{err}" if $r->{status} != 0;
    return $r->{out};
}

# Writes the file where a redis-server in that directory reads it.
sub saved_load {
    my ($schema, $dir) = @_;

    write_file("$dir/dump.rdb", unzipped("$schema.rdb.gz"));
}

sub upgrade_lists {
    my $file = temp_dir() . '/lists.json';
    write_file($file, <<'JSON');
{ "version": 1, "lists": [
{"zone": "a.upgrade.test", "name": "Addresses", "type": "rbl",
 "website": "https://a.upgrade.test/", "families": ["ipv4"],
 "codes": ["127.0.0.2=listed"]},
{"zone": "d.upgrade.test", "name": "Domains", "type": "uribl",
 "families": ["domain"], "codes": ["127.0.0.2=listed"]}
] }
JSON
    return $file;
}

# The lists, and an own list of an account.
sub upgrade_dns {
    my $soa = "\$SOA 0 ns.test h.test 1 60 60 60 0\n\$TTL 1\n";
    return start_rbldnsd(zones => [
        ['a.upgrade.test', 'ip4set', $soa . ":127.0.0.2:\$ was seen\n"
            . "127.0.0.2\n192.0.2.0/28\n"],
        ['d.upgrade.test', 'dnset', $soa . ":127.0.0.2:seen\nTEST\n"
            . "bad.example\n"],
        ['own.upgrade.test', 'ip4set', $soa . "127.0.0.2\n198.51.100.7\n"],
    ]);
}

# The answers of the API about an account: {path => [objects]}
sub upgrade_said {
    my ($nginx, $acct) = @_;

    my %said;
    for my $path (@READ) {
        my $r = http($nginx, 'GET', "/3.0/$path?page_size=1000",
            auth => $acct);
        $r->{status} == 200 or die "$path: $r->{raw}";
        my $rows = json($r)->{data};
        delete @$_{@VOLATILE} for @$rows;
        $said{$path} = $rows;
    }
    return \%said;
}

# A store of that schema, as it is when all that expires is gone.
sub upgrade_store {
    my ($schema) = @_;

    my $d = own_dir('redis');
    saved_load($schema, $d);
    my $redis = start_redis(dir => $d, cluster => 0,
        args => ['--dbfilename', 'dump.rdb']);
    for my $key (@{ redis($redis, 'KEYS', '*') }) {
        redis($redis, 'DEL', $key) if redis($redis, 'PTTL', $key) >= 0;
    }
    return $redis;
}

# Clients of the account "large", and of a new one.
sub upgrade_load {
    my ($redis, $nginx, $said, %opt) = @_;

    my @accounts = ($said->{accounts}{large}, make_account($redis));
    wait_for {
        !grep { http($nginx, 'GET', '/3.0/hosts.json', auth => $_)->{status}
            != 200 } @accounts;
    } 20, 'the store of nginx' or die 'nginx has no store';
    my $load = start_load($nginx, accounts => \@accounts, clients => 8,
        ops => { add => 2, update => 5, read => 3, check => 1 }, rate => 100, %opt);
    return ($load, \@accounts);
}

# Objects with those fields only that the older ones have, too.
sub in_common {
    my ($objects, $older) = @_;

    my %known = map { $_ => 1 } map { keys %$_ } @$older;
    return map { my $o = $_;
        +{ map { $_ => $o->{$_} } grep { $known{$_} } keys %$o } } @$objects;
}

# Tests what clients, checks and the store have got of it.
sub upgrade_judge {
    my ($redis, $nginx, $said, $load, $accounts) = @_;

    my $records = stop_load($load);
    my $report = load_report($nginx, $records, $accounts);
    is_clean($report, 'the clients were told the truth');
    cmp_ok($report->{acked}, '>', 50, 'writes were acknowledged');
    is($report->{unknown} + $report->{unchanged}, 0, 'no request failed');
    is(scalar unfinished({ nginx => $nginx, accounts => $accounts }, $records),
        0, 'all checks end');
    for my $name (sort keys %{ $said->{said} }) {
        my ($was, $acct) = ($said->{said}{$name}, $said->{accounts}{$name});
        my $is = upgrade_said($nginx, $acct);
        my %had = map { $_->{id} => 1 } @{ $was->{'hosts.json'} };
        @{ $is->{'hosts.json'} } = grep { $had{ $_->{id} } }
            @{ $is->{'hosts.json'} };
        for my $path (sort keys %$was) {
            is_deeply([in_common($is->{$path}, $was->{$path})], $was->{$path},
                "$name: $path");
        }
    }
    fsck_clean($redis, 'fsck finds nothing');
}

1;
