#!/usr/bin/perl

# sites.sh: sites that need the module go before it does and are back with it;
# nginx starts with all the others.

use strict;
use warnings;

use lib 't/lib';
use RblTest;

plan skip_all => "Debian's nginx does not load a module with a sanitizer"
    if $ENV{RBL_NGINX};

my $root = temp_dir() . '/root';
my $etc = "$root/etc/nginx";
my $out = 'rbl-removed';
any_runs_nginx();
run_cmd('mkdir', '-p', map { "$etc/$_" } qw(modules-enabled conf.d snippets
    sites-available sites-enabled));

my %files = (
    'nginx.conf' => <<"CONF",
include $etc/modules-enabled/*.conf;
pid $root/pid;
error_log stderr;
events { }
http {
    access_log off;
    @{[map { "${_}_temp_path $root/$_;" }
        qw(client_body proxy fastcgi uwsgi scgi)]}
    include $etc/conf.d/*.conf;
    include $etc/sites-enabled/*;
}
CONF
    'sites-available/rbl' => <<'CONF',
rbl_zone rbl 1m;
server {
    listen 127.0.0.1:8081;
    location /3.0/ { rbl_api on; }
}
CONF
    'sites-available/shop' => <<'CONF',
# rbl_api on;
upstream rbl_shop { server 127.0.0.1:9; }
server {
    listen 127.0.0.1:8081;
    server_name rbl_shop.example;
    location / { proxy_pass http://rbl_shop; } # rbl_status
}
CONF
    'sites-enabled/own' => "server { listen 127.0.0.1:8081; server_name own;\n"
        . " location /3.0/ { include snippets/ap*; } }\n",
    'snippets/api.conf' => 'rbl_api on;',
    'snippets/apart.conf' => 'expires 1h;',
    'conf.d/log.conf' => "log_format rbl '\$remote_addr \${rbl_account}';\n",
    'conf.d/maps.conf' => 'map $uri $kind { default "#"; }',
);
write_file("$etc/$_", $files{$_}) for keys %files;
symlink "../sites-available/$_", "$etc/sites-enabled/$_" or die "$_: $!"
    for 'rbl', 'shop';

sub module {
    my $loaded = shift;

    my $file = "$etc/modules-enabled/50-mod-rbl.conf";
    unlink $file;
    write_file($file, 'load_module ' . build_dir() . '/ngx_rbl_module.so;')
        if $loaded;
}

sub accepted {
    my $r = run_cmd('nginx', '-t', '-q', '-c', "$etc/nginx.conf");

    diag($r->{err}) if $r->{status} != 0 && !$_[0];
    return $r->{status} == 0;
}

sub sites {
    my $what = shift;

    my $r = run_cmd({ env => { RBL_SITES_ROOT => $root } }, 'sh',
        repo_dir() . '/conf/sites.sh', $what);
    is($r->{status}, 0, "sites.sh $what exits with 0");
    is($r->{err}, '', "sites.sh $what prints no error");
    return $r->{out};
}

# there(): names of the files that nginx reads, and of those that were removed
sub there {
    return join ' ', map { s{^\Q$etc\E/}{}r }
        sort glob "$etc/sites-enabled*/* $etc/conf.d*/*";
}

my $all = there();
module(1);
ok(accepted(), 'nginx accepts the sites with the module');
is(sites('remove'), '', 'nothing is removed while the module is loaded');
is(there(), $all, 'all files stay while the module is loaded');

module(0);
my $said = sites('remove');
is(there(), join(' ', "conf.d.$out/log.conf", 'conf.d/maps.conf',
    "sites-enabled.$out/own", "sites-enabled.$out/rbl", 'sites-enabled/shop'),
    'directives, variables and included files of the module are found');
like($said, qr{\Q$etc/sites-enabled/$_\E needs the module ngx_rbl and is now },
    "the removal of $_ is reported") for 'own', 'rbl';
ok(accepted(), 'nginx accepts the other sites without the module');
is(readlink "$etc/sites-enabled.$out/rbl", '../sites-available/rbl',
    'a link moves');
is(read_file("$etc/sites-enabled.$out/rbl"), $files{'sites-available/rbl'},
    'a link that moved still leads to its site');
is(sites('remove'), '', 'a second removal finds nothing');

module(1);
$said = sites('restore');
is(there(), $all, 'all files are back with the module');
like($said, qr{\Q$etc/sites-enabled/$_\E is enabled again},
    "the return of $_ is reported") for 'own', 'rbl';
ok(accepted(), 'nginx accepts the sites again');
is(sites('restore'), '', 'a second restore, as at an upgrade, has no work');

# A file of the same name, and one that nginx refuses now.
module(0);
sites('remove');
write_file("$etc/conf.d/log.conf", "# new\n");
write_file("$etc/sites-enabled.$out/own", 'server { nonsense; }');
module(1);
$said = sites('restore');
like($said, qr{conf\.d\.$out/log\.conf stays there, since there is a new one},
    'a new file is not replaced');
is(read_file("$etc/conf.d/log.conf"), "# new\n", 'the new file is as it was');
like($said, qr{sites-enabled\.$out/own stays there: .*"nonsense"},
    'a site that nginx refuses is not restored');
ok(accepted(), 'nginx accepts what was restored');

# The removal of a new file replaces what an earlier one left.
write_file("$etc/conf.d/log.conf", $files{'conf.d/log.conf'});
module(0);
sites('remove');
is(read_file("$etc/conf.d.$out/log.conf"), $files{'conf.d/log.conf'},
    'the file that was in force is kept');

# A file that this script cannot move.
write_file("$etc/nginx.conf",
    $files{'nginx.conf'} =~ s/^http \{/$&\nrbl_zone rbl 1m;/mr);
$said = sites('remove');
like($said, qr{refuses its configuration: .*"rbl_zone" in \Q$etc/nginx.conf\E:},
    'a directive in nginx.conf is named with its line');
like($said, qr/would not start again\. Mend this file; then:\n  nginx -t && /,
    'the report says what to do');

is(run_cmd('sh', repo_dir() . '/conf/sites.sh')->{status}, 2,
    'sites.sh without a word tells its usage');
done_testing();
