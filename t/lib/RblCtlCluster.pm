package RblCtlCluster;

# Tests of rblctl on a cluster of three masters: the cluster, with accounts at
# each node, and commands that succeed or fail there.

use strict;
use warnings;

use Exporter 'import';

use RblSeam;
use RblTest;
use RblFailover::Cluster;

our @EXPORT = (@RblTest::EXPORT, @RblFailover::Cluster::EXPORT,
    qw(ctl_cluster ctl run fails script at accounts ran));

my ($f, %ran);
my $dir = temp_dir();

# A cluster without data: (cluster, its nodes).
sub ctl_cluster {
    $f = start_cluster(masters => 3, replicas => 0);
    # With a short limit of time, commands wait less for a server that is away.
    for my $user ('rblctl', 'rblctl-fsck') {
        my $text = join "\n", "store_user $user",
            "store_password_file $f->{users}{$user}", 'gateway manual', '';
        write_file("$dir/$user.conf", $text);
        write_file("$dir/$user.quick", $text . "store_timeout 250ms\n");
    }
    return ($f, @{ $f->{nodes} });
}

# run('conf' or 'quick', words...): as rblctl()
sub run {
    my ($kind, @words) = @_;

    my $user = $words[0] eq 'fsck' ? 'rblctl-fsck' : 'rblctl';
    $ran{ join ' ', grep { !/^-/ } @words } = 1;
    return rblctl($f, '-c', "$dir/$user.$kind", @words);
}

# The words of all commands that were run.
sub ran { return sort keys %ran }

sub name_of { return join ' ', grep { /^[a-z]+$/ } @_[0, $#_ > 0 ? 1 : 0] }

# (words...): it succeeds; the decoded output with --json.
sub ctl {
    my @words = @_;

    my $r = run('conf', @words, '--json');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is("$r->{status} $r->{err}", '0 ', name_of(@words));
    return eval { json($r->{out}) } // {};
}

# (pattern, words...): it fails, and is not killed before.  Returns the standard output.
sub fails {
    my ($pattern, @words) = @_;

    my $name = name_of(@words);
    my $r = run('quick', @words);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($r->{status}, 3, "$name: exit status");
    like($r->{err}, $pattern, "$name: why");
    unlike($r->{err}, qr/MOVED|CROSSSLOT|: *$/m, "$name: in our words");
    return $r->{out};
}

# A script of the store, with its arguments by name (RblSeam.pm).
sub script {
    my ($name, @args) = @_;

    my $sha;
    $sha = redis($_, 'SCRIPT', 'LOAD', seam_source($name))
        for grep { alive($_) } @{ $f->{nodes} };
    return redis($f, 'EVALSHA', $sha, seam_words($name, @args));
}

# The index of the node of an account.
sub at { return node_of($f, slot_of_account($f, $_[0]))->{index} }

# Makes two accounts at each node: ([two of the first node], ...)
sub accounts {
    my @ac;
    for (1 .. 1000) {
        my $ac = ctl('account', 'add', "Nr $_")->{id};
        push @{ $ac[at($ac)] }, $ac;
        last if !grep { @{ $ac[$_] // [] } < 2 } 0 .. 2;
    }
    return @ac;
}

1;
