package RblNode;

# npm packages for tools of the tests, in the build directory, and programs that
# use them.

use strict;
use warnings;

use Exporter 'import';
use Fcntl qw(LOCK_EX);
use File::Path qw(make_path remove_tree);
use JSON::XS qw(decode_json);
use Test::More ();

use RblTest::Process;

our @EXPORT = qw(node_modules node_lines node_judge);

my $json = JSON::XS->new->utf8;

# Installs the packages of a package.json if missing, one program at a time;
# returns the NODE_PATH.  A package-lock.json beside it is obeyed.
sub node_modules {
    my ($package, $name) = @_;

    my $d = build_dir() . "/node/$name";
    my $text = read_file($package);
    my $lock_file = read_file($package =~ s/\.json$/-lock.json/r);
    make_path(build_dir() . '/node');
    open my $lock, '>', build_dir() . "/node/$name.lock" or die "$name: $!";
    flock $lock, LOCK_EX or die "$name: $!";
    return "$d/node_modules" if read_file("$d/package.json") eq $text
        && read_file("$d/package-lock.json") eq $lock_file;

    my $new = "$d.$$";
    make_path($new);
    write_file("$new/package.json", $text);
    write_file("$new/package-lock.json", $lock_file) if $lock_file ne '';
    npm($new, $lock_file ne '' ? 'ci' : ('install', '--no-package-lock'),
        '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error');
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

# Runs DIR/PROGRAM.mjs with the packages of DIR/package.json; RBL_INPUT has the
# input as JSON.  Returns the objects that it printed, one a line, and what it
# wrote to stderr.
sub node_lines {
    my ($dir, $name, $program, $input) = @_;

    my $r = run_cmd({ timeout => 3600, env => { RBL_INPUT =>
        $json->encode($input),
        NODE_PATH => node_modules("$dir/package.json", $name) } },
        'node', "$dir/$program.mjs");
    return ([map { $json->decode($_) } split /\n/, $r->{out}], $r->{err});
}

# Each line is a test, {ok, name, why}, or a {note} for the reader; the last is
# {done}.
sub node_judge {
    my ($program, $lines, $err) = @_;

    Test::More::diag($_->{note}) for grep { defined $_->{note} } @$lines;
    for my $v (grep { exists $_->{ok} } @$lines) {
        Test::More::ok($v->{ok}, $v->{name}) or Test::More::diag($v->{why});
    }
    Test::More::ok(scalar(grep { $_->{done} } @$lines),
        "$program came to its end") or Test::More::diag($err);
}

1;
