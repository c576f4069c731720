#!/usr/bin/perl

# Signing in in a browser: by a mailed link, by the identity that nginx vouches
# for; and what a page of another origin can do.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup(portal => 'rbl_portal_url '
    . 'http://localhost:%%PORT%%/portal/; rbl_portal_user $http_x_mail; rbl_portal_trust 127.0.0.1;');
my $evil = start_nginx(module => 0, server => 'location / { default_type '
    . 'text/html; return 200 "<!doctype html><title>x</title>"; }');
add_user($t, mail => "$_\@example.test") for qw(one two both);
add_user($t, mail => 'both@example.test', acct => $t->{other});
browser_run($t, 'doors', evil => "http://localhost:$evil->{port}/",
    link => add_user($t)->{link});
my @asked = @{ redis($t->{redis}, 'KEYS', 'rbl:{*}:asked:*') };
is(scalar @asked, 2, 'one request for a link reached the store');

done_testing();
