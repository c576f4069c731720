#!/usr/bin/perl

# A client resets its connection before nginx sends "100 Continue".  nginx must
# log 499 for the client, and not an internal error (500).

use strict;
use warnings;

use RblApi;
use RblFault;
use RblRedis;

my $t = api_setup(workers => 1, http => 'rbl_zone rbl 1m;',
    server => 'location /status { rbl_status; }');
my $nginx = $t->{nginx};
my ($worker) = workers($nginx);

sub head {
    my ($path) = @_;

    return http_head('POST', $path, auth => $t->{acct}, no_length => 1,
        headers => ['Content-Length: 10', 'Expect: 100-continue']);
}

for my $path ('/3.0/host/add.json', '/3.0/no/such/path.json') {
    kill 'STOP', $worker;
    wait_for { read_file("/proc/$worker/stat") =~ /\) T / } 5, 'the worker';
    client('breaks', $nginx, head($path));
    kill 'CONT', $worker;
    ok((wait_for { read_file("$nginx->{dir}/access.log")
        =~ /"POST \Q$path\E HTTP\S+ 499 / } 5), "$path: the client went away");
}
my $answers = json(http($nginx, 'GET', '/status'))->{answers};
is($answers->{500}, 0, 'no such request is counted as a fault');

my $r = http_raw($nginx, head('/3.0/host/add.json') . 'x' x 10);
is("$r->{continued} $r->{status}", '1 400',
    'a client that stays gets a response');

done_testing();
