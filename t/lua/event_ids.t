#!/usr/bin/perl

# One event id, one content.  A failover may undo what a script has done, and
# the script runs again, on the state of before: what is different then has
# another id, and so receivers that drop repeated ids lose nothing.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;
use Time::HiRes qw(usleep);

my ($ac, $acct) = digests_new();
my $contact = contact('start_and_end');
my $hook = sid('WH');
script('hook_put', [$acct], hook => $hook, name => 'n',
    url => 'https://x.example/', secret => 's');

# The whole store, as a replica may have it when it becomes the master.
my @saved;
sub keep_store {
    @saved = map { [$_, cmd('DUMP', $_), cmd('PTTL', $_)] } @{ cmd('KEYS', '*') };
}
sub failover {
    cmd('FLUSHALL');
    cmd('RESTORE', $_->[0], $_->[2] > 0 ? $_->[2] : 0, $_->[1]) for @saved;
    # Another time, as on another machine.
    usleep 2000;
}

sub events {
    return map { { @{ $_->[1] } } } @{ cmd('XRANGE', k('outbox'), '-', '+') };
}

# Runs each way on the same state; tests that no id has two contents.
my %content;
sub ids_of {
    my ($name, $n, @ways) = @_;

    my (%ids, $seen);
    keep_store();
    for my $way (@ways) {
        failover();
        cmd('DEL', k('outbox'));
        $way->();
        my @e = events();
        $seen += @e;
        for my $e (@e) {
            my $all = join '|', map { "$_=$e->{$_}" } sort keys %$e;
            $ids{ $e->{e} } = 1;
            push @{ $content{ $e->{e} } }, $all
                if !grep { $_ eq $all } @{ $content{ $e->{e} } };
        }
    }
    cmp_ok($seen, '>=', $n, "$name: the events are there");
    is(scalar(grep { @{ $content{$_} } > 1 } keys %ids), 0,
        "$name: no event id has two contents");
    like($_, qr/\AEV[0-9a-f]{32}\z/, "$name: the event has an id")
        for sort keys %ids;
}

my $ht = host();

# A digest that was claimed, and its messages were lost.
check($ht, qw(listed clear));
my ($first) = claim();
leases_end($contact);
my ($again) = claim();
isnt($again->{event}, $first->{event},
    'a digest that is made again has another event id');
is_deeply(store($first), ['STALE'],
    'only the daemon that has claimed it last stores it');
is_deeply(store($again), ['OK', 1],
    'the daemon that has claimed it last stores it');
check($ht, qw(clear clear));
cmd('DEL', k('retry'));

my @listed = (listed_result('RBa'), result('RBb', 'clear'));
my @clear = (result('RBa', 'clear'), result('RBb', 'clear'));
my $pp = sid('PP');
script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
ids_of('the start of a check', 2, (sub { begin($acct, $pp, $ht) }) x 2);

begin($acct, $pp, $ht);
sub finish { my @r = @_; return sub { finish_check($acct, $pp, $ht, \@r) } }
ids_of('the end of a check, its listing begins', 5, finish(@listed),
    finish(@clear), finish(@listed),
    sub { finish_check($acct, $pp, $ht, [], 'no daemon ended it') });

finish_check($acct, $pp, $ht, \@listed);
$pp = sid('PP');
script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
begin($acct, $pp, $ht);
ids_of('the end of a check, its listing ends', 3, finish(@clear),
    finish(@listed));

# A receiver that is gone: a notice to contacts.
cmd('DEL', k('outbox'));
my $ev = sid('EV');
script('hook_test', [$acct], hook => $hook, event => $ev, type => 'test',
    body => '{}', most => 0);
my ($d) = take_one();
ids_of('the notice of a receiver that is gone', 2,
    (sub { done($d, 'gone', 0) }) x 2);

done_testing();
