package RblTrace;

# rblctl check --trace: its output, and whether it is complete.

use strict;
use warnings;

use Exporter 'import';
use RblDns;
use RblTest;
use RblZones;

our @EXPORT = qw(trace_world trace in_order lines all_queries lists_of);

# Lists with their own servers, and a resolver that knows them:
# trace_world({zone => [[rules of a server], ...]}, conf => {...}).
sub trace_world {
    my ($zones, %o) = @_;

    my ($i, %server, @known) = (0);
    for my $zone (sort keys %$zones) {
        push @{ $server{$zone} }, zone_server(++$i, @$_)
            for @{ $zones->{$zone} };
        push @known, $zone => [map { $_->host } @{ $server{$zone} }];
    }
    my $resolver = RblDns->new(rules => [@{ $o{resolver} // [] },
        zone_rules(@known)]);
    my %conf = (resolver => $resolver->addr, list_server_allow => '127.0.0.0/8',
        dns_timeout => '2s', lookup => 'direct', %{ $o{conf} // {} });
    my $conf = temp_dir() . '/rblctl.conf';
    write_file($conf, join '', map { "$_ $conf{$_}\n" } sort keys %conf);
    return { server => \%server, resolver => $resolver, conf => $conf };
}

# A file with these lists of addresses.
my $files = 0;
sub lists_of {
    my $path = temp_dir() . '/lists' . ++$files . '.json';
    write_file($path, '{"version": 1, "lists": [' . join(', ', map {
        qq({"zone": "$_", "name": "$_", "type": "rbl", "families": ["ipv4"],)
            . (/\{key\}/ ? '"enabled": false,' : '')
            . '"control": "ip", "codes": ["127.0.0.2=spam"]}' } @_) . ']}');
    return $path;
}

# Checks the host at these lists.  {status, out, err}, and text => the trace
# without its times; queries that the servers got are in `got`.
sub trace {
    my ($w, $host, @zones) = @_;

    my @dns = ($w->{resolver}, map { @$_ } values %{ $w->{server} });
    my %before = map { $_->addr => scalar $_->log('.') } @dns;
    my $r = rblctl(undef, '-c', $w->{conf}, 'check', '--trace', $host,
        @zones ? ('--lists', lists_of(@zones)) : ());
    $r->{text} = $r->{err} =~ s/^ *\d+\.\d ms  //gmr;
    for my $dns (@dns) {
        my @log = $dns->log('.');
        splice @log, 0, $before{ $dns->addr };
        push @{ $r->{got} }, map { "$_->[0] $_->[1] to " . $dns->addr
            . ' over ' . uc $_->[2] } @log;
    }
    return $r;
}

sub lines { return grep { /$_[1]/ } split /\n/, $_[0]{text} }

# Tests that these patterns match lines of the trace in this order.
sub in_order {
    my ($r, $name, @patterns) = @_;

    my @line = split /\n/, $r->{text};
    for my $pattern (@patterns) {
        shift @line while @line && $line[0] !~ $pattern;
        next if shift @line;
        local $Test::Builder::Level = $Test::Builder::Level + 1;
        return fail("$name: $pattern") || diag($r->{text});
    }
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return pass($name);
}

# Tests that the trace has exactly the queries that the servers got.
sub all_queries {
    my ($r, $name) = @_;

    my @told = map { /^query (\S+ \S+ to \S+ over \S+),/ ? $1 : () }
        split /\n/, $r->{text};
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return is(join("\n", sort @told), join("\n", sort @{ $r->{got} }),
        "$name: each query that a server got");
}

1;
