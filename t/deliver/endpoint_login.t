#!/usr/bin/perl

# The name and the password of an endpoint's URL are sent as Basic
# authorization, decoded; no log has them.

use strict;
use warnings;

use MIME::Base64 qw(encode_base64);
use RblDeliver;
use RblScript;
use RblTest;

my $redis = deliver_setup();
my $hook = start_receiver();
my $d = start_deliverd();
is(confirm_attempt('endpoint', "$hook->{url} robot:S3cret%3A%40x", 'ccdd22'),
    'delivered', 'an endpoint with a name and a password gets the message');
my ($r) = received($hook);
is($r->{headers}{authorization}, 'Basic '
    . encode_base64('robot:S3cret:@x', ''),
    'the request has them as Basic authorization');
unlike($r->{line}, qr/robot|S3cret/, 'the line of the request has neither');
unlike($r->{headers}{host}, qr/robot|S3cret/, 'the host of the request has neither');
is(confirm_attempt('endpoint', "http://127.0.0.1:${\free_port()}/"
    . ' robot:S3cret%3A%40x', 'ccdd22'), '0 connection failed',
    'an attempt that fails');
stop_server($d);
unlike(read_file($d->{log}), qr/robot|S3cret|cm9ib3Q6/,
    'the log has neither the name nor the password');
done_testing();
