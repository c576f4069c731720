#!/usr/bin/perl

# The state of a host at each of its lists, from the query to rblctl: lists that
# are clear, list the host, are silent, refuse the query, are not due; lists that
# are added and removed; a host that is paused.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX 'strftime';
use RblTest;
use RblCheckd;
use RblDns;

use constant MONTH => 30 * 86400;

my @there = ([ '^5\.0\.0\.10\.d\.test', { a => ['127.0.0.2'], ttl => 0 } ],
    not_there());
my $dns = RblDns->new(rules => [ test_entry(), not_there() ]);
my %zones = ((map { ("$_.test" => { control => 'ip' }) } 'a' .. 'd'),
    'e.test' => { control => 'ip',
        more => sprintf '"min_interval": %d', MONTH });
my $w = world(no_dns => 1, partitions => 2, zones => \%zones);
my $ht = add_host($w, '10.0.0.5');

sub ctl {
    my $r = rblctl($w->{redis}, @_);
    die "rblctl @_: $r->{err}" if $r->{status} != 0;
    return $r->{out};
}
sub time_of { return strftime '%Y-%m-%dT%H:%M:%S+00:00', gmtime $_[0] / 1000 }

# "LIST STATUS ERROR LAST" of each list; LAST: did it answer in the last check,
# in the first one ("once"), or never?
my $once = 0;
sub states {
    my $h = json(ctl('host', $ht, '--json'));
    my %when = ($h->{host}{last_checked} => 'now', time_of($once - $once % 60_000)
        => 'once', '' => 'never');
    return join ', ', sort map { my $l = $_; join ' ',
        $l->{host} =~ s/\.test//r, (grep { $_ ne '' } @$l{qw(status error)}),
        $when{ $l->{asked} } // $l->{asked} } @{ $h->{lists} };
}
sub check {
    my ($name, $manual) = @_;
    my $before = host_record($w, $ht)->{checked};
    $manual ? check_host($w, $ht) : set_due($w, $ht);
    eventually { host_record($w, $ht)->{checked} > $before
        && jobs_left($w) == 0 } 30, $name;
    my $size = length host_record($w, $ht)->{answers};
    cmp_ok($size, '<=', 62, "the answers take few bytes: $size");
}
sub start {
    return start_checkd(store => $w->{redis},
        resolver => { port => $dns->port }, conf => { conf_short(@_) });
}

is(states(), join(', ', map { "$_ unknown unasked never" } 'a' .. 'e'),
    'no list of a new host is clear');
my $checkd = start();
eventually { host_record($w, $ht)->{checked} > 0 && jobs_left($w) == 0 } 30,
    'the first check of the host ends';
is(states(), join(', ', map { "$_ clear now" } 'a' .. 'e'),
    'all lists answer the first check');

# The first check was an hour ago.

my $h = host_record($w, $ht);
$once = $h->{checked} - 3_600_000;
my $answers = pack('C', $once % 256) . substr $h->{answers}, 1;
redis($w->{redis}, 'SET', RblCheckd::akey($w, 'r', $ht), record_pack('host', %$h,
    name => \$h->{name}, value => \$h->{value}, checked => $once,
    answers => \$answers));
redis($w->{redis}, 'DEL', RblCheckd::akey($w, 'unchanged'));

my @broken = ([ '^5\.0\.0\.10\.b\.test', 'mute' ],
    [ '^5\.0\.0\.10\.c\.test', 'servfail' ]);
$dns->rules(test_entry(), @broken, @there);
check('a check with two lists that give no answer ends');
is(states(), 'a clear now, b unknown timeout once, c unknown servfail once, '
    . 'd listed now, e skipped interval once',
    'each list has its own state, reason and last answer');
my $text = ctl('host', $ht);
like($text, qr/^b\.test +unknown +\S+ +\S+ +timeout/m,
    'rblctl shows the last answer and the reason');
check('the same check once more ends');
is(states(), 'a clear now, b unknown timeout once, c unknown servfail once, '
    . 'd listed now, e skipped interval once',
    'the times of the last answers stay');

# Lists are added and removed; the daemon knows the new ones only.

$w->{zones}{'n.test'} = { control => 'ip' };
write_file($w->{lists_file}, RblCheckd::lists_json($w->{zones}));
ctl('lists', 'load', $w->{lists_file});
is(states(), 'a clear now, b unknown timeout once, c unknown servfail once, '
    . 'd listed now, e skipped interval once, n unknown unasked never',
    'a list that is added is unknown, and the others stay as they are');
ok(stop_server($checkd), 'the first daemon stops');
$checkd = start();
check('a check by a daemon that knows only the new lists ends');
is(states(), 'a clear now, b unknown timeout once, c unknown servfail once, '
    . 'd listed now, e skipped interval once, n clear now',
    'the last answers are kept though the order of the lists has changed');
ctl('lists', 'disable', 'a.test');
is(states(), 'b unknown timeout once, c unknown servfail once, d listed now, '
    . 'e skipped interval once, n clear now',
    'a list that is removed is gone, and the others stay as they are');
check('a check without the removed list ends');
is(states(), 'b unknown timeout once, c unknown servfail once, d listed now, '
    . 'e skipped interval once, n clear now',
    'the next check keeps the last answers once more');

# A check on request asks all; a host that is paused is not asked.

$dns->rules(test_entry(), $broken[0], @there);
check('a check on request ends', 1);
is(states(), 'b unknown timeout once, c clear now, d listed now, e clear now, '
    . 'n clear now', 'a check on request asks the list that was not due');
script_ok($w, 'host_status', [RblCheckd::akey($w, 'acct')], host => $ht,
    status => 'paused');
is(states(), 'b unknown paused once, c unknown paused now, d listed now, '
    . 'e unknown paused now, n unknown paused now',
    'no list of a paused host is clear; all keep their last answers');
script_ok($w, 'host_status', [RblCheckd::akey($w, 'acct')], host => $ht,
    status => 'active');
$dns->rules(test_entry(), not_there());
check('a check with all lists in order ends', 1);
is(states(), join(', ', map { "$_ clear now" } qw(b c d e n)),
    'all lists are clear');
is(length host_record($w, $ht)->{answers}, 4,
    'answers of all lists take four bytes');

ok(stop_server($checkd), 'the daemon stops');
$dns->stop;
done_testing();
