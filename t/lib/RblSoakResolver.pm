package RblSoakResolver;

# A recursive resolver with faults, for worlds that need one: a part of the
# process of the servers (RblSoakServer), which it queries by a call.  It caches
# their responses for their TTL, as resolvers do.  Its faults:
#
#   whole    shows the whole TTL of cached records
#   strip    shows no SOA
#   rewrite  returns an address for missing names, at times
#   hide     removes addresses of 127/8 from responses of lists, at times
#
#     my $reply = resolve($s, $query, $t);

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(min shuffle);

use RblSoakWorld;

our @EXPORT = qw(resolve);

use constant { A => 1, SOA => 6, NXDOMAIN => 3, AA => 0x0400 };


sub resolve {
    my ($s, $q, $t) = @_;

    my $cache = $s->{cache} //= {};
    my $key = "$q->{name} $q->{type}";
    my $is = $cache->{$key};
    if (!$is || $is->{until} <= $t) {
        $is = $cache->{$key} = ask($s, $q, $t);
    }
    my $fault = at($s->{w}{resolver}, $t);
    my $age = $fault eq 'whole' ? 0 : int($t - $is->{since});
    my @answer = @{ $is->{answer} };
    my @authority = $fault eq 'strip' ? () : @{ $is->{authority} };
    my $rcode = $is->{rcode};
    if ($fault eq 'rewrite' && $rcode == NXDOMAIN && $q->{type} == A) {
        ($rcode, @answer) = (0, ["\xc0\x0c", A, 60, pack 'C4', 203, 0, 113, 7]);
    } elsif ($fault eq 'hide' && $q->{name} =~ /\bl\d+\.soak\.test$/) {
        @answer = grep { $_->[1] != A || ord $_->[3] != 127 } @answer;
    }
    return pack('n6', $q->{id}, 0x8080 | $q->{flags} | $rcode, 1,
        scalar @answer, scalar @authority, 0) . $q->{question}
        . join '', map { $_->[0] . pack 'nnNn/a', $_->[1], 1,
            $_->[2] > $age ? $_->[2] - $age : 0, $_->[3] } @answer, @authority;
}

# The response of the first server that answers.
sub ask {
    my ($s, $q, $t) = @_;

    my ($l) = grep { $q->{name} =~ /(?:^|\.)\Q$_->{zone}\E$/ }
        @{ $s->{w}{list} };
    my @at = $l ? shuffle(map { at($_->{address}, $t) } @{ $l->{server} })
        : $s->{w}{parent};
    for my $address (@at) {
        my ($reply) = RblSoakServer::answer($s, $address, { %$q, edns => 0 });
        RblSoakServer::note_down($s, $address, $q, $reply);
        my $is = taken($reply // next, length $q->{question}, $t) // next;
        return $is;
    }
    return { since => $t, until => $t, rcode => 2, answer => [],
        authority => [] };
}

# undef: not authoritative, or not a response.
sub taken {
    my ($reply, $length, $t) = @_;

    my (undef, $flags, undef, $answers, $more) = unpack 'n5', $reply;
    my $rcode = $flags & 15;
    return undef if !($flags & AA) || ($rcode && $rcode != NXDOMAIN);
    my $at = 12 + $length;
    my @records = map { one_record($reply, \$at) } 1 .. $answers + $more;
    my $keep = min(map { $_->[2] } @records) // 0;
    return { since => $t, until => $t + $keep, rcode => $rcode,
        answer => [@records[0 .. $answers - 1]],
        authority => [@records[$answers .. $#records]] };
}

# [owner, type, ttl, data]; names are not compressed.
sub one_record {
    my ($reply, $at) = @_;

    my $from = $$at;
    $$at += 1 + ord substr $reply, $$at, 1 while ord substr $reply, $$at, 1;
    my $owner = substr $reply, $from, ++$$at - $from;
    my ($type, undef, $ttl, $data) = unpack "x$$at nnNn/a", $reply;
    $$at += 10 + length $data;
    return [$owner, $type, $ttl, $data];
}

1;
