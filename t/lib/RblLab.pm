package RblLab;

# A DNS laboratory: the scenarios of RblLab/Table.pm behind real servers.  Each
# scenario is one list, in its own zone below lab.test, and one value to check.
# Its members:
#
#   value    => value to check (192.0.2.7)
#   asked    => labels in front of the zone, if not the usual ones
#   list     => name of the list's entry in conf/lists.json; without one it is
#               a list of addresses, 127.0.0.2 a listing, RFC 5782 test points
#   families, control => of a list without an entry
#   rbldnsd  => data (type `set`, ip4set): the zone is served by rbldnsd;
#   otherwise by the scriptable server (RblDns.pm), the first that fits:
#     rule     => [pattern, action]
#     all      => action for every name of the zone
#     answer   => for the value: addresses, an action, or several in turn
#     positive => for the positive test point: an address or an action
#     rest     => action for all other names (NXDOMAIN)
#   to       => 'closed': no server for the zone
#   via      => the resolver: `direct` (the servers answer themselves), `plain`
#               (Unbound without faults), or its fault
#   lists    => number of such lists
#   key      => of a zone with a {key}
#   direct   => the right "verdict error" in direct mode, if it differs
#
#     my $lab = lab();
#     for my $s (@{ $lab->{scenarios} }) { ... lab_check($lab, $s) ... }

use strict;
use warnings;

use Exporter 'import';
use JSON::XS;
use Socket qw(AF_INET6 inet_pton);

use RblDns;
use RblLab::Table;
use RblTest;

our @EXPORT = qw(lab lab_stop lab_check in_mode resolver_port verdict_fits
    wanted_text);

use constant VALUE => '192.0.2.7';

my $json = JSON::XS->new->utf8->canonical;
my %catalogue;

sub catalogue {
    %catalogue = map { $_->{zone} => $_ } @{ $json->decode(
        read_file(repo_dir() . '/conf/lists.json'))->{lists} } if !%catalogue;
    return \%catalogue;
}


# --- a scenario ------------------------------------------------------------

sub scenario {
    my ($name, $source, $verdict, $error, $text, $member) = @_;

    my $s = { name => $name, source => $source, verdict => $verdict,
        error => $error, text => $text, value => VALUE, via => 'direct',
        zone => "$name.lab.test",
        map({ $_ => $member->{$_} } grep { defined $member->{$_} }
            keys %$member) };
    $s->{entry} = defined $s->{list} ? catalogue()->{ $s->{list} }
        // die "$name: no list $s->{list}\n" : {
        name => "List $name", type => 'rbl', website => '',
        families => $s->{families} // ['ipv4'], codes =>
        ['127.0.0.2=listed', '127.0.0.3=listed'], lookup => '', delist => '',
        weight => 'normal', scope => 'ip', kind => 'block',
        control => $s->{control} // 'ip', note => '' };
    $s->{asked} //= asked($s->{value});
    $s->{served} = (defined $s->{key} ? "$s->{key}." : '') . $s->{zone};
    return $s;
}

# The label in front of the zone.
sub asked {
    my ($value) = @_;

    return join '.', reverse split /\./, $value if $value =~ /^[\d.]+$/;
    my $octets = $value =~ /:/ ? inet_pton(AF_INET6, $value) : undef;
    return lc $value if !defined $octets;
    return join '.', reverse split //, unpack 'H*', $octets;
}

# The entry of a list file; `n` of a scenario with several lists.
sub lab_list {
    my ($s, $n) = @_;

    my $zone = ($n ? "n$n-" : '') . $s->{zone};
    return { %{ $s->{entry} }, enabled => JSON::XS::true,
        zone => defined $s->{key} ? "{key}.$zone" : $zone };
}

sub lab_file {
    my ($path, @entries) = @_;

    write_file($path, $json->encode({ version => 1, killed => [],
        lists => \@entries }));
    return $path;
}

# The name of the positive test point, as a pattern.
sub control_pattern {
    my ($s) = @_;

    return "^\Q$1\E\\." if $s->{entry}{control} =~ /^name:(.+)/;
    return '^2\.0\.0\.(127|0\.0\.0\.f\.7\.f\.f\.f\.f(\.0){20})\.';
}

# A code that the list's own table treats as a listing, or knows at all.
sub control_code {
    my ($s) = @_;

    for my $rule (sort { ($a =~ /^~/) <=> ($b =~ /^~/) }
        grep { !/^!/ } @{ $s->{entry}{codes} })
    {
        return "127.0.0.$1" if $rule =~ /^bit:(\d+)/;
        return $1 if $rule =~ /^~?([\d.]+)/;
    }
    return '127.0.0.2';
}

sub action {
    my ($s, $what) = @_;

    my %act = ref $what ? %$what : $what =~ /^[\d.]+$/ ? (a => [$what])
        : $what eq 'mute' ? (mute => 1)
        : $what eq 'nodata' ? () : (rcode => $what);
    $act{txt} //= ["$s->{name} says so"] if $act{a};
    my $rcode = $act{rcode} // '';
    my $empty = !$act{a} && !$act{more} && $rcode =~ /^(nxdomain)?$/;
    return { aa => 1, ttl => 1, $empty ? (soa => [$s->{served}, 1, 1]) : (),
        %act };
}

sub actions {
    my ($s, $what) = @_;

    return action($s, { a => $what })
        if ref $what eq 'ARRAY' && !grep { !/^[\d.]+\z/ } @$what;
    return map { action($s, $_) } ref $what eq 'ARRAY' ? @$what : $what;
}

# The rules of the scriptable server for a scenario.
sub rules {
    my ($s) = @_;

    my $zone = "(n\\d-)?\Q$s->{served}\E(\$| )";
    my $control = control_pattern($s);
    return (
        $s->{rule} ? ["$s->{rule}[0].*$zone", actions($s, $s->{rule}[1])] : (),
        defined $s->{answer} ? ["^\Q$s->{asked}\E\\.$zone",
            actions($s, $s->{answer})] : (),
        $s->{all} ? ["(^|[.])$zone", actions($s, $s->{all})] : (),
        ["$control$zone", actions($s, $s->{positive} // control_code($s))],
        ["(^|[.])$zone", actions($s, $s->{rest} // 'nxdomain')],
    );
}


# --- the servers -----------------------------------------------------------

# Builds the scenarios and all their servers.
sub lab {
    my %opt = @_;

    my @all = map { scenario(@$_) } RblLab::Table::scenarios();
    my $lab = { scenarios => \@all };
    my @zones = grep { defined $_->{rbldnsd} } @all;

    $lab->{rbldnsd} = start_rbldnsd(zones => [map { [$_->{zone},
        $_->{set} // 'ip4set', ":127.0.0.2:listed\n$_->{rbldnsd}"] } @zones]);
    $lab->{script} = RblDns->new(rules => [map { rules($_) }
        grep { !defined $_->{rbldnsd} } @all]);
    $lab->{closed} = RblDns::closed_port();
    $lab->{mute} = RblDns->new(rules => [['.', 'mute']]);
    $lab->{refuses} = RblDns->new(rules => [['.', 'refused']]);

    my %stub = ('lab.test' => $lab->{script}->port,
        map { $_->{zone} => $lab->{rbldnsd}{port} } @zones);
    # A separate stub, because unbound caches the state of a server by zone: a
    # server silent for one scenario would be considered dead in the others.
    for my $s (grep { $_->{via} ne 'direct' && !defined $_->{rbldnsd} } @all) {
        my $n = $s->{lists} // 1;
        $stub{$_} = $s->{to} ? $lab->{closed} : $lab->{script}->port
            for $s->{zone}, map { "n$_-$s->{zone}" } 1 .. $n - 1;
    }
    my %conf = (
        plain     => '',
        strips    => "  private-address: 127.0.0.0/8\n",
        minimises => "  qname-minimisation: yes\n",
        strict    => "  qname-minimisation: yes\n"
            . "  qname-minimisation-strict: yes\n",
    );
    $lab->{$_} = start_unbound(stubs => \%stub, conf => $conf{$_})
        for sort keys %conf;
    return $lab;
}

sub lab_stop {
    my ($lab) = @_;

    $lab->{$_}->stop for qw(script mute refuses);
}

# The server of a scenario's zone.
sub server_port {
    my ($lab, $s) = @_;

    return $s->{to} ? $lab->{closed} : defined $s->{rbldnsd}
        ? $lab->{rbldnsd}{port} : $lab->{script}->port;
}

# The resolver of a scenario in resolver mode.
sub resolver_port {
    my ($lab, $s) = @_;

    my $via = $s->{via} ne 'direct' ? $s->{via}
        : defined $s->{rbldnsd} ? 'rbldnsd' : 'script';
    my $server = $lab->{$via} // die "$s->{name}: no resolver $via\n";
    return !ref $server ? $server : ref $server eq 'HASH' ? $server->{port}
        : $server->port;
}


# --- a check ---------------------------------------------------------------

# The zones of a scenario's lists.
sub zones_of {
    my ($s) = @_;

    return map { lab_list($s, $_)->{zone} } 0 .. ($s->{lists} // 1) - 1;
}

# A store with the lists of these scenarios, none of them enabled.
sub lab_store {
    my ($name, @scenarios) = @_;

    my $store = start_redis();
    init_store($store, partitions => 1, lists => lab_file(temp_dir()
        . "/$name.json", map { my $s = $_; map { {
            %{ lab_list($s, $_) }, enabled => JSON::XS::false } }
            0 .. ($s->{lists} // 1) - 1 } @scenarios));
    for my $s (grep { defined $_->{key} } @scenarios) {
        my $file = temp_dir() . '/key';
        write_file($file, "$s->{key}\n", 0600);
        change_lists($store, $_, 'key', '--file', $file) for zones_of($s);
    }
    return $store;
}

sub change_lists {
    my ($store, $zone, $command, @args) = @_;

    my $r = rblctl($store, 'lists', $command, $zone, @args);
    die "lists $command $zone: $r->{err}" if $r->{status} != 0;
}

# A store whose lists are queried at the servers of their zones.
sub direct_store {
    my ($lab) = @_;

    my $store = lab_store('direct', @{ $lab->{scenarios} });
    for my $s (@{ $lab->{scenarios} }) {
        my $server = '127.0.0.1@' . server_port($lab, $s);
        change_lists($store, $_, 'override', '--server', $server)
            for zones_of($s);
    }
    return $store;
}

# Runs `rblctl check` with the lists of a scenario: from a file, or from a store
# if they need keys or servers, which a file cannot have.
sub run_check {
    my ($lab, $s, $mode) = @_;

    my @check = ('-c', lab_conf(), 'check', $s->{value}, '--json');
    push @check, '--resolver', '127.0.0.1@' . resolver_port($lab, $s)
        if $mode eq 'resolver';
    if ($mode eq 'resolver' && !defined $s->{key}) {
        return run_cmd(build_dir() . '/rblctl', @check, '--lists',
            lab_file(temp_dir() . "/$s->{name}.json",
            map { lab_list($s, $_) } 0 .. ($s->{lists} // 1) - 1));
    }
    my $store = $lab->{$mode} //= $mode eq 'direct' ? direct_store($lab)
        : lab_store('keyed', grep { defined $_->{key} }
            @{ $lab->{scenarios} });
    my ($user, $password) = store_login($store, 'rblctl');
    change_lists($store, $_, 'enable') for zones_of($s);
    my $r = run_cmd(build_dir() . '/rblctl', '--store', $store->{addr},
        '--user', $user, '--password-file', $password, @check);
    change_lists($store, $_, 'disable') for zones_of($s);
    return $r;
}

sub lab_conf {
    my $path = temp_dir() . '/rblctl.conf';
    write_file($path, "dns_timeout 600ms\ndns_tries 2\ncheck_timeout 9s\n")
        if !-e $path;
    return $path;
}

# (verdict, error) of `rblctl check` in a mode, "resolver" or "direct"; "none"
# if no list accepts the value; if its lists differ, all verdicts joined by
# "and".
sub lab_check {
    my ($lab, $s, $mode) = @_;

    my $r = run_check($lab, $s, $mode);
    return ('none', '') if $r->{status} == 3 && $r->{err} =~ /no active list/;
    my $out = eval { $json->decode($r->{out}) }
        // return ("nothing: $r->{err}", '');
    my %is_of = map { $_ => 1 } zones_of($s);
    my @lists = grep { $is_of{ $_->{zone} } } @{ $out->{lists} };
    return ('missing', '') if @lists != keys %is_of;
    return map { my ($what, %seen) = $_; join ' and ',
        sort grep { !$seen{$_}++ } map { $_->{$what} } @lists }
        qw(status error);
}


# --- judging ---------------------------------------------------------------

# The scenario with the right result in a mode.
sub in_mode {
    my ($s, $mode) = @_;

    return $s if $mode ne 'direct' || !defined $s->{direct};
    my ($verdict, $error) = split ' ', $s->{direct};
    return { %$s, verdict => $verdict, error => $error // '' };
}

# True if verdict and error are among the right ones.
sub verdict_fits {
    my ($s, $verdict, $error) = @_;

    my @errors = map { $_ eq '*' ? '' : s/\+/ and /r } split ' ', $s->{error};
    return 0 if !grep { $_ eq $verdict } split ' ', $s->{verdict};
    return 1 if !defined $error;
    return scalar grep { $_ eq $error } @errors ? @errors : '';
}

sub wanted_text {
    my ($s) = @_;

    return $s->{error} eq '' ? $s->{verdict} : "$s->{verdict}: $s->{error}";
}

1;
