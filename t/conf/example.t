#!/usr/bin/perl

# The shipped conf/nginx.conf serves the API with only the marked places edited;
# errors that nginx itself reports have the API's form, too.

use strict;
use warnings;
use RblTest;

my $redis = start_redis();
init_store($redis);
my $acct = make_account($redis);

my $text = read_file(repo_dir() . '/conf/nginx.conf');
my $source = read_file(repo_dir() . '/ngx_rbl_module/ngx_rbl_directives.c');
my @missing = grep { $text !~ /^ +#? *$_ [^;]+;$/m }
    $source =~ /^    NGX_RBL_[A-Z]+\("(rbl_\w+)"/mg;
is("@missing", '', 'the example has every directive');
my $user = $> == 0 ? 'user root;' : '';
for my $edit (
    [ qr{load_module \S+;} => 'load_module %%MODULE%%;' ],
    [ qr{#user www-data;} => $user ],
    [ qr{worker_rlimit_nofile \d+;} => 'daemon off;' ],
    [ qr{rbl_store 127\.0\.0\.1:6379;} => 'rbl_store %%STORE%%;' ],
    [ qr{listen 127\.0\.0\.1:8080;} => 'listen 127.0.0.1:%%PORT%%;' ],
    [ qr{pid run/nginx\.pid;} => 'pid %%DIR%%/nginx.pid;' ],
    [ qr{error_log logs/\S+ notice;} => 'error_log %%DIR%%/error.log info;' ],
    [ qr{(?:run|logs)/} => '%%DIR%%/' ])
{
    my ($from, $to) = @$edit;
    ok($text =~ s/$from/$to/g, "the example has a place for $to");
}
my $nginx = start_nginx(store => $redis, conf => $text);

my $r = http($nginx, 'GET', '/3.0/hosts.json', auth => $acct);
is($r->{status}, 200, 'nginx serves the API with the edited example');
wait_for { -s "$nginx->{dir}/access.log" } 5, 'the log';
like(read_file("$nginx->{dir}/access.log"), qr/"account":"$acct->{sid}"/,
    'the access log has the account');
unlike(read_file("$nginx->{dir}/access.log"), qr/$acct->{token}/,
    'the access log does not have the token');

for my $request ('TRACE /3.0/hosts.json', 'GET /3.0/%00', 'GET /3.0/%zz',
    'GET /3.0/' . 'x' x 9000, 'GET /3.0')
{
    my $raw = http_raw($nginx, "$request HTTP/1.1\r\nHost: localhost\r\n"
        . "Connection: close\r\n\r\n");
    my $answer = eval { json($raw->{body}) } // {};
    is($answer->{status_code}, $raw->{status},
        'in the envelope: ' . substr $request, 0, 24);
    cmp_ok($raw->{status}, '>=', 400, 'nginx refuses the request');
}

done_testing();
