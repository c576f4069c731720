#!/usr/bin/perl

# The portal's screens in a browser.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();
daemon_seen($t);
my $listed = add_host($t, '192.0.2.1', name => 'mail <b>&amp;</b>');
list_host($t, $listed->{id}, lists => 2);
add_host($t, '2001:db8::1', name => "\x{202e}" . 'x' x 200);
add_host($t, '192.0.2.2', name => 'W' x 255);
my ($name, $value) = split /=/, sign_in($t)->{cookie}, 2;
browser_run($t, 'screens', cookie => { name => $name, value => $value });

done_testing();
