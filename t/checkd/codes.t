#!/usr/bin/perl

# Every rule of every enabled list of the catalogue, over real DNS: rbldnsd
# answers with the rule's codes, their bounds and neighbours, and the verdict
# must match the table.  Then responses that give no verdict.
#
# Alone: a check that runs out of time has no verdict.

use strict;
use warnings;

use FindBin;
use JSON::XS;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblDns;

my $catalogue = repo_dir() . '/conf/lists.json';
my @lists = grep { $_->{enabled} }
    @{ JSON::XS->new->decode(read_file($catalogue))->{lists} };
cmp_ok(scalar @lists, '>=', 30, 'the catalogue has enabled lists');

my $conf = temp_dir() . '/rblctl.conf';
write_file($conf, "dns_timeout 300ms\ndns_tries 2\ncheck_timeout 5s\n");


# --- the table -------------------------------------------------------------

sub number { return unpack 'N', pack 'C4', split /\./, $_[0] }
sub dotted { return join '.', unpack 'C4', pack 'N', $_[0] }

# {class, kind (3 exact, 2 range, 1 bit), text, lo, hi, fits}
sub rule {
    my ($text) = @_;

    $text =~ /^([!~]?)([^=@]+)(?:@\w+)?=(.+)$/ or die "rule $text";
    my %r = (class => { '' => 'listed', '!' => 'unknown', '~' => 'clear' }
        ->{$1}, text => $3);
    my $match = $2;
    if ($match =~ /^bit:(\d+)$/) {
        my $bit = $1;
        @r{qw(kind lo hi)} = (1, number("127.0.0.$bit"),
            number("127.0.0.$bit"));
        $r{fits} = sub { $_[0] & $bit };
    } elsif ($match =~ /^(.+)-(.+)$/) {
        my ($lo, $hi) = (number($1), number($2));
        @r{qw(kind lo hi)} = (2, $lo, $hi);
        $r{fits} = sub { $_[0] >= $lo && $_[0] <= $hi };
    } elsif ($match =~ /\*/) {
        my @part = split /\./, $match;
        @r{qw(kind lo hi)} = (2, map { my $x = $_;
            number(join '.', map { $_ eq '*' ? $x : $_ } @part) } 0, 255);
        $r{fits} = sub {
            my @a = split /\./, dotted($_[0]);
            !grep { $part[$_] ne '*' && $part[$_] != $a[$_] } 0 .. 3;
        };
    } else {
        my $at = number($match);
        @r{qw(kind lo hi)} = (3, $at, $at);
        $r{fits} = sub { $_[0] == $at };
    }
    return \%r;
}

# The verdict on one address, and the texts of a listing.
sub expected {
    my ($rules, $code) = @_;

    return ('unknown', 'hijacked') if $code >> 24 != 127;
    return ('unknown', 'blocked') if $code >> 8 == number('127.255.255.0') >> 8;
    my @fit = grep { $_->{fits}->($code) } @$rules;
    my ($best) = sort { $b <=> $a } map { $_->{kind} } @fit;
    if (!@fit) {
        return ('unknown', 'blocked') if $code == number('127.0.0.1');
        return ('listed', '');
    }
    return ('unknown', 'blocked') if grep { $_->{class} eq 'unknown'
        && ($_->{kind} > 1 || $best == 1) } @fit;
    return ('listed', '') if grep { $_->{kind} == $best
        && $_->{class} eq 'listed' } @fit;
    return ('clear', '');
}

sub cases {
    my ($rules) = @_;

    my %code = map { number($_) => 1 } qw(127.0.0.1 127.0.0.2 127.0.0.254
        127.0.2.255 127.255.255.0 127.255.255.252 127.255.255.254
        127.255.255.255 127.255.254.255 126.255.255.255 128.0.0.1
        203.0.113.7 10.0.0.1);
    for my $r (@$rules) {
        $code{$_} = 1 for @$r{qw(lo hi)}, int(($r->{lo} + $r->{hi}) / 2);
        $code{$_} = 1 for grep { $_ >> 24 == 127 } $r->{lo} - 1, $r->{hi} + 1;
        for my $other (grep { $_->{kind} == 1 } @$rules) {
            $code{ $r->{lo} | $other->{lo} } = 1 if $r->{kind} == 1;
        }
    }
    return sort { $a <=> $b } keys %code;
}


# --- zones -----------------------------------------------------------------

my %host = (
    ipv4   => sub { sprintf '10.20.%d.%d', $_[0] >> 8, $_[0] & 255 },
    ipv6   => sub { sprintf '2001:db8::%x', $_[0] },
    domain => sub { "case$_[0].com" },
);
my %set = (ipv4 => 'ip4set', ipv6 => 'ip6trie', domain => 'dnset');
my %control = (ipv4 => '127.0.0.2', ipv6 => '::ffff:7f00:2');
my (@zones, %rules, %cases);
my $most = 0;

for my $l (@lists) {
    my $zone = $l->{zone};
    my $rules = $rules{$zone} = [map { rule($_) } @{ $l->{codes} }];
    $cases{$zone} = [cases($rules)];
    $most = @{ $cases{$zone} } if @{ $cases{$zone} } > $most;
    # RFC 5782: the positive test point, with any code that is not an error.
    my ($code) = (map({ dotted($_->{lo}) } grep { $_->{class} ne 'unknown' }
        @$rules), '127.0.0.2');
    for my $family (@{ $l->{families} }) {
        my $n = 0;
        my $control = $l->{control} =~ /^name:(.+)/ ? $1 : $control{$family};
        push @zones, [$zone, $set{$family}, (defined $control
            ? "$control :$code:test entry\n" : '') . join '', map {
            sprintf "%s :%s:%s says %s\n", $host{$family}->($n++), dotted($_),
                $zone, dotted($_) } @{ $cases{$zone} }];
    }
}

my $dns = start_rbldnsd(zones => \@zones);

sub check {
    my ($port, $lists, $host) = @_;

    my $r = run_cmd({ timeout => 60 }, build_dir() . '/rblctl', '-c', $conf,
        'check', $host, '--lists', $lists, '--resolver', "127.0.0.1\@$port",
        '--json');
    my $json = eval { JSON::XS->new->decode($r->{out}) }
        // die "rblctl check $host: $r->{out} $r->{err}";
    return ({ map { $_->{zone} => $_ } @{ $json->{lists} } }, $r->{status});
}

my (%wrong, %seen, %checked);
for my $family (qw(ipv4 ipv6 domain)) {
    my @with = grep { grep { $_ eq $family } @{ $_->{families} } } @lists;
    for my $n (0 .. $most) {
        my ($got) = check($dns->{port}, $catalogue, $host{$family}->($n));
        if (join(' ', sort keys %$got)
            ne join(' ', sort map { $_->{zone} } @with))
        {
            fail("$family, case $n: the lists that accept it were queried");
        }
        for my $zone (map { $_->{zone} } @with) {
            my $code = $cases{$zone}[$n];
            my ($status, $error) = defined $code
                ? expected($rules{$zone}, $code) : ('clear', '');
            my $r = $got->{$zone};
            my @want = ($status, $error, defined $code ? dotted($code) : '',
                $status eq 'listed' ? "$zone says " . dotted($code) : '');
            my @have = (@$r{qw(status error)}, "@{ $r->{codes} }",
                $r->{status} eq 'listed' ? $r->{reason} : '');
            $checked{$zone}++;
            $seen{$status}++;
            next if "@want" eq "@have";
            push @{ $wrong{$zone} }, "$family: want '@want', got '@have'";
        }
    }
}
for my $l (@lists) {
    my $zone = $l->{zone};
    for my $r (grep { $_->{kind} == 3 } @{ $rules{$zone} }) {
        my ($status) = expected($rules{$zone}, $r->{lo});
        push @{ $wrong{$zone} }, dotted($r->{lo}) . ": two rules disagree"
            if $status ne $r->{class};
    }
    is(join("\n", @{ $wrong{$zone} // [] }), '', sprintf
        '%s: %d rules, %d answers', $zone, scalar @{ $rules{$zone} },
        $checked{$zone} // 0);
}
cmp_ok($seen{$_} // 0, '>', 50, "many answers were $_")
    for qw(listed clear unknown);
ok(stop_server($dns), 'the server rbldnsd stops');


# --- responses without a verdict -------------------------------------------

my $one = temp_dir() . '/one.json';
write_file($one, '{ "version": 1, "lists": [ {"zone": "z.test", '
    . '"name": "Z", "type": "rbl", "website": "", "families": ["ipv4"], '
    . '"enabled": true, "codes": ["127.0.0.2=listed", "~127.0.0.9=fine"], '
    . '"lookup": "", "delist": "", "weight": "normal", "scope": "ip", '
    . '"kind": "block", "control": "none", "note": ""} ], "dead": [] }');

my $server = RblDns->new(tcp => 0);
my @answers = (
    ['SERVFAIL', 'servfail', 'unknown servfail'],
    ['REFUSED', 'refused', 'unknown refused'],
    ['NOTIMP', 'notimp', 'unknown badreply'],
    ['no answer', 'mute', 'unknown timeout'],
    ['truncated, and no TCP', { tc => 1, a => ['127.0.0.2'] },
        'unknown truncated'],
    ['an address outside 127/8', { a => ['192.0.2.1'] }, 'unknown hijacked'],
    ['one inside, one outside', { a => ['127.0.0.2', '192.0.2.1'] },
        'unknown hijacked'],
    ['a code and an error', { a => ['127.0.0.2', '127.255.255.254'] },
        'unknown blocked'],
    ['127.0.0.1', { a => ['127.0.0.1'] }, 'unknown blocked'],
    ['a neutral code', { a => ['127.0.0.9'] }, 'clear '],
    ['neutral and listing', { a => ['127.0.0.9', '127.0.0.2'] }, 'listed '],
    ['NXDOMAIN', 'nxdomain', 'clear '],
    ['no data', 'nodata', 'clear '],
);
for my $case (@answers) {
    my ($name, $action, $want) = @$case;

    $server->rules([ '.', $action ]);
    my ($got, $status) = check($server->port, $one, '10.0.0.1');
    my $r = $got->{'z.test'};
    is("$r->{status} $r->{error}", $want,
        "a response of $name gives the result $want");
    is($status, { listed => 1, clear => 0 }->{ $r->{status} } // 2,
        "$name: the exit status matches the result");
}

# A missing TXT response does not change a listing.

$server->rules([ ' TXT$', 'servfail' ], [ '.', { a => ['127.0.0.2'] } ]);
my ($got) = check($server->port, $one, '10.0.0.1');
is($got->{'z.test'}{status}, 'listed', 'no TXT: still listed');
is($got->{'z.test'}{reason}, 'listed', 'no TXT: the meaning of the code');
$server->rules([ ' TXT$', 'mute' ], [ '.', { a => ['127.0.0.2'] } ]);
($got) = check($server->port, $one, '10.0.0.1');
is($got->{'z.test'}{status}, 'listed', 'TXT timed out: still listed');
$server->stop;

($got) = check(RblDns::closed_port(), $one, '10.0.0.1');
is($got->{'z.test'}{status}, 'unknown', 'no resolver: unknown');

done_testing();
