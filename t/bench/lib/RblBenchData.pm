package RblBenchData;

# The data of the HTTP benchmark: accounts with hosts, added through the API and
# checked once by a daemon, so that all records are real; and a copy in the
# layouts of the peers (peers/README).
#
#     my $redis = bench_store();
#     my $data = bench_data($redis, $nginx, accounts => 100);
#     # {accounts => [{sid, token, hosts => [HT...]}, ...]}
#     peer_data($redis, $nginx, $data);

use strict;
use warnings;

use Digest::SHA qw(sha256 sha256_hex);
use Exporter 'import';

use RblCheckd qw(world listed_entry);
use RblTest;

our @EXPORT = qw(bench_store bench_data peer_data same_answer without_end);

use constant { ACCOUNTS => 100, HOSTS => 128 };

my $dns;

# A store with two lists; every twentieth host is on one of them.
sub bench_store {
    my @listed;
    for my $i (1 .. ACCOUNTS) {
        push @listed, map { "198.18.$i." . (20 * $_ + 7) } 0 .. 6;
    }
    my $w = world(zones => { 'a.test' => { data => listed_entry() },
        'b.test' => { data => listed_entry(@listed) } });
    $dns = $w->{dns};
    return $w->{redis};
}

sub api_ok {
    my ($nginx, $account, $method, $path, $form) = @_;

    my $r = http($nginx, $method, "/3.0/$path", auth => $account,
        timeout => 60, defined $form ? (form => $form) : ());
    die "$method $path: $r->{raw}\n" if $r->{status} != 200;
    return $r->{body};
}

# Options: accounts (100, which is the maximum).  Each gets the 128 hosts of a
# subnet.
sub bench_data {
    my ($redis, $nginx, %opt) = @_;

    my @accounts;
    for my $i (1 .. $opt{accounts} // ACCOUNTS) {
        my $a = make_account($redis, name => "Account $i");
        my $hosts = json(api_ok($nginx, $a, 'POST', 'host/add.json',
            { host => "198.18.$i.0/25", name => "server $i", type => 'rbl' }));
        $a->{hosts} = [map { $_->{id} } @{ $hosts->{data} }];
        die "hosts of account $i\n" if @{ $a->{hosts} } != HOSTS;
        push @accounts, $a;
    }
    my $checkd = start_checkd(store => $redis, resolver => $dns,
        conf => { deliver => 'off', log_level => 'info' });
    for my $a (@accounts) {
        wait_for { all_hosts($nginx, $a) !~ /"last_checked":""/ } 60,
            'the checks of the hosts' or die "hosts are not checked\n";
    }
    stop_server($checkd);
    return { accounts => \@accounts };
}

sub all_hosts {
    my ($nginx, $a) = @_;

    return api_ok($nginx, $a, 'GET', 'hosts.json?page_size=' . HOSTS);
}


# --- the peers' copy -------------------------------------------------------

# A page without the numbers after the hosts, which the peers do not have.
sub without_end {
    my ($body) = @_;

    $body =~ s/\](?:,"[a-z_]+":\d+)+(?=\}\s*\z)/]/;
    return $body;
}

# The records as the API renders them, one text per host.
sub rendered {
    my ($body) = @_;

    my ($text) = without_end($body) =~ /"data":\[(.*)\]\}\s*\z/s
        or die "no data: $body\n";
    return split /(?<=\}),(?=\{"id":"HT)/, $text;
}

sub peer_data {
    my ($redis, $nginx, $data) = @_;

    for my $a (@{ $data->{accounts} }) {
        redis($redis, 'SET', "peer:token:$a->{sid}:$_", 'active')
            for sha256($a->{token}), sha256_hex($a->{token});
        my $body = all_hosts($nginx, $a);
        my @records = rendered($body);
        my $hosts = json($body)->{data};
        die "records of $a->{sid}\n" if @records != HOSTS || @$hosts != HOSTS;
        for my $i (0 .. $#records) {
            peer_host($redis, $a->{sid}, $i, $records[$i], $hosts->[$i]);
        }
    }
}

sub peer_host {
    my ($redis, $sid, $i, $text, $h) = @_;

    my $record = record('host',
        redis($redis, 'GET', redis_key('r', $sid, $h->{id})));
    my $since = $record->{first_listed};
    my $id = $h->{id};

    redis($redis, 'ZADD', "peer:hosts:$sid", $i + 1, $id);
    redis($redis, 'ZADD', "peer:listed:$sid", $i + 1, $id)
        if $h->{listed};

    # ready: only the time since the listing is not known beforehand
    if ($since) {
        $text =~ s/("listed_period":")[^"]*/$1\x01/ or die "no period: $text";
        $text = "$since|$text";
    }
    redis($redis, 'SET', "peer:ready:$sid:$id", $text);

    my %field = (%$h, since => "$since");
    delete $field{listed_period};
    redis($redis, 'SET', "peer:packed:$sid:$id", encode(\%field));

    # a hash: every field; the listings as JSON
    $field{listed_details} = encode($h->{listed_details});
    redis($redis, 'HSET', "peer:hash:$sid:$id", %field);
}

sub encode { return JSON::XS->new->utf8->canonical->encode($_[0]) }

# Are two bodies equal?  exact: byte for byte.  Seconds pass between two
# requests, so the caller retries before it reports a difference.
sub same_answer {
    my ($x, $y, $exact) = @_;

    return $x eq $y if $exact;
    return encode(json($x)) eq encode(json($y));
}

1;
