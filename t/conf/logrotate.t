#!/usr/bin/perl

# conf/rbl-checkd.logrotate with logrotate itself: after the rotation the daemon
# writes to the new file, and no line is lost.

use strict;
use warnings;
use RblTest;

my $path = '/usr/sbin/logrotate';
plan skip_all => 'logrotate is not here' if !-x $path;

my $dir = own_dir('log');
my $log = "$dir/rbl-checkd.log";
my $redis = start_redis();
init_store($redis);
my $d = start_checkd(store => $redis, ready => 0, conf => { log => $log,
    log_level => 'info', resolver => '127.0.0.1@9' });
wait_for { read_file($log) =~ /ready/ } 10, 'the log';
chmod 0755, $dir;

# The shipped file with another directory and owner, and a signal without
# systemctl.
my $text = read_file(repo_dir() . '/conf/rbl-checkd.logrotate');
my $me = getpwuid($>);
my $group = getgrgid((split ' ', $))[0]);
for my $edit (
    [ qr{/var/log/rbl-checkd/\*\.log} => "$dir/*.log" ],
    [ qr{su rbl-checkd rbl-checkd} => "su $me $group" ],
    [ qr{(?<=postrotate\n).*?(?=^    endscript)}ms =>
        "kill -HUP $d->{pid}\n" ])
{
    my ($from, $to) = @$edit;
    ok($text =~ s/$from/$to/, "the shipped file has a place for $from");
}
write_file("$dir/conf", $text, 0600);

sub rotate {
    my $r = run_cmd($path, '-f', '-s', "$dir/state", "$dir/conf");
    is("$r->{status} $r->{out}$r->{err}", '0 ', $_[0]);
}

my $before = read_file($log);
rotate('rotated');
my $new = wait_for { read_file($log) =~ /log reopened/ } 10;
ok($new, 'the daemon writes to the new file');
is(read_file("$log.1"), $before, 'the old log file is complete');
is((stat $log)[2] & 0777, 0640, 'the new log file has the mode 640');

redis($redis, 'CLIENT', 'KILL', 'USER', 'rbl-checkd');
ok(wait_log({ log => $log }, qr/ready again/, 10),
    'the daemon continues to write to the new file');
rotate('rotated again');
my $again = wait_for { -s $log && -e "$log.2.gz" } 10;
ok($again, 'logrotate compresses older log files');

done_testing();
