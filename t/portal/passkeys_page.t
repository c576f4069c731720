#!/usr/bin/perl

# Passkeys in a browser, with its virtual authenticator.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup();
my $owner = add_user($t);
my $late = sign_in($t, user => { %$owner, link => json(rblctl($t->{redis},
    '--json', 'user', 'link', $t->{acct}{sid}, $owner->{id})->{out})->{link}
    =~ s{^#/link/}{}r });
sign_in_ago($t, $late, 11 * 60_000);
my ($name, $value) = split /=/, $late->{cookie}, 2;
browser_run($t, 'passkeys', link => $owner->{link}, mail => $owner->{mail},
    late => { name => $name, value => $value });

done_testing();
