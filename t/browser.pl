#!/usr/bin/perl

# Runs test programs with one Chromium for all page programs among them:
# perl -It/lib t/browser.pl COMMAND... PROGRAM...
#
# RBL_BROWSER has the address of the browser.  The browser is started only if at
# least two of the programs use it, and stopped when the command ends.  Exits
# with the status of the command.

use strict;
use warnings;

use IPC::Open2;

use RblNode;
use RblTest::Process;

sub start_browser {
    my $dir = repo_dir() . '/t/portal/node';
    local $ENV{NODE_PATH} = node_modules("$dir/package.json", 'portal');
    my $pid = open2(my $out, my $in, 'node', "$dir/serve.mjs");
    my $address = <$out> // '';
    return { pid => $pid, in => $in, address => $address =~ s/\s+\z//r };
}

my @pages = grep { /\.t$/ && read_file($_) =~ /^use RblBrowser;/m } @ARGV;
my $browser;
if (@pages > 1) {
    $browser = start_browser();
    $ENV{RBL_BROWSER} = $browser->{address};
    print STDERR "The shared Chromium does not start: each page program starts"
        . " its own.\n" if $browser->{address} eq '';
}
my $status = system @ARGV;
if ($browser) {
    close $browser->{in};               # which ends it
    waitpid $browser->{pid}, 0;
    print STDERR "The shared Chromium died during this run.\n"
        if $? != 0 && $browser->{address} ne '';
}
exit($status == -1 ? 127 : $status & 127 ? 128 + ($status & 127)
    : $status >> 8);
