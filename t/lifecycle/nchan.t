#!/usr/bin/perl

# With nchan, which exports its own copy of hiredis: in either load order this
# module uses its own copy.  RBL_NCHAN: path of ngx_nchan_module.so.

use strict;
use warnings;

use lib 't/lib';
use RblRedis;
use RblTest;

my $module = build_dir() . '/ngx_rbl_module.so';
my $symbols = run_cmd('nm', '-D', '--defined-only', $module)->{out};
my @names = sort map { (split)[-1] } split /\n/, $symbols;
@names = grep { !/^(?:__asan|__odr_asan|__ubsan)/ } @names;
is_deeply(\@names, [qw(ngx_module_names ngx_module_order ngx_modules
    ngx_rbl_module)], 'the module shows its tables and nothing else');

my $undefined = run_cmd('nm', '-D', '--undefined-only', $module)->{out};
unlike($undefined, qr/\b(?:redis|sds|hi_)/,
    'the module needs no hiredis of others');
unlike($undefined, qr/\b(?:ngx_)?rbl_/, 'the module needs no missing function');

my $nchan = $ENV{RBL_NCHAN} // '/usr/lib/nginx/modules/ngx_nchan_module.so';

ok(-e $nchan, 'nchan is installed (libnginx-mod-nchan)')
    or BAIL_OUT('make deps');

# nchan speaks to a store of its own, through its own copy.
my $redis = start_redis();
my $other = start_redis(port => 1);
store_meta($redis);
for my $first (1, 0) {
    my $load = "load_module $nchan;\n";
    my $text = RblTest::Servers::nginx_conf(store => $redis, server => qq{
        location = /pub { nchan_publisher; nchan_channel_id x;
            nchan_redis_url redis://127.0.0.1:$other->{port}; }
        location = /sub { nchan_subscriber; nchan_channel_id x;
            nchan_redis_url redis://127.0.0.1:$other->{port}; }});
    $text = $first ? $load . $text
        : $text =~ s/(load_module [^\n]*\n)/$1$load/r;
    my $nginx = start_nginx(store => $redis, conf => $text);
    my $name = 'nchan loaded ' . ($first ? 'first' : 'after');
    ok((wait_for { ask($nginx) == 401 } 3), "$name: this module answers");
    ok((wait_for { http($nginx, 'POST', '/pub', body => 'hello')->{status}
        =~ /^20[12]$/ } 10), "$name: nchan accepts a message");
    is(http($nginx, 'GET', '/sub')->{body}, 'hello',
        "$name: nchan delivers the message");
    for my $end ($redis, $other) {
        kill_server($end);
        ok((wait_for { ask($nginx) == ($end == $redis ? 503 : 401) } 3),
            "$name: a failed connection");
        RblTest::Process::launch($end);
        RblTest::Process::ready($end);
        store_meta($redis) if $end == $redis;
        ok((wait_for { ask($nginx) == 401 } 3),
            "$name: this module answers again");
    }
    stop_server($nginx);
}

done_testing();
