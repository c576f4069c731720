package RblTest::Clock;

# Times that the servers themselves report.  A test that runs beside others
# waits for a processor, so its own clock gives only lower bounds.

use strict;
use warnings;

use Exporter 'import';
use Test::More ();
use Time::HiRes qw(time);
use Time::Local qw(timegm);

use RblTest::Process;

our @EXPORT = qw(is_current log_time request_took);

# A test: $at (s) is a time between $begin and now.  Both may be in whole
# seconds.
sub is_current {
    my ($at, $begin, $name) = @_;

    my $now = time;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    return Test::More::ok(defined $at && $at >= int $begin && $at <= $now + 1,
        $name) || Test::More::diag(sprintf '%s is not between %.3f and %.3f',
            $at // 'undef', $begin, $now);
}

# The time (s) of the last line that matches in a daemon's log.
sub log_time {
    my ($server, $pattern) = @_;

    my ($line) = grep { /$pattern/ } reverse split /\n/,
        read_file($server->{log});
    my ($year, $month, @rest) = ($line // '')
        =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(\.\d+)Z / or return undef;
    my $part = pop @rest;
    return $part + timegm(reverse(@rest), $month - 1, $year);
}

# Seconds that a request took by nginx's clock.  The pattern matches its method,
# its target and its status; the last such request counts.
sub request_took {
    my ($nginx, $pattern) = @_;

    my $took;
    wait_for {
        ($took) = reverse map { /$pattern/ && / ([\d.]+)$/ ? $1 : () }
            split /\n/, read_file("$nginx->{dir}/seconds.log");
        defined $took;
    } 10, "the end of a request, $pattern";
    return $took;
}

1;
