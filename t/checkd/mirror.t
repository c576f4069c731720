#!/usr/bin/perl

# A resolver that serves a local copy of a list, and cannot reach the Internet:
# the resolver is at fault, no list is, and the copy is used.  The operator gave
# the copy's server (rblctl lists override --server).

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblDns;

my @others = map { "$_.test" } qw(a b c);
my @zones = (@others, 'copy.test');
my $w = world(no_dns => 1,
    zones => { map { $_ => { control => 'ip' } } @zones });
my $given = rblctl($w->{redis}, 'lists', 'override', 'copy.test', '--server',
    '127.0.0.1@53');
is($given->{status}, 0, 'a list gets a server') or diag($given->{err});
my @yes = (test_entry(), not_there());
my @copy = (['^2\.0\.0\.127\.copy\.test ' => { a => ['127.0.0.2'], ttl => 0 }],
    ['\.copy\.test ' => $yes[-1][1]]);
my $dns = RblDns->new(rules => \@yes);
my $checkd = start_checkd(store => $w->{redis}, resolver => $dns->port,
    conf => { conf_short(name => 'one', control_retry => '1s') });
my $host = add_host($w, '10.0.0.1');

sub states {
    my %is = map { $_->{list}{host} => "@{ $_->{health} }" }
        @{ json(rblctl($w->{redis}, '--json', 'lists', 'show')->{out}) };
    return join ' ', map { $is{$_} // '' } @zones;
}

sub verdicts {
    return join ', ', map { (split ' ', verdict($w, $host, $_))[0] } @zones;
}

sub well {
    my ($what) = @_;

    eventually { verdicts() eq join ', ', ('clear') x 4 } 60,
        "$what: the host is clear at all lists";
    eventually { states() eq 'good good good good' } 20,
        "$what: all lists are good";
    eventually { rblctl($w->{redis}, 'status')->{out} =~ /^good$/m } 60,
        "$what: the service is good";
    return;
}

sub fault {
    my ($what, $copy, @rules) = @_;

    my $line = 'DNS does not work here since \S+: resolver \S+ is at fault';
    my $before = log_count($checkd, $line);
    $dns->rules(@rules);
    eventually { check_host($w, $host); log_count($checkd, $line) > $before }
        60, "$what: the log says that the resolver is at fault";
    eventually { states() eq "resolver resolver resolver $copy->[0]" } 60,
        "$what: no list is at fault";
    is(verdicts(), join(', ', ('unknown') x 3, $copy->[1]),
        "$what: the copy is used if it answers");
    like(rblctl($w->{redis}, 'status')->{out}, qr/^broken: dns$/m,
        "$what: the service is broken because of DNS");
    is(log_count($checkd, 'list \S+, IPv4, through resolver \S+ (?:down|blocked'
        . '|wildcarding|unsupported), was'), 0,
        "$what: the log blames no list");
    is(log_count($checkd, $line), $before + 1,
        "$what: the log has the fault once");
    $dns->rules(@yes);
    well("$what, mended");
    return;
}

well('before');
my @good = ('good', 'clear');
my @lost = ('resolver', 'unknown');
fault('no network', \@good, @copy, ['.' => 'servfail']);
fault('packets vanish', \@good, @copy, ['.' => 'mute']);
fault('no forwarder answers', \@good, @copy, ['.' => 'refused']);
fault('a captive portal', \@good, @copy, ['.' => { a => ['192.0.2.1'] }]);
fault('a dead resolver', \@lost, ['.' => 'mute']);

# The copy alone fails.
$dns->rules(['\.copy\.test ' => 'servfail'], @yes);
eventually { verdicts() eq 'clear, clear, clear, unknown'
    && states() eq 'good good good down' } 60, 'the copy alone is at fault';
is(log_count($checkd, 'list copy\.test, .*: down, was good'), 1,
    'the log says so once');

done_testing();
