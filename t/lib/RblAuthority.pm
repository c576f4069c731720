package RblAuthority;

# A list's own servers, each with data of its own, and a daemon in direct mode
# that finds them.

use strict;
use warnings;

use Exporter 'import';
use RblCheckd;
use RblDns;
use RblTest;
use RblZones;

our @EXPORT = qw(authority direct_world data);

# Rules of RblDns for one server of a zone:
#
#   listed  => [ADDRESS, ...]
#   serial  => NUMBER (1)
#   minimum => SECONDS that "not there" is kept (60)
#   delay   => SECONDS before each response
#   empty   => 1        no test point
#   wild    => 'all'    everything but what is beside its data; 'half' of that
sub authority {
    my ($zone, %o) = @_;

    my $re = quotemeta $zone;
    my @base = (aa => 1, ttl => $o{ttl} // 60,
        $o{delay} ? (delay => $o{delay}) : ());
    my $soa = [$zone, $o{minimum} // 60, $o{minimum} // 60, $o{serial} // 1];
    my $yes = { @base, a => ['127.0.0.2'] };
    my @names = map { join '\.', reverse split /\./ } @{ $o{listed} // [] },
        $o{empty} ? () : '127.0.0.2';
    my $wild = !$o{wild} ? undef : $o{wild} eq 'half' ? '\d*[13579]' : '\d+';
    return (
        (map { (["^$_\\.$re A\$" => $yes],
            ["^$_\\.$re TXT\$" => { @base, txt => ['why'] }]) } @names),
        defined $wild ? ["^$wild\\.\\d+\\.\\d+\\.(?!127\\.)\\d+\\.$re A\$"
            => $yes] : (),
        ['.' => { @base, rcode => 'nxdomain', soa => $soa }]);
}

# A world (RblCheckd) whose lists have their own servers, and a daemon:
# direct_world({zone => [[rules of a server], ...]}, conf => {...}, ...) {...,
# server => {zone => [RblDns, ...]}, resolver, checkd}.
sub direct_world {
    my ($zones, %o) = @_;

    my ($i, %server, @known) = (0);
    for my $zone (sort keys %$zones) {
        for my $rules (@{ $zones->{$zone} }) {
            push @{ $server{$zone} }, zone_server(++$i, @$rules);
        }
        push @known, $zone => [map { $_->host } @{ $server{$zone} }];
    }
    my %own = map { $_ => 1 } @{ $o{own} // [] };
    my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } }
        grep { !$own{$_} } sort keys %$zones });
    $w->{server} = \%server;
    $w->{resolver} = RblDns->new(rules => [zone_rules(@known)]);
    $w->{start} = sub { return start_checkd(store => $w->{redis},
        resolver => $w->{resolver}->port, conf => { conf_short(
            lookup => 'direct', list_server_allow => '127.0.0.0/8',
            control_retry => '1s', %{ $o{conf} // {} }) }) };
    own_lists($w, map { $_ => 'rbl' } keys %own) if %own;
    $w->{checkd} = $w->{start}->();
    return $w;
}

# Replaces the data of a server of a zone, by its number.
sub data {
    my ($w, $zone, $n, @rules) = @_;

    return $w->{server}{$zone}[$n]->rules(@rules);
}

1;
