package RblBrowser;

# Tests of the portal in a browser: a program of t/portal/node prints what it
# found, one JSON object a line (browser.mjs).
#
#     use RblBrowser;                   # brings RblPortal too
#     my $t = browser_setup();
#     browser_run($t, 'screens', cookie => ...);

use strict;
use warnings;

use Exporter 'import';

use RblNode;
use RblPortal;

our @EXPORT = (@RblPortal::EXPORT, qw(browser_setup browser_run
    browser_lines));

# As portal_setup, with the pages, as conf/nginx-portal.conf serves them.
sub browser_setup {
    my (%opt) = @_;

    my $text = read_file(repo_dir() . '/conf/nginx-portal.conf');
    $text =~ s{^location /portal/1/ .*?^\}\n}{}ms or die "nginx-portal.conf\n";
    my $root = build_dir();
    $text =~ s{root /usr/share/ngx_rbl;}{root $root;} or die "no root\n";
    my $t = portal_setup(lists => 1,
        portal => 'rbl_portal_url http://localhost:%%PORT%%/portal/;',
        %opt, http => 'include /etc/nginx/mime.types;'
        . ($opt{http} // ''),
        server => $text . ($opt{server} // ''));
    $t->{site} = "localhost:$t->{nginx}{port}";
    return $t;
}

# Runs a program; returns the objects that it printed, and what it wrote to
# stderr.
sub browser_lines {
    my ($t, $program, %input) = @_;

    return node_lines(repo_dir() . '/t/portal/node', 'portal', $program, {
        %input, url => "http://localhost:$t->{nginx}{port}/" });
}

# Runs a program; each line is a test.
sub browser_run {
    my ($t, $program, %input) = @_;

    node_judge($program, browser_lines($t, $program, %input));
}

1;
