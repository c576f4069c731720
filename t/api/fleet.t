#!/usr/bin/perl

# rbl_status shows the counters of all daemons, in JSON and in Prometheus' text
# format; without the store it shows only its own.

use strict;
use warnings;

use RblApi;
use RblCheckd;
use RblDns;
use RblFault;
use RblPrometheus;
use RblTest;
use Time::HiRes qw(time);

my $dns = RblDns->new(rules => [
    [ '^1\.0\.0\.10\.a\.test' => { a => ['127.0.0.2'], txt => ['why'] } ],
    [ '.', { rcode => 'nxdomain', soa => ['test', 60, 60] } ],
]);
my $w = world(no_dns => 1, zones => { 'a.test' => {}, 'b.test' => {} });
my $nginx = start_nginx(store => $w->{redis}, http => <<'CONF', server =>
    rbl_zone rbl 1m;
    rbl_store_timeout 400ms;
CONF
    <<'CONF');
    location /status { rbl_status; }
    location /metrics { rbl_status prometheus; }
CONF

sub status  { return json(http($nginx, 'GET', '/status' . ($_[0] // ''))) }
sub metrics {
    return prometheus(http($nginx, 'GET', '/metrics' . ($_[0] // ''))->{body});
}

sub samples {
    my ($m, $family) = @_;
    return ($m->{$family} // {})->{samples} // {};
}

# --- no daemons -------------------------------------------------------------

my $s;
ok(wait_for { ($s = status())->{store_up} } 5, 'the store is there');
is_deeply($s->{daemons}, [], 'no daemon yet');
my $m = metrics();
is(samples($m, 'rbl_store_up')->{rbl_store_up}, 1, 'the same for Prometheus');
is(samples($m, 'rbl_checkd_daemons')->{rbl_checkd_daemons}, 0,
    'rbl_checkd_daemons is 0 without a daemon');

# --- two daemons ------------------------------------------------------------

my %conf = conf_short(schedule => 'off');
my @checkd = map { start_checkd(store => $w->{redis},
    resolver => { port => $dns->port }, conf => { %conf, name => $_ }) }
    'one', 'two';
eventually { @{ status()->{daemons} } == 2 } 10, 'the status shows two daemons';
wait_check($w, check_value($w, "10.0.0.$_"), 20) for 1 .. 4;

sub completed {
    my $n = 0;
    $n += $_->{checks}{completed} for @{ status()->{daemons} };
    return $n;
}
eventually { completed() == 4 } 12, 'the daemons count their checks together';

sub agree {
    my ($name) = @_;

    my ($json, $m, %of);
    wait_for {                          # of the same tick
        $json = status();
        $m = metrics();
        %of = map { $_->{name} => $_ } @{ $json->{daemons} };
        my $again = status();
        return join(' ', map { $_->{told} } @{ $again->{daemons} })
            eq join ' ', map { $_->{told} } @{ $json->{daemons} };
    } 10;
    my @bad;
    for my $d (values %of) {
        my $who = $d->{name};
        my %want = (
            qq(rbl_checkd_checks_total{daemon="$who",result="completed"}) =>
                $d->{checks}{completed},
            qq(rbl_checkd_questions_total{daemon="$who"}) =>
                $d->{questions}{asked},
            qq(rbl_checkd_answers_total{daemon="$who",class="nxdomain"}) =>
                $d->{answers}{nxdomain},
            qq(rbl_checkd_checks_max{daemon="$who"}) => $d->{checks}{max},
            qq(rbl_checkd_info{daemon="$who",version="$d->{version}"}) => 1,
        );
        for my $key (sort keys %want) {
            my ($family) = $key =~ /^(\w+)/;
            my $got = samples($m, $family)->{$key} // 'nothing';
            push @bad, "$key: $got" if $got ne $want{$key};
        }
    }
    is(join("\n", @bad), '', "both formats have the same numbers: $name");
    return $m;
}

$m = agree('two daemons');
for my $f (sort grep { /^rbl_checkd_/ } keys %$m) {
    ok($m->{$f}{help} && $m->{$f}{type}, "$f has help and type");
    is(($f =~ /_total$/ ? 1 : 0), ($m->{$f}{type} eq 'counter' ? 1 : 0),
        "$f has the name of its type");
}
my $address = '127.0.0.1@' . $dns->port;
my $h = $m->{rbl_checkd_resolver_latency_seconds};
is($h->{type}, 'histogram', 'latency of resolvers');
my @bucket = grep { /_bucket\{daemon="one",resolver="\Q$address\E",le=/ }
    @{ $h->{order} };
is(scalar @bucket, 13, 'the histogram has 13 buckets');
like($bucket[-1], qr/le="\+Inf"/, 'the last bucket ends at infinity');
my @n = map { $h->{samples}{$_} } @bucket;
is_deeply(\@n, [sort { $a <=> $b } @n], 'each holds those below');
is($h->{samples}{qq(rbl_checkd_resolver_latency_seconds_count{daemon="one",)
    . qq(resolver="$address"})}, $n[-1], 'the last is their count');
unlike(http($nginx, 'GET', $_)->{body},
    qr/\Q@{[ temp_dir() ]}\E|AC[0-9a-f]{32}|secret/,
    'no address of the store, no account') for '/status', '/metrics';

SKIP: {
    skip 'promtool is not here', 1
        if run_cmd('sh', '-c', 'command -v promtool')->{status};
    my $r = run_cmd({ stdin => http($nginx, 'GET', '/metrics')->{body} },
        'promtool', 'check', 'metrics');
    is("$r->{status} $r->{out}$r->{err}", '0 ', 'promtool is content');
}

# --- damaged records --------------------------------------------------------

sub put {
    my ($name, $record) = @_;

    redis($w->{redis}, 'ZADD', 'rbl:{0}:daemons', time * 1000 + 600_000,
        $name);
    redis($w->{redis}, 'SET', "rbl:{0}:daemon:$name", $record);
}

my $hostile = "q\"\\\n{}#\x01\xff\xc3\xa9";
put($hostile, mp_pack([1, 'one', "v\"\n", 1000, 2000, [7],
    [["\"\n", 1, 2, 3]], [['', "z\"\\\n", "bad\n", "why\"\n", 1, 2, 3]]]));
my %bad = (b1 => 'x', b2 => '', b3 => "\x98\x01", b4 => "\xdd\xff\xff\xff\xff",
    b5 => mp_pack([1, 'b', 'v', 1, 1, ['x'], [], []]),
    b6 => "\x91" x 1000, b7 => 'x' x 70_000);
put($_, $bad{$_}) for sort keys %bad;
put('part', mp_pack([1, 'p', 'v', 1, 1, [3], [['r', 'x']],
    [['', 'z', 'good', '', 1], 7, ['', 'y', '', '']]]));

put('blind', mp_pack([1, 'b', 'v', 1, 1, [3], [], [], [], ['udp', 60_000, 3,
    '192.0.2.1@53', "w\"\n", 'dig']]));
put('odd', mp_pack([1, 'o', 'v', 1, 1, [3], [], [], [], ['udp', 'x', 3, 4, 5,
    6]]));

$s = status();
is(scalar @{ $s->{daemons} }, 6, 'unreadable records are left out');
is_deeply((grep { $_->{name} eq 'blind' } @{ $s->{daemons} })[0]{dns},
    { state => 'udp', since => 60, lists => 3, server => '192.0.2.1@53',
        why => "w\"\n", try => 'dig' }, 'JSON: DNS does not work at a daemon');
my ($odd) = grep { $_->{name} =~ /^q/ } @{ $s->{daemons} };
is($odd->{name}, "q\"\\\n{}#\x01\x{fffd}\x{e9}", 'JSON: a name is escaped');
is($odd->{checks}{completed}, 7, 'the numbers of a hostile name are shown');
my ($part) = grep { $_->{name} eq 'part' } @{ $s->{daemons} };
is(scalar @{ $part->{lists} }, 1, 'an entry that cannot be read ends a list');
$m = metrics();
my $fffd = "\xef\xbf\xbd";
is(samples($m, 'rbl_checkd_checks_total')->{qq(rbl_checkd_checks_total{daemon=)
    . qq("q\\"\\\\${fffd}{}#$fffd$fffd\xc3\xa9",result="completed"})}, 7,
    'Prometheus: likewise');
is((grep { /state="bad$fffd"/ }
    keys %{ samples($m, 'rbl_checkd_list_health') }), 1,
    'Prometheus gets the escaped state of a list');
is(join(' ', map { "$_ " . (samples($m, 'rbl_checkd_dns_ok')->{
    qq(rbl_checkd_dns_ok{daemon="$_"})} // 'none') } qw(one blind odd part)),
    'one 1 blind 0 odd none part none',
    'Prometheus has the state of DNS that a daemon reports');
redis($w->{redis}, 'DEL', "rbl:{0}:daemon:$_") for $hostile, 'part', 'blind',
    'odd', keys %bad;

# Names of ended daemons cost nothing; only the last of many names are read.

redis($w->{redis}, 'ZADD', 'rbl:{0}:daemons', map { ($_, "old$_") } 1 .. 1000);
is(scalar @{ status()->{daemons} }, 2, 'a thousand that have stopped');
redis($w->{redis}, 'DEL', 'rbl:{0}:daemons');
redis($w->{redis}, 'SET', 'rbl:{0}:daemons', 'no zset');
is(http($nginx, 'GET', '/status')->{status}, 200, 'a key of another type');
redis($w->{redis}, 'DEL', 'rbl:{0}:daemons');

# --- many lists -------------------------------------------------------------

for my $n (1 .. 20) {
    put("big$n", mp_pack([1, "big$n", 'v', 1, 1, [1], [],
        [map { [sprintf('RB%032x', $_), "z$_.example", 'down',
            'timeout', 1 .. 11] }
            1 .. 256]]));
}
my $began = time;
my $r = http($nginx, 'GET', '/metrics');
my $took = time - $began;
is($r->{status}, 200, '20 daemons with 256 lists each');
$m = prometheus($r->{body});
is(scalar(grep { /daemon="big/ }
    keys %{ samples($m, 'rbl_checkd_list_frozen') }), 20 * 256,
    'all are there');
note(sprintf '%d octets in %.0f ms', length $r->{body}, $took * 1000);
redis($w->{redis}, 'DEL', "rbl:{0}:daemon:big$_") for 1 .. 20;

# --- without the store ------------------------------------------------------

sub without {
    my ($how) = @_;

    my $mark = $how =~ s/\W+/-/gr;
    my $s = status("?$mark");
    is($s->{store_up}, 0, "$how: the status reports that the store is away");
    is_deeply($s->{daemons}, [], "$how: nothing of the daemons");
    ok(defined $s->{requests}, "$how: the numbers of nginx are there");
    my $m = metrics("?$mark");
    is(samples($m, 'rbl_store_up')->{rbl_store_up}, 0,
        "$how: Prometheus gets it");
    ok(!grep({ /^rbl_checkd/ } keys %$m), "$how: and nothing more");
    ok($m->{rbl_requests_total}, "$how: but those of nginx");
    cmp_ok(request_took($nginx, qr/$_\?$mark /), '<', 2, "$how: $_, soon")
        for qw(status metrics);
}

with_fault('hung', $w->{redis}, sub { without('hung') });
wait_for { status()->{store_up} } 10, 'the store is back';
with_fault('hung', $w->{redis}, sub {
    for (1 .. 20) {                     # clients that close the connection
        my $c = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
            PeerPort => $nginx->{port}) or die $!;
        print $c "GET /metrics HTTP/1.0\r\n\r\n";
        close $c;
    }
    without('hung, with clients that leave');
});
stop_server($_) for @checkd;
kill_server($w->{redis});
without('killed');

$dns->stop;
done_testing();
