package RblApps;

# Durable changes beside failovers: a process in which an owner makes
# applications in the portal, one after the other, until it is stopped.
#
#     my $maker = start_apps($t, $owner);
#     my @apps = stop_apps($maker);       # those acknowledged: {id, token, at}
#     my @lost = lost_apps($t, $owner, @apps);

use strict;
use warnings;

use Exporter 'import';
use POSIX ();
use Time::HiRes qw(time sleep);

use RblPortal;
use RblTest;

our @EXPORT = qw(start_apps stop_apps lost_apps);

my $makers = 0;

sub start_apps {
    my ($t, $owner) = @_;

    my $file = temp_dir() . '/apps' . ++$makers;
    my $pid = fork // die "fork: $!";
    return { pid => $pid, file => $file } if $pid;
    open my $out, '>', $file or POSIX::_exit(1);
    $out->autoflush;
    for (my $n = 0; !-e "$file.end"; $n++) {
        my $r = portal($t, $owner, 'POST', 'app/add.json',
            fields => { name => "n$n" });
        my $v = eval { json($r) } // {};
        printf {$out} "%s %s %.3f\n", @{ $v->{data} }{qw(id token)}, time
            if $r->{status} == 200;
        # As many as an account may have, or the session is not recent.
        last if $r->{status} != 200 && $r->{status} != 503;
        sleep $r->{status} == 200 ? 0.05 : 0.01;
    }
    POSIX::_exit(0);
}

sub stop_apps {
    my ($maker) = @_;

    write_file("$maker->{file}.end", '');
    waitpid $maker->{pid}, 0;
    return map { my %app; @app{qw(id token at)} = split; \%app }
        split /\n/, read_file($maker->{file});
}

# Those that the store does not have.
sub lost_apps {
    my ($t, $owner, @apps) = @_;

    my $r = portal($t, $owner, 'GET', 'apps.json?page_size=1000');
    my %there = map { $_->{id} => 1 } @{ json($r)->{data} };
    return grep { !$there{ $_->{id} } } @apps;
}

1;
