#!/usr/bin/perl

# One, two and three masters: requests of the API for a CPU second of the store,
# reads and writes, for accounts of all partitions; then a million hosts on
# three masters (scale.pl).

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/lib";

use RblBench;
use RblBenchHttp qw(auth_of random_script);
use RblFailover;
use RblRedis qw(workers);
use RblTest;

use constant { CLIENTS => smoke(8) // 48, EACH => 8, MOST => 3 };

bench('cluster', 'one, two and three masters');

# A store of so many masters with its nginx and two loads, one of reads and one
# of new names.
sub world {
    my ($masters) = @_;

    my $f = start_cluster(masters => $masters, replicas => 0);
    init_store($f);
    my $nginx = start_nginx(store => $f, workers => 1, level => 'error',
        server => 'access_log off; keepalive_requests 100000000;');
    my @accounts = map { make_account($f) } 1 .. CLIENTS;
    for my $a (@accounts) {
        for my $i (1 .. EACH) {
            my $r = http($nginx, 'POST', '/3.0/host/add.json', auth => $a,
                form => { host => "192.0.2.$i", name => 'n', type => 'rbl' });
            die "host/add: $r->{raw}" if $r->{status} != 200;
            push @{ $a->{hosts} }, json($r)->{data}[0]{id};
        }
    }
    my $read = random_script({ data => { accounts => \@accounts } }, 'read',
        sub { map { "/3.0/host/$_.json" } @{ $_[0]{hosts} } });
    my $write = "$read.write.lua";
    write_file($write, writes(@accounts));
    return { f => $f, nginx => $nginx, read => $read, write => $write };
}

sub writes {
    my (@accounts) = @_;

    my $list = join '', map { my $auth = auth_of($_);
        map { "{\"/3.0/host/update/$_.json\",\"$auth\"},\n" } @{ $_->{hosts} }
    } @accounts;
    return "local list = {\n$list" . <<'LUA';
}
local n, i = #list, 0
function request()
    i = i + 1
    local v = list[i % n + 1]
    return wrk.format("POST", v[1], { Authorization = v[2],
        ["Content-Type"] = "application/x-www-form-urlencoded" },
        "name=n" .. i)
end
LUA
}

sub row {
    my ($w, $kind) = @_;

    return sub {
        my $c = spend(sub { wrk({ connections => 64, seconds => seconds(2),
            url => "http://127.0.0.1:$w->{nginx}{port}/",
            script => $w->{$kind} }) },
            server => [workers($w->{nginx})],
            redis => [map { $_->{pid} } @{ $w->{f}{nodes} }]);
        my $n = $c->{value}{requests};
        return { rps => $c->{value}{rps}, each => $n / $c->{redis} * 1e9,
            redis => $c->{redis} / $n / 1000,
            server => $c->{server} / $n / 1000 };
    };
}

my @worlds = map { world($_) } 1 .. MOST;
my @rows = map { my $w = $worlds[$_ - 1];
    ("read, $_ masters" => row($w, 'read'),
        "write, $_ masters" => row($w, 'write')) } 1 .. MOST;
my $r = interleave(rounds(5), \@rows, warm => 1);
my @names = grep { !ref } @rows;
table(['', 'requests for a CPU second of the store', 'Redis CPU, us',
    'nginx CPU, us', 'requests/s'],
    map { my $name = $_; [$name, map { figure($r->{$name}{$_}) }
        qw(each redis server rps)] } @names);
remark('all on two cores: requests/s do not grow, the store\'s share counts');
# Each master gets a third of the commands that arrive together.
target("$_ with 3 masters, of 1: requests for a CPU second",
    ratio($r, "$_, 3 masters", "$_, 1 masters", 'each'), '>=', 0.6)
    for qw(read write);

for my $w (@worlds) {
    stop_server($_) for $w->{nginx}, @{ $w->{f}{nodes} };
}
$ENV{SCALE_MASTERS} ||= MOST;
do "$FindBin::Bin/scale.pl" or die $@ || $!;
