#!/usr/bin/perl

# DNS that does not work: the daemon says so, also when no host is due, once,
# with the command to try, and says when it works again.  A list that alone
# cannot be reached is a state of its own.  Both lookup modes.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblAuthority;
use RblDns;
use RblZones;

need_port_53();

my @zones = map { "$_.test" } qw(a b c d);
my $w = direct_world({ map { $_ => [[authority($_)]] } @zones },
    conf => { name => 'one' });
my $dns = $w->{resolver};
my @known = map { $_ => [map { $_->host } @{ $w->{server}{$_} }] } @zones;
my $address = '127.0.0.1@' . $dns->port;
my $hosts = 0;
my $dig = sprintf 'dig \+tries=1 -p %d @127\.0\.0\.1 \. NS', $dns->port;

sub health {
    my $r = rblctl($w->{redis}, '--json', 'lists', 'show');
    return { map { $_->{list}{host} => join ' ', @{ $_->{health} // [] } }
        @{ json($r->{out}) } };
}

sub all { return join ', ', map { "$_ $_[0]" } @zones }

sub states {
    my $h = health();
    return join ', ', map { "$_ " . ($h->{$_} // '') } @zones;
}

sub status { return rblctl($w->{redis}, 'status')->{out} }

# The daemon says how DNS fails; `$break` makes it fail and `$mend` ends that.
sub fails {
    my ($checkd, $what, $why, $command, $break, $mend) = @_;

    my $line = "DNS does not work here since [-\\dT:]+Z: $why.*; try: $command";
    my ($begun, $same, $ended) = map { log_count($checkd, $_) }
        'DNS does not work here since', $line, 'DNS works here again';
    $break->();
    eventually { log_count($checkd, $line) == $same + 1 } 60,
        "$what: the log says that DNS does not work, with no host due";
    eventually { status() =~ /^dns: broken since \S+: one: $why/m } 20,
        "$what: rblctl status has the same";
    eventually { states() eq all('resolver') } 20,
        "$what: each list is shown as not known because of DNS";
    is(log_count($checkd, 'DNS does not work here since'), $begun + 1,
        "$what: the log has one line");
    $mend->();
    eventually { log_count($checkd, 'DNS works here again') == $ended + 1 } 60,
        "$what: the log says that DNS works again";
    is(log_count($checkd, 'DNS does not work here since'), $begun + 1,
        "$what: nothing else began in between");
    eventually { status() !~ /^dns: /m } 20,
        "$what: rblctl status has it no longer";
    my $ht = add_host($w, '10.0.9.' . ++$hosts);
    eventually { join(' ', map { verdict($w, $ht, $_) } @zones)
        eq join ' ', ('clear ') x @zones } 60, "$what: all lists are clear";
    eventually { states() eq all('good') } 20, "$what: all lists are good";
    return;
}

# --- direct mode -------------------------------------------------------------

# Nothing is known: the name servers were never found.
ok(stop_server($w->{checkd}), 'the daemon that saw nothing stops');
$dns->rules(['.' => 'mute']);
my $checkd = $w->{start}->();
my $resolver = "resolver \Q$address\E is at fault";
fails($checkd, 'a dead resolver', $resolver, $dig, sub { },
    sub { $dns->rules(zone_rules(@known)) });

ok(stop_server($checkd), 'the daemon stops');
$dns->rules(['.' => 'refused']);
$checkd = $w->{start}->();
my $ht = add_host($w, '10.0.0.1');
like(verdict($w, $ht, 'a.test'), qr/^unknown (?:servfail|resolver)$/,
    'a resolver that refuses: a host is unknown');
fails($checkd, 'a resolver that refuses', $resolver, $dig, sub { },
    sub { $dns->rules(zone_rules(@known)) });

# All is known, and the servers of the lists are silent.
fails($checkd, 'closed port 53', 'the resolver answers, but no name server',
    'dig \+tries=1 \+norec @127\.\d+\.\d+\.\d+ \w\.test SOA',
    sub { data($w, $_, 0, ['.' => 'mute']) for @zones },
    sub { data($w, $_, 0, authority($_)) for @zones });

# One list, whose name servers cannot be found.
ok(stop_server($checkd), 'the daemon stops');
$dns->rules(['b\.test ' => 'servfail'], zone_rules(@known));
$checkd = $w->{start}->();
like(verdict($w, $ht, 'b.test'), qr/^unknown servfail$/,
    'one list: a host is unknown there');
is(verdict($w, $ht, 'a.test'), 'clear ', 'one list: another one is clear');
eventually { log_count($checkd, 'list b\.test: unreachable \(.*cannot be found')
    == 1 } 20, 'one list: the log says that it is unreachable, and why';
eventually { states() eq
    'a.test good, b.test unreachable, c.test good, d.test good' } 20,
    'one list: only that list is unreachable';
is(log_count($checkd, 'DNS does not work'), 0, 'one list: DNS is not at fault');
$dns->rules(zone_rules(@known));
eventually { verdict($w, $ht, 'b.test') eq 'clear ' } 60,
    'one list: a host is clear there again';
eventually { states() eq all('good') } 20, 'one list: all lists are good again';
is(log_count($checkd, 'list b\.test: unreachable'), 1,
    'one list: the log has one line when it begins');
is(log_count($checkd, 'list b\.test: its name servers are found again'), 1,
    'one list: the log has one line when it ends');
ok(stop_server($checkd), 'the daemon stops');

# --- resolver mode -----------------------------------------------------------

my @answers = map { authority($_) } @zones;
$dns->rules(['.' => 'mute']);
$checkd = start_checkd(store => $w->{redis}, resolver => $dns->port,
    conf => { conf_short(name => 'one', control_retry => '1s') });
my @yes = (test_entry(), not_there());
fails($checkd, 'resolver mode, a dead resolver', $resolver, $dig, sub { },
    sub { $dns->rules(@yes) });
fails($checkd, 'resolver mode, a resolver that refuses', $resolver, $dig,
    sub { $dns->rules(['.' => 'refused']) }, sub { $dns->rules(@yes) });
ok(stop_server($checkd), 'the daemon stops');

done_testing();
