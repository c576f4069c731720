#!/usr/bin/perl

# The answers of the lists of a host (rbl_answers.h): the scripts write them into
# its record, and keep the orders of lists that they are in.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { INTERVAL => 800, DETAILS => 16, TROUBLED => 17, ANSWERS => 20 };

redis_new();
my $now = 1_800_000_000;
sub later { $now += $_[0]; script_clock($now * 1000 + 123) }
later(0);

my ($ac, $acct) = account(interval => INTERVAL);
my $rp = cmd('ZRANGE', k('profiles', $ac), 0, 0)->[0];
my @lists = map { [sid('RB'), 0, 0] } 0 .. 9;
sub with { my ($answers, @of) = @_;
    return map { [@{ $of[$_] }, substr $answers, $_, 1] } 0 .. $#of }
sub host { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }
sub answers { return host($_[0])->[ANSWERS] }
my $ht = unpacked(add_host($acct, 'rbl', '192.0.2.1')->[1])->[1];

# The field that a check which ends now is to leave.
sub field_of {
    my ($asks) = @_;
    return pack('C', ($now * 1000 + 123) % 256) . pack('H6', $asks)
        . (length $asks > 16 ? substr $asks, 17 + ord substr $asks, 16 : '');
}

# A check of the host by check_clear, check_finish, or on request.
my $reply;
sub check {
    my ($how, $asks, $members, @results) = @_;
    my $pp = sid('PP');
    if ($how eq 'manual') {
        script('check_start', [$acct], check => $pp, host => $ht,
            app => 'AP' . '0' x 32, keep => 60_000);
        take('m', 1);
        begin($acct, $pp, $ht);
    } else {
        cmd('ZADD', k('due', $ac), 1, $ht);
        cmd('ZADD', k('due'), 1, $ac);
        my ($job) = grep { /$ht/ } take('d', 100);
        $pp = begin($acct, (split /:/, $job)[1], $ht)->[8];
    }
    if ($how eq 'clear') {
        my $flight = cmd('HGET', k('flight:due'), "$ac:$ht");
        $reply = script('check_clear', [k('flight:due')], member => "$ac:$ht",
            flight => $flight, interval => INTERVAL, asks => $asks)->[1];
        return if $reply eq '1';
    }
    my $failed = $how eq 'failed' ? 'It failed.' : '';
    $reply = finish_check($acct, $pp, $ht, $failed ? [] : \@results, $failed,
        interval => INTERVAL, $failed ? () : (asks => $asks,
        members => $members))->[0];
    return;
}
sub checked {
    my ($how, $answers, @o) = @_;
    my @of = with($answers, @lists[0 .. length($answers) - 1]);
    my @results = map { result($_->[0], $_->[3] ? 'clear' : $how eq 'clear'
        ? 'skipped' : 'unknown', error => 'timeout') } @of;
    check($how, asks_of(@of), members_of(@of), @o ? @o : @results);
    return asks_of(@of);
}

# each way in which a check ends

is(answers($ht), undef, 'a new host has no answers');
for my $case (
    # how the check ends, which lists answered, does check_clear end it, name
    ['clear', '111', '0', 'the first check'],
    ['clear', '111', '1', 'all answered'],
    ['clear', '101', '1', 'one was left out'],
    ['clear', '111', '1', 'it answered again'],
    ['finish', '111', 'OK', 'all answered, with all effects'],
    ['finish', '110', 'OK', 'one is silent'],
    ['clear', '111', '0', 'it is over'],
    ['finish', '000', 'OK', 'all are silent'],
    ['finish', '111', 'OK', 'they answer'],
    ['clear', '111', '1', 'all answered, again'],
    ['clear', '1111111110', '0', 'the tenth list is new'],
    ['clear', '1111111110', '1', 'ten lists'],
    ['manual', '111', 'OK', 'a check on request'],
) {
    my ($how, $given, $ends, $name) = @$case;
    later(INTERVAL);
    # A host with trouble is none of check_clear.
    my $asks = checked($how, $given);
    is($reply, $how eq 'clear' && $ends eq '0' ? 'OK' : $ends,
        "$name: the check ends by " . ($ends eq '1' ? 'check_clear'
        : 'check_finish'));
    is(unpack('H*', answers($ht) // ''), unpack('H*', field_of($asks)),
        "$name: the record has the answers of this check");
    is(scalar @{ host($ht) }, ANSWERS + 1,
        "$name: the record has no more fields");
}

# checks that leave them

my $was = answers($ht);
later(10);
check('failed');
is(answers($ht), $was, 'a check that failed leaves the answers');
check('finish', '', '', result($lists[0][0], 'clear'));
is(answers($ht), '', 'a check that does not say its lists ends the answers');

# what begins a check gives them to the daemon

checked('finish', '10');
my $field = answers($ht);
cmd('ZADD', k('due', $ac), 1, $ht);
cmd('ZADD', k('due'), 1, $ac);
my ($job) = grep { /$ht/ } take('d', 100);
is(begin_job($job)->[14], $field,
    'check_begin gives the answers to the daemon');
cmd('DEL', k('flight:due'), k('flight'), k('leases'));

# a record that has fields of a newer release, and one that has fewer

for my $case (['no answers', sub { splice @{ $_[0] }, ANSWERS }],
    ['no trouble', sub { splice @{ $_[0] }, TROUBLED }],
    ['long answers', sub { $_[0][ANSWERS] = 'x' x 60 }],
    ['very long answers', sub { $_[0][ANSWERS] = 'x' x 250 }],
    ['a field of a newer release', sub { push @{ $_[0] }, 'new' }])
{
    my ($name, $change) = @$case;
    later(INTERVAL);
    checked('finish', '111');
    my $h = host($ht);
    $change->($h);
    my @behind = splice @{ [@$h] }, ANSWERS + 1 < @$h ? ANSWERS + 1 : @$h;
    cmd('SET', k('r', $ac, $ht), packed($h));
    later(INTERVAL);
    my $asks = checked('clear', '111');
    is("$reply " . unpack('H*', answers($ht)), '1 '
        . unpack('H*', field_of($asks)),
        "$name: check_clear writes the answers");
    is_deeply([splice @{ host($ht) }, ANSWERS + 1], \@behind, "$name: the fields behind the answers stay");
}
# The answers get as many octets longer as the field behind them has.
{
    my $wide = '1' x 3 . '0' x 60;
    my @of = map { [sid('RB'), 0, 0, $_] } split //, $wide;
    my @results = map { result($_->[0], $_->[3] ? 'clear' : 'skipped') } @of;
    my ($asks, $members) = (asks_of(@of), members_of(@of));
    check('clear', $asks, $members, @results);
    my $h = host($ht);
    my $n = length $h->[ANSWERS];
    $h->[ANSWERS] = 'x' x ($n - length packed('new'));
    splice @$h, ANSWERS + 1, @$h, 'new';
    cmd('SET', k('r', $ac, $ht), packed($h));
    later(INTERVAL);
    check('clear', $asks, $members, @results);
    is("$reply " . unpack('H*', answers($ht)), '1 '
        . unpack('H*', field_of($asks)),
        'check_clear writes answers that take the place of a newer field');
    is_deeply([splice @{ host($ht) }, ANSWERS + 1], ['new'],
        'the newer field stays behind answers of another length');
}
for my $bad (7, []) {
    my $h = host($ht);
    $h->[ANSWERS] = $bad;
    cmd('SET', k('r', $ac, $ht), packed($h));
    later(INTERVAL);
    my $asks = checked('clear', '111');
    is("$reply " . unpack('H*', answers($ht)), 'OK '
        . unpack('H*', field_of($asks)),
        'answers that are no text are replaced by check_finish');
}

# the orders of lists that the account keeps

sub orders {
    my (undef, $table, @of) = @{ unpacked(cmd('GET', k('coverage', $ac))) };
    return [sort map { substr $_, 0, 16 } @of];
}
my %seen;
cmd('DEL', k('coverage', $ac));
for my $n (1 .. 5) {
    later(INTERVAL);
    $seen{ substr checked('finish', '1' x $n), 0, 16 } = 1;
    is_deeply(orders(), [sort keys %seen],
        "the order of each is known after $n changes of the lists");
}
is(scalar keys %{ (coverage_in($ac))[1] }, 1, 'lists that changed leave one class');
later(INTERVAL);
checked('finish', '11');
is_deeply(orders(), [sort keys %seen], 'an order that comes back is kept once');
for my $n (1 .. 30) {
    later(INTERVAL);
    my @of = (@lists, [sid('RB'), $n, 0]);
    check('finish', asks_of(@of), members_of(@of),
        map { result($_->[0], 'clear') } @of);
}
is(scalar @{ orders() }, 17, 'the last 16 orders are kept');

# a host that is not active

script('host_status', [$acct], host => $ht, status => 'paused');
cmd('DEL', k('coverage', $ac));
my $asks = checked('manual', '1101');
is_deeply(orders(), [substr $asks, 0, 16],
    'the order of the lists of a paused host is kept, too');
is_deeply((coverage_in($ac))[1], {}, 'a paused host makes no class');
is(answers($ht), field_of($asks), 'a paused host has the answers of its check');

done_testing();
