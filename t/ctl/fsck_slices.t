#!/usr/bin/perl
# rblctl fsck checks hosts, keys and ranges in slices: a call that ends early
# continues where it stopped, and writes of other programs between two slices
# are neither reported nor repaired as faults.

use strict;
use warnings;

use lib 't/lib';
use Digest::SHA qw(sha1_hex);
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use RblTest;
use RblScript;

use constant { PROFILE => 8, LISTED => 13 };    # of a host (schema.txt)

my $redis = redis_new(cluster => 1);     # its relay is to one server
rblctl($redis, 'init', '--partitions', 1);
my ($ac, $acct) = account();

sub stored { return unpacked(cmd('GET', k('r', $ac, $_[0]))) }

sub change {
    my ($sid, %to) = @_;
    my $r = stored($sid);
    $r->[$_] = $to{$_} for keys %to;
    cmd('SET', k('r', $ac, $sid), packed($r));
}

sub host {
    my ($value) = @_;
    return unpacked(add_host($acct, 'rbl', $value)->[1])->[1];
}

sub check {
    my ($ht, @results) = @_;
    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht, family => 1,
        keep => 600_000);
    take('m', 1);
    begin($acct, $pp, $ht);
    my $r = finish_check($acct, $pp, $ht, [@results]);
    die "check_finish: @$r\n" if $r->[0] ne 'OK';
}

# 70 listings are more than one call of fsck_entries handles.
my @lists = map { sprintf 'RBl%02d', $_ } 1 .. 70;
my ($first, $gone, $last) = map { host("192.0.2.$_") } 1 .. 3;
check($first, map { listed_result($_) } @lists);
check($last, listed_result('RBa'));
my ($range, @kids) = map { unpacked($_)->[1] } (@{ add_host($acct, 'ip_range',
    '10.0.0.0/30', map { "10.0.0.$_" } 0 .. 3) })[1 .. 5];
check($kids[0], listed_result('RBa'));


# --- every slice is continued ----------------------------------------------

sub fsck {
    my ($what, $expected, @options) = @_;
    my $r = rblctl($redis, 'fsck', @options);
    is($r->{status}, $expected ? 1 : 0, "$what: the status")
        or diag("$r->{out}$r->{err}");
    my @found = grep { !/^ACCOUNT|^no fault/ } split /\n/, $r->{out};
    is(scalar @found, $expected, "$what: $expected faults")
        or diag($r->{out});
    return $r->{out};
}
fsck('a consistent account', 0);

change($_, PROFILE, 'RPnone') for $last, $kids[3];
my $out = fsck('hosts after one with 70 listings', 3, '--repair');
like($out, qr/$_ .*has a profile that does not exist/,
    "fsck checks the host $_")
    for $last, $kids[3];
fsck('the repaired hosts', 0);

my @rp = map { sid('RP') } 1 .. 10;
script('profile_add', [$acct], profile => $_, name => "p$_", given => '1',
    entries => ['RBa', 'RBb']) for @rp;
for my $rp (@rp) {
    my $p = stored($rp);
    $p->[5] = ['RBa', 'RBnone'];
    cmd('SET', k('r', $ac, $rp), packed($p));
}
fsck('ten profiles', 10, '--repair');
is_deeply(stored($_)->[5], ['RBa'], 'the profile is repaired') for @rp;

my %sound = @{ cmd('HGETALL', k('refs', $ac)) };
cmd('HSET', k('refs', $ac), map { (sid('CG') . ':h', 3) } 1 .. 250);
fsck('250 counters of nothing', 250, '--repair');
cmd('DEL', k('refs', $ac));
fsck('no counter at all', scalar keys %sound, '--repair');
is_deeply({ @{ cmd('HGETALL', k('refs', $ac)) } }, \%sound,
    'the counters are as before');
is_deeply(script('fsck_refs', [$acct], mend => '1', field => [keys %sound],
    has => 77, is => 5), ['OK'], 'a changed counter is left alone');

cmd('RPUSH', k('manual', $ac), map { sid('PP') . ':' } 1 .. 100);
cmd('ZADD', k('manual'), 1, $ac);
fsck('a hundred checks that wait and have no record', 100);
fsck('a hundred checks that wait and have no record', 100, '--repair');
fsck('no check that waits', 0);

my @pp = map { sid('PP') } 1 .. 3;
cmd('SET', k('check', $ac, "$_:d"), 'x' x 120_000, 'PX', 600_000) for @pp;
fsck('details of three checks', 3, '--repair');
fsck('the counted details', 0);

cmd('DEL', k('r', $ac, $kids[3]));
cmd('HSET', k('r', $ac, $kids[3]), 'a', 'b');
my $none = qr/kids .*$range .*has an address that is none of it: $kids[3]/;
like(fsck('an address that is no record', 7), $none,
    'fsck reports an address that is no record');
like(fsck('an address that is no record', 11, '--repair'), $none,
    'fsck --repair reports the address as well');
fsck('the range without it', 0);


# --- other programs write between two slices -------------------------------

# A relay in front of the store runs `code` before it forwards the nth call of a
# script, or of "script word" with that argument.  The file has a line for each
# call seen.
sub while_fsck {
    my ($what, $nth, $code) = @_;

    my ($script, $word) = split / /, $what;

    my ($path, $calls) = map { temp_dir() . "/$_" } "relay-$script", 'calls';
    unlink $path, $calls;
    my $listen = IO::Socket::UNIX->new(Local => $path, Listen => 4) or die $!;
    my $pid = fork // die "fork: $!";
    if (!$pid) {
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        relay($listen, $script, $word // '', $nth, $code, $calls);
        POSIX::_exit(0);
    }
    close $listen;
    sid('PP') for 1 .. 9;               # SIDs that the child uses
    my $r = run_cmd({ timeout => 60 }, build_dir() . '/rblctl', '--store',
        "unix:$path", '--user', 'rblctl-fsck', '--password-file',
        $redis->{users}{'rblctl-fsck'}, 'fsck', '--repair');
    kill 'TERM', $pid;
    waitpid $pid, 0;
    $r->{calls} = () = read_file($calls) =~ /\n/g;
    return $r;
}

sub relay {
    my ($listen, $script, $word, $nth, $code, $calls) = @_;

    my $sha = sha1_hex(read_file(build_dir() . "/gen/lua/$script.lua"));
    my $client = $listen->accept;
    my $store = IO::Socket::UNIX->new(Peer => $redis->{socket});
    my $both = IO::Select->new($client, $store);
    while (1) {
        for my $h ($both->can_read) {
            sysread $h, my $bytes, 1 << 20 or return;
            if ($h == $client && $bytes =~ /EVALSHA\r\n\$40\r\n$sha/
                && $bytes =~ /\r\n$word/)
            {
                open my $f, '>>', $calls or die $!;
                print $f "call\n";
                close $f;
                $code->() if --$nth == 0;
            }
            my $to = $h == $client ? $store : $client;
            for (my $at = 0; $at < length $bytes;) {
                $at += syswrite $to, $bytes, length($bytes) - $at, $at;
            }
        }
    }
}

sub no_fault {
    my ($what, $script, $nth, $code) = @_;
    my $r = while_fsck($script, $nth, $code);
    is($r->{status}, 0, "$what: no fault") or diag("$r->{out}$r->{err}");
    is($r->{err}, '', "$what: no note");
    cmp_ok($r->{calls}, '>=', $nth, "$what: it was written meanwhile");
    fsck("$what, afterwards", 0);
    return $r;
}

no_fault('hosts end and change after the first slice',
    'fsck_entries hosts', 1, sub {
        script('host_delete', [$acct], host => $gone, keep => 60_000);
        check($last, result('RBa', 'clear'));
    });
is(cmd('EXISTS', k('r', $ac, $gone)), 0, 'the host is deleted');
is(stored($last)->[LISTED], 0, 'the other one is not listed');

my $r = no_fault('a listing starts while addresses are counted', 'fsck_range',
    1, sub { check($kids[1], listed_result('RBa')) });
is($r->{calls}, 2, 'the addresses are counted again');
is(stored($range)->[LISTED], 2, 'the range counts both');

$r = no_fault('a listing ends while addresses are counted', 'fsck_range', 1,
    sub { check($kids[0], result('RBa', 'clear')) });
is($r->{calls}, 2, 'the addresses are counted again');
is(stored($range)->[LISTED], 1, 'the range counts the other');

$r = no_fault('a listed address ends while addresses are counted', 'fsck_range',
    1, sub { script('host_delete', [$acct], host => $kids[1],
        keep => 60_000) });
is($r->{calls}, 2, 'the addresses are counted again');
is(stored($range)->[LISTED], 0, 'the range counts none');

no_fault('a host is added while uses are counted', 'fsck_refs', 1,
    sub { host('192.0.2.9') });

no_fault('an address is deleted before its check', 'fsck_kids', 1, sub {
    script('host_delete', [$acct], host => $kids[0], keep => 60_000) });
no_fault('the range is deleted before its check', 'fsck_kids', 1, sub {
    script('host_delete', [$acct], host => $range, keep => 60_000) });
is(cmd('EXISTS', k('r', $ac, $range), k('kids', $ac, $range)), 0,
    'the range is deleted');

done_testing();
