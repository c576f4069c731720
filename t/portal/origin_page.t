#!/usr/bin/perl

# A page of another site, in the browser of a user who is signed in, tries to
# change something: by a form, and by scripts with and without CORS.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $dir = temp_dir() . '/other';
mkdir $dir or die;
my $port = free_port();
my $t = browser_setup(http =>
    "server { listen 127.0.0.1:$port; location / { root $dir; } }");
my $calls = "http://localhost:$t->{nginx}{port}/portal/1";
write_file("$dir/index.html", <<"EOT");
<!DOCTYPE html><title>other</title>
<form method="post" enctype="text/plain" action="$calls/host/add.json">
<input name='{"host":"192.0.2.66","name":"n","type":"rbl","x":"' value='"}'>
</form>
EOT
browser_run($t, 'origin', link => add_user($t)->{link}, calls => $calls,
    other => "http://127.0.0.1:$port/");
my $hosts = accepted(portal($t, sign_in($t), 'GET', 'hosts.json'), 'hosts');
is_deeply($hosts->{data}, [], 'nothing was added');

done_testing();
