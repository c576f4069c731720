#!/usr/bin/perl

# Marks of a listing: the portal's call, the host's page and history, and
# rblctl, which sees and sets the same.

use strict;
use warnings;

use Test::More;
use utf8;

use RblPortal;

my $t = portal_setup();
my $ac = $t->{acct}{sid};
my $owner = sign_in($t);
my $viewer = sign_in($t, role => 'viewer');
my ($rb, $rb2) = map { 'RB' . '0' x 31 . $_ } 1, 2;

sub post { return portal($t, $_[2] // $owner, 'POST', "$_[0].json",
    fields => $_[1]) }
sub get { return portal($t, $_[1] // $owner, 'GET', $_[0]) }
sub data { return accepted(@_)->{data} }
sub ctl { return rblctl($t->{redis}, '--json', @_) }

my $ht = add_host($t, '198.51.100.7')->{id};
sub of_list {
    my ($list, $who) = @_;
    my ($l) = grep { $_->{id} eq $list } @{ data(get("host/lists/$ht.json",
        $who), 'the lists of the host')->{lists} };
    return $l->{mark};
}

refused(post("host/mark/$ht", { list => $rb, asked => '1' }), 409, qr/list/,
    'a list that does not list the host has nothing to mark');
list_host($t, $ht, lists => 2);
is(of_list($rb), undef, 'a listing has no marks at first');
my $made = data(post("host/mark/$ht", { list => $rb, asked => '1',
    ticket => ' 4711 ' }), 'a listing is marked');
is_deeply([@$made{qw(host list)}], [$ht, $rb], 'the answer names the listing');
my $m = of_list($rb, $viewer);
is_deeply($m, $made->{mark}, 'a viewer sees the marks that the answer has');
like($m->{asked}, qr/^\d{4}-\d\d-\d\dT/, 'the mark has its time');
is($m->{asked_by}, $owner->{mail}, 'the mark has the name of the user');
is_deeply([@$m{qw(expected expected_by ticket ticketed_by)}],
    ['', '', '4711', $owner->{mail}], 'only what was given is marked');
is($m->{text}, "removal asked 1 min ago by $owner->{mail}, ticket 4711",
    'the marks are there in words, too');
is(of_list($rb2), undef, 'another listing of the host has no marks');

my $host = json(ctl('host', $ac, '198.51.100.7')->{out});
my ($row) = grep { $_->{id} eq $rb } @{ $host->{lists} };
is($row->{mark}{ticket}, '4711', 'rblctl host shows the marks');
like(rblctl($t->{redis}, 'host', $ac, '198.51.100.7')->{out},
    qr/removal asked 1 min ago/, 'rblctl host shows them in words');
my $r = ctl('mark', $ac, '198.51.100.7', $rb, '--expected', 'true',
    '--asked', 'false');
is($r->{status}, 0, 'rblctl marks the listing') or diag($r->{err});
is_deeply([map { $_ ne '' || 0 } @{ json($r->{out})->{mark} }{
    qw(asked expected ticketed)}], [0, 1, 1],
    'rblctl mark answers with the marks as they are');
$m = of_list($rb);
is_deeply([$m->{asked}, $m->{expected} ne '' || 0, $m->{ticket}], ['', 1,
    '4711'], 'the portal shows what rblctl has set');
isnt($m->{expected_by}, '', 'a mark of rblctl has the name of the operator');
isnt(ctl('mark', $ac, $ht, 'nowhere.example', '--asked', 'true')->{status}, 0,
    'rblctl refuses a zone that is none of the lists of the host');
is(json(ctl('mark', $ac, $ht, $_)->{out})->{mark}{ticket}, '4711',
    "rblctl finds a list by its zone, and shows the marks: $_")
    for 'list1.test', 'List1.TEST';

accepted(post("host/mark/$ht", { list => $rb, ticket => '', expected => '0' }),
    'the marks are taken off');
is(of_list($rb), undef, 'no mark is left');
is(redis($t->{redis}, 'EXISTS', redis_key('marks', $ac)), 0,
    'the store has no marks any more');
accepted(post("host/mark/$ht", { list => $rb }), 'a call that marks nothing');
accepted(post("host/mark/$ht", { list => $rb2, ticket => 'ä' x 64 }),
    'a ticket of 64 characters');

for my $case ([{ ticket => 'ä' x 65 }, qr/ticket/, 'a ticket of 65 characters'],
    [{ asked => '2' }, qr/asked/, 'a flag that is none'],
    [{ expected => '' }, qr/expected/, 'an empty flag'],
    [{ list => '' }, qr/list/, 'no list'],
    [{ list => $ht }, qr/list/, 'a list that is a host'],
    [{ list => 'x' }, qr/list/, 'a list that is no id'])
{
    my ($fields, $text, $name) = @$case;
    refused(post("host/mark/$ht", { list => $rb, %$fields }), 400, $text,
        "$name is refused");
}
refused(post('host/mark/' . sid_of('HT'), { list => $rb, asked => '1' }), 404,
    qr/host/, 'a host that does not exist is refused');
refused(post("host/mark/$ht", { list => sid_of('RB'), asked => '1' }), 409,
    qr/list/, 'a list that does not exist has nothing to mark');
is(post("host/mark/$ht", { list => $rb, asked => '1' }, $viewer)->{status}, 403,
    'a viewer marks nothing');

# The history shows the marks that a listing had when it ended.
my @mark = ([$rb2, 0, '', 0, '', 'T-17', 5, 'Ann']);
redis($t->{redis}, 'XADD', redis_key('hist', $ac, $ht), '*', 'c', 'PP' . '0' x 64,
    't', mp_pack([[$rb, 'list1.test', 'clear', ''], [$rb2, 'list2.test',
        'clear', '']]), 'm', mp_pack(\@mark));
my $past = data(get("host/history/$ht.json"), 'the history');
is_deeply([map { $_->{mark}{ticket} // 'none' } @$past], ['none', 'T-17'],
    'the history has the marks of the listing that had some');

redis($t->{redis}, 'HSET', redis_key('marks', $ac), $ht, 'x');
is(of_list($rb2), undef, 'damaged marks are left out of the page');
rblctl($t->{redis}, 'fsck', '--repair');
is(redis($t->{redis}, 'EXISTS', redis_key('marks', $ac)), 0,
    'fsck repairs damaged marks');
done_testing();
