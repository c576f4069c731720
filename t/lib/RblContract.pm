package RblContract;

# Runs tables of rows (t/api/contract/*.pl) as a client of the API would: every
# row once in each way of writing a path.  A row is
#
#     ['POST host/update/{h}', {name => 'x'}, 200, 'Host updated ...', %opt]
#
# method and call (with an optional query; no suffix except .nagios and
# .zabbix), the form (undef: none), the code, the message (a text, a pattern,
# undef: any).  "{h}", also in forms and expectations, is the id of the record
# that a row has kept as h, "{h.name}" another field of it, "{HT}" an unknown
# SID.  Options:
#
#     keep => 'h'               keeps data, or the first of it, as h
#     has => {'data.0.name' => 'x', '#data' => 2}   in the answer; 'not.there'
#                               => undef; a pattern for a text
#     until => 1                repeats the request until `has` is true
#     as => 'other'             also "free", "nobody", "wrong"
#     raw => {body => .., type => .., auth => ..}   for http()
#     headers => {allow => 'POST'}
#     only => 'json'            not in the other passes
#     name => 'why'
#
# A row may also be code, which gets the pass and returns more rows.  The judge
# also checks each response (RblJudge.pm).

use strict;
use warnings;

use Exporter 'import';
use Storable qw(dclone);

use RblApi;
use RblJudge;

our @EXPORT = qw(contract_world contract_pass contract_rows contract_missing);

# name => [suffix, other names of paths]
my %PASS = (json => ['.json', 0], xml => ['.xml', 0], bare => ['', 1],
    slash => ['/.xml', 1]);
my %ALIAS = ('rblprofile' => 'monitoringprofile',
    'rblprofiles' => 'monitoringprofiles', 'contactgroup' => 'contactgroups');

my %seen;                               # "GET /3.0/... format" => rows
my @described;

# A store with three lists, one with a listing of 192.0.2.10; a daemon; nginx; a
# receiver.
sub contract_world {
    my $dns = start_rbldnsd(zones => [
        ['dnsbl.test', 'ip4set', ":127.0.0.2:listed, see <\$>\n127.0.0.2\n"
            . "192.0.2.10\n192.0.2.17\n"],
        ['uribl.test', 'dnset', ":127.0.0.2:seen\n.bad.example\n"],
        ['domains.test', 'dnset', ":127.0.0.2:seen\n.bad.example\n"],
    ]);
    my $unbound = start_unbound(stubs => { map { $_ => $dns }
        qw(dnsbl.test uribl.test domains.test) });
    my $lists = temp_dir() . '/lists.json';
    write_file($lists, '{ "version": 1, "lists": [' . join(',', map {
        qq({"zone": "$_->[0].test", "name": "\u$_->[0]", "type": "$_->[1]",
            "families": ["$_->[2]"], "website": "https://$_->[0].test/",
            "codes": ["127.0.0.2=listed"]})
    } ['dnsbl', 'rbl', 'ipv4'], ['uribl', 'uribl', 'domain'],
        ['domains', 'rbl', 'domain']) . '] }');
    my $redis = start_redis();
    init_store($redis, lists => $lists);
    my $w = { redis => $redis, nginx => start_nginx(store => $redis),
        receiver => start_receiver(), judge => start_judge() };
    $w->{checkd} = start_checkd(store => $redis, resolver => $unbound,
        conf => { deliver_http => 'on', deliver_allow => '127.0.0.0/8' });
    @described = described();
    return $w;
}

# A pass with new accounts and without kept records.
sub contract_pass {
    my ($w, $name) = @_;

    my $redis = $w->{redis};
    my $p = { %$w, pass => $name, kept => {}, suffix => $PASS{$name}[0],
        other_names => $PASS{$name}[1],
        format => $PASS{$name}[0] =~ /xml/ ? 'xml' : 'json' };
    $p->{kept}{receiver} = { id => $w->{receiver}{url} };
    $p->{acct}{''} = make_account($redis, name => "$name");
    $p->{acct}{other} = make_account($redis, name => "$name, other");
    $p->{acct}{free} = make_account($redis, name => "$name, free",
        free => 1);
    $p->{acct}{nobody} = undef;
    $p->{acct}{wrong} = { %{ $p->{acct}{''} }, token => 'f' x 64 };
    wait_for { http($w->{nginx}, 'GET', '/3.0/hosts',
        auth => $p->{acct}{''})->{status} == 200 } 10, 'the store of nginx';
    return $p;
}

sub contract_rows {
    my ($p, @rows) = @_;

    while (@rows) {
        my $row = shift @rows;
        if (ref $row eq 'CODE') {
            unshift @rows, grep { ref } $row->($p);
            next;
        }
        run_row($p, @$row);
    }
}

# Routes that never answered 200, in a format that they have.
sub contract_missing {
    my @missing;
    for my $r (@_) {
        push @missing, grep { !$seen{$_} }
            map { "$r->{method} $r->{at} $_" } sort keys %{ $r->{formats} };
    }
    return @missing;
}


# --- a row -----------------------------------------------------------------

sub run_row {
    my ($p, $call, $form, $code, $message, %opt) = @_;

    return if $opt{only} && $opt{only} ne $p->{pass};
    my ($method, $path) = split ' ', $call, 2;
    my $name = "[$p->{pass}] $call" . ($opt{as} ? " as $opt{as}" : '')
        . ($opt{name} ? " ($opt{name})" : '') . ": $code";
    my ($url, $at, $format) = url_of($p, $path);
    my %http = (auth => $p->{acct}{ $opt{as} // '' }, %{ $opt{raw} // {} });
    $http{form} = filled($p, $form) if defined $form;
    $http{headers} = [] if !$http{headers};

    my ($r, $v, @bad);
    my $ask = sub {
        $r = http($p->{nginx}, $method, $url, %http);
        $v = judge($p->{judge}, { at => $at, method => lc $method,
            head => 0, format => $format }, $r);
        @bad = @{ $v->{bad} };
        push @bad, "HTTP $r->{status}" if $r->{status} != $code;
        push @bad, message_bad($format, $v->{value}, $message)
            if defined $message;
        push @bad, has_bad($p, $v->{value}, $opt{has} // {});
        for my $h (sort keys %{ $opt{headers} // {} }) {
            my $is = $r->{headers}{$h} // '';
            push @bad, "$h: $is" if !matches($is, $opt{headers}{$h});
        }
        return !@bad;
    };
    $opt{until} ? wait_for { $ask->() } 15 : $ask->();

    ok(!@bad, $name) or diag(join "\n", @bad,
        substr $r->{raw} || $r->{error} || 'no answer', 0, 1500);
    return if @bad;
    $seen{"$method $at $format"}++ if $code == 200;
    keep($p, $opt{keep}, $v->{value}{data}) if $opt{keep};
}

sub keep {
    my ($p, $name, $data) = @_;

    my @records = ref $data eq 'ARRAY' ? @$data : $data;
    $p->{kept}{$name} = dclone($records[0]);
    $p->{kept}{"$name$_"} = dclone($records[$_]) for 0 .. $#records;
}

# The path of a call in this pass, its name in the description, its format.
sub url_of {
    my ($p, $call) = @_;

    my ($path, $query) = split /\?/, $call, 2;
    my ($suffix, $format) = @$p{qw(suffix format)};
    if ($path =~ s/\.(nagios|zabbix)$//) {
        $format = $1;
        $suffix = ($p->{pass} eq 'slash' ? '/' : '') . ".$1";
    }
    if ($p->{other_names}) {
        my ($first, $rest) = $path =~ m{^(\w+)(.*)};
        $first = $ALIAS{$first} // $first if $first ne 'contactgroup' || $rest;
        $path = "$first$rest";
        if ($path =~ s{^check/status/(.+)}{check/status}) {
            $query = "id=$1" . (defined $query ? "&$query" : '');
        }
    }
    $path = filled($p, $path);
    my $at = at_of($path);
    my $url = "/3.0/$path$suffix";
    $url .= '?' . filled($p, $query) if defined $query;
    return ($url, $at, $format);
}

sub at_of {
    my ($path) = @_;

    for my $d (sort { $a->{id} <=> $b->{id} } @described) {
        my ($known) = $d->{at} =~ m{^/3\.0/(.*)\.\{format\}$};
        my $pattern = join '[^/]*', map { quotemeta } split /\{id\}/, $known,
            -1;
        return $d->{at} if $path =~ /\A$pattern\z/;
        # an id that is empty
        return $d->{at} if $d->{id} && "$path/" =~ /\A$pattern\z/;
    }
    return '';
}

sub filled {
    my ($p, $what) = @_;

    return undef if !defined $what;
    return { map { $_ => filled($p, $what->{$_}) } keys %$what }
        if ref $what eq 'HASH';
    return [map { filled($p, $_) } @$what] if ref $what eq 'ARRAY';
    return $what if ref $what;
    $what =~ s{\{(\w+)(?:\.(\w+))?\}}{
        my ($name, $field) = ($1, $2 // 'id');
        my $record = $p->{kept}{$name} // {};
        length $name == 2 && uc $name eq $name ? sid_of($name)
            : $record->{$field} // "no-$name"
    }ge;
    return $what;
}


# --- expectations ----------------------------------------------------------

sub matches {
    my ($is, $want) = @_;

    return !defined $is if !defined $want;
    return 0 if !defined $is || ref $is;
    return ref $want ? $is =~ $want : $is eq $want;
}

sub message_bad {
    my ($format, $v, $want) = @_;

    my $is = ref $v ? $v->{status_message} : $v;
    return matches($is, $want) ? () : 'message: ' . ($is // 'none');
}

sub has_bad {
    my ($p, $v, $has) = @_;

    my @bad;
    for my $where (sort keys %$has) {
        my $is = $v;
        my $count = $where =~ /^#/;
        for my $step (split /\./, $where =~ s/^#//r) {
            $is = ref $is eq 'ARRAY'
                ? ($step =~ /^\d+$/ ? $is->[$step] : undef)
                : ref $is eq 'HASH' ? $is->{$step} : undef;
        }
        $is = ref $is eq 'ARRAY' ? scalar @$is : undef if $count;
        $is = $is ? 'true' : 'false' if JSON::XS::is_bool($is);
        push @bad, "$where: " . ($is // 'nothing')
            if !matches($is, filled($p, $has->{$where}));
    }
    return @bad;
}

1;
