#!/usr/bin/perl
# rblctl host.

use strict;
use warnings;

use lib 't/lib';
use RblCtl;
use RblSeam;

use constant T => 1_700_000_000_000;    # 2023-11-14T22:13:20+00:00

my $redis = ctl_store();
sub cmd { return redis($redis, @_) }

my $file = temp_dir() . '/lists.json';
write_file($file, '{ "version": 1, "lists": [' . join(',', map {
    sprintf '{"zone": "%s.test", "name": "List %s", "type": "%s", "enabled": %s,'
        . ' "families": ["%s"], "codes": ["127.0.0.2=spam"], "control": "none",'
        . ' "min_interval": %d}', @$_ } ['a', 'A', 'rbl', 'true', 'ipv4', 0],
    ['b', 'B', 'rbl', 'true', 'ipv4', 0], ['c', 'C', 'rbl', 'true', 'ipv4', 60],
    ['six', 'Six', 'rbl', 'true', 'ipv6', 0],
    ['off', 'Off', 'rbl', 'false', 'ipv4', 0],
    ['u', 'U', 'uribl', 'true', 'domain', 0]) . '] }');
good('lists', 'lists', 'load', $file);
my %rb = map { $_->{host} =~ s/\.test\z//r => $_->{id} } map { $_->{list} }
    @{ good('their SIDs', 'lists', 'show') };
my @ac = map { good('an account', 'account', 'add', "Nr $_")->{id} } 1 .. 2;
my ($ac, $other) = @ac;

my $serial = 0;
sub sid { return sprintf '%s%032x', $_[0], ++$serial }
sub script {
    my ($name, @args) = @_;

    return cmd('EVAL', seam_source($name), seam_words($name, @args));
}
sub add {
    my ($type, $family, $value, %o) = @_;

    my $ht = sid('HT');
    my $r = script('host_add', [redis_key('acct', $ac)],
        name => $o{name} // 'a name', type => $type, family => $family,
        host => $ht, value => $value);
    die "host_add: $r->[0]\n" if $r->[0] ne 'OK';
    return $ht;
}
sub alter {
    my ($ht, %with) = @_;

    my $k = redis_key('r', $ac, $ht);
    my %h = (%{ record('host', cmd('GET', $k)) }, %with);
    cmd('SET', $k, record_pack('host', %h));
    return;
}
sub at { return sprintf '2023-11-14T22:%02d:%02d+00:00', 13 + int((20 + $_[0])
    / 60), (20 + $_[0]) % 60 }
sub lists_of {
    my ($v) = @_;
    return join ', ', map { my $l = $_; join ' ', $l->{host} =~ s/\.test//r,
        map { $l->{$_} } grep { length $l->{$_} && $l->{$_} ne '0' }
        qw(status since asked error errors cleared) } @{ $v->{lists} };
}

# one that was never checked

my $ht = add('rbl', 1, '192.0.2.1', name => "mail \x{1b}[2J");
my $v = good('a host by its SID', 'host', $ht);
is_deeply([@{ $v->{host} }{qw(id host type status listed_count unknown_count
    last_checked)}, @$v{qw(account history)}],
    [$ht, '192.0.2.1', 'rbl', 'active', 0, 0, '', $ac, []],
    'a host by its SID has its record');
is(lists_of($v), 'a unknown unasked, b unknown unasked, c unknown unasked',
    'a new host has its lists, which are unknown');
is_deeply(good($_->[0], 'host', @$_[1 .. $#$_]), $v,
    "the output is the same for $_->[0]")
    for ['account and SID', $ac, $ht], ['account and value', $ac, '192.0.2.1'],
    ['SIDs in capitals', uc $ac, uc $ht], ['a mapped address', $ac,
    '::ffff:192.0.2.1'];

# listed, not confirmed, unknown, clear

sub entry { return [$rb{ $_[0] }, "$_[0].test", 'https://x.example/', 'why',
    ['127.0.0.2', '127.0.0.3'], T, @_[1 .. $#_]] }
sub seen {
    my ($fields, $coverage) = host_answers(T + 9000, @_);
    cmd('SET', redis_key('coverage', $ac), $coverage);
    return %$fields;
}
my @seen = seen(map { [$rb{$_}] } qw(a b c));
alter($ht, @seen);
is(lists_of(good('clear', 'host', $ht)), join(', ', 'a clear ' . at(9),
    'b clear ' . at(9), 'c clear ' . at(9)),
    'a clear host has the time of the check');
alter($ht, seen([$rb{a}], [$rb{c}, 0, 5]));
is(lists_of(good('skipped', 'host', $ht)), join(', ', 'a clear ' . at(9),
    'b unknown unasked', 'c skipped 2023-11-14T22:08:00+00:00 interval'),
    'a list that was left out has its last answer, and a new one has none');
alter($ht, @seen, listed_count => 2, first_listed => T, unknown_count => 2,
    details => [entry('a', T + 5000, 3, T + 7000), entry('b')], seen([$rb{a}, 3],
    [$rb{b}], [$rb{c}, 4, 20]), troubled => [[$rb{c}, 'servfail', T + 1000, 4]]);
$v = good('listed', 'host', $ht);
is(lists_of($v), join(', ', 'a listed ' . at(0) . ' ' . at(5) . ' timeout 3 '
    . at(7), 'b listed ' . at(0), 'c unknown ' . at(1)
    . ' 2023-11-14T21:53:00+00:00 servfail 4'),
    'listings have times and errors, and an unknown list has its reason');
is_deeply($v->{lists}[0]{codes}, ['127.0.0.2', '127.0.0.3'],
    'a listing has its codes');
alter($ht, unknown_count => 2, details => [], listed_count => 0, seen([$rb{a}, 3],
    [$rb{b}, 12, 1], [$rb{c}]), troubled => [[$rb{a}, 'timeout', T, 1]]);
is(lists_of(good('more unknown lists than are counted', 'host', $ht)),
    join(', ', 'a unknown ' . at(0) . ' timeout 1',
    'b unknown 2023-11-14T22:12:00+00:00 resolver', 'c clear ' . at(9)),
    'each unknown list has its reason');

# lists that are no longer queried

my $gone = sid('RB');
alter($ht, @seen, listed_count => 1, first_listed => T,
    details => [[$gone, 'gone.test', '', '', [], T]],
    troubled => [[$rb{off}, 'timeout', T, 2]], unknown_count => 1);
like(lists_of(good('of other lists', 'host', $ht)),
    qr/, gone listed \S+, off unknown \S+ timeout 2\z/,
    'lists that are no longer queried come last');

# history, newest first

my $hist = redis_key('hist', $ac, $ht);
cmd('XADD', $hist, T + $_, 'c', 'PP1', 't', (mp_pack([[$rb{a}]]), 'x')[$_])
    for 0, 1;
cmd('XADD', $hist, T + $_ * 1000, 'c', 'PP1', 't', mp_pack([[$rb{a}, 'a.test',
    $_ % 2 ? ('listed', '127.0.0.2') : ('clear', '')]])) for 1 .. 3;
$v = good('history', 'host', $ht);
is_deeply([map { "$_->{time} $_->{host} $_->{status} $_->{codes} $_->{check}" }
    @{ $v->{history} }], [map { at($_) . ' a.test '
    . ($_ % 2 ? 'listed 127.0.0.2' : 'clear ') . ' PP1' } 3, 2, 1],
    'the history is sorted, the newest change first');
is($v->{history}[0]{id}, $rb{a}, 'a change has the SID of its list');

# text output

my $text = rblctl($redis, 'host', $ht);
is("$text->{status} $text->{err}", '0 ', 'host succeeds with text output');
like($text->{out}, qr/^listed since +2023-11-14T22:13:20\+00:00$/m,
    'the text has the fields of the record');
like($text->{out}, qr/^gone\.test +listed +2023/m,
    'the text has the lists of the host');
like($text->{out}, qr/^2023-11-14T22:13:23\+00:00 +a\.test +listed +127/m,
    'the text has the history of the host');
unlike($text->{out}, qr/[^\n -~]/, 'the text has printable characters only');
# a profile of its own, with a custom list

my ($rp, $custom, $paused) = (sid('RP'), sid('RB'), sid('RB'));
my $acct = redis_key('acct', $ac);
script('rbl_add', [$acct], list => $custom, type => 'rbl',
    zone => 'own.example');
script('rbl_add', [$acct], list => $paused, type => 'rbl',
    zone => 'paused.example');
script('rbl_status', [$acct], list => $paused, status => 'paused');
is(script('profile_add', [$acct], profile => $rp, name => 'own',
    is_default => 0, given => 1,
    entries => [$rb{b}, $custom, $paused, $rb{off}, $rb{u}])->[0], 'OK',
    'profile_add makes a profile');
my $own = add('rbl', 1, '192.0.2.2');
script('host_update', [$acct], host => $own, profile => $rp);
is(join(' ', map { $_->{host} } @{ good('its own lists', 'host', $own)
    ->{lists} }), 'b.test own.example',
    'host shows the active lists of its profile that apply');

# domains and ranges

my $rhs = add('rbl', 4, 'example.com');
is(good('a domain', 'host', $ac, 'Example.COM')->{host}{id}, $rhs,
    'a domain is found by its value');
my $url = add('uribl', 4, 'example.com');
is(lists_of(good('at lists of URLs', 'host', $url)), 'u unknown unasked',
    'a URL host has the list of URLs');
bad('two of that value', "name one by its SID, $rhs or $url", 'host', $ac,
    'example.com');
my $range = sid('HT');
script('host_add', [$acct], name => 'r', type => 'ip_range', family => 1,
    range => $range, net => '10.0.0.0/31', host => [sid('HT'), sid('HT')],
    value => ['10.0.0.0', '10.0.0.1']);
script('work_step', [$acct]);
$v = good('a range', 'host', $ac, '10.0.0.0/31');
is_deeply([$v->{host}{id}, $v->{lists}], [$range, []],
    'a range has no lists of its own');

# refusals

my $none = 'HT' . '0' x 32;
bad('an unknown host', "there is no host $none", 'host', $none);
bad('of an account', "account $ac has no host $none", 'host', $ac, $none);
bad('of another account', "account $other has no host $ht", 'host', $other,
    $ht);
bad('an unknown value', "account $other has no host 192.0.2.1", 'host', $other,
    '192.0.2.1');
bad('an unknown account', 'there is no account', 'host', 'AC' . '0' x 32, $ht);
bad("no SID: $_", "is not the SID of a host: .* rblctl host ACCOUNT $_",
    'host', $_) for 'HT1', '192.0.2.1', '';
bad("no value: $_", 'is not a SID', 'host', $ac, $_) for '1.2.3', '', 'HT1',
    "a\x{1}b", '10.0.0.1/31';
cmd('SET', redis_key('r', $ac, $ht), 'nonsense');
bad('a damaged record', 'is damaged', 'host', $ht);

# a damaged record shortens the output, and the program continues

for my $with ([details => 'x'], [details => [7, ['x']]], [troubled => [[]]],
    [troubled => [['RBx', 7, 'y', []]]], [details => [['RBx', 1]]])
{
    cmd('SET', redis_key('r', $ac, $own), record_pack('host', %{ record('host',
        cmd('GET', redis_key('r', $ac, $rhs))) }, id => $own, groups => [],
        family => 1, profile => $rp, value => '192.0.2.2', @$with));
    my $r = rblctl($redis, 'host', $own);
    like($r->{status}, qr/\A[03]\z/,
        "host ends normally with damaged $with->[0]");
}

done_testing();
