#!/usr/bin/perl

# rblctl setup on a directory tree that stands for a Debian machine without
# systemd: options, dry run, files that were changed by hand, setups that were
# killed, and all refusals.  The store, the daemon and nginx are real, and the
# test starts them as setup says.  t/packaging/setup.sh tests it with systemd.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use File::Find ();
use IO::Socket::INET;

use lib 't/lib';
use RblTest;

plan skip_all => "Debian's nginx does not load a module with a sanitizer"
    if $ENV{RBL_NGINX};

any_runs_nginx();
my $port = free_port();
my %places = (sbindir => 'usr/sbin', datadir => 'usr/share',
    mandir => 'usr/share/man', moddir => 'usr/lib/nginx/modules',
    sysusersdir => 'usr/lib/sysusers.d', unitdir => 'lib/systemd/system',
    sysconfdir => 'etc');

# machine(NAME): what the packages of this service and Debian's put there
sub machine {
    my $root = temp_dir() . '/' . shift;

    mkdir $root or die "mkdir $root: $!";
    my $r = run_cmd({ env => { DESTDIR => '',
        map { $_ => "$root/$places{$_}" } keys %places } }, 'sh',
        repo_dir() . '/conf/install.sh', build_dir(), build_dir() . '/portal',
        'daemon', 'module');
    die "install.sh: $r->{err}" if $r->{status} != 0;
    run_cmd('mkdir', '-p', map { "$root/$_" } qw(run etc/redis var/backups
        var/lib/redis var/log/redis var/log/nginx usr/share/nginx
        usr/share/nginx/modules-available etc/nginx/modules-enabled
        etc/nginx/sites-available etc/nginx/sites-enabled));
    for my $dir ('usr/share/nginx/modules-available',
        'etc/nginx/modules-enabled')
    {
        write_file("$root/$dir/50-mod-rbl.conf",
            "load_module $root/usr/lib/nginx/modules/ngx_rbl_module.so;\n");
    }
    for my $file ('nginx-site.conf', 'nginx-portal.conf') {
        my $path = "$root/usr/share/ngx_rbl/$file";
        my $text = read_file($path);
        $text =~ s{/var/log/nginx}{$root/var/log/nginx}g;
        $text =~ s{/etc/nginx}{$root/etc/nginx}g if $file =~ /portal/;
        write_file($path, $text);
    }
    # Lists that answer on this machine.
    write_file("$root/usr/share/rbl-checkd/lists.json",
        read_file(repo_dir() . '/conf/demo/lists.json'));
    my $user = $> == 0 ? 'user root;' : '';
    write_file("$root/etc/nginx/nginx.conf", <<"CONF");
$user
pid $root/run/nginx.pid;
error_log $root/var/log/nginx/error.log;
include $root/etc/nginx/modules-enabled/*.conf;
events {
}
http {
    access_log off;
    client_body_temp_path $root/run/body;
    proxy_temp_path $root/run/proxy;
    fastcgi_temp_path $root/run/fastcgi;
    uwsgi_temp_path $root/run/uwsgi;
    scgi_temp_path $root/run/scgi;
    include $root/etc/nginx/sites-enabled/*;
}
CONF
    return $root;
}

# setup(ROOT, {variables}, options...)
sub setup {
    my ($root, $env, @options) = @_;

    return run_cmd({ timeout => 300, env => { RBL_SETUP_ROOT => $root,
        PATH => "$root/stub:$root/usr/sbin:$ENV{PATH}", %$env } },
        'sh', "$root/usr/share/rbl-checkd/setup.sh", @options);
}

# stub(ROOT, NAME, SCRIPT): a program that setup finds instead of the real one
sub stub {
    my ($root, $name, $script) = @_;

    mkdir "$root/stub";
    write_file("$root/stub/$name", "#!/bin/sh\n$script\n");
    chmod 0755, "$root/stub/$name" or die "chmod: $!";
    return "$root/stub/$name";
}

# Starts by hand what setup has asked for.
sub start_by_hand {
    my ($root, $name) = @_;

    my %command = (
        redis => ['redis-server', "$root/etc/redis/redis-rbl.conf"],
        checkd => ["$root/usr/sbin/rbl-checkd", '-c',
            "$root/etc/rbl-checkd/rbl-checkd.conf"],
        nginx => ['nginx', '-c', "$root/etc/nginx/nginx.conf", '-e',
            "$root/var/log/nginx/error.log", '-g', 'daemon off;'],
    );
    my $file = $root =~ s{.*/}{}r;
    return spawn("$name-$file", {}, @{ $command{$name} });
}

# tree(ROOT, DIRECTORY...): {path => what it is}, without what is random
sub tree {
    my ($root, @dirs) = @_;

    my %tree;
    File::Find::find({ no_chdir => 1, wanted => sub {
        my ($mode, $uid, $gid) = (lstat)[2, 4, 5];
        my $text = -l ? readlink : -f _ ? read_file($_) : '';
        $text =~ s/\Q$root\E/ROOT/g;
        $text =~ s/\b[0-9a-f]{64}\b/HEX/g;
        $text =~ s/\bAC[0-9a-f]{32}\b/ACCOUNT/g;
        $text =~ s/# rblctl setup: \K[0-9a-f]{8}$/DIGEST/mg;
        $tree{ s/^\Q$root\E//r } = sprintf '%o %d %d %s', $mode, $uid, $gid,
            sha256_hex($text);
    } }, map { "$root/$_" } @dirs);
    return \%tree;
}

# still(RESULT): what is still to do
sub still {
    return join "\n", $_[0]{out} =~ /^  still to do (.*)$/mg;
}

sub done {
    return join "\n", $_[0]{out} =~ /^  done        (.*)$/mg;
}

my $root = machine('machine');
my $etc = "$root/etc/rbl-checkd";

# Wrong options change nothing.
{
    my $before = tree($root, 'etc', 'run', 'var');
    for my $row (
        [['--frob', 1], qr/unknown option --frob/],
        [['word'], qr/unexpected word "word"/],
        [['--domain'], qr/--domain needs a value/],
        [['--domain', 'a b'], qr/--domain "a b" is not a host name/],
        [['--domain', 'Rbl.example.net'], qr/is not a host name in small/],
        [['--domain=-x'], qr/"-x" is not a host name/],
        [['--port', 'http'], qr/--port "http" is not a number/],
        [['--port', 0], qr/--port "0" is not a number/],
        [['--port', 65536], qr/--port "65536" is not a number/],
        [['--port', 999999], qr/--port "999999" is not a number/],
        [['--owner', 'somebody'], qr/--owner "somebody" is not a mail addr/],
        [['--owner', 'a@b@c'], qr/is not one mail address/],
        [['--owner', 'a@b, c@d'], qr/is not one mail address/],
        [['--operator', '@'], qr/--operator "@" is not a mail address/],
        [['--smtp', 'smtp://127.0.0.1'], qr/--smtp needs --from/],
        [['--from', 'a@example.net'], qr/--from needs --smtp/],
        [['--smtp', 'mail', '--from', 'a@b'], qr/is not smtp:\/\/HOST/],
        [['--smtp', 'smtp://u:secret@h', '--from', 'a@b'],
            qr/the password is in --smtp-password-file/],
        [['--smtp-user', 'x'], qr/--smtp-user needs --smtp-password-file/],
        [['--smtp-user', 'x', '--smtp-password-file', '/x'],
            qr/--smtp-user needs --smtp/],
        [['--certificate', '/x'], qr/--certificate needs --key/],
        [['--certificate', '/x', '--key', '/y'],
            qr/--certificate needs --domain/],
        [['--certificate', 'x', '--key', '/y', '--domain', 'h'],
            qr/--certificate "x" is not a path/],
        [['--account', "a\nb"], qr/--account: no quotes/],
        [['--account', 'a"b'], qr/--account: no quotes/],
        [['--show', '/etc/passwd'], qr/setup writes no file \/etc\/passwd/],
    ) {
        my ($options, $pattern) = @$row;
        my $r = setup($root, {}, @$options);
        (my $name = "@$options") =~ s/\n/\\n/;
        is($r->{status}, 2, "setup $name exits with 2");
        like($r->{err}, qr/\Arblctl setup: [^\n]*$pattern[^\n]*\n\z/,
            "setup $name says why it refuses");
    }
    is_deeply(tree($root, 'etc', 'run', 'var'), $before,
        'wrong options change nothing');

    my $r = setup($root, {}, '--dry-run', '--port', $port, '--owner',
        'owner@example.net');
    like($r->{out}, qr/^  would       write \Q$etc\E\/setup\.choices$/m,
        'a dry run says what it would do');
    unlike($r->{out}, qr/^  done/m,
        'a dry run says of nothing that it is done');
    like($r->{out}, qr/\nNothing was changed\.\n/,
        'a dry run says that nothing was changed');
    is_deeply(tree($root, 'etc', 'run', 'var'), $before,
        'a dry run changes nothing');
}

# rblctl finds the script of its own place only; its words are those of setup.
{
    my $r = run_cmd(build_dir() . '/rblctl', '--help');
    my ($usage) = $r->{out} =~ /^  setup (.*)$/m;
    my ($options) = read_file(repo_dir() . '/conf/setup.sh')
        =~ /^options='([^']+)'/m;
    my @known = (split(' ', $options), 'dry-run', 'show');
    is_deeply([sort $usage =~ /--([a-z-]+)/g], [sort @known],
        'rblctl --help has the options of setup');
}

# An installation: setup, the servers by hand, setup.
my @choices = ('--port', $port, '--owner', 'owner@example.net');
my $first = setup($root, {}, @choices);
is($first->{status}, 1, 'the first setup without systemd exits with 1');
like($first->{out}, qr/Before the service works:\n  start the store by hand/,
    'setup says what to start by hand');
like($first->{out}, qr/^      runuser -u redis -- redis-server \S+ --daem/m,
    'setup prints the line that starts the store');
start_by_hand($root, 'redis');
setup($root, {});
my $lists = start_rbldnsd(zones => [
    ['dnsbl.demo.ngx-rbl.test', 'ip4set', "127.0.0.2\n"],
    ['uribl.demo.ngx-rbl.test', 'dnset', "test\n"]]);
run_cmd("$root/usr/sbin/rblctl", '-c', "$etc/rblctl.conf", 'lists', 'override',
    "$_.demo.ngx-rbl.test", '--server', "127.0.0.1\@$lists->{port}")
    for 'dnsbl', 'uribl';
start_by_hand($root, $_) for 'checkd', 'nginx';
my $url = "http://127.0.0.1:$port/portal/";
wait_for { run_cmd('curl', '-s', $url)->{out} ne '' } 20, 'nginx';
my $r;
wait_for { $r = setup($root, {}); $r->{status} == 0 } 120, 'the daemon';
is($r->{status}, 0, 'the service works when all is started')
    or diag($r->{out});
like($r->{out}, qr{^The service works: \Q$url\E$}m,
    'setup says that the service works');
is(() = $r->{out} =~ m{^      http://127\.0\.0\.1:$port/portal/#/link/AC}mg, 2,
    'owner and operator get their links');
like(run_cmd('curl', '-si', "http://127.0.0.1:$port/")->{out},
    qr{^Location: /portal/\r$}m, 'the address alone leads to the portal');
my ($login, $token) = read_file("$etc/api.netrc")
    =~ /^machine 127\.0\.0\.1 login (AC\w+) password (\w+)$/;
ok($token, 'a token is in the netrc file');
for my $file (qw(etc/rbl-checkd/api.netrc etc/rbl-checkd/redis.password
    etc/rbl-checkd/store.password etc/rbl-checkd/rblctl.password
    etc/nginx/rbl-store.password etc/nginx/rbl-portal.password))
{
    is((stat "$root/$file")[2] & 0777, 0600, "$file is its owner's alone");
}
$r = setup($root, {});
is(done($r) =~ s{^load .*\n|^make a link for.*(?:\n|\z)}{}mgr, '',
    'another setup changes nothing');
unlike($r->{out}, qr/still to do.*(?:rbl-checkd|nginx) by hand/,
    'another setup wants nothing to be started again');

# Files that were changed by hand.
{
    my $site = "$root/etc/nginx/sites-available/rbl";
    my $text = read_file($site);
    write_file($site, "# mine\n$text");
    $r = setup($root, {});
    is($r->{status}, 0, 'setup accepts a site that was changed by hand');
    like($r->{out}, qr/left alone  \Q$site\E was changed by hand/,
        'setup says that it leaves the changed site alone');
    is(read_file($site), "# mine\n$text", 'the changed site stays as it is');
    my ($line) = $r->{out} =~ /^      (rblctl setup --show .*)$/m;
    like($line, qr/\| diff \Q$site\E -$/,
        'setup prints the line that shows the new text');
    is(setup($root, {}, '--show', $site)->{out}, $text,
        'setup --show prints the new text');
    write_file($site, $text);

    # An unchanged file of an earlier version is replaced.
    my $old = $text =~ s/access_log.*\n//r =~ s/^# rblctl setup: .*\n\z//mr;
    write_file($site, $old . '# rblctl setup: sha256 ' . sha256_hex($old)
        . "\n");
    $r = setup($root, {});
    like($r->{out}, qr/^  done        write \Q$site\E$/m,
        'a file of an earlier setup is replaced');
    is(read_file($site), $text, 'the new file has the present text');
    like(still($r), qr/reload nginx by hand/,
        'setup says that nginx has to take the file');
}

# Keys that were set by hand.
{
    my $conf = "$etc/rbl-checkd.conf";
    my @smtp = ('--smtp', 'smtp://127.0.0.1:25', '--from', 'a@example.net');
    $r = setup($root, {}, @smtp);
    is($r->{status}, 0, 'a mail server is set');
    like(read_file($conf), qr{^smtp_url smtp://127.0.0.1:25 +# rblctl setup: }m,
        'the configuration has the mail server');
    is(run_cmd("$root/usr/sbin/rbl-checkd", '-t', '-c', $conf)->{status}, 0,
        'the configuration is valid for the daemon');
    like(still($r), qr/restart rbl-checkd by hand/,
        'setup says that the daemon has to take it');
    setup($root, {}, '--smtp', 'smtp://[::1]:2525');
    like(read_file($conf), qr{^smtp_url smtp://\[::1\]:2525 }m,
        'setup changes its own value');
    like(read_file($conf), qr{^smtp_from a\@example\.net }m,
        'what was chosen before stays');
    my $text = read_file($conf) =~ s{^smtp_url.*}{smtp_url smtp://mx.test:9}mr;
    write_file($conf, $text);
    $r = setup($root, {});
    is($r->{status}, 1, 'setup exits with 1 if a key was set by hand');
    like(still($r), qr{has "smtp_url smtp://mx\.test:9", and setup needs},
        'setup says what the key has and should have');
    is(read_file($conf), $text, 'the key stays as it is');
    my ($line) = $r->{out} =~ /^      (sed -i .*)$/m;
    is(run_cmd('sh', '-c', $line)->{status}, 0, 'the line mends it');
    is(setup($root, {})->{status}, 0, 'setup accepts the mended key');
    is(() = read_file($conf) =~ /^smtp_url /mg, 1, 'the key is there once');

    write_file("$root/pw", "word\n");
    chmod 0600, "$root/pw";
    setup($root, {}, '--smtp-user', 'u', '--smtp-password-file', "$root/pw");
    is(read_file("$etc/smtp.password"), "word\n", 'the password is copied');
    is((stat "$etc/smtp.password")[2] & 0777, 0600,
        "the copy is its owner's alone");
    unlike(read_file($conf), qr/\bword\b/, 'the password is in no other file');
}

# Refusals, each with the line that mends it.
sub refuses {
    my ($what, $pattern, $line, $env, @options) = @_;

    my $r = setup($root, $env, @options);
    is($r->{status}, 1, "setup exits with 1 with $what");
    like(still($r), $pattern, "setup names $what");
    like($r->{out}, qr/^      .*$line/m,
        "setup prints a line that mends $what");
    return $r;
}

{
    my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1,
        Proto => 'tcp') or die "listen: $!";
    my $taken = $listener->sockport;
    refuses('a port that is taken', qr/^port $taken is taken by \S*perl/m,
        qr/rblctl setup --port 8081/, {}, '--port', $taken);
    close $listener;
    setup($root, {}, '--port', $port);

    stub($root, 'nginx', 'echo "configure arguments: --prefix=/opt" >&2');
    refuses("an nginx that is not Debian's", qr/this nginx is not Debian's/,
        qr/apt-get install nginx/, {});
    my $real = run_cmd('sh', '-c', 'command -v nginx')->{out} =~ s/\n//r;
    stub($root, 'nginx', <<"SCRIPT");
case "\$*" in
*-t*)
    echo 'nginx: [emerg] module "x" is not binary compatible in x:1' >&2
    exit 1 ;;
esac
exec $real "\$@"
SCRIPT
    refuses('a module that nginx cannot load',
        qr/nginx refuses its configuration: .*not binary compatible/,
        qr/nginx -t/, {});
    unlink "$root/stub/nginx";
    rename "$root/etc/nginx/modules-enabled", "$root/off";
    refuses('a module that is not enabled', qr/nginx does not load the module/,
        qr/apt-get install --reinstall libnginx-mod-rbl/, {});
    rename "$root/off", "$root/etc/nginx/modules-enabled";

    stub($root, 'redis-server', 'echo "Redis server v=6.2.14 sha=0"');
    refuses('an old Redis', qr/redis-server has version 6/,
        qr/apt-get install redis-server/, {});
    stub($root, 'redis-server', 'exit 1');
    stub($root, 'valkey-server', 'exit 1');
    refuses('no Redis', qr/there is no Redis and no Valkey/,
        qr/apt-get install redis-server/, {});
    stub($root, 'valkey-server', 'echo "Valkey server v=8.1.1"');
    refuses('data of another server',
        qr/data of the store are in \S+redis\/rbl/,
        qr/apt-get install redis-server/, {});
    unlink "$root/stub/$_" for 'redis-server', 'valkey-server';

    stub($root, 'df', 'echo; echo "x 9 9 12 99% /"');
    refuses('a full disk', qr/the disk of \S+ is full: 12 KiB are free/,
        qr/df -h/, {});
    unlink "$root/stub/df";

    my $lists = "$root/usr/share/rbl-checkd/lists.json";
    my $age = (stat $lists)[9];
    utime time, time + 365 * 86400, $lists;
    refuses('a clock a year behind', qr/the clock is wrong: it says /,
        qr/timedatectl set-ntp true/, {});
    utime $age, $age, $lists;

    my $redis = stub($root, 'redis-cli', 'echo "WRONGPASS invalid user"');
    refuses('a store with other passwords', qr/the store answers WRONGPASS/,
        qr/tail/, {});
    unlink $redis;
    is(setup($root, {})->{status}, 0, 'setup is content when all is mended');
}

# Certificates.
sub certificate {
    my ($name, @options) = @_;

    my $r = run_cmd('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
        'ec_paramgen_curve:P-256', '-nodes', '-keyout', "$root/$name.key",
        '-out', "$root/$name.pem", '-subj', '/CN=x', @options);
    die "openssl: $r->{err}" if $r->{status} != 0;
    return ("$root/$name.pem", "$root/$name.key");
}

{
    my @for = ('-addext', 'subjectAltName=DNS:rbl.invalid');
    my ($good, $key) = certificate('good', @for);
    my ($other) = certificate('other', '-addext', 'subjectAltName=DNS:x.test');
    write_file("$root/bad.pem", "no certificate\n");
    my $tls = free_port();
    my @domain = ('--domain', 'rbl.invalid', '--port', $tls);
    my $site = read_file("$root/etc/nginx/sites-available/rbl");

    refuses('no certificate', qr/there is no \S+rbl\.invalid\/fullchain\.pem/,
        qr/certbot certonly .*-d rbl\.invalid/, {}, @domain);
    for my $row (
        ['of another name', $other, $key,
            qr/is not for rbl\.invalid but for DNS:x\.test/],
        ['that is none', "$root/bad.pem", $key, qr/is not a certificate/],
        ['with another key', $good, "$root/other.key", qr/is not the key of/],
        ['without a key', $good, "$root/none.key", qr/there is no \S+none.key/],
    ) {
        my ($name, $cert, $its, $pattern) = @$row;
        refuses("a certificate $name", $pattern, qr/rblctl setup --certif/, {},
            @domain, '--certificate', $cert, '--key', $its);
    }

    # Another clock, as openssl tells it.
    my $rest = 'PATH=${PATH#*:} exec openssl "$@"';
    stub($root, 'openssl', "case \"\$*\" in *-checkend\\ 0) exit 1 ;; esac\n"
        . $rest);
    refuses('an expired certificate', qr/has expired on /,
        qr/rblctl setup --certificate/, {}, @domain, '--certificate', $good,
        '--key', $key);
    my $fake = stub($root, 'openssl', 'case "$*" in *-startdate) echo '
        . "'notBefore=Jan  1 00:00:00 2099 GMT'; exit ;; esac\n$rest");
    refuses('a certificate of the future', qr/is not valid before .*2099/,
        qr/timedatectl set-ntp true/, {}, @domain, '--certificate', $good,
        '--key', $key);
    unlink $fake;
    is(read_file("$root/etc/nginx/sites-available/rbl"), $site,
        'the site was left as it was');

    $r = setup($root, {}, @domain, '--certificate', $good, '--key', $key);
    like(still($r), qr/^rbl\.invalid has no address in DNS$/m,
        'a host name without DNS is said');
    like(read_file("$root/etc/nginx/sites-available/rbl"),
        qr/^    ssl_certificate \Q$good\E;$/m, 'the site has the certificate');
    like(read_file("$root/etc/nginx/sites-available/rbl"),
        qr{^    rbl_portal_url https://rbl\.invalid:$tls/portal/;$}m,
        'the site has the URL of the portal');
    run_cmd('nginx', '-c', "$root/etc/nginx/nginx.conf", '-s', 'reload');
    $r = setup($root, {});
    is($r->{status}, 0, 'the service works behind TLS') or diag($r->{out});
    like(still($r), qr/this machine does not trust the certificate/,
        'an authority that this machine does not know is said');
    is(() = read_file("$etc/api.netrc") =~ /^machine rbl\.invalid login /mg, 1,
        'the token is for the new name');
    like(read_file("$etc/api.netrc"), qr/ password $token$/m,
        'the token for the new name is the same');
    is((split ' ', read_file("$etc/setup.choices") =~ s/\A#.*\n//r)[1], 'Main',
        'the account is as before');
}

# A new machine has an account of its own, until the store of the old one is
# restored.
my $kept = read_file("$etc/api.netrc");
$r = setup($root, {}, '--account', 'Second');
unlike(read_file("$etc/api.netrc"), qr/ password $token$/m,
    'another account has another token');
is(read_file("$etc/api.netrc.before"), $kept, 'the token from before is kept');
$r = setup($root, {}, '--account', 'Main');
is(read_file("$etc/api.netrc"), $kept,
    'the token is back with its account, and no token is made');

# A setup that is killed after each change, and run again, ends the same.
{
    my $plain = machine('plain');
    my $killed = machine('killed');
    setup($plain, {}, @choices);
    start_by_hand($plain, 'redis');
    wait_for { !!-S "$plain/run/redis-rbl/redis.sock" } 10, 'the store';
    setup($plain, {}, @choices);

    my $same = sub {
        my ($name) = @_;

        is_deeply(tree($killed, 'etc'), tree($plain, 'etc'),
            "$name: the files are the same in the end");
        is_deeply([(stat "$killed/var/lib/redis/rbl")[2, 4, 5]],
            [(stat "$plain/var/lib/redis/rbl")[2, 4, 5]],
            "$name: the data belong to the same user");
        for my $what (['account', 'list'], ['operator', 'list']) {
            my @count = map {
                my $got = run_cmd("$_/usr/sbin/rblctl", '-c',
                    "$_/etc/rbl-checkd/rblctl.conf", @$what, '--json');
                scalar(() = $got->{out} =~ /"id":/g);
            } $plain, $killed;
            is("@count[1, 0]", $what->[0] eq 'account' ? '2 2' : '1 1',
                "$name: @$what: the same number");
        }
    };

    # Without a store, each setup gets one change further.
    my ($kills, $r) = (0);
    while (1) {
        $r = setup($killed, { RBL_SETUP_STOP => 1 }, @choices);
        last if !$r->{signal} || ++$kills > 60;
    }
    cmp_ok($kills, '>', 15, "killed after each of $kills changes");
    is($r->{status}, 1, 'the last setup was not killed');
    start_by_hand($killed, 'redis');
    wait_for { !!-S "$killed/run/redis-rbl/redis.sock" } 10, 'the store';

    # With an empty store, it is killed after its first change, its second ...
    for my $n (1 .. 20) {
        $r = setup($killed, { RBL_SETUP_STOP => $n }, @choices);
        last if !$r->{signal};
        setup($killed, {}, @choices);
        $same->("killed after change $n of the store");
        unlink "$killed/etc/rbl-checkd/api.netrc";
        run_cmd({ env => { REDISCLI_AUTH =>
            read_file("$killed/etc/rbl-checkd/redis.password") =~ s/\n//r } },
            'redis-cli', '-s', "$killed/run/redis-rbl/redis.sock", 'FLUSHALL');
        $kills++;
    }
    $same->('not killed');
    cmp_ok($kills, '>', 20, "setup was killed $kills times");
}

# A store that was set up by hand is not left behind.
{
    my $hand = machine('hand');
    my $conf = "$hand/etc/rbl-checkd/rbl-checkd.conf";
    write_file($conf,
        read_file($conf) =~ s/^#store_user (\S+).*/store_user $1/mr);
    my $r = setup($hand, {});
    is($r->{status}, 1, 'setup exits with 1 if another store is configured');
    like(still($r), qr/has the store 127\.0\.0\.1:6379, and setup would leave/,
        'setup names the other store');
    like($r->{out}, qr/^      rblctl setup --store 127\.0\.0\.1:6379$/m,
        'setup prints the line that takes the other store');
    ok(!-e "$hand/etc/redis/redis-rbl.conf", 'setup makes no other store');
}

# A store of the operator is only checked.
{
    my $given = machine('given');
    my $acl = "$given/etc/rbl-checkd/redis-rbl.acl";
    my $port = free_port();
    my @store = ('--store', "127.0.0.1:$port");
    my $r = setup($given, {}, @store);
    is($r->{status}, 1, 'setup exits with 1 if the store is away');
    like(still($r), qr/^the store does not answer: /m,
        'setup says that the store is away');
    my $data = own_dir('given-store');
    my @redis = ('redis-server', '--port', $port, '--dir', $data, '--save', '');
    my $pong = sub { run_cmd('redis-cli', '-p', $port, 'PING')->{out}
        =~ /PONG|NOAUTH/ };
    my $server = started(spawn('given-store', { dir => $data }, @redis), $pong);
    $r = setup($given, {});
    is($r->{status}, 1, 'setup exits with 1 if the store lacks the users');
    like(still($r), qr/refuses the users rbl-api, rbl-portal, rbl-checkd, rblc/,
        'setup names the users that the store lacks');
    like($r->{out}, qr/^      .*\Q$acl\E/m, 'setup says where the users are');
    stop_server($server);
    write_file("$data/conf", "include $acl\n");
    started(spawn('given-store2', { dir => $data }, 'redis-server',
        "$data/conf", @redis[1 .. $#redis]), $pong);
    $r = setup($given, {});
    like($r->{out}, qr/^  done        initialise the store$/m,
        'setup uses the store when it has the users');
    like(still($r), qr/^the store needs an append-only file$/m,
        'setup names a setting that the store lacks');
    like(read_file("$given/etc/nginx/sites-available/rbl"),
        qr/^    rbl_store 127\.0\.0\.1:$port;$/m, 'nginx gets the same store');
    ok(!-e "$given/etc/redis/redis-rbl.conf", 'setup makes no second store');
    $r = setup($given, {}, '--store', '');
    is($r->{status}, 1, 'setup exits with 1 if another store is to be left');
    like($r->{out}, qr/^      rblctl setup --store 127\.0\.0\.1:$port$/m,
        'setup prints the line that keeps the store');
}

done_testing();
