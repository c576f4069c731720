package RblCheckd;

# Base of the daemon's tests: a store with lists that rbldnsd serves, an
# account, hosts and checks made by the scripts that the module uses.

use strict;
use warnings;

use Exporter 'import';
use List::Util 'sum0';
use RblSeam;
use RblTest;

our @EXPORT = qw(world script_ok add_host add_many check_host check_value
    check_state wait_check details results_of host_record history_of
    listed_entry jobs_left hosts_due eventually log_count fresh_sid set_due
    answers conf_short take_jobs test_entry not_there own_lists verdict cleared);


# {redis, dns, acct, zones}.  Options: zones => {zone => {data, set, families,
# codes, type, lookup, delist, control, more (other members), own (no list of the
# system)}}, no_dns => 1, redis => {...}, partitions, account => {...}.
sub world {
    my (%opt) = @_;

    my $w = { redis => start_redis(%{ $opt{redis} // {} }),
        partitions => $opt{partitions} // partitions() };
    my $zones = $w->{zones} = $opt{zones} // {
        'a.test' => { data => listed_entry('10.0.0.1', '192.0.2.1') },
        'b.test' => { data => listed_entry('10.0.0.200') },
    };
    my @served = map { [$_, $zones->{$_}{set} // 'ip4set',
        $zones->{$_}{data}] } sort keys %$zones;
    $w->{dns} = start_rbldnsd(zones => \@served) if !$opt{no_dns};

    my $file = temp_dir() . '/lists.json';
    write_file($file, lists_json($zones));
    $w->{lists_file} = $file;
    init_store($w->{redis}, lists => $file, partitions => $w->{partitions});
    $w->{acct} = make_account($w->{redis}, %{ $opt{account} // {} });
    return $w;
}

sub lists_json {
    my ($zones) = @_;

    my @lists;
    for my $zone (grep { !$zones->{$_}{own} } sort keys %$zones) {
        my $z = $zones->{$zone};
        push @lists, sprintf '{"zone": "%s", "name": "%s", "type": "%s", '
            . '"website": "https://%s/", "families": [%s], "enabled": true, '
            . '"codes": [%s], "lookup": "%s", "delist": "%s", "weight": "%s",'
            . ' "scope": "ip", "kind": "block", "control": "%s", '
            . '%s"note": ""}', $zone, $z->{name} // "List $zone",
            $z->{type} // 'rbl', $zone,
            join(', ', map { "\"$_\"" } @{ $z->{families} // ['ipv4'] }),
            join(', ', map { "\"$_\"" } @{ $z->{codes}
                // ['127.0.0.2=listed'] }), $z->{lookup} // '',
            $z->{delist} // '', $z->{weight} // 'normal',
            $z->{control} // 'none', defined $z->{more} ? "$z->{more}, " : '';
    }
    return "{ \"version\": 1, \"lists\": [\n" . join(",\n", @lists)
        . "\n], \"dead\": [] }\n";
}

# rbldnsd data that lists these addresses.  A resolver may cache it for a
# second, and the end of a listing waits that long.
sub listed_entry {
    return "\$SOA 0 ns.test h.test 1 60 60 60 0\n\$TTL 1\n"
        . ":127.0.0.2:listed: see https://a.test/\n127.0.0.2\n"
        . join '', map { "$_\n" } @_;
}

# The RblDns rule for the positive test point of lists with control => 'ip':
# without it the end of a listing takes a day.
sub test_entry {
    return [ '^2\.0\.0\.127\.', { a => ['127.0.0.2'], ttl => 0, @_ } ];
}

# The last rule: other names do not exist, and are not cached.
sub not_there {
    return [ '.', { rcode => 'nxdomain', soa => ['test', 0, 0], @_ } ];
}

# eventually { condition } seconds, 'name': a test of its own.
sub eventually(&$$) {
    my ($condition, $timeout, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return ok(wait_for(\&$condition, $timeout, $name), $name);
}

# Number of matches of a pattern in a server's log.
sub log_count {
    my ($server, $pattern) = @_;

    my $n = () = read_file($server->{log}) =~ /$pattern/g;
    return $n;
}

# Options of start_checkd with short times.
sub conf_short {
    return (check_timeout => '3s', lease => '7s', dns_timeout => '300ms',
        dns_tries => 2, store_timeout => '2s', deliver => 'off', @_);
}

sub fresh_sid {
    my ($kind) = @_;

    my $n = $kind eq 'PP' ? 32 : 16;
    open my $fh, '<:raw', '/dev/urandom' or die "urandom: $!";
    read($fh, my $bytes, $n) == $n or die 'urandom';
    return $kind . unpack 'H*', $bytes;
}

sub script_ok {
    my ($w, $name, $keys, @args) = @_;

    my $r = redis($w->{redis}, 'EVAL', seam_source($name),
        seam_words($name, $keys, @args));
    if ($r->[0] eq 'WORK') {
        my $id = $r->[1];
        1 while !($r = script_ok($w, 'work_step', $keys, id => $id))->[1];
    }
    die "$name: $r->[0]\n" if $r->[0] ne 'OK';
    return $r;
}

sub akey {
    my ($w, $name, @rest) = @_;

    return redis_key({ partitions => $w->{partitions} }, $name,
        $w->{acct}{sid}, @rest);
}

# The full name of a key in the account's partition.
sub pkey {
    my ($w, $name) = @_;

    return redis_key($name,
        hex(substr $w->{acct}{sid}, 2, 4) % $w->{partitions});
}

# Adds a host of type rbl; returns its SID.
sub add_host {
    my ($w, $value, %opt) = @_;

    my $ht = fresh_sid('HT');
    script_ok($w, 'host_add', [akey($w, 'acct')], name => $opt{name} // $value,
        type => $opt{type} // 'rbl', family => $opt{family} // 1, host => $ht,
        value => $value);
    return $ht;
}

sub add_many {
    my ($w, @values) = @_;

    my %sid = map { $_ => fresh_sid('HT') } @values;
    script_ok($w, 'host_add', [akey($w, 'acct')], name => 'many',
        type => 'rbl', family => 1, host => [map { $sid{$_} } @values],
        value => \@values);
    return \%sid;
}

# Requests a manual check of a host; returns the SID of the check.
sub check_host {
    my ($w, $ht) = @_;

    return script_ok($w, 'check_start', [akey($w, 'acct')],
        check => fresh_sid('PP'), host => $ht, app => $w->{acct}{app},
        keep => 3_600_000)->[1];
}

sub check_value {
    my ($w, $value, $family) = @_;

    return script_ok($w, 'check_start', [akey($w, 'acct')],
        check => fresh_sid('PP'), value => $value, family => $family // 1,
        app => $w->{acct}{app}, keep => 3_600_000)->[1];
}

sub check_state {
    my ($w, $pp) = @_;

    return { @{ redis($w->{redis}, 'HGETALL', akey($w, 'check', $pp)) } };
}

sub wait_check {
    my ($w, $pp, $timeout) = @_;

    wait_for { (check_state($w, $pp)->{status} // '') =~ /completed|failed/ }
        $timeout // 15, "the end of check $pp";
    return check_state($w, $pp);
}

# {zone => {status, codes, details, reason, error, ms, list}}
sub details {
    my ($w, $pp) = @_;

    my $raw = redis($w->{redis}, 'GET', akey($w, 'check', "$pp:d"));
    return {} if !defined $raw;
    return results_of($raw);
}

sub results_of {
    my ($raw) = @_;

    my %by_zone;
    for my $r (@{ mp_unpack($raw) }) {
        my %r;
        @r{qw(list type custom zone website status codes details reason error
            ms)} = @$r;
        $by_zone{ $r{zone} } = \%r;
    }
    return \%by_zone;
}

sub host_record {
    my ($w, $ht) = @_;

    local $_;                           # record() reads a file
    return record('host', redis($w->{redis}, 'GET', akey($w, 'r', $ht)));
}

# Transitions, oldest first: [{l, z, v, a, c}, ...]
sub history_of {
    my ($w, $ht) = @_;

    my @t;
    for my $entry (@{ redis($w->{redis}, 'XRANGE', akey($w, 'hist', $ht), '-',
        '+') })
    {
        my %e = @{ $entry->[1] };
        push @t, { c => $e{c}, l => $_->[0], z => $_->[1], v => $_->[2],
            a => $_->[3] } for @{ mp_unpack($e{t}) };
    }
    return \@t;
}

# Own lists of the account, zone => type, in a profile with the system lists.
sub own_lists {
    my ($w, %type) = @_;

    my @rb;
    for my $zone (sort keys %type) {
        push @rb, fresh_sid('RB');
        script_ok($w, 'rbl_add', [akey($w, 'acct')], list => $rb[-1],
            type => $type{$zone}, zone => $zone);
    }
    script_ok($w, 'profile_add', [akey($w, 'acct')],
        profile => fresh_sid('RP'), name => 'own', is_default => 1, given => 1,
        entries => [@{ redis($w->{redis}, 'ZRANGE', pkey($w, 'lists'), 0,
        -1) }, @rb]);
    return;
}

# The result of a manual check of a host at a list: "status error".
sub verdict {
    my ($w, $ht, $zone) = @_;

    my $pp = check_host($w, $ht);
    wait_check($w, $pp);
    my $d = details($w, $pp)->{$zone};
    return "$d->{status} $d->{error}";
}

# Since when (ms) the first of a host's lists has answered that the listing has
# ended; with a time, sets all lists to that time.
sub cleared {
    my ($w, $ht, $since) = @_;

    wait_for { jobs_left($w) == 0 } 10, 'nothing to be under way';
    my $h = host_record($w, $ht);
    my $was = $h->{details}[0][8];
    return $was if !defined $since;
    $_->[8] = int $since for @{ $h->{details} };
    redis($w->{redis}, 'SET', akey($w, 'r', $ht), record_pack('host', %$h,
        name => \$h->{name}, value => \$h->{value}));
    return $was;
}

# Waiting and running jobs of the account's partition.
sub jobs_left {
    my ($w) = @_;

    return redis($w->{redis}, 'ZCARD', pkey($w, 'leases'))
        + redis($w->{redis}, 'HLEN', pkey($w, 'flight:due'))
        + redis($w->{redis}, 'LLEN', akey($w, 'manual'));
}

# Hosts that set_due made due and no daemon has claimed yet.
sub hosts_due {
    my ($w) = @_;

    return redis($w->{redis}, 'ZCOUNT', akey($w, 'due'), 0, 2);
}

# Claims jobs of the account's partition under that daemon's name and does
# nothing with them; returns their number.
sub take_jobs {
    my ($w, $kind, $n, $name, $lease) = @_;

    my $r = script_ok($w, 'check_take', [pkey($w, 'leases')], kinds => $kind,
        most => $n, share => $n, lease => $lease // 60_000, daemon => $name,
        alone => $n);
    return sum0(map { ref $_ ? scalar @{ $_->[2] } : 1 } @$r[1 .. $#$r]);
}

# Makes a host due now.
sub set_due {
    my ($w, $ht) = @_;

    redis($w->{redis}, 'ZADD', akey($w, 'due'), 1, $ht);
    redis($w->{redis}, 'ZADD', pkey($w, 'due'), 1, $w->{acct}{sid});
}

# Replaces the data of a zone.
sub answers {
    my ($w, $zone, @listed) = @_;

    return rbldnsd_data($w->{dns}, $zone, listed_entry(@listed));
}

1;
