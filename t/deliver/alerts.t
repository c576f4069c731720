#!/usr/bin/perl

# Alerts of PagerDuty by schedule: one is open as long as a host is listed, and
# one for all if many are listed at once, however often they are checked.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblDeliver;
use RblScript;
use RblTest;

deliver_setup();
lists_of_messages();
my $pd = start_receiver(body => '{"ok":true}');
my $d = start_deliverd(conf => { digest_window => '400ms',
    contact_limit => 1000, pagerduty_url => "http://127.0.0.1:$pd->{port}/pd" });
my $co = contact_active(pagerduty => '0123456789abcdef' x 2);

my $n = 0;
sub host {
    my $ht = sid('HT');
    script('host_add', [$ACCT], name => 'h', type => 'rbl', family => 1,
        host => $ht, value => '192.0.2.' . ++$n);
    return $ht;
}

# One check of each host, reported in one digest.
sub check {
    my ($lists, @hosts) = @_;

    pause_server($d);
    event_emit(host => $_, results => [map { $lists =~ /$_/
        ? listed_result("RB$_") : result("RB$_", 'clear') } 'a', 'b'])
        for @hosts;
    cont_server($d);
    soon { wake(); idle() } 'all is reported', 30;
}

sub open_alerts {
    my %open;
    for my $m (map { $_->{json} } received($pd)) {
        $m->{event_action} eq 'resolve' ? delete $open{ $m->{dedup_key} }
            : ($open{ $m->{dedup_key} } = $m->{payload}{summary});
    }
    return scalar keys %open;
}

for my $schedule (qw(every_check start_and_end while_listed)) {
    script('contact_update', [$ACCT], contact => $co, schedule => $schedule);
    soon { idle() } "$schedule: nothing is open";

    my $one = host();
    check('a', $one) for 1 .. 2;
    is(open_alerts(), 1, "$schedule: a listed host has one open alert");
    check('', $one);
    is(open_alerts(), 0, "$schedule: a delisted host has no open alert");

    my @many = map { host() } 1 .. 26;
    check('a', @many) for 1 .. 3;
    is(open_alerts(), 1, "$schedule: 26 listed hosts have one open alert");
    check('', @many[0 .. 12]);
    is(open_alerts() > 0, 1,
        "$schedule: an alert is open while half of the hosts are listed");
    check('', @many[13 .. 25]);
    is(open_alerts(), 0,
        "$schedule: no alert is open after all hosts are delisted");
}

my @gone = map { host() } 1 .. 26;
check('a', @gone);
is(open_alerts() > 0, 1, '26 other listed hosts have an open alert');
script('host_delete', [$ACCT], host => $_, keep => 60_000) for @gone;
soon { idle() } 'all is reported';
is(open_alerts(), 0, 'no alert is open after the hosts are deleted');

ok(stop_server($d, 5), 'the daemon stops');
done_testing();
