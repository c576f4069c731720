#!/usr/bin/perl

# The pictures of the README: `make run`, with the hosts that the README adds
# and some more, in a browser.  RBL_PICTURES=t/portal/pictures makes them again.

use strict;
use warnings;

use Test::More;

use RblBrowser;

use constant MOST => 150 * 1024;        # bytes of a picture

my $kept = repo_dir() . '/t/portal/pictures';
my $dir = $ENV{RBL_PICTURES} // temp_dir();
my %sanitizer = nginx_env();
my %env = (RUN_DIR => temp_dir() . '/run', RUN_PORT => free_port(),
    RUN_LIST_PORT => free_port(), RUN_MAIL_PORT => free_port(),
    RUN_OFFLINE => 1, RUN_PRELOAD => delete $sanitizer{LD_PRELOAD} // '',
    RUN_NGINX => $ENV{RBL_NGINX} // 'nginx', %sanitizer);
my $s = spawn('run', { env => \%env }, 'sh', repo_dir() . '/conf/run.sh',
    build_dir());
ok(wait_for(sub { read_file($s->{log}) =~ /Ctrl-C stops/ || !alive($s) }, 60,
    'make run'), 'the demonstration starts');
my ($link) = read_file($s->{log}) =~ m{^http://\S+/portal/#/link/(\S+)$}m;
my ($sid, $token) = read_file("$env{RUN_DIR}/account")
    =~ /^SID=(\S+)\nTOKEN=(\S+)$/m;
my $t = { nginx => { port => $env{RUN_PORT} },
    acct => { sid => $sid, token => $token } };

# Only the lists of the demonstration: no other one can be reached from here.
my @lists = grep { $_->{host} =~ /\.demo\./ }
    @{ json(call($t, 'GET', 'rbls.json?page_size=1000'))->{data} };
accepted(call($t, 'POST', 'rblprofile/add.json', form => { is_default => 1,
    name => 'Demonstration', entries => join ',', map { $_->{id} } @lists }),
    'a profile of the demonstration is added');
my ($host) = map { add_host($t, $_->[0], name => $_->[1],
    type => $_->[2] // 'rbl') }
    ['192.0.2.10', 'mail'], ['example.com', 'site', 'uribl'],
    ['203.0.113.64/29', 'office'], ['198.51.100.3', 'web server'],
    ['www.listed.example.com', 'shop', 'uribl'], ['2001:db8::25', 'mail, IPv6'];
browser_run($t, 'pictures', link => $link, dir => $dir, listed => 3,
    host => $host->{id});
for my $name (qw(light dark)) {
    cmp_ok(-s "$dir/$name.png", '<', MOST, "the picture $name is small");
    cmp_ok(-s "$kept/$name.png", '<', MOST,
        "the picture $name of the README is small");
}
signal_server($s, 'INT');
ok(wait_for(sub { !alive($s) }, 60, 'its end'), 'the demonstration ends');

done_testing();
