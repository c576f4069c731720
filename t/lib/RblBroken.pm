package RblBroken;

# Broken DNS: each row of the tables of the section "Broken DNS" of
# rbl-operations(7) is a test of the program that it names.
#
#     my $b = broken_world($w, lookup => 'direct', critical => 'd.test');
#     broken($b, 'the resolver is dead', sub { ... }, sub { ... });
#
# The world has {redis, checkd, zones => {ZONE => ...}}; its daemon is named
# "one".  A fault begins and ends with a call of these functions.

use strict;
use warnings;

use Exporter 'import';
use List::Util 'max';
use RblCheckd;
use RblPortal ();
use RblPrometheus;
use RblTest;
use Test::More ();

our @EXPORT = qw(broken_world broken);

use constant {
    INTERVAL => 20,                     # s, of the account
    SAID => 60,                         # s until all tell of a fault, or of its
                                        # end
    WARNED => 3 * 20 + 40,              # the same for the WARNING
};

my %health_word = (resolver => 'list_resolver', down => 'list_down',
    unreachable => 'list_unreachable', good => 'list_good');

# --- the tables --------------------------------------------------------------

my (%reason, @rows);

sub tables {
    my ($text) = read_file(repo_dir() . '/conf/man/rbl-operations.7')
        =~ /^\.Ss Broken DNS\n(.*?)^\.S[sh] /ms or die 'no "Broken DNS"';
    my (undef, @items) = split /^\.It /m, $text;
    for my $item (@items) {
        my ($name, @line) = split /\n/, $item =~ s/^\.El\n.*//msr;
        @line = map { s/\\&//r } grep { !/^\./ } @line;
        if ($name =~ /, (?:direct|resolver)$/) {
            $reason{$name} = $line[0];
        } elsif (@line == 2) {
            push @rows, [$name, @line];
        }
    }
    die "the tables of \"Broken DNS\"\n" if !%reason || !@rows;
    return;
}

# The pattern of a text of the page.
sub pattern {
    my ($b, $text) = @_;

    my %is = (TIME => '[-+:\dTZ]+', ADDRESS => '\S+', N => '\d+',
        COMMAND => 'dig .+', REMEDY => '.+', DAEMON => 'one',
        ZONE => quotemeta $b->{critical}, REASON => $b->{reason});
    return join '', map { $is{$_} // quotemeta }
        split /\b([A-Z]+)\b/, $text;
}

# --- what tells --------------------------------------------------------------

my %once;                               # what several rows ask, in each look

sub status { return $once{status} //= rblctl($_[0]{redis}, 'status') }

sub metrics {
    return $once{metrics}
        //= prometheus(http($_[0]{nginx}, 'GET', '/metrics')->{body});
}

sub sample {
    my ($b, $name) = @_;
    my $m = metrics($b);
    my ($family) = $name =~ /^(\w+)/;
    return $m->{$family}{samples}{$name} // 'none';
}

sub plain {
    my ($b, $form) = @_;
    return http($b->{nginx}, 'GET', "/3.0/listings.$form",
        auth => $b->{acct})->{body};
}

sub portal {
    my ($b, $who, $path) = @_;
    my $r = RblPortal::portal($b, $b->{$who}, 'GET', "$path.json");
    return $r->{status} == 200 ? json($r)->{data} : {};
}

# The state of each list: {zone => WORD}.
sub shown {
    my ($b) = @_;
    return { map { $_->{list}{host} => join ' ', @{ $_->{health} // [] } }
        @{ json(rblctl($b->{redis}, '--json', 'lists', 'show')->{out}) } };
}

sub measured {
    my ($b) = @_;
    my $m = metrics($b);
    my %state;
    for my $name (keys %{ $m->{rbl_checkd_list_health}{samples} // {} }) {
        my ($zone) = $name =~ /list="([^"]*)"/;
        my ($state) = $name =~ /state="([^"]*)"/;
        $state{$zone} = "state=$state";
    }
    return \%state;
}

# The page shows the worst of the words of the daemons.
sub listed {
    my ($b) = @_;
    my $state = portal($b, 'user', 'lists/state');
    return { map { $b->{zone_of}{ $_->{id} } =>
        $b->{text}{ $health_word{ $_->{tests}[0]{state} // '' } // '' } // '' }
        @{ ref $state eq 'ARRAY' ? $state : [] } };
}

# The headline of the page (overview.js).
sub overview {
    my ($b) = @_;
    my $c = portal($b, 'user', 'counts');
    return !$c->{hosts} ? '' : $c->{listed} ? 'listed'
        : $b->{text}{ $c->{unknown} > 0 ? 'none_known' : 'none_listed' };
}

my %tells = (
    'log of rbl-checkd' => sub {
        substr read_file($_[0]{checkd}{log}), $_[0]{log_at} },
    'rblctl status' => sub { (split /\n/, status($_[0])->{out})[0] },
    'exit status of rblctl status' => sub { status($_[0])->{status} },
    'its line' => sub { (split /\n/, status($_[0])->{out})[1] // '' },
    'rblctl lists show' => \&shown,
    'rbl_verdict' => sub { sample($_[0], 'rbl_verdict') },
    'rbl_condition, name=dns' =>
        sub { sample($_[0], 'rbl_condition{name="dns"}') },
    'rbl_condition, name=critical_lists' =>
        sub { sample($_[0], 'rbl_condition{name="critical_lists"}') },
    'rbl_checkd_dns_ok' =>
        sub { sample($_[0], 'rbl_checkd_dns_ok{daemon="one"}') },
    'rbl_checkd_list_health' => \&measured,
    '/listings.nagios' => sub { plain($_[0], 'nagios') },
    '/listings.zabbix' => sub { plain($_[0], 'zabbix') },
    'portal, banner' => sub { join ' ', map { $_[0]{text}{
        "condition_$_->{name}"} } @{ portal($_[0], 'user',
        'service')->{conditions} // [] } },
    'portal, Overview' => \&overview,
    'portal, Lists' => \&listed,
    'portal, Status' => sub { join '; ', map { $_->{reason} }
        @{ portal($_[0], 'operator', 'operator/status')->{conditions}
            // [] } },
);

# The same while nothing fails.
my %good = (
    'rblctl status' => 'good',
    'exit status of rblctl status' => 0,
    'rblctl lists show' => 'good, for all lists',
    'rbl_verdict' => 0,
    'rbl_condition, name=dns' => 0,
    'rbl_condition, name=critical_lists' => 0,
    'rbl_checkd_dns_ok' => 1,
    'rbl_checkd_list_health' => 'state=good, for all lists',
    '/listings.nagios' => 'OK - 0 hosts listed!',
    '/listings.zabbix' => 0,
    'portal, banner' => '',
    'portal, Overview' => 'No host is listed',
    'portal, Lists' => 'good, for all lists',
    'portal, Status' => '',
);

# Does the text, or the state of each list, agree with that of the page?
sub agrees {
    my ($b, $what, $text) = @_;

    my $is = $tells{$what}->($b);
    if (!ref $is) {
        my $re = pattern($b, $text);
        return $what =~ /^log/ ? $is =~ /\b$re$/m : $is =~ /\A$re\z/;
    }
    my ($word, $of) = $text =~ /^(.*), for (all lists|this list)$/
        or die "not of lists: $text\n";
    for my $zone (keys %{ $b->{zones} }) {
        my $same = ($is->{$zone} // '') eq $word;
        my $want = $of eq 'all lists' || $zone eq $b->{critical};
        return 0 if $same != $want;
    }
    return 1;
}

sub said {
    my ($b, $what) = @_;
    my $is = $tells{$what}->($b);
    return ref $is ? join ', ', map { "$_ $is->{$_}" } sort keys %$is : $is;
}

# All rows come true: {what => seconds}, measured from now on.
sub come_true {
    my ($b, $when, $rows, $limit) = @_;

    my ($begin, %open, %after) = (time, %$rows);
    wait_for {
        %once = ();
        for my $what (sort keys %open) {
            next if !agrees($b, $what, $open{$what});
            $after{$what} = time - $begin;
            delete $open{$what};
        }
        !%open;
    } max(values %$limit, SAID) + 30, $when;
    for my $what (sort keys %$rows) {
        my $most = $limit->{$what} // SAID;
        Test::More::cmp_ok($after{$what} // 'inf', '<=', $most,
            "$when: $what says \"$rows->{$what}\" in time")
            or Test::More::diag(said($b, $what));
    }
    return \%after;
}

# --- the world ---------------------------------------------------------------

sub broken_world {
    my ($w, %o) = @_;

    tables() if !@rows;
    my @known = sort keys %tells, 'rblctl lists show ZONE';
    Test::More::is_deeply([sort map { $_->[0] } @rows], \@known,
        'the test has a look at each row of the page');
    my $b = { %$w, %o, text => json(read_file(repo_dir()
        . '/ngx_rbl_module/web/lang/en.json')) };
    flatten($b->{text});
    $b->{acct} = make_account($b->{redis}, name => 'Fast',
        args => ['--interval', INTERVAL . 's']);
    my $r = rblctl($b->{redis}, 'lists', 'override', $b->{critical}, '--weight',
        'critical');
    die "lists override: $r->{err}" if $r->{status};
    $b->{zone_of} = { map { $_->{list}{id} => $_->{list}{host} }
        @{ json(rblctl($b->{redis}, '--json', 'lists', 'show')->{out}) } };
    $b->{nginx} = start_nginx(store => $b->{redis},
        http => 'rbl_zone rbl 1m; rbl_store_timeout 5s;',
        server => 'location /metrics { rbl_status prometheus; }',
        portal => 'rbl_portal_url http://localhost/portal/;');
    wait_for { http($b->{nginx}, 'GET', '/3.0/hosts.json',
        auth => $b->{acct})->{status} == 200 } 10, 'nginx';
    $b->{user} = RblPortal::sign_in($b, role => 'viewer');
    $b->{operator} = RblPortal::sign_in($b,
        acct => RblPortal::operators($b), role => 'viewer');
    add_host($b, "10.0.0.$_") for 1, 2;
    come_true($b, 'before', \%good, {});
    return $b;
}

# The texts of all groups, by their names.
sub flatten {
    my ($text) = @_;
    for my $group (grep { ref eq 'HASH' } values %$text) {
        flatten($group);
        $text->{$_} //= $group->{$_} for keys %$group;
    }
    return;
}

# --- a fault -----------------------------------------------------------------

sub broken {
    my ($b, $fault, $break, $mend) = @_;

    my $column = $fault =~ /critical/ ? 2 : 1;
    my $when = "$fault, $b->{lookup}";
    my %rows = map { $_->[0] => $_->[$column] }
        grep { $_->[0] ne 'rblctl lists show ZONE' } @rows;
    $b->{reason} = '';
    $b->{reason} = pattern($b, $reason{$when} // die "no row: $when\n");
    $b->{log_at} = -s $b->{checkd}{log};
    $break->();
    my $after = come_true($b, $when, \%rows,
        $column == 2 ? { '/listings.nagios' => WARNED } : {});
    if ($column == 2) {
        Test::More::cmp_ok($after->{'/listings.nagios'} // 0, '>=',
            2 * INTERVAL, "$when: Nagios gets no WARNING before three intervals");
    } else {
        Test::More::cmp_ok(($after->{'/listings.nagios'} // 99)
            - ($after->{'rblctl status'} // 0), '<=', 15,
            "$when: Nagios gets UNKNOWN as soon as the service is broken");
    }
    my ($word) = map { $_->[$column] }
        grep { $_->[0] eq 'rblctl lists show ZONE' } @rows;
    $word =~ s/ / +/;
    Test::More::like(rblctl($b->{redis}, 'lists', 'show', $b->{critical},
        '--stored')->{out}, qr/^$word$/m,
        "$when: rblctl lists show ZONE has the state of the list");
    $mend->();
    come_true($b, "$when, mended", \%good, {});
    return;
}

1;
