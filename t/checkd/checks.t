#!/usr/bin/perl

# Checks from job to record: manual, one-off and scheduled checks, transitions
# and history, and the effect of unknown responses on a current listing.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;

my $w = world(zones => { map { $_->[0] => { control => 'ip',
    data => listed_entry($_->[1]) } } ['a.test', '10.0.0.1'],
    ['b.test', '10.0.0.200'] });
my $checkd = start_checkd(store => $w->{redis}, resolver => $w->{dns},
    conf => { conf_short(), deliver => 'on' });

# One-offs.

my $pp = check_value($w, '10.0.0.1');
my $state = wait_check($w, $pp);
is($state->{status}, 'completed', 'one-off: the check completes');
is($state->{checked}, 2, 'one-off: both lists were queried');
is($state->{listed}, 1, 'one-off: listed once');
is($state->{unknown}, 0, 'one-off: nothing unknown');

my $d = details($w, $pp);
is_deeply([map { $d->{$_}{status} } qw(a.test b.test)], [qw(listed clear)],
    'one-off: the status of each list');
is_deeply($d->{'a.test'}{codes}, ['127.0.0.2'], 'one-off: the code');
is($d->{'a.test'}{reason}, 'listed: see https://a.test/',
    'one-off: the reason');
is($d->{'a.test'}{details}, 'listed: see https://a.test/',
    'one-off: without a look-up URL the details are the reason');
is($d->{'a.test'}{website}, 'https://a.test/', 'one-off: the website');

$pp = check_value($w, 'example.com', 4);
$state = wait_check($w, $pp);
is($state->{status}, 'failed', 'no list for a domain: failed');
is($state->{message}, 'No blocklist applies to this host.',
    'no list for a domain: the reason');

# A new host is checked at once, without a manual check.

my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{checked} > 0 } 5,
    'new host: checked';
my $h = host_record($w, $ht);
is($h->{listed_count}, 0, 'new host: not listed');
ok($h->{next_check} > $h->{checked}, 'new host: the next check is planned');
is_deeply(history_of($w, $ht), [], 'new host: no history');

# clear -> listed -> clear

sub recheck {
    my $state = wait_check($w, check_host($w, $ht));
    is($state->{status}, 'completed', 'a check of the host completed');
    return host_record($w, $ht);
}

answers($w, 'b.test', '10.0.0.5');
wait_for { $h = recheck(); $h->{listed_count} } 30, 'the listing is confirmed';
is($h->{listed_count}, 1, 'listed: the host counts one listing');
ok($h->{first_listed} > 0,
    'listed: the host has the time of its first listing');
is($h->{details}[0][1], 'b.test', 'listed: the record names the list b.test');
my $since = $h->{first_listed};

$h = recheck();
is($h->{first_listed}, $since,
    'listed again: the time of the first listing stays');

# Without a response a list keeps its last state.

pause_server($w->{dns});
$pp = check_host($w, $ht);
$state = wait_check($w, $pp);
cont_server($w->{dns});
is($state->{status}, 'completed', 'silent lists: the check completed');
is($state->{unknown}, 2, 'silent lists: both unknown');
is_deeply([map { $_->{error} } values %{ details($w, $pp) }],
    ['timeout', 'timeout'], 'silent lists: the error is timeout');
$h = host_record($w, $ht);
is($h->{listed_count}, 1, 'silent lists: still listed');
is($h->{unknown_count}, 2, 'silent lists: counted as unknown');
is($h->{first_listed}, $since,
    'silent lists: the time of the first listing stays');

answers($w, 'b.test', '10.0.0.200');
wait_for { $h = recheck(); $h->{listed_count} == 0 } 30, 'the end is confirmed';
is($h->{listed_count}, 0, 'delisted: not listed');
is($h->{first_listed}, 0, 'delisted: no date');
is_deeply([map { "$_->{z} $_->{v} $_->{a}" } @{ history_of($w, $ht) }],
    ['b.test listed 127.0.0.2', 'b.test clear '],
    'history: two transitions, and none for unknown');

# A host that is due is checked.

my $checked = $h->{checked};
set_due($w, $ht);
eventually { host_record($w, $ht)->{checked} > $checked } 5,
    'a due host is checked';

# A disabled list is not queried; codes may change.

is(rblctl($w->{redis}, 'lists', 'disable', 'a.test')->{status}, 0,
    'a list is disabled');
$pp = check_value($w, '10.0.0.1');
wait_check($w, $pp);
is_deeply([keys %{ details($w, $pp) }], ['b.test'],
    'a disabled list is not queried');
is(rblctl($w->{redis}, 'lists', 'enable', 'a.test')->{status}, 0,
    'a list is enabled');
$pp = check_value($w, '10.0.0.1');
$state = wait_check($w, $pp);
is($state->{listed}, 1, 'an enabled list is queried again');

eventually { jobs_left($w) == 0 } 5,
    'no job is left in the streams';
ok(stop_server($checkd), 'the daemon stops');
is($checkd->{status}, 0, 'the daemon exits with status 0');

done_testing();
