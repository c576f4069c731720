#!/usr/bin/perl

# The load and its judge, on one Redis: what is taken away from the store behind
# the back of the clients is found.

use strict;
use warnings;

use RblFailover;

my $redis = start_redis();
init_store($redis);
my $nginx = start_nginx(store => $redis);
my @accounts = map { make_account($redis, name => "Account $_") } 1 .. 2;

sub some_load {
    my (%opt) = @_;

    my $load = start_load($nginx, accounts => \@accounts, clients => 6, %opt);
    sleep 2;
    return stop_load($load);
}

# A host of the records that was added and perhaps changed.
sub host_in {
    my ($records) = @_;

    my ($r) = reverse grep { $_->{op} eq 'update' && $_->{said} eq 'done' }
        @$records;
    my $key = redis_key('r', $accounts[$r->{account}]{sid}, $r->{id});
    return ($r, $key);
}

sub found {
    my ($records, $what) = @_;

    # The caches of nginx are out of date after a change by hand.
    for my $a (@accounts) {
        redis($redis, 'DEL', redis_key($_, $a->{sid})) for qw(totals unchanged);
    }
    return scalar @{ load_report($nginx, $records, \@accounts)->{$what} };
}

my $records = some_load();
my $report = load_report($nginx, $records, \@accounts);
cmp_ok($report->{acked}, '>', 50, 'more than 50 writes are acknowledged');
is_clean($report, 'the judge finds no fault in a sound store');
is($report->{longest}, 0, 'the store is never away');
note away_text($report);

my ($r, $key) = host_in($records);
my $old = redis($redis, 'GET', $key);
redis($redis, 'SET', $key, record_pack('host', %{ record('host', $old) },
    name => 'n', value => \$r->{host}));
is(found($records, 'lost'), 1, 'the judge finds an older name');
redis($redis, 'DEL', $key);
redis($redis, 'ZREM', redis_key('hosts', $accounts[$r->{account}]{sid}),
    $r->{id});
is(found($records, 'lost'), 1, 'the judge finds a lost host');

$records = some_load();
($r) = grep { $_->{op} eq 'add' && $_->{said} eq 'done' } reverse @$records;
my $id = $r->{id};
$_->{said} = 'unchanged' for grep { ($_->{id} // '') eq $id } @$records;
is(found($records, 'untrue'), 1,
    'the judge finds an untrue "Nothing was changed"');

$records = some_load(rate => 100, keep => 0);
cmp_ok(scalar @$records, '<', 260, 'the load stays below its rate');
is_clean(load_report($nginx, $records, \@accounts),
    'the judge finds no fault at a limited rate');
pause_server($redis);
my $load = start_load($nginx, accounts => \@accounts, clients => 4);
sleep 1;
kill_server($redis);
sleep 1;
$records = stop_load($load);
is(scalar(grep { $_->{status} != 503 } @$records), 0,
    'every request without a store gets 503');
is(scalar(grep { $_->{said} !~ /^un/ } @$records), 0,
    'each 503 says whether the change may have happened');

done_testing();
