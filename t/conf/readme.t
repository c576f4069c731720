#!/usr/bin/perl

# Names in the README and the manual pages exist: pages, files of the tree,
# targets of make, and installed files.  (t/conf/man.t checks the pages,
# t/e2e/readme.t runs the examples.)

use strict;
use warnings;
use RblTest;

my $top = repo_dir();
my $readme = read_file("$top/README.md");
my @pages = map { m{([^/]+?)(?:\.in)?$} } glob("$top/conf/man/*.[1-9]"),
    glob("$top/conf/man/*.in");
cmp_ok(scalar @pages, '>=', 7, 'the tree has at least seven pages');
like($readme, qr/^\| \Q$_\E \|/m, "README names $_")
    for map { s/\.(\d)$/($1)/r } @pages;

my %named = map { $_ => 1 }
    $readme =~ /[`(]((?:conf|t|rbl-checkd|shared|ngx_rbl_module)\/[\w.\/-]*)[`)]/g;
cmp_ok(scalar keys %named, '>', 10, 'the README names files');
ok(-e "$top/$_", "the README names a path that exists: $_")
    for sort keys %named;

my $make = join '', map { read_file($_) } "$top/Makefile",
    glob("$top/conf/*.mk"), glob("$top/t/*/*.mk");
my %targets = map { $_ => 1 } map { split ' ' } $make =~ /^([a-z][\w -]*):(?!=)/mg;
my $text = join '', $readme, map { -e "$top/conf/man/$_"
    ? read_file("$top/conf/man/$_") : read_file("$top/conf/man/$_.in") } @pages;
my %made = map { $_ => 1 } $text =~ /(?:^    |`|\.Ql )make ([a-z][\w-]*)/mg;
cmp_ok(scalar keys %made, '>', 10, 'the README names targets of make');
ok($targets{$_}, "the Makefiles have the target $_") for sort keys %made;

# Files installed to /usr/share and /etc, from conf/install.sh.

my $install = read_file("$top/conf/install.sh");
my %files = map { $_ => 1 } $text =~
    m{(?:/usr/share/(?:rbl-checkd|ngx_rbl)|/etc/rbl-checkd)/([\w.-]+\.(?:json|conf|acl))}g;
delete @files{qw(NAME.conf second.conf)};
cmp_ok(scalar keys %files, '>', 5, 'the pages name installed files');
like($install, qr/^ +(?:put|keep) \Q$_\E /m, "$_ is installed")
    for sort keys %files;

# Names in the maps: paths from the top or from the folder of the map, and
# sources by their bare names (in the module without prefix).

my @maps = map { "$_/README.md" } qw(ngx_rbl_module rbl-checkd shared conf t);
my @all = map { s{^\./}{}r } split /\n/, qx(cd '$top' && find . -name build -prune -o -name .git -prune -o -type f -print);
my %path = map { $_ => 1 } @all;
for my $file (@all) {
    my $part = '';
    $path{ $part .= $_ }++ for $file =~ m{([^/]+/)}g;
}
for my $map (@maps) {
    my ($folder) = $map =~ m{^(.*)/};
    my $names = join '', read_file("$top/$map") =~ /(?:^(?!    ).*\n)/mg;
    my %names = map { $_ => 1 } grep {
        !/[*{}<>\$\s|]|NAME|FOLDER|PAGE|^build|^run\/|^\// }
        $names =~ /`([\w.\/-]+\.(?:[chtl]|lua|pl|pm|sh|awk|txt|conf|in|json|[1-8])|[\w-]+\/[\w.\/-]*)`/g;
    my @missing = grep { my $n = $_;
        !$path{$n} && !$path{"$folder/$n"} && !$path{"t/$n"}
            && !grep { m{(?:^|/)\Q$n\E$} || m{/ngx_rbl_\Q$n\E$} } keys %path }
        sort keys %names;
    is("@missing", '', "$map names existing files: " . keys %names);
}

done_testing();
