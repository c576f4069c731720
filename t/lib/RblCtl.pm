package RblCtl;

# Checks of rblctl commands: a command succeeds with output; or it fails with
# one line and writes nothing.

use strict;
use warnings;

use Exporter 'import';
use RblTest;

our @EXPORT = (@RblTest::EXPORT, qw(ctl_store good bad));

my $redis;

# An initialised store for the following commands.
sub ctl_store {
    $redis = start_redis();
    init_store($redis);
    return $redis;
}

# good(name, words...): the decoded output with --json
sub good {
    my ($name, @args) = @_;

    my $got = rblctl($redis, @args, '--json');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($got->{status}, 0, $name) or diag($got->{err});
    return $got->{status} == 0 ? json($got->{out}) : {};
}

sub bad {
    my ($name, $pattern, @args) = @_;

    my $before = redis($redis, 'DBSIZE');
    my $got = rblctl($redis, @args);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($got->{status}, 3, "$name: exit status");
    like($got->{err}, qr/\Arblctl: [^\n]*$pattern[^\n]*\n\z/, "$name: why");
    is($got->{out}, '', "$name: nothing else");
    is(redis($redis, 'DBSIZE'), $before, "$name: nothing was written");
}

1;
