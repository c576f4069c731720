#!/usr/bin/perl

# `make run` on a machine without Internet: the log, rblctl status and the
# portal say that DNS does not work, with no host and with one.  The list of the
# demonstration, which runs on the machine, works.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd qw(eventually log_count);
use RblPortal;
use RblTest;

# A private network name space with a loopback only.
own_net();
run_cmd('ip', 'link', 'set', 'lo', 'up');
write_file(temp_dir() . '/resolv.conf', "nameserver 192.0.2.53\n");
run_cmd('mount', '--bind', temp_dir() . '/resolv.conf', '/etc/resolv.conf');

my $run = temp_dir() . '/run';
my %env = (RUN_DIR => $run, RUN_PORT => free_port(),
    RUN_LIST_PORT => free_port(), RUN_MAIL_PORT => free_port());
my %sanitizer = nginx_env();
$env{RUN_PRELOAD} = delete $sanitizer{LD_PRELOAD} // '';
$env{RUN_NGINX} = $ENV{RBL_NGINX} // 'nginx';
my $s = spawn('run', { env => { %env, %sanitizer } }, 'sh',
    repo_dir() . '/conf/run.sh', build_dir());
ok(wait_for(sub { read_file($s->{log}) =~ /Ctrl-C stops/ || !alive($s) }, 60,
    'make run'), 'the demonstration starts');
my ($link) = read_file($s->{log}) =~ m{^http://\S+/portal/#/link/(\S+)$}m;
my ($sid, $token) = read_file("$run/account")
    =~ /^SID=(\S+)\nTOKEN=(\S+)$/m;
like(read_file($s->{log}), qr/^make run: no Internet: only the demonstration /m,
    'make run says at once that there is no Internet');
my $t = { nginx => { port => $env{RUN_PORT} },
    site => "localhost:$env{RUN_PORT}",
    acct => { sid => $sid, token => $token } };
my $owner = { cookie => RblPortal::cookie_of(use_link($t, $link)) };

sub status {
    return run_cmd(build_dir() . '/rblctl', '-c', "$run/rbl-checkd.conf",
        'status');
}

sub banner {
    my $r = portal($t, $owner, 'GET', 'service.json');
    my $v = $r->{status} == 200 ? json($r)->{data} : {};
    return join ' ', $v->{verdict} // '',
        map { $_->{name} } @{ $v->{conditions} // [] };
}

my $why = qr/resolver 192\.0\.2\.53\@53 is at fault: \d+ lists fail/;
eventually { log_count($s, "DNS does not work here since \\S+: $why") } 60,
    'the log says that DNS does not work, with no host';
eventually { status()->{out} =~ /^broken: dns\ndns: broken since \S+ \S+ $why/ }
    20, 'rblctl status says so, and blames no list';
is(status()->{status}, 2, 'rblctl status exits with 2');
eventually { banner() eq 'broken dns' } 20,
    'the portal has the banner on its first screen';

add_host($t, '192.0.2.10');
eventually { (json(call($t, 'GET', 'listings.json'))->{total_listed} // 0) == 1
    } 60, 'the host is listed by the list of the demonstration';
eventually { my $l = json(call($t, 'GET', 'listings.json'));
    $l->{lists_answered} == 1 && $l->{lists_asked} > 20 } 60,
    'one list has answered, of all that apply';
is(banner(), 'broken dns', 'the answers of that list do not end the banner');
like(status()->{out}, qr/^broken: dns\n/,
    'rblctl status does not end with the answers of that list either');
is(log_count($s, 'DNS does not work here since|silent_lists|critical_lists'),
    1, 'the log has one line in all');

signal_server($s, 'INT');
ok(wait_for(sub { !alive($s) }, 60, 'its end'), 'the demonstration ends');

done_testing();
