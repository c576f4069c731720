#!/usr/bin/perl

# Beside nchan, which exports its own, other hiredis: whichever is loaded first,
# this module uses its own copy.  RBL_NCHAN: path of ngx_nchan_module.so.

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
unlike($undefined, qr/\b(?:redis|sds|hi_)/, 'and needs no hiredis of others');
unlike($undefined, qr/\b(?:ngx_)?rbl_/, 'nor a function that is not there');

my $nchan = $ENV{RBL_NCHAN} // '/usr/lib/nginx/modules/ngx_nchan_module.so';

SKIP: {
    skip 'nchan is not installed (libnginx-mod-nchan)', 4 if !-e $nchan;

    my $redis = start_redis();
    store_meta($redis);
    for my $first (1, 0) {
        my $load = "load_module $nchan;\n";
        my $text = RblTest::Servers::nginx_conf();
        $text = $first ? $load . $text
            : $text =~ s/(load_module [^\n]*\n)/$1$load/r;
        my $nginx = start_nginx(store => $redis, conf => $text);
        ok(wait_for { ask($nginx) == 401 } 3,
            'nchan loaded ' . ($first ? 'first' : 'after'));
        kill_server($redis);
        ok(wait_for { ask($nginx) == 503 } 3, 'a failed connection too');
        RblTest::Process::launch($redis);
        RblTest::Process::ready($redis);
        store_meta($redis);
        stop_server($nginx);
    }
}

done_testing();
