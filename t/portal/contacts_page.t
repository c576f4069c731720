#!/usr/bin/perl

# Contacts and their groups in a browser, with a real daemon, a mail server and a
# receiver, from which the page gets the codes.

use strict;
use warnings;

use Test::More;

use RblBrowser;
use RblMail;

my $exim = start_exim();
my $hook = start_receiver();
my $t = browser_setup();
my $daemon = start_checkd(store => $t->{redis}, resolver => free_port(),
    conf => { smtp_url => "smtp://127.0.0.1:$exim->{port}",
        smtp_from => 'blocklists@example.net', deliver_http => 'on',
        deliver_allow => '127.0.0.0/8' });
browser_run($t, 'contacts', link => add_user($t)->{link},
    viewer => add_user($t, role => 'viewer')->{link},
    mails => $exim->{mails}, received => "$hook->{file}.log",
    hook => $hook->{url});

done_testing();
