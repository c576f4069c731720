package RblNeighboursAttacks;

# Attacks on nginx and the store, by the rows of the table of faults that they
# come from ("own": from no row).  Those on the daemon are in
# RblNeighboursDaemon.
#
#     attack('groups');                 # one by its name
#     attacks(qr/^[1-6]/);              # those of some rows
#     attacks('own', 'lists');          # by kind: clients, receivers, lists
#
# An attack is a hash: row, name, what; setup => sub {world, options} before
# anything is measured, whose result is the state; run => sub {attack process,
# world, state}; refused => [statuses of its requests that are refused];
# ramp => seconds before it is measured; store_max => MiB; only => pattern of
# the kinds of A's load; daemon => true if the daemon is busy with it for long;
# todo => why A notices it still, or {what of verdicts() => why}.

use strict;
use warnings;

use Digest::SHA qw(sha256);
use Exporter 'import';

use RblNeighbours;
use RblNeighboursAttack;

our @EXPORT = qw(attack attacks define sized big_hosts bad_token);

my @attacks;

sub define {
    my ($row, $name, %o) = @_;

    push @attacks, { row => $row, name => $name, by => 'clients', %o };
}

sub attacks {
    my ($rows, $by) = @_;

    return grep { $_->{row} =~ ($rows // qr/./)
        && $_->{by} eq ($by // $_->{by}) } @attacks;
}

sub attack {
    my ($name) = @_;

    my ($a) = grep { $_->{name} eq $name } @attacks;
    return $a // die "no attack $name\n";
}

# The size of something: in the short form, and in the long one.
sub sized {
    my ($o, $short, $long) = @_;

    return $o->{long} ? $long : $short;
}

sub bad_token { return { %{ $_[0] }, token => 'f' x 64 } }

sub http_port { return (port => $_[0]{nginx}{port}) }


# --- rows 1 and 2: writes ----------------------------------------------------

# Two accounts, because the product of contacts and groups may be limited: one
# has as many groups as a contact may have, one as many contacts as an account
# may have.
define('1', 'groups', what => 'listed hosts go to and fro between two sets of '
    . '50 groups with up to 1,000 contacts, on 24 connections',
    setup => sub {
        my ($w) = @_;
        return { next => [map { moves($w, $_) } 50, 9] };
    },
    run => sub {
        my ($a, $w, $s) = @_;
        my $n = 0;
        for my $moves (@{ $s->{next} }) {
            $a->flood(http_port($w), connections => 12, rate => 200,
                next => sub { $moves->[$n++ / 2 % 2] });
        }
    });

# The two updates of a host of a new account whose contacts have so many groups.
sub moves {
    my ($w, $groups) = @_;

    my $b = hostile($w, 'B');
    my ($ht) = in_data('HT', ask_all($b, request($b, 'POST', 'host/add.json',
        { host => '198.18.66.1', name => 'h', type => 'rbl' })));
    my @cg = in_data('CG', ask_all($b, map { request($b, 'POST',
        'contactgroup/add.json', { name => "g$_" }) } 1 .. 100));
    my @set = ([@cg[0 .. 49]], [@cg[50 .. 99]]);
    confirmed($w, $b, map { my $n = $_; { contact => "u$n\@b.test",
        type => 'email', schedule => 'every_check', contact_group => join ',',
        map { $set[$n % 2][($n + $_) % 50] } 1 .. $groups } } 1 .. 1000);
    RblNeighbours::checked($w, $b, 1);
    return [map { request($b, 'POST', "host/update/$ht.json",
        { contact_group => join ',', @$_ }) } @set];
}

# Contacts that are added and confirmed; their codes are set directly.
sub confirmed {
    my ($w, $acct, @contacts) = @_;

    my @co = in_data('CO', ask_all($acct, map { request($acct, 'POST',
        'contact/add.json', $_) } @contacts));
    my $redis = $w->{redis};
    for my $co (@co) {
        my $key = redis_key('r', $acct->{sid}, $co);
        my $c = record('contact', redis($redis, 'GET', $key));
        redis($redis, 'SET', $key, record_pack('contact', %$c,
            value => \$c->{value}, digest => \sha256("${co}abcdef")));
    }
    ask_all($acct, map { request($acct, 'POST', "contact/confirm/$_.json",
        { authcode => 'abcdef' }) } @co);
    return @co;
}

define('2', 'busy store', what => 'the names of a range of 1,024 addresses '
    . 'change on 64 connections',
    setup => sub {
        my ($w) = @_;
        my $b = hostile($w, 'B');
        my ($ht) = in_data('HT', ask_all($b, request($b, 'POST',
            'host/add.json', { host => '198.18.8.0/22', name => 'r',
            type => 'ip_range' })));
        settled($w);
        return { acct => $b, range => $ht };
    },
    run => sub {
        my ($a, $w, $s) = @_;
        my $n = 0;
        $a->flood(http_port($w), connections => 64, rate => 400, next => sub {
            request($s->{acct}, 'POST', "host/update/$s->{range}.json",
                { name => 'range ' . $n++ }) });
    });


# --- rows 3 to 5: large records, unauthenticated requests --------------------

# An account with 200 lists that give each host as much as they can, one host
# and its check with details: {acct, host, check, lists}.
sub big_hosts {
    my ($w, $n, %o) = @_;

    my $b = hostile($w, 'B', %o);
    my @rb = own_lists($b, 'big.test', 200);
    my ($ht) = in_data('HT', ask_all($b, request($b, 'POST', 'host/add.json',
        { host => '198.18.20.1', name => 'big', type => 'rbl' })));
    RblNeighbours::checked($w, $b, scalar @rb);
    my ($pp) = in_data('PP', ask_all($b, request($b, 'POST',
        'check/start.json', { host => $ht })));
    wait_for {
        (ask_all($b, request($b, 'GET', "check/status/$pp.json")))[0][1]
            =~ /"status":"completed"/;
    } 20, 'the check of a large host';
    copies($w, $b, $ht, $n - 1) if $n > 1;
    return { acct => $b, host => $ht, check => $pp, lists => \@rb };
}

# One such host, for attacks that only read.
sub big_host {
    my ($w) = @_;

    return kept($w, 'big', sub { big_hosts($w, 1) });
}

# More hosts, of a profile without lists, to which the listings of the first are
# copied.
sub copies {
    my ($w, $b, $ht, $n) = @_;

    my $redis = $w->{redis};
    my $raw = redis($redis, 'GET', redis_key('r', $b->{sid}, $ht));
    my $details = record('host', $raw);
    my ($rp) = in_data('RP', ask_all($b, request($b, 'POST',
        'rblprofile/add.json', { name => 'none', entries => '' })));
    my @more = map { $_->{id} } map { @{ json($_->[1])->{data} } }
        ask_all($b, map { request($b, 'POST', 'host/add.json',
        { host => "198.19.$_.0/24", name => 'more', type => 'rbl',
        rbl_profile => $rp }) } 0 .. int(($n - 1) / 256));
    settled($w);
    for my $id (@more[0 .. $n - 1]) {
        redis($redis, 'SET', redis_key('r', $b->{sid}, $id),
            record_pack('host', %$details, id => $id, name => \'copy',
            value => \$details->{value}, status => 'paused'));
    }
    redis($redis, 'DEL', map { redis_key($_, $b->{sid}) }
        qw(totals unchanged));
}

define('3', 'large pages', what => 'pages of 1,000 hosts, each of them '
    . 'listed by 200 own lists with 1,000 bytes of text, on 8 connections',
    store_max => 64, setup => sub { my ($w, $o) = @_;
        return big_hosts($w, sized($o, 400, 1000)) },
    run => sub {
        my ($a, $w, $s) = @_;
        my $bytes = request($s->{acct}, 'GET', 'hosts.json?page_size=1000');
        $a->flood(http_port($w), connections => 8, next => sub { $bytes });
    });

define('4', 'stored details', what => 'one-off checks at such lists in a loop',
    store_max => 12, daemon => 1, setup => \&big_host,
    run => sub {
        my ($a, $w, $s) = @_;
        my $n = 0;
        $a->flood(http_port($w), connections => 8, rate => 40, next => sub {
            request($s->{acct}, 'POST', 'check/start.json', { host =>
                join '.', 198, 19, 128 + (++$n >> 8), $n & 255 }) });
    });

define('5', 'wrong token, details', what => 'check/status?details=1 of a large '
    . 'check, with a wrong token, on 16 connections', refused => ['401'],
    setup => \&big_host,
    run => sub {
        my ($a, $w, $s) = @_;
        my $bytes = request(bad_token($s->{acct}), 'GET',
            "check/status/$s->{check}.json?details=1");
        $a->flood(http_port($w), connections => 16, rate => 800,
            next => sub { $bytes });
    });

define('5', 'wrong token, pages', what => 'a page of large hosts that the '
    . 'workers remember, with a wrong token, on 16 connections',
    refused => ['401'],
    setup => sub {
        my ($w) = @_;
        my $s = big_hosts($w, 30);
        my $page = request($s->{acct}, 'GET', 'hosts.json?page_size=30');
        ask_all($s->{acct}, ($page) x 32);
        return $s;
    },
    run => sub {
        my ($a, $w, $s) = @_;
        my $bytes = request(bad_token($s->{acct}), 'GET',
            'hosts.json?page_size=30');
        $a->flood(http_port($w), connections => 16, rate => 800,
            next => sub { $bytes });
    });

define('5', 'over the limit', what => 'check/status?details=1 of a large check '
    . 'by an application that has used up its hour, on 16 connections',
    refused => ['429'],
    setup => sub {
        my ($w) = @_;
        my $s = big_host($w);
        used_up($w, $s->{acct});
        return $s;
    },
    run => sub {
        my ($a, $w, $s) = @_;
        my $bytes = request($s->{acct}, 'GET',
            "check/status/$s->{check}.json?details=1");
        $a->flood(http_port($w), connections => 16, rate => 800,
            next => sub { $bytes });
    });

# Uses up the rate limit of an account's application.
sub used_up {
    my ($w, $acct) = @_;

    my $r = rblctl($w->{redis}, 'app', 'limit', $acct->{sid}, $acct->{app},
        '--hour', 1);
    die "app limit: $r->{err}\n" if $r->{status} != 0;
    my $bytes = request($acct, 'GET', 'acls.json');
    wait_for { (ask_all($acct, $bytes))[0][0] == 429 } 10, 'the limit';
}


# --- row 6: profiles ---------------------------------------------------------

# 999 profiles with each of 204 lists: {acct, lists of its own}.
sub big_profiles {
    my ($w) = @_;

    my $b = hostile($w, 'B');
    my @own = in_data('RB', ask_all($b, map { request($b, 'POST',
        'rbl/add.json', { type => 'rbl', host => "p$_.own.test" }) }
        1 .. 200));
    my ($all) = ask_all($b, request($b, 'GET', 'rbls.json?page_size=1000'));
    my %rb = map { $_ => 1 } $all->[1] =~ /"(RB\w+)"/g, @own;
    my $form = { name => 'p', entries => join ',', sort keys %rb };
    my $bytes = request($b, 'POST', 'rblprofile/add.json', $form);
    ask_all($b, ($bytes) x 999);
    return { acct => $b, lists => \@own };
}

sub profiles {
    my ($w) = @_;

    return kept($w, 'profiles', sub { big_profiles($w) });
}

define('6', 'profiles', what => 'pages of 999 profiles with 204 entries, '
    . 'requested by 60 clients that do not read', setup => \&profiles,
    run => sub {
        my ($a, $w, $s) = @_;
        $a->deaf(http_port($w), connections => 60, bytes => request($s->{acct},
            'GET', 'rblprofiles.json?page_size=1000'));
    });

define('6', 'lists deleted', what => 'rbl/delete of lists that 999 profiles '
    . 'have, on 8 connections', setup => \&profiles,
    run => sub {
        my ($a, $w, $s) = @_;
        my @rb = @{ $s->{lists} };
        $a->flood(http_port($w), connections => 8, rate => 140, next => sub {
            my $rb = shift @rb or return;
            request($s->{acct}, 'POST', "rbl/delete/$rb.json", '') });
    });

1;
