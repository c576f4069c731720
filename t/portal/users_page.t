#!/usr/bin/perl

# Users in a browser: one is added, gets another role, and is deleted.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();
my $owner = add_user($t);
browser_run($t, 'users', link => $owner->{link}, mail => $owner->{mail});

done_testing();
