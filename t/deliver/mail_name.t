#!/usr/bin/perl

# The name of the mail server cannot be resolved, or its resolver does not
# answer: the error says so, as for the receivers of webhooks.  A name with an
# address and no server is another error.

use strict;
use warnings;

use RblDeliver;
use RblDns;
use RblScript;
use RblTest;

own_net();

run_cmd('ip', 'link', 'set', 'lo', 'up');
write_file(temp_dir() . '/resolv.conf', "nameserver 127.0.0.1\n");
write_file(temp_dir() . '/nsswitch.conf', "hosts: files dns\n");
run_cmd('mount', '--bind', temp_dir() . "/$_", "/etc/$_")
    for 'resolv.conf', 'nsswitch.conf';
my $dns = RblDns->new(port => 53, rules => [
    ['^mail\.example A$' => { a => ['127.0.0.1'] }],
    ['^mail\.example ' => 'nodata'], ['^mute\.example' => 'mute']]);
my $redis = deliver_setup();
my ($d, $n);
sub try {
    my ($host) = @_;

    stop_server($d) if $d;
    $d = start_deliverd(conf => { smtp_timeout => '3s',
        smtp_from => 'blocklists@example.net',
        smtp_url => "smtp://$host:${\free_port()}" });
    return confirm_attempt('email', 'try' . ++$n . '@example.net', 'k7m2xq');
}
my $error = '0 the name of the mail server cannot be resolved';
is(try('none.example'), $error, 'the name of the mail server does not exist');
is(try('mute.example'), $error, 'the resolver does not answer');
is(try('mail.example'), '0 no connection to the mail server',
    'the name has an address, where no server is');
ok(stop_server($d), 'the daemon stops');
$dns->stop;
done_testing();
