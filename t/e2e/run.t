#!/usr/bin/perl
# `make run`: its printed commands work when pasted, Ctrl-C stops all programs,
# and a second run finds the data of the first.

use strict;
use warnings;

use lib 't/lib';
use RblPortal;
use RblTest;

my $run = temp_dir() . '/run';
my %env = (RUN_DIR => $run, RUN_PORT => free_port(),
    RUN_LIST_PORT => free_port(), RUN_MAIL_PORT => free_port(),
    RUN_OFFLINE => 1);
my %sanitizer = nginx_env();
$env{RUN_PRELOAD} = delete $sanitizer{LD_PRELOAD} // '';
$env{RUN_NGINX} = $ENV{RBL_NGINX} // 'nginx';
%env = (%env, %sanitizer);
my $script = repo_dir() . '/conf/run.sh';
my @names = qw(redis rbldnsd mails checkd nginx);

sub start_run {
    my $s = spawn('run', { env => \%env }, 'sh', $script, build_dir());
    wait_for { read_file($s->{log}) =~ /Ctrl-C stops/ || !alive($s) } 60,
        'make run';
    my @lines = read_file($s->{log}) =~ /^(curl .*)$/mg;
    return ($s, @lines);
}

# Runs a command as a newcomer pastes it.
sub paste { return run_cmd({ timeout => 20 }, 'sh', '-c', $_[0])->{out} }

# Processes of the system, by a text in their command line.
sub left {
    my @found;
    for my $path (glob '/proc/[0-9]*/cmdline') {
        my ($pid) = $path =~ /(\d+)/;
        my $line = read_file($path) =~ tr/\0/ /r;
        push @found, "$pid $line"
            if $pid != $$ && $line =~ /\Q$run\E|\b\Q$env{RUN_LIST_PORT}\E\b/;
    }
    return @found;
}

sub stops {
    my ($s, $signal) = @_;

    signal_server($s, $signal);
    ok(wait_for(sub { !alive($s) }, 60, 'the end'), "SIG$signal ends make run");
    is($s->{status}, 0, "SIG$signal ends make run with status 0");
    wait_for { !left() } 5;
    is_deeply([left()], [], "SIG$signal leaves no process behind");
}

# obstacles are reported before any program starts
my $taken = IO::Socket::INET->new(LocalAddr => '127.0.0.1',
    LocalPort => $env{RUN_PORT}, Proto => 'tcp', Listen => 1) or die;
my $r = run_cmd({ env => \%env }, 'sh', $script, build_dir());
is($r->{status}, 1, 'a port in use ends make run');
like($r->{err}, qr/\Amake run: port tcp:$env{RUN_PORT} .*RUN_PORT=\d+ .*\n\z/,
    'one line has the remedy for a port in use');
close $taken;
$r = run_cmd({ env => { %env, RUN_DIR => temp_dir() . '/a b' } }, 'sh',
    $script, build_dir());
is($r->{status}, 1, 'a directory with a blank ends make run');
like($r->{err}, qr/RUN_DIR=/, 'the message for the blank has the remedy');
$r = run_cmd({ env => \%env }, 'sh', $script, temp_dir());
is($r->{status}, 1, 'make run fails when nothing is built');
like($r->{err}, qr/is missing: make\n\z/, 'the message has the remedy');
is_deeply([left()], [], 'nothing was started');

# the first run
my ($s, @curl) = start_run();
is(scalar @curl, 5,
    'make run prints five lines to paste') or diag(read_file($s->{log}));
my ($sid, $token) = $curl[0] =~ /-u (AC[0-9a-f]{32}):([0-9a-f]{64}) /;
ok($token, 'the first command has SID and token');
my $printed = read_file($s->{log});
like($printed, qr/^  account  $sid$/m, 'the account is printed');
is((stat "$run/account")[2] & 0777, 0600, "$run/account is private");

my $added = json(paste($curl[0]));
is($added->{status_code}, 200, '1: a host is added');
my $host = $added->{data}[0]{host};
my $l;
wait_for { $l = json(paste($curl[1])); $l->{total_listed} } 15, 'the listing';
is($l->{data}[0]{host}, $host, 'the listing is of the added host');
is($l->{data}[0]{listed_details}[0]{host}, 'dnsbl.demo.ngx-rbl.test',
    'the demonstration list has the host');
is(paste($curl[2]), 'CRITICAL - 1 host listed!',
    '3: listings.nagios is critical for one host');
is(run_cmd({ stdin => paste($curl[3]) }, 'xmllint', '--noout', '-')->{status},
    0, '4: XML is well-formed');
my $check = json(paste($curl[4]))->{data};
like($check->{id}, qr/^PP/, '5: a check starts');
my $status = $curl[4] =~ s{/check/start.*}{}r
    . "/check/status/$check->{id}.json?details=1";
my $data;
wait_for { $data = json(paste($status))->{data};
    $data->{status} eq 'completed' } 15, 'the check';
is($data->{listed_count}, 1, '5: the check completes with the listing');
is($data->{listed_count} + $data->{unknown_count}
    + grep({ $_->{status} eq 'clear' } @{ $data->{details} }),
    $data->{total_count}, 'every list has a verdict');
like(paste("$status -H 'Accept-Encoding: gzip' -D - -o /dev/null"),
    qr/^Content-Encoding: gzip\r$/m, 'long answers are compressed');
my @unreached = grep { $_->{error} && $_->{status} ne 'unknown' }
    @{ $data->{details} };
is_deeply(\@unreached, [], 'a list that cannot be reached is unknown');

# the other lists of the demonstration
my $post = $curl[0] =~ s/ -d .*//r;
my ($where) = $post =~ s/host\/add\.json/check\/start.json/r;
for my $value ('2001:db8:bad::1', 'www.listed.example.com') {
    my $c = json(paste("$where -d host=$value"))->{data};
    wait_for { $data = json(paste($status =~ s/PP[0-9a-f]+/$c->{id}/r))
        ->{data}; $data->{status} eq 'completed' } 15, $value;
    is($data->{listed_count}, 1, "$value is listed");
}

# mails: a user signs in by a mailed link
my $t = { nginx => { port => $env{RUN_PORT} },
    site => "localhost:$env{RUN_PORT}" };

# A page below /mails/ with that text, by its path.
sub mail_page {
    my ($path, $text) = @_;

    my $page;
    wait_for { $page = http($t->{nginx}, 'GET', "/mails/$path");
        $page->{status} == 200 && $page->{body} =~ $text } 15, $path;
    return $page;
}
accepted(portal($t, undef, 'POST', 'session/link.json',
    fields => { mail => 'owner@demo.ngx-rbl.test' }), 'a link is mailed');
my $page = mail_page('', qr/<td>owner\@demo/);
like($page->{headers}{'content-security-policy'}, qr/\bsandbox\b/,
    'mails are shown in a sandbox');
my ($mail) = $page->{body} =~ /<a href="(\d+\.html)">/;
my ($link) = mail_page($mail, qr/<pre>/)->{body}
    =~ m{<a href="http://localhost:$env{RUN_PORT}/portal/#/link/([^"]+)"};
accepted(use_link($t, $link // ''), 'the mailed link signs in');

# and a contact hears of a listing
$t->{acct} = { sid => $sid, token => $token };
my $contact = accepted(call($t, 'POST', 'contact/add.json', form => {
    contact => 'noc@example.com', type => 'email',
    schedule => 'start_and_end' }), 'an e-mail contact is added')->{data};
mail_page('', qr/<td>noc\@example/);
my ($code) = mail_page('2.html', qr/<pre>/)->{body} =~ /^    (\w{6})$/m;
accepted(call($t, 'POST', "contact/confirm/$contact->{id}.json",
    form => { authcode => $code }), 'the code of the mail confirms it');
add_host($t, '198.51.100.7');
mail_page('', qr/<td>noc\@example.*<td>noc\@example/s);
like(mail_page('3.html', qr/198\.51\.100\.7/)->{body},
    qr/<iframe src="3-html\.html" sandbox=/, 'the HTML of the mail is in a frame');
like(mail_page('3-html.html', qr/198\.51\.100\.7/)->{body}, qr/<table/,
    'the HTML of the mail is a page');

# twice at once
$r = run_cmd({ env => \%env }, 'sh', $script, build_dir());
is($r->{status}, 1, 'a second make run beside the first fails');
like($r->{err}, qr/running already, as process $s->{pid}\n\z/,
    'the message has the process of the first run');

ok(wait_for(sub { read_file($s->{log}) =~ m{"GET /3\.0/listings\.xml} }, 10,
    'the log'), 'the log is followed');
for my $name (@names) {
    unlike(read_file("$run/log/$name.log"), qr/\Q$token\E/,
        "no token in the log of $name");
}
stops($s, 'INT');

# the second run
($s, my @again) = start_run();
is_deeply(\@again, \@curl, 'a second run has the same account and token');
is(json(paste($again[1]))->{total_listed}, 2,
    'a second run has the data of the first');
is(json(paste($again[0]))->{status_code}, 409, 'the host is there already');

# one server dies: the others are stopped, with a message
my ($nginx) = map { /^(\d+) nginx: master/ ? $1 : () } left();
ok($nginx, 'nginx runs in the second run');
kill 'TERM', $nginx if $nginx;
ok(wait_for(sub { !alive($s) }, 60, 'the end'), 'a server that ends, ends all');
is($s->{status} >> 8, 1, 'the end of a server gives status 1');
like(read_file($s->{log}), qr/make run: nginx has ended; its log is \S+/,
    'make run names the server that has ended');
wait_for { !left() } 5;
is_deeply([left()], [], 'nothing is left');

# billing
$r = run_cmd({ env => { %env, RUN_GATEWAY => 'stripe' } }, 'sh', $script,
    build_dir());
is($r->{status}, 1, 'another gateway ends make run');
like($r->{err}, qr/RUN_GATEWAY=stripe: manual /, 'the message has the remedy');
for my $first (1, 0) {
    local $env{RUN_GATEWAY} = 'manual';
    ($s) = start_run();
    my @lines = read_file($s->{log}) =~ m{^(\S+/rblctl -c \S+ bill .*)$}mg;
    is(scalar(@lines), $first ? 6 : 5, 'make run prints lines of billing')
        or diag(read_file($s->{log}));
    like(paste($lines[0]), qr/$sid .* PY\w+ .* 25\.00 /,
        'one shows the payment that is due') if $first;
    for my $line ($first ? @lines[1 .. 3] : @lines[1 .. 4]) {
        $r = run_cmd('sh', '-c', $line);
        my $said = $r->{err} =~ s/^rblctl: Booked 25\.00 USD for PY\w+\.\n//r;
        is("$r->{status} $said", '0 ', "works as pasted: $line");
        like($r->{out}, qr/cash +revenue +25\.00/, 'the ledger has it')
            if $line =~ /ledger/;
    }
    stops($s, 'INT');
}

# data of another version
my $d = own_dir('old');
my $old = start_redis(dir => $d, appendonly => 1,
    cluster => 0);                      # as conf/run.sh starts it
redis($old, 'HSET', 'rbl:meta', 'schema', schema_version() - 2, 'partitions',
    16);
stop_server($old);
mkdir "$run-old";
rename $d, "$run-old/store" or die "rename: $!";
$r = run_cmd({ env => { %env, RUN_DIR => "$run-old" } }, 'sh', $script,
    build_dir());
is($r->{status}, 1, 'data of another version end make run');
like($r->{err}, qr/^rblctl: the store .* has schema \d.*\nmake run: .*RUN_DIR=.*\n\z/,
    'the message for the old data has the remedy');
wait_for { !left() } 5;
is_deeply([left()], [], 'make run leaves no process after old data');

watch_log('nginx', "$run/log/nginx.log");
done_testing();
