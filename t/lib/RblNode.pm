package RblNode;

# npm packages for tools of the tests, in the build directory.

use strict;
use warnings;

use Exporter 'import';
use Fcntl qw(LOCK_EX);
use File::Path qw(make_path remove_tree);
use JSON::XS qw(decode_json);

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
    npm($new, 'install', '--no-package-lock', '--no-audit', '--no-fund',
        '--ignore-scripts', '--loglevel=error');
    my $parts = decode_json($text)->{parts} // {};
    for my $package (sort keys %$parts) {
        my $at = "$new/node_modules/" . ($package =~ s/@[^@]*$//r);
        make_path($at);
        my $file = npm($new, 'pack', '--silent', $package) =~ s/\s+\z//r;
        my $r = run_cmd('tar', '-xzf', "$new/$file", '-C', $at,
            '--strip-components=1', '--wildcards',
            map { "package/$_" } 'package.json', @{ $parts->{$package} });
        die "tar: $r->{err}\n" if $r->{status} != 0;
    }
    remove_tree($d);
    rename $new, $d or die "$d: $!";
    return "$d/node_modules";
}

sub npm {
    my ($dir, @args) = @_;

    my $r = run_cmd({ cwd => $dir, timeout => 180 }, 'npm', @args);
    die "npm $args[0]: $r->{out}$r->{err}\n" if $r->{status} != 0;
    return $r->{out};
}

1;
