#!/usr/bin/perl

# rblctl with something other than redis-server, or a faulty one: every command
# ends, reports the error in one line, and neither crashes nor hangs.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblFakeRedis;
use RblTest;

use constant {
    PATIENT  => '20ms',         # rblctl waits ten times this, for long scripts
    WITHIN   => 30,             # s, after which a command is killed
};

my %sid = map { $_ => $_ . '0123456789abcdef' x 2 } qw(AC AP WH EV HT);
my @commands = map { [split] } (
    'init', "account add name", "account show $sid{AC}", 'account list',
    "account suspend $sid{AC}", "account timezone $sid{AC} UTC",
    "account interval $sid{AC} 1h", "app add $sid{AC} name",
    "app rotate $sid{AC} $sid{AP}", "app revoke $sid{AC} $sid{AP}",
    "app list $sid{AC}", "app allow $sid{AC} $sid{AP} 10.0.0.0/8",
    "app limit $sid{AC} $sid{AP} --hour 5", "app stats $sid{AC} $sid{AP}",
    "app errors $sid{AC} $sid{AP}", "token list $sid{AC} $sid{AP}",
    "token revoke $sid{AC} $sid{AP} 12345678",
    "webhook add $sid{AC} name https://hook.example/",
    "webhook list $sid{AC}", "webhook show $sid{AC} $sid{WH}",
    "webhook rotate $sid{AC} $sid{WH}", "webhook disable $sid{AC} $sid{WH}",
    "webhook delete $sid{AC} $sid{WH}", "webhook log $sid{AC} $sid{WH}",
    "webhook dead $sid{AC}", "webhook replay $sid{AC} $sid{WH} $sid{EV}",
    "webhook replay $sid{AC} $sid{WH} --all", 'lists show',
    'lists disable a.test', 'lists override a.test --rate 5',
    'lists kill a.test dead', 'lists thaw a.test', "host $sid{HT}",
    'queue', 'fsck', "fsck $sid{AC}", 'fsck --repair', 'status');

my $fake = start_fake('good');
my $conf = temp_dir() . '/rblctl.conf';
write_file($conf, "store unix:$fake->{dir}/s\nstore_timeout " . PATIENT . "\n");

for my $mode (qw(loading late_loading readonly masterdown oom noscript strange
    half close close_at_once maxclients garbage huge negative nested_huge deep
    long integer many short nested bytewise)) {
    fake_mode($fake, $mode);
    my (@died, @slow, @dumb, @mute);
    for my $c (@commands) {
        my $r = run_cmd({ timeout => WITHIN }, build_dir() . '/rblctl',
            '-c', $conf, @$c);
        push @slow, "@$c" if $r->{signal} == 9;
        push @died, "@$c: $r->{status} $r->{err}"
            if $r->{status} != 0 && $r->{status} != 3;
        push @mute, "@$c" if $r->{status} == 3 && $r->{err} eq '';
        push @dumb, "@$c: $r->{err}"
            if $r->{err} =~ /[^\n\x20-\x7e]/ || grep { !/^rblctl: / }
                split /\n/, $r->{err};
    }
    is_deeply(\@died, [], "$mode: every command exits with 0 or 3");
    is_deeply(\@slow, [], "$mode: every command ends in time");
    is_deeply(\@mute, [], "$mode: every failed command has a message");
    is_deeply(\@dumb, [], "$mode: messages are printable lines of rblctl");
}

fake_mode($fake, 'many');
my $r = rblctl($fake, 'account', 'list');
is($r->{status}, 3, 'account list fails after too many responses');
like($r->{err}, qr/sends more replies than commands/,
    'the message says that there are too many replies');
ok(stop_server($fake), 'the fake server stops without an error');
done_testing();
