#!/usr/bin/perl

# A page loses nothing: two writers, undo, the end of a session, an idle store.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup(http => 'rbl_store_timeout 1s;');
my $owner = add_user($t);

sub cookie {
    my ($name, $value) = split /=/, sign_in($t, @_)->{cookie}, 2;
    return { name => $name, value => $value };
}

sub link_of {
    my ($user) = @_;

    return json(rblctl($t->{redis}, '--json', 'user', 'link',
        $t->{acct}{sid}, $user->{id})->{out})->{link} =~ s{^#/link/}{}r;
}

browser_run($t, 'care', hosts => [map { add_host($t, "192.0.2.$_")->{id} }
    1 .. 6], cookie => cookie(user => $owner), other => cookie(),
    clock => cookie(), links => [link_of($owner), link_of($owner),
    add_user($t)->{link}], store => [map { $_->{pid} }
    @{ $t->{redis}{nodes} // [$t->{redis}] }]);

done_testing();
