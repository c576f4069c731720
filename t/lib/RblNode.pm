package RblNode;

# npm packages for tools of the tests, in the build directory.

use strict;
use warnings;

use Exporter 'import';
use Fcntl qw(LOCK_EX);
use File::Path qw(make_path remove_tree);

use RblTest::Process;

our @EXPORT = qw(node_modules);

# Installs the packages of a package.json if missing, one program at a time;
# returns the NODE_PATH.
sub node_modules {
    my ($package, $name) = @_;

    my $d = build_dir() . "/node/$name";
    my $text = read_file($package);
    make_path(build_dir() . '/node');
    open my $lock, '>', build_dir() . "/node/$name.lock" or die "$name: $!";
    flock $lock, LOCK_EX or die "$name: $!";
    return "$d/node_modules" if read_file("$d/package.json") eq $text;

    my $new = "$d.$$";
    make_path($new);
    write_file("$new/package.json", $text);
    my $r = run_cmd({ cwd => $new, timeout => 180 }, 'npm', 'install',
        '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts',
        '--loglevel=error');
    die "npm install: $r->{out}$r->{err}\n" if $r->{status} != 0;
    remove_tree($d);
    rename $new, $d or die "$d: $!";
    return "$d/node_modules";
}

1;
