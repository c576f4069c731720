#!/usr/bin/perl

# A host leaves the group of contacts, comes back, or is deleted, or the
# contacts are moved or paused, each time before earlier changes were reported.
# No report is lost or wrong, and PagerDuty's alert is open as long as the host
# is listed and theirs.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblDeliver;
use RblScript;
use RblTest;

my $UNREPORTED = '1 host no longer reported';

deliver_setup();
lists_of_messages();
my ($hook, $pd) = (start_receiver(), start_receiver(body => '{"ok":true}'));
my $d = start_deliverd(conf => { digest_window => '400ms',
    contact_limit => 1000, pagerduty_url => "http://127.0.0.1:$pd->{port}/pd" });
my @co = (contact_active(endpoint => $hook->{url},
    schedule => 'start_and_end'),
    contact_active(pagerduty => '0123456789abcdef' x 2));
my $home = record('chosen', cmd('GET', k('chosen', $AC)))->{group};
my ($away, $third) = (sid('CG'), sid('CG'));
script('group_add', [$ACCT], group => $_, name => 'Away') for $away, $third;

sub check {
    my ($ht, $lists) = @_;

    event_emit(host => $ht, results => [map { $lists =~ /$_/
        ? listed_result("RB$_") : result("RB$_", 'clear') } 'a', 'b']);
}

# Runs one script for both contacts.
sub contacts {
    my ($name, @args) = @_;

    return (map { script($name, [$ACCT], contact => $_, @args) } @co)[0];
}

my %step = (
    co_away => sub { contacts('contact_update', groups => $away) },
    co_both => sub { contacts('contact_update', groups => [$home, $away]) },
    pause  => sub { contacts('contact_status', status => 'paused') },
    resume => sub { contacts('contact_status', status => 'active') },
    third  => sub { script('host_update', [$ACCT], host => $_[0],
        groups => $third) },
    listed => sub { check($_[0], 'a') },
    more   => sub { check($_[0], 'ab') },
    clear  => sub { check($_[0], '') },
    away   => sub { script('host_update', [$ACCT], host => $_[0],
        groups => $away) },
    home   => sub { script('host_update', [$ACCT], host => $_[0],
        groups => $home) },
    as_new => sub { script('host_update', [$ACCT], host => $_[0], named => 1,
        name => 'new', groups => $home) },
    delete => sub { script('host_delete', [$ACCT], host => $_[0],
        keep => 60_000) },
);

sub told { return map { $_->{json}{title} =~ s/: .*//r } received($hook) }

# Open alerts of an address.
sub alerts {
    my ($value) = @_;

    my %open;
    for my $m (map { $_->{json} } received($pd)) {
        $m->{event_action} eq 'resolve' ? delete $open{ $m->{dedup_key} }
            : ($open{ $m->{dedup_key} } = $m->{payload}{source});
    }
    return scalar grep { $_ eq $value } values %open;
}

my $n = 0;
for (
    # reported before, changes, reports then, alerts
    ['',       'listed',             '1 host listed',   1],
    ['',       'listed away home',   '1 host listed',   1],
    ['',       'listed away as_new', '1 host listed',   1],
    ['listed', 'away',               $UNREPORTED,       0],
    ['listed', 'away home',          '',                1],
    ['listed', 'away as_new',        '',                1],
    ['listed', 'away as_new more',   '1 host listed',   1],
    ['listed', 'away clear home more', '1 host listed', 1],
    ['listed', 'clear',              '1 host delisted', 0],
    ['listed', 'clear delete',       $UNREPORTED,       0],
    ['listed', 'delete',             $UNREPORTED,       0],
    ['listed', 'more away home',     '1 host listed',   1],
    # changes while it was away
    ['listed', 'away clear home',    '1 host delisted', 0],
    ['listed', 'away more home',     '1 host listed',   1],
    ['listed', 'clear away listed home', '1 host listed', 1],
    ['listed more away', 'home',     '1 host listed',   1],
    # the contact moves, too, or alone, or is paused for a while
    ['listed', 'away co_away',       '',                1],
    ['listed', 'away co_both',       '',                1],
    ['listed', 'away co_both more',  '1 host listed',   1],
    ['listed', 'co_away',            $UNREPORTED,       0],
    ['listed', 'pause clear resume', '1 host delisted', 0],
    # the contact that has it now
    ['co_away listed', 'away',       '1 host listed',   1],
    ['co_away listed away', 'clear', '1 host delisted', 0],
    ['co_away listed away', 'third', $UNREPORTED,       0],
    ['co_away listed', 'away third', '',                0],
) {
    my ($before, $then, $title, $alerts) = @$_;
    my ($ht, $value) = (sid('HT'), '192.0.2.' . ++$n);
    script('host_add', [$ACCT], name => 'old', type => 'rbl', family => 1,
        host => $ht, value => $value);
    $step{$_}->($ht) for split ' ', $before;
    soon { wake(); idle() } 'the start is reported';
    my @before = told();
    pause_server($d);
    for my $step (split ' ', $then) {
        my $r = $step{$step}->($ht);
        is($r->[0], 'OK', "the step $step of \"$then\" succeeds")
            if $step !~ /listed|more|clear/;
    }
    cont_server($d);
    soon { wake(); idle() } 'all is reported';
    my @told = told();
    splice @told, 0, @before;
    is(join(' | ', @told), $title,
        "$before, then $then: the contact gets the expected title");
    is(alerts($value), $alerts,
        "$before, then $then: the host has $alerts open alerts");
    script('host_delete', [$ACCT], host => $ht, keep => 60_000);
    soon { wake(); idle() } 'it is deleted';
    contacts('contact_update', groups => $home);
    soon { wake(); idle() } 'all are at home';
}


# Alerts opened one by one are resolved one by one, although all hosts are
# delisted at once and others listed.

my %ht = map { ("198.51.100.$_" => sid('HT')) } 1 .. 60;
my @of = map { "198.51.100.$_" } 1 .. 60;
script('host_add', [$ACCT], type => 'rbl', family => 1, host => $ht{$_},
    value => $_) for @of;

sub together {
    my ($listed, $clear) = @_;

    pause_server($d);
    check($ht{$_}, 'a') for @of[@$listed];
    check($ht{$_}, '') for @of[@$clear];
    cont_server($d);
    soon { wake(); idle() } 'all is reported', 30;
}

together([0 .. 14], []);
together([15 .. 29], []);
is(scalar(grep { alerts($_) == 1 } @of), 30,
    'thirty hosts have an open alert each');
together([30 .. 59], [0 .. 29]);
is(scalar(grep { alerts($_) } @of), 0, 'no host has an open alert');
my @all = grep { $_->{payload}{summary} =~ /^30 / } map { $_->{json} }
    grep { $_->{json}{event_action} eq 'trigger' } received($pd);
is(scalar @all, 1, 'thirty simultaneous listings are one alert');
unlike($all[0]{payload}{summary}, qr/delisted/,
    'the summary of the alert names no end');
ok(stop_server($d, 5), 'the daemon stops without an error');
done_testing();
