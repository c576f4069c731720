#!/usr/bin/perl

# The settings of the account in a browser.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();
add_host($t, '192.0.2.1');
my ($name, $value) = split /=/, sign_in($t, role => 'viewer')->{cookie}, 2;
browser_run($t, 'account', link => add_user($t)->{link},
    viewer => { name => $name, value => $value });
my $checkd = start_checkd(store => $t->{redis});
ok((wait_for {
    my $a = json(rblctl($t->{redis}, '--json', 'account', 'show',
        $t->{acct}{sid})->{out});
    "@$a{qw(name timezone interval)}" eq 'New name Asia/Tokyo 7200';
} 30), 'a daemon puts into the record what was chosen');

done_testing();
