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
use JSON::XS ();
use Test::More;

use RblNode;
use RblPortal;

our @EXPORT = (@RblPortal::EXPORT, qw(browser_setup browser_run));

my $json = JSON::XS->new->utf8;

# As portal_setup, with the pages, as conf/nginx-portal.conf serves them.
sub browser_setup {
    my (%opt) = @_;

    my $text = read_file(repo_dir() . '/conf/nginx-portal.conf');
    $text =~ s{^location /portal/1/ .*?^\}\n}{}ms or die "nginx-portal.conf\n";
    my $root = build_dir();
    $text =~ s{root /usr/share/ngx_rbl;}{root $root;} or die "no root\n";
    my $t = portal_setup(
        portal => 'rbl_portal_url http://localhost:%%PORT%%/portal/;',
        %opt, http => 'include /etc/nginx/mime.types;'
        . ($opt{http} // ''),
        server => $text);
    return $t;
}

# Runs a program; each line is a test.
sub browser_run {
    my ($t, $program, %input) = @_;

    my $dir = repo_dir() . '/t/portal/node';
    my $r = run_cmd({ timeout => 900, env => {
        NODE_PATH => node_modules("$dir/package.json", 'portal'),
        RBL_PORTAL => $json->encode({ %input,
            url => "http://localhost:$t->{nginx}{port}/" }) } },
        'node', "$dir/$program.mjs");
    my $done;
    for my $line (split /\n/, $r->{out}) {
        my $v = $json->decode($line);
        $done ||= $v->{done};
        next if $v->{done};
        ok($v->{ok}, $v->{name}) or diag($v->{why});
    }
    ok($done, "$program came to its end") or diag($r->{err});
    return;
}

1;
