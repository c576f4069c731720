#!/usr/bin/perl

# Signing in and out in a browser.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();
add_host($t, '192.0.2.1');
browser_run($t, 'sign_in', link => add_user($t)->{link});

done_testing();
