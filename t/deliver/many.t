#!/usr/bin/perl

# A host with many contacts: daemons notify them in slices, and some daemons die
# meanwhile.  Each contact gets each change once, in order.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblDeliver;
use RblScript;
use RblTest;

use constant CONTACTS => 250;

deliver_setup();
lists_of_messages();
my $hook = start_receiver();
my $group = record('chosen', cmd('GET', k('chosen', $AC)))->{group};
my @co;
for my $n (1 .. CONTACTS) {
    push @co, contact_put('endpoint', "$hook->{url}/$n", status => 'active',
        groups => [$group], schedule => 'start_and_end');
    cmd('ZADD', k('contacts', $AC), $n, $co[-1]);
}
cmd('SET', k('seq', $AC), CONTACTS);
contacts_hear($AC);
my $ht = sid('HT');
script('host_add', [$ACCT], name => 'mail', type => 'rbl', family => 1,
    host => $ht, value => '192.0.2.1');
my %conf = (digest_window => '100ms', contact_limit => 1000);
my $d = start_deliverd(conf => \%conf);

# Reports to each contact, repeated only as identical messages.
sub told {
    my (%of, %seen);
    for my $r (sort { $a->{nth} <=> $b->{nth} } received($hook)) {
        my (undef, $to) = split / /, $r->{line};
        next if $seen{"$to $r->{json}{event_sid}"}++;
        push @{ $of{$to} }, map { $_->{status} } @{ $r->{json}{hosts} };
    }
    my %n;
    $n{"@$_"}++ for values %of;
    return join ', ', map { "$n{$_}: $_" } sort keys %n;
}
sub change {
    my ($says) = @_;
    event_emit(host => $ht, results => [$says eq 'listed'
        ? listed_result('RBa') : result('RBa', 'clear')]);
}
sub leases_end {
    for my $k ('retry', 'digests') {
        cmd('ZADD', k($k), 'XX', 0, $_) for @{ cmd('ZRANGE', k($k), 0, -1) };
    }
}

change('listed');
is(cmd('HLEN', k('telling', $AC)), 1,
    'the reports of many contacts wait for a daemon');
soon { idle() } 'all are reported', 60;
is(told(), CONTACTS . ': listed', 'each contact gets the listing');

# The daemon dies after it has started.
kill_server($d);
change('clear');
script('telling_step', [k('tellings')]);
ok(cmd('HEXISTS', k('telling', $AC), '>'),
    'a daemon dies while it reports to the contacts');
change('listed');
$d = start_deliverd(conf => \%conf);
wait_for { !cmd('HEXISTS', k('telling', $AC), '>') } 20,
    'another daemon continues';
kill_server($d);
leases_end();
$d = start_deliverd(conf => \%conf);
leases_end();
soon { idle() } 'all are reported', 60;
ok(!cmd('EXISTS', k('telling', $AC)), 'no reports wait for a daemon');
my @last = map { /^\d+: listed(?: delisted)? listed$/ ? () : $_ }
    split /, /, told();
is("@last", '', 'each contact gets the second listing');
change('clear');
soon { idle() } 'all are reported', 60;
like(told(), qr/^(?:\d+: listed( delisted)? listed delisted(?:, )?)+$/,
    'each contact gets the end of the listing');
is(scalar dead_letters(), 0, 'the account has no dead letter');
ok(stop_server($d, 10), 'the daemon ends on TERM');
done_testing();
