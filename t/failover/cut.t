#!/usr/bin/perl

# A master is cut off with some of its clients: its replicas and the Sentinels
# cannot reach it, and these clients reach no Sentinel.  It refuses writes within
# max-lag, so what is written to it is not lost when it follows the new master.
#
# CUT=silent: packets vanish, instead of connections being reset.  Then the
# master notices only after max-lag, and what it acknowledges until then is lost.
#
# Alone: measures when writes are refused.

use strict;
use warnings;

use RblFailover;
use Time::HiRes qw(time sleep);

use constant ON_THEIR_WAY => 9;         # requests at a time
use constant SECONDS => 7;

my $mode = $ENV{CUT} // 'reset';

# Redis counts the lag in whole seconds, once a second.
my $limit = $mode eq 'silent' ? 2 + 1.5 : 0.5;

my $f = start_sentinels(forward => 1);
my $old = $f->{nodes}[0];
my $w = failover_world($f, accounts => 2);
my @sentinels = map { start_forward($_->{port}) } @{ $f->{sentinels} };
my $near = start_nginx(store => { %$f, addr =>
    sentinel_words(map { $_->{port} } @sentinels) });
my @accounts = @{ $w->{accounts} };
wait_for { http($near, 'GET', '/3.0/hosts.json', auth => $accounts[0])
    ->{status} == 200 } 20, 'the store of the second nginx';

# One nginx is on the side of the old master, the other one reaches all.
my @load = map { start_load($_, accounts => \@accounts, clients => 4,
    ops => { add => 2, update => 5, read => 3, check => 1 }, rate => 100) }
    $near, $w->{nginx};
sleep 1;
cut_off($_, 'all') for @sentinels;
my $cut = time;
cut_off($f->{forward}, $mode);
my $new = wait_master($f, $old);
my $promoted = time;
note sprintf 'another master after %.2f s', $promoted - $cut;
ok($new && $new != $old, 'there is another master');
my $left = $cut + SECONDS - time;
sleep $left if $left > 0;
my $healed = time;
heal($_) for $f->{forward}, @sentinels;
ok((wait_for { (ask($old, 'INFO', 'replication') // '') =~ /role:slave/ } 20),
    'the old master follows after the cut is healed');
sleep 2;
my ($here, $there) = map { stop_load($_) } @load;

# When the last response of an operation came that was no 503.
sub last_of {
    my ($is_read) = @_;

    my ($last) = sort { $b <=> $a } map { $_->{end} } grep {
        $_->{said} eq 'done' && ($_->{op} eq 'read') == $is_read
            && $_->{end} > $cut && $_->{end} < $healed } @$here;
    note sprintf 'the side of the old master: last %s after %.2f s',
        $is_read ? 'read' : 'write', ($last // $cut) - $cut;
    return ($last // $cut) - $cut;
}

cmp_ok(last_of(0), '<', $limit, 'clients with the old master cannot write');
cmp_ok(last_of(1), '<', $limit + 2,
    'clients with the old master soon cannot read');
cmp_ok(scalar(grep { $_->{start} > $healed && $_->{said} eq 'done' } @$here),
    '>', 0, 'clients with the old master are served after healing');

my ($again) = sort { $a <=> $b } map { $_->{end} } grep {
    $_->{op} ne 'read' && $_->{said} eq 'done' && $_->{start} > $promoted }
    @$there;
note sprintf 'the other side: first write after %.2f s', ($again // 1e9) - $cut;
cmp_ok(($again // 1e9) - $cut, '<', SECONDS,
    'the others are served by the new master');

# Writes acknowledged before the master could notice are lost; when connections
# are reset, those that were on their way to the replicas at that moment.
for my $side ($here, $there) {
    my $report = load_report($w->{nginx}, $side, \@accounts);
    note away_text($report);
    my @lost = @{ $report->{lost} };
    note scalar(@lost) . ' writes acknowledged and lost';
    if ($mode eq 'silent') {
        is(scalar(grep { $_->{end} > $cut + $limit } @lost), 0,
            'nothing is lost that was acknowledged later');
    } else {
        is(scalar @{ $report->{$_} }, 0,
            "no operation is $_") for qw(doubled untrue);
        cmp_ok(@lost + @{ $report->{stale} }, '<=', ON_THEIR_WAY,
            'nothing else is lost');
    }
}
cmp_ok(scalar unfinished($w, $there), '<=', ON_THEIR_WAY, 'all checks end')
    if $mode ne 'silent';
fsck_clean($f, 'fsck finds nothing');

done_testing();
