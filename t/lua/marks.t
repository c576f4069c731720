#!/usr/bin/perl

# Marks of a listing: removal asked, expected, a ticket.  They are of current
# listings only, end with them, and are kept in the history then.  Random
# histories of checks and marks of two hosts are beside a model.
#
# RBL_SEED is the seed, RBL_LIVES the number of steps.

use strict;
use warnings;
use RblDigest;
use RblScript;
use RblTest;

my ($ac, $acct) = digests_new();
my $marks = k('marks', $ac);

sub mark {
    my ($ht, $list, %o) = @_;
    return script('host_mark', [$acct], host => $ht, list => $list,
        told => exists $o{ticket} ? 1 : 0, %o);
}
# The marks of a host by list.
sub of_host {
    my $raw = cmd('HGET', $marks, $_[0]);
    return map { $_->[0] => $_ } @{ defined $raw ? unpacked($raw) : [] };
}
sub noted {
    my ($ht, $list) = @_;
    my %m = of_host($ht);
    return $m{$list} ? join ' ', map { $_ || '-' } map { /^\d{13}$/ ? 'at'
        : $_ } @{ $m{$list} }[1, 3, 5, 6] : '';
}
# The marks that the last entry of the history has, by list.
sub past {
    my ($ht) = @_;
    my %last = @{ (cmd('XREVRANGE', k('hist', $ac, $ht), '+', '-', 'COUNT', 1)
        ->[0] // [0, []])->[1] };
    return join ', ', map { "$_->[0] $_->[5]" } sort { $a->[0] cmp $b->[0] }
        defined $last{m} ? @{ unpacked($last{m}) } : ();
}

# --- one by one --------------------------------------------------------------

my $ht = host();
is(mark(sid('HT'), 'RBa', asked => 1)->[0], 'HOST',
    'an unknown host has no listing to mark');
is(mark($ht, 'RBa', asked => 1)->[0], 'LISTING',
    'a list that was not asked yet has no listing to mark');
check($ht, 'listed', 'clear');
is(mark($ht, 'RBb', asked => 1)->[0], 'LISTING',
    'a list that says clear has no listing to mark');
is_deeply(mark($ht, 'RBa'), ['OK', packed([])], 'nothing is marked at first');
is(cmd('EXISTS', $marks), 0, 'a call without a mark writes none');
is(mark($ht, 'RBa', asked => 1, ticket => '4711')->[0], 'OK', 'a current listing is marked');
is(noted($ht, 'RBa'), 'at - 4711 at', 'the marks have their times');
my $first = cmd('HGET', $marks, $ht);
select undef, undef, undef, 0.01;
is(mark($ht, 'RBa', asked => 1, ticket => '4711')->[1], $first,
    'what is marked already keeps its time');
is(cmd('HGET', $marks, $ht), $first, 'what is marked already keeps its author');
mark($ht, 'RBa', expected => 1);
is(noted($ht, 'RBa'), 'at at 4711 at', 'a field that is not given stays');
mark($ht, 'RBa', asked => 0, ticket => '');
is(noted($ht, 'RBa'), '- at - -', 'marks are taken off one by one');
mark($ht, 'RBa', expected => 0);
is(cmd('EXISTS', $marks), 0, 'nothing is left of the last one');

mark($ht, 'RBa', ticket => 'A-1');
check($ht, 'unknown', 'clear');
is(noted($ht, 'RBa'), '- - A-1 at', 'a mark stays while the list is unknown');
check($ht, 'failed');
is(noted($ht, 'RBa'), '- - A-1 at', 'a failed check takes no mark off');
check($ht, 'listed', 'listed');
is(noted($ht, 'RBa'), '- - A-1 at', 'another listing changes no mark');
mark($ht, 'RBb', ticket => 'B-1');
check($ht, 'clear', 'listed');
is(noted($ht, 'RBa') . noted($ht, 'RBb'), '- - B-1 at',
    'a mark ends with its listing, and not with another one');
is(past($ht), 'RBa A-1', 'the history has the mark of the listing that ended');
check($ht, 'clear', 'clear');
is(cmd('EXISTS', $marks), 0, 'no mark is left of a clear host');
is(past($ht), 'RBb B-1', 'the history has the last mark, too');
check($ht, 'listed', 'clear');
is(noted($ht, 'RBa') . past($ht), '', 'a new listing begins without marks');

# A listing that ends without an answer of its list.
my $pp = sid('PP');
mark($ht, 'RBa', asked => 1);
script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
begin($acct, $pp, $ht);
finish_check($acct, $pp, $ht, [result('RBb', 'clear')]);
is(cmd('EXISTS', $marks), 0, 'a list that is no longer queried takes it along');
check($ht, 'listed', 'clear');
mark($ht, 'RBa', asked => 1);
$pp = sid('PP');
script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
begin($acct, $pp, $ht);
finish_check($acct, $pp, $ht, [listed_result('RBa', zone => 'new.example'),
    result('RBb', 'clear')]);
is(cmd('EXISTS', $marks), 0, 'a list with another zone is another list');

# Hosts that are deleted.
mark($ht, 'RBa', asked => 1);
my $other = host();
check($other, 'listed', 'listed');
mark($other, $_, ticket => $_) for qw(RBa RBb);
script('host_delete', [$acct], host => $ht, keep => 1000);
is_deeply(cmd('HKEYS', $marks), [$other],
    'the marks of a deleted host are gone');
my $range = script('host_add', [$acct], name => 'net', type => 'ip_range',
    family => 1, range => my $net = sid('HT'), net => '198.51.100.0/30',
    host => [my @kid = map { sid('HT') } 0 .. 3],
    value => [map { "198.51.100.$_" } 0 .. 3]);
check($kid[1], 'listed', 'clear');
mark($kid[1], 'RBa', ticket => 'kid');
is(mark($net, 'RBa', asked => 1)->[0], 'LISTING',
    'a range has no listings, its addresses have');
script('host_delete', [$acct], host => $net, keep => 1000);
is(cmd('HEXISTS', $marks, $kid[1]), 0,
    'the marks of the addresses of a deleted range are gone');
cmd('HSET', $marks, map { ("HT$_", packed([])) } 2 .. 1000);
my $third = host();
check($third, 'listed', 'listed');
is_deeply(mark($third, 'RBa', asked => 1), ['LIMIT', 1000],
    'an account has a limit of hosts with marks');
is(mark($other, 'RBa', asked => 1)->[0], 'OK',
    'a host that has marks gets further ones at the limit');
cmd('HDEL', $marks, map { "HT$_" } 2 .. 1000);
cmd('HSET', $marks, $third, packed([map { ["RB$_", 1, '', 0, '', '', 0, ''] }
    1 .. 20]));
is_deeply(mark($third, 'RBa', asked => 1), ['MANY', 20],
    'a host has a limit of marked listings');
cmd('HDEL', $marks, $third);


# --- what messages get ---------------------------------------------------------

my $co = contact('every_check');
check($other, 'listed', 'clear');
my ($row) = claim();
is_deeply([$row->{marks}[0], scalar @{ $row->{marks} }], [$other, 2],
    'a message gets the marks of its hosts');
is(unpacked($row->{marks}[1])->[0][5], 'RBa', 'each has its list and ticket');
cmp_ok($row->{now}, '>', 1.7e12, 'a message gets the time, from which their age '
    . 'is counted');


# --- random histories ----------------------------------------------------------

my $seed = $ENV{RBL_SEED} // 47;
srand $seed;
my %is = map { $_ => {} } $other, $third;
cmd('DEL', $marks);
check($_, 'clear', 'clear') for keys %is;
my $bad = 0;
for my $step (1 .. $ENV{RBL_LIVES} // 300) {
    my $h = (sort keys %is)[rand 2];
    my $l = ('RBa', 'RBb')[rand 2];
    if (rand() < 0.5) {
        my @says = map { (qw(listed listed clear unknown))[rand 4] } 0, 1;
        check($h, @says);
        for my $i (0, 1) {
            my $list = ('RBa', 'RBb')[$i];
            delete $is{$h}{$list} if $says[$i] eq 'clear';
            $is{$h}{$list} //= '' if $says[$i] eq 'listed';
        }
    } else {
        my $text = rand() < 0.3 ? '' : "t$step";
        my $r = mark($h, $l, ticket => $text);
        $bad++ if ($r->[0] eq 'OK') != exists $is{$h}{$l};
        $is{$h}{$l} = $text if exists $is{$h}{$l};
    }
    my %want = map { my $o = $_; map { $is{$o}{$_} ne ''
        ? ("$o:$_" => $is{$o}{$_}) : () } keys %{ $is{$o} } } keys %is;
    my %got = map { my $o = $_; my %m = of_host($o);
        map { ("$o:$_" => $m{$_}[5]) } keys %m } keys %is;
    $bad++ if join(' ', map { "$_ $want{$_}" } sort keys %want)
        ne join(' ', map { "$_ $got{$_}" } sort keys %got);
    last if $bad;
}
is($bad, 0, "marks are as a model has them, seed $seed");

done_testing();
