#!/usr/bin/perl

# Applications in a browser, by keyboard: a new one, its token used with curl,
# its requests in the graph and in the error log, its access and its end.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup(http => 'rbl_zone rbl 1m;');
add_host($t, '192.0.2.1');
my %who = (owner => sign_in($t), viewer => sign_in($t, role => 'viewer'),
    late => sign_in($t));
sign_in_ago($t, $who{late}, 11 * 60_000);

sub cookie {
    my ($name, $value) = split /=/, $_[0]{cookie}, 2;

    return { name => $name, value => $value };
}

browser_run($t, 'apps', account => $t->{acct}{sid}, first => $t->{acct}{app},
    link => add_user($t)->{link}, map { $_ => cookie($who{$_}) } keys %who);

my $apps = json(rblctl($t->{redis}, '--json', 'app', 'list',
    $t->{acct}{sid})->{out});
my ($app) = grep { $_->{name} eq 'Monitoring <1>' } @$apps;
is($app->{status}, 'revoked', 'the application was revoked');
is_deeply($app->{allow}, ['127.0.0.0/8', '2001:db8::/32'],
    'the networks of the application are stored');
is($app->{limits}{hour}, 1000, 'the limit of the application is stored');
is(scalar(grep { $_->{name} eq 'Typed late' } @$apps), 1,
    'the one that was added after another sign-in');

done_testing();
