#!/usr/bin/perl

# The whole address filter: each URL of a table goes to the daemon as a callback
# and as an endpoint contact, in a network where every address answers
# (RblTrap).  With nothing allowed, no connection is made at all.  With
# everything allowed, the same daemon reaches the address next to the URL, so
# the filter stopped it before.  Then the test covers an allow list, and names
# whose responses change or mix addresses.

use strict;
use warnings;
use RblDeliver;
use RblDns;
use RblScript;
use RblTest;
use RblTrap;

use constant { PORT => 8080, OWN => '9.9.9.9' };

# An attempt is not made, or the name has no address.
my $unreached = qr/^0[ ](?:connection[ ]failed|not[ ]a[ ]valid[ ]URL
    |the[ ]name[ ]cannot[ ]be[ ]resolved)$/x;

any_network(OWN, '2620:fe::9/128');
my $redis = deliver_setup();
my $trap = start_trap(PORT, 22, 25, 80, 443, 1023, 6379, 65535);

# A host, or a URL with {n} for its number, and the address that it reaches if
# all is allowed, with a port if that is not 8080: "=" is the same text, "-" is
# none. "~": there is a connection and no request.
my @refused = rows(<<'TABLE');
    # IPv4, as it is written
    127.0.0.1                               =
    127.255.255.254                         =
    0.0.0.0                                 ~127.0.0.1
    0.1.2.3                                 =
    10.1.2.3                                =
    100.64.0.1                              =
    100.100.100.200                         =
    168.63.129.16                           =
    169.254.169.254                         =
    169.254.170.2                           =
    172.16.0.1                              =
    172.31.255.254                          =
    192.0.0.192                             =
    192.0.2.7                               =
    192.31.196.7                            =
    192.52.193.7                            =
    192.88.99.7                             =
    192.168.1.1                             =
    192.175.48.7                            =
    198.18.0.7                              =
    198.19.255.254                          =
    198.51.100.7                            =
    203.0.113.7                             =
    224.0.0.1                               -
    239.255.255.250                         -
    240.0.0.1                               =
    255.255.255.255                         -
    http://127.0.0.1/{n}                    127.0.0.1 80
    https://169.254.169.254/{n}             ~169.254.169.254 443
    http://10.1.2.3:22/{n}                  10.1.2.3 22
    # the same in other ways
    2130706433                              -
    017700000001                            -
    0x7f000001                              -
    0X7F000001                              -
    0x7f.0.0.1                              -
    0x7f.0x0.0x0.0x1                        -
    0177.0.0.1                              -
    127.0.0.01                              -
    127.1                                   -
    127.0.1                                 -
    0                                       -
    6425673729                              -
    127.0.0.1.                              -
    127.0.0.1.1                             -
    383.0.0.1                               -
    %31%32%37.0.0.1                         -
    127%2e0%2e0%2e1                         -
    127.0.0.1%00.x.example                  -
    １２７.0.0.1                            -
    ①②⑦.⓪.⓪.①                               -
    127。0。0。1                            -
    127．0．0．1                            -
    ⓛocalhost                               -
    # IPv6
    [::]                                    ~::1
    [::1]                                   ::1
    [0:0:0:0:0:0:0:1]                       ::1
    [::ffff:127.0.0.1]                      127.0.0.1
    [::ffff:7f00:1]                         127.0.0.1
    [::ffff:a9fe:a9fe]                      169.254.169.254
    [0:0:0:0:0:FFFF:10.1.2.3]               10.1.2.3
    [::ffff:0.0.0.0]                        ~127.0.0.1
    [::127.0.0.1]                           ::127.0.0.1
    [::10.1.2.3]                            ::10.1.2.3
    [::ffff:0:127.0.0.1]                    ::ffff:0:7f00:1
    [64:ff9b::7f00:1]                       64:ff9b::7f00:1
    [64:ff9b::169.254.169.254]              64:ff9b::a9fe:a9fe
    [64:ff9b:1::a01:203]                    64:ff9b:1::a01:203
    [2002:7f00:1::]                         2002:7f00:1::
    [2002:a9fe:a9fe::1]                     2002:a9fe:a9fe::1
    [2001:0:7f00:1::]                       2001:0:7f00:1::
    [2001::4136:e378:8000:63bf:80ff:fffe]   2001:0:4136:e378:8000:63bf:80ff:fffe
    [2001:2::1]                             2001:2::1
    [2001:10::1]                            2001:10::1
    [2001:20::1]                            2001:20::1
    [2001:db8::1]                           2001:db8::1
    [2620:4f:8000::1]                       2620:4f:8000::1
    [2a00:1450::5efe:7f00:1]                2a00:1450::5efe:7f00:1
    [2a00:1450::200:5efe:10.1.2.3]          2a00:1450::200:5efe:a01:203
    [3ffe::1]                               3ffe::1
    [3fff::1]                               3fff::1
    [100::1]                                100::1
    [4000::1]                               4000::1
    [5f00::1]                               5f00::1
    [fc00::1]                               fc00::1
    [fd00:ec2::254]                         fd00:ec2::254
    [fd20:ce::254]                          fd20:ce::254
    [fe80::1]                               -
    [fe80::a9fe:a9fe]                       -
    [fec0::1]                               fec0::1
    [ff02::1]                               -
    [ff0e::1]                               -
    [::1%25lo]                              -
    [::1%lo]                                -
    [fe80::1%25lo]                          -
    [127.0.0.1]                             -
    [v1.127]                                -
    http://::1:8080/{n}                     -
    http://[::1/{n}                         -
    # names without a dot, and what is no name
    localhost                               -
    LocalHost                               -
    localhost.                              -
    ip6-localhost                           -
    metadata                                -
    -a.example                              -
    a..example                              -
    .example                                -
    # names
    in.x.example                            127.0.0.1
    IN.X.Example                            127.0.0.1
    in.x.example.                           127.0.0.1
    localhost.localdomain                   127.0.0.1
    a.localhost                             127.0.0.1
    127.0.0.1.x.example                     127.0.0.1
    private.x.example                       10.1.2.3
    zero.x.example                          ~127.0.0.1
    metadata.google.internal                169.254.169.254
    metadata6.x.example                     fd00:ec2::254
    loop6.x.example                         ::1
    mapped.x.example                        127.0.0.1
    nat64.x.example                         64:ff9b::a01:203
    sixtofour.x.example                     2002:7f00:1::
    cname.x.example                         10.1.2.3
    chain.x.example                         127.0.0.1
    several.x.example                       10.1.2.3
    both.x.example                          127.0.0.1
    own.x.example                           9.9.9.9
    xn--bcher-kva.x.example                 127.0.0.1
    none.x.example                          -
    empty.x.example                         -
    alien.x.example                         -
    # this machine's own, and ports of other services
    9.9.9.9                                 =
    [2620:fe::9]                            2620:fe::9
    http://8.8.8.8:22/{n}                   8.8.8.8 22
    http://8.8.8.8:25/{n}                   8.8.8.8 25
    http://8.8.8.8:6379/{n}                 8.8.8.8 6379
    https://8.8.8.8:1023/{n}                ~8.8.8.8 1023
    # what two parsers may read differently
    http:///{n}                             -
    http://:8080/{n}                        -
    http://?{n}                             -
    http://@127.0.0.1:8080/{n}              -
    http://u@127.0.0.1:8080/{n}             -
    http://u:p@127.0.0.1:8080/{n}           -
    http://8.8.8.8:80@127.0.0.1:8080/{n}    -
    http://127.0.0.1:8080#@8.8.8.8/{n}      -
    http://127.0.0.1:8080\@8.8.8.8/{n}      -
    http://8.8.8.8\@127.0.0.1:8080/{n}      -
    http:\\127.0.0.1:8080\{n}               -
    http:/127.0.0.1:8080/{n}                -
    http:127.0.0.1:8080/{n}                 -
    //127.0.0.1:8080/{n}                    -
    http://127.0.0.1:8080;8.8.8.8/{n}       -
    http://127.0.0.1,8.8.8.8:8080/{n}       -
    http://127.0.0.1:/{n}                   -
    http://127.0.0.1:0/{n}                  -
    http://127.0.0.1:73616/{n}              -
    http://127.0.0.1:+8080/{n}              -
    http://127.0.0.1:8080:80/{n}            -
    file:///etc/passwd?{n}                  -
    gopher://127.0.0.1:6379/_{n}            -
    dict://127.0.0.1:6379/{n}               -
    ftp://127.0.0.1:8080/{n}                -
    ws://127.0.0.1:8080/{n}                 -
    unix:///run/redis.sock?{n}              -
TABLE

# Public: the trap gets them, and of several addresses only the public one.
my @open = rows(<<'TABLE');
    8.8.8.8                                 =
    http://8.8.8.8/{n}                      8.8.8.8 80
    http://8.8.8.8:65535/{n}                8.8.8.8 65535
    [::ffff:8.8.8.8]                        8.8.8.8
    [2a00:1450::8]                          2a00:1450::8
    good.x.example                          8.8.8.8
    mixed.x.example                         8.8.8.8
    mixed6.x.example                        2a00:1450::8
    mixedown.x.example                      8.8.8.8
    half.x.example                          2a00:1450::8
    8.8.8.8.x.example                       8.8.8.8
TABLE

my %a = (in => '127.0.0.1', private => '10.1.2.3', zero => '0.0.0.0',
    own => OWN, good => '8.8.8.8', '8.8.8.8' => '8.8.8.8',
    '127.0.0.1' => '127.0.0.1', 'xn--bcher-kva' => '127.0.0.1');
my %aaaa = (metadata6 => 'fd00:ec2::254', loop6 => '::1',
    mapped => '::ffff:127.0.0.1', nat64 => '64:ff9b::a01:203',
    sixtofour => '2002:7f00:1::');
my $dns = RblDns->new(rules => [
    map({ ["^\Q$_\E\\.x\\.example\$" => { a => [$a{$_}], ttl => 0 }] }
        sort keys %a),
    map({ ["^$_\\.x\\.example\$" => { aaaa => [$aaaa{$_}], ttl => 0 }] }
        sort keys %aaaa),
    ['^localhost\.localdomain$' => { a => ['127.0.0.1'] }],
    ['^a\.localhost$' => { a => ['127.0.0.1'], aaaa => ['::1'] }],
    ['^metadata\.google\.internal$' => { a => ['169.254.169.254'] }],
    ['^cname\.x\.example$' => alias('cname.x.example', 'in.corp.example',
        '10.1.2.3')],
    ['^chain\.x\.example$' => alias('chain.x.example', 'b.x.example',
        'localhost', '127.0.0.1')],
    ['^several\.x\.example$' => { a => ['10.1.2.3', '127.0.0.1',
        '169.254.169.254', '192.168.1.1'] }],
    ['^both\.x\.example$' => { a => ['127.0.0.1'], aaaa => ['fd00::1'] }],
    ['^mixed\.x\.example$' => { a => ['10.1.2.3', '8.8.8.8', '127.0.0.1'],
        aaaa => ['::1'] }],
    ['^mixed6\.x\.example$' => { a => ['10.1.2.3'],
        aaaa => ['::1', '2a00:1450::8', 'fd00::1'] }],
    ['^mixedown\.x\.example$' => { a => [OWN, '8.8.8.8', OWN] }],
    ['^half\.x\.example A$' => 'servfail'],
    ['^half\.x\.example' => { aaaa => ['2a00:1450::8'] }],
    # an address of another name does not count
    ['^alien\.x\.example$' => { more => [[1, 'in.x.example', 'A',
        '127.0.0.1', 60]] }],
    ['^empty\.x\.example$' => 'nodata'],
]);

sub rows {
    my ($table) = @_;

    my @rows;
    for (grep { !/^\s*#/ } split /\n/, $table) {
        my ($url, $to) = /^\s*(\S+)\s+(\S.*)$/ or die $_;
        my $host = $url;
        $url = "http://$host:${\PORT}/{n}" if $url !~ m{//|^http:};
        $to = $to eq '-' ? undef : $to eq '=' ? $host : $to;
        $to .= ' ' . PORT if defined $to && $to !~ / /;
        my $bare = defined $to && $to =~ s/^~//;
        push @rows, { name => $url =~ s/\{n\}//r, url => $url, to => $to,
            bare => $bare };
    }
    return @rows;
}

# A response with aliases: the query is for the first name, the last has the
# address.
sub alias {
    my @names = @_;

    my $address = pop @names;
    return { more => [
        map({ [1, $names[$_ - 1], 'CNAME', $names[$_], 0] } 1 .. $#names),
        [1, $names[-1], 'A', $address, 0]] };
}

my ($d, $number) = (undef, 0);

# Restarts the daemon with these ranges allowed; the code runs while there is no
# daemon, so that checks are not started.
sub restart {
    my ($allow, $code, %conf) = @_;

    stop_server($d) if $d;
    trap_forget($trap);
    circuits_close();
    $code->() if $code;
    $d = start_checkd(store => $redis, resolver => $dns->port,
        conf => { deliver => 'on', deliver_http => 'on', schedule => 'off',
            deliver_allow => $allow, deliver_timeout => '4s',
            deliver_connect_timeout => '2s', dns_timeout => '500ms',
            dns_tries => 1, %conf });
}

sub to_contact {
    my ($url) = @_;

    my $co = contact_put('endpoint', $url);
    return "$AC:" . confirm($co, 'abc234') . ":$co";
}

# Waits for one attempt of each delivery: {member or URL of a callback =>
# record, "status error"}; a missing one was delivered.  None is left.
sub attempts {
    my %seen;
    wait_for {
        my $due = deliveries();
        circuits_close();
        for my $m (keys %$due) {
            my $e = delivery($m);
            # longer than a lease: for its host's circuit, which does not matter
            cmd('ZADD', k('retry'), 'XX', 0, $m)
                if !$e->{attempt} && $due->{$m} > 20;
            $seen{ $e->{url} // $m } = "$e->{status} $e->{error}"
                if $e->{attempt};
        }
        return cmd('XLEN', k('outbox')) == 0
            && keys %seen == keys %{ deliveries() };
    } 60, 'an attempt at each';
    die "dead letters\n" if dead_letters();
    for (keys %{ deliveries() }) {
        my ($ac, $ev, $to) = split /:/;
        cmd('ZREM', k('retry'), $_);
        cmd('DEL', k('dlv', $ac, $ev, $to), k('event', $ac, $ev),
            k('r', $ac, $to));
    }
    return \%seen;
}

# One attempt at each row by a callback and one by a contact, with a new daemon:
# sets {got} to the record, or "delivered", and {numbers} to theirs.
sub try_all {
    my ($allow, @rows) = @_;

    my %members;
    restart($allow, sub {
        for my $r (@rows) {
            $r->{numbers} = [++$number, ++$number];
            my ($url, $other) = map { $r->{url} =~ s/\{n\}/$_/r }
                @{ $r->{numbers} };
            one_off($url, '192.0.2.7');
            $members{ $r->{url} } = [$url, to_contact($other)];
        }
    });
    my $seen = attempts();
    for my $r (@rows) {
        my ($x, $y) = map { $seen->{$_} // 'delivered' }
            @{ $members{ $r->{url} } };
        $r->{got} = $x eq $y ? $x : "$x; contact: $y";
    }
}

# The addresses that requests of a row reached.
sub reached {
    my ($r) = @_;

    my $n = join '|', @{ $r->{numbers} };
    my %to = map { ($_->{to} => 1) }
        grep { ($_->{line} // '') =~ m{^POST /(?:$n) HTTP} } trapped($trap);
    return join ' and ', sort keys %to;
}

sub connections { return sort map { $_->{line} ? () : $_->{to} } trapped($trap) }

# --- nothing is allowed ----------------------------------------------------

cmp_ok(scalar @refused, '>=', 80, @refused .
    'the table has at least 80 refused URLs');
try_all(undef, @refused);
for my $r (@refused) {
    like($r->{got}, $unreached,
        "$r->{name} is refused");
}
is(join(', ', connections()), '',
    'the daemon makes no connection for the refused URLs');
like(read_file($d->{log}), qr/169\.254\.169\.254 refused: link-local/,
    'the log has the reason');

try_all(undef, @open);
for my $r (@open) {
    is("$r->{got}, " . reached($r), "delivered, $r->{to}",
        "$r->{name} is delivered to $r->{to}");
}
is_deeply([sort { $a cmp $b } keys %{ { map { $_ => 1 } connections() } }],
    [sort { $a cmp $b } keys %{ { map { $_->{to} => 1 } @open } }],
    'the daemon connects to the public addresses only');

# --- everything is allowed -------------------------------------------------

try_all(['0.0.0.0/0', '::/0', map { "0.0.0.0/0:$_" } 22, 25, 1023, 6379],
    @refused);
my %connected = map { $_ => 1 } connections();
for my $r (grep { defined $_->{to} } @refused) {
    my $to = $r->{bare} && $connected{ $r->{to} } ? $r->{to} : reached($r);
    is($to, $r->{to}, "$r->{name} is held back by the filter alone");
}
my %expected = map { ($_->{to} // '-' => 1) } @refused;
is(join(', ', grep { !$expected{$_} } keys %connected), '',
    'a name without an address never leads to one');

# --- an allow list ---------------------------------------------------------

my @allow = (
    # ranges                hosts it opens, and hosts it does not
    ['127.0.0.1/32' => '127.0.0.1 [::ffff:127.0.0.1] in.x.example'
        . ' mapped.x.example chain.x.example several.x.example both.x.example',
        '127.0.0.2 126.255.255.255.x.example [::1] [::127.0.0.1]'
        . ' [64:ff9b::7f00:1] [2002:7f00:1::] [::ffff:0:127.0.0.1] 10.1.2.3'
        . ' 0.0.0.0 localhost 2130706433 127.1 loop6.x.example'],
    ['10.1.0.0/16' => '10.1.0.0 10.1.2.3 10.1.255.255 [::ffff:10.1.2.3]'
        . ' private.x.example cname.x.example several.x.example',
        '10.0.255.255 10.2.0.0 127.0.0.1 169.254.169.254'
        . ' [64:ff9b::10.1.2.3] [2002:a01:203::] [::10.1.2.3]'
        . ' nat64.x.example [2a00:1450::5efe:10.1.2.3] in.x.example'],
    ['10.1.2.2/31' => '10.1.2.2 10.1.2.3', '10.1.2.1 10.1.2.4'],
    ['10.1.2.3/32 169.254.169.254/32' => '10.1.2.3 169.254.169.254'
        . ' metadata.google.internal', '10.1.2.2 169.254.169.253'
        . ' 169.254.170.2 [fd00:ec2::254]'],
    ['::1/128' => '[::1] loop6.x.example', '127.0.0.1 [::] [::2]'
        . ' [::ffff:127.0.0.1] in.x.example'],
    ['fd00:ec2::/32' => '[fd00:ec2::254] metadata6.x.example',
        '[fd00:ec1::1] [fd00:ec3::1] [fc00::1] 169.254.169.254'],
    ['64:ff9b::/96' => '[64:ff9b::7f00:1] [64:ff9b::10.1.2.3]'
        . ' nat64.x.example', '127.0.0.1 10.1.2.3 [64:ff9b:1::1]'
        . ' private.x.example'],
    ['9.9.9.9/32' => '9.9.9.9 own.x.example', '[2620:fe::9] 127.0.0.1'],
    ['10.1.0.0/16' => '10.1.2.3 http://10.1.2.3:65535/{n}',
        'http://10.1.2.3:22/{n} http://10.1.2.3:25/{n}'
        . ' http://10.1.2.3:6379/{n}'],
    ['10.1.0.0/16:25 10.1.2.3/32:6379 [fd00::/8]:25' =>
        'http://10.1.9.9:25/{n} http://10.1.2.3:6379/{n}'
        . ' http://[fd00::1]:25/{n}', '10.1.2.3 http://10.1.2.3:22/{n}'
        . ' http://10.1.9.9:6379/{n} http://8.8.8.8:25/{n} [fd00::1]'],
    ['192.0.2.0/24 198.18.0.0/15' => '192.0.2.0 192.0.2.255 198.19.255.254',
        '192.0.1.255.x.example 192.0.3.0.x.example 198.51.100.1 203.0.113.1'],
);
for (@allow) {
    my ($ranges, @hosts) = @$_;
    my ($yes, $no) = map { [map { { name => $_, url => /^http/ ? $_
        : "http://$_:${\PORT}/{n}" } } split] } @hosts;
    try_all([split ' ', $ranges], @$yes, @$no);
    is($_->{got}, 'delivered', "$ranges opens $_->{name}") for @$yes;
    like($_->{got}, $unreached,
        "$ranges does not open $_->{name}") for @$no;
    my %in = map { $_->{to} => 1 } map { $_->{line} ? () : $_ }
        trapped($trap);
    my %reached = map { $_ => 1 } map { reached($_) } @$yes;
    is_deeply(\%in, \%reached, "$ranges opens no other address");
}

# --- a deny list -----------------------------------------------------------

restart(['10.0.0.0/8'], undef, deliver_deny => ['8.8.8.0/24', '10.1.2.3/32',
    '2a00:1450::/32']);
is(try_one("http://$_:${\PORT}/"), '0 connection failed',
    "deliver_deny refuses $_")
    for qw(8.8.8.8 [::ffff:8.8.8.9] 10.1.2.3 [2a00:1450::8]
    mixed6.x.example);
is(try_one("http://$_:${\PORT}/"), 'delivered',
    "deliver_deny does not refuse $_")
    for qw(8.8.9.8 10.1.2.4);
like(read_file($d->{log}), qr/8\.8\.8\.8 refused: deliver_deny names it/,
    'the log has the reason');

# --- redirects, names that change ------------------------------------------

# One attempt at a URL by a contact, with the running daemon.
sub try_one {
    my ($url) = @_;

    my $m = to_contact($url);
    return attempts()->{$m} // 'delivered';
}

restart();
for my $status (300 .. 308) {
    is(try_one("http://8.8.8.8/to/$status/10.1.2.3/secret"),
        "$status redirects are not followed",
        "a redirect with the status $status is not followed");
}
for my $status (101, 401, 407, 421, 511) {
    like(try_one("http://8.8.8.8/to/$status/127.0.0.1:6379/x"),
        qr/^(?:$status HTTP status|0 .*)$/,
        "a response with the status $status leads nowhere");
}
my %to = map { $_ => 1 } connections();
is_deeply([keys %to], ['8.8.8.8 80'],
    'the daemon connects to the URL itself only');

# the first query gets a good address, the others bad ones, and the reverse
for my $kept (0, 1) {
    restart();
    my @bad = ({ a => ['127.0.0.1'], ttl => 0 }) x 2;
    my @good = ({ a => ['8.8.8.8'], ttl => 0 });
    my $name = "rebind$kept.x.example";
    $dns->set("^\Q$name\E\$" => 'nodata');
    $dns->set("^\Q$name\E A\$" => $kept ? (@good, @bad, @good)
        : (@bad, @good, @bad));
    my @got = map { try_one("http://$name/") } 1 .. 4;
    my $refused = '0 connection failed';
    is_deeply(\@got, $kept
        ? ['delivered', $refused, $refused, 'delivered']
        : [$refused, $refused, 'delivered', $refused],
        "$name: each attempt is judged by the answer it got");
    my %at = map { $_ => 1 } connections();
    is_deeply([keys %at], ['8.8.8.8 80'],
        "$name: the daemon connects to the public address only");
    is($dns->asked("^\Q$name\E A\$"), 4,
        "$name: the name is resolved for each attempt");
}
done_testing();
