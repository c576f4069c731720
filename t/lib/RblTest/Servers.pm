package RblTest::Servers;

# Starts the servers of the system; each is ready when the call returns.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use Exporter 'import';
use Fcntl qw(LOCK_EX);
use File::Copy qw(copy);
use IO::Socket::INET;

use RblTest::Http;
use RblTest::Process;
use RblTest::Redis;
use Test::More ();

our @EXPORT = qw(start_redis start_store start_nginx start_rbldnsd rbldnsd_data
    start_unbound start_dnsmasq start_checkd rblctl rblctl_json make_account
    init_store any_runs_nginx nginx_env store_login store_program);

my $counter = 0;

# A program of the store, `server` or `cli`.  RBL_REDIS_SERVER names another
# server than redis-server, such as valkey-server; its cli is beside it.
sub store_program {
    my ($name) = @_;

    return ($ENV{RBL_REDIS_SERVER} || 'redis-server') =~ s/server$/$name/r;
}

# Options: appendonly (1), port (1: also on a TCP port; or its number), args
# [..], conf (text of its configuration), env, dir, cluster (0: never a cluster node, for what a cluster refuses by
# itself; 1: one server in any case).
# Gives socket, port and addr ("unix:..."), which is what the programs take.
#
# The store has the users of conf/redis-rbl.acl, and every program started for
# this store (without another user or prefix) is one of them: a right missing in
# that file fails here with NOPERM.  The test itself is "default", with all
# rights.  After `delete $redis->{users}` programs are "default", too.
#
# With RBL_REDIS_CLUSTER=1 it is the only node of a cluster: all keys are there,
# and Redis refuses each command whose keys have different slots.  With a larger
# number it is a cluster of so many masters (RblFailover::Cluster), unless the
# test chooses its address by `port` or `dir`.
sub start_redis {
    my (%opt) = @_;

    return start_masters(%opt) if ($ENV{RBL_REDIS_CLUSTER} // 0) > 1
        && !grep { defined } @opt{qw(cluster port dir)};
    my $d = $opt{dir} // own_dir('redis');
    my $port = $opt{port} // 0;
    $port = free_port() if $port == 1;
    my $cluster = $ENV{RBL_REDIS_CLUSTER} && ($opt{cluster} // 1);
    my $users = redis_users($d, $opt{conf} // '');
    my $s = spawn('redis', { dir => $d, env => $opt{env} },
        store_program('server'), "$d/users.conf",
        '--dir', $d, '--port', $port, '--bind', '127.0.0.1',
        '--unixsocket', "$d/s", '--unixsocketperm', '700', '--save', '',
        '--appendonly', $opt{appendonly} ? 'yes' : 'no',
        '--daemonize', 'no', $cluster ? cluster_node($d, $port) : (),
        @{ $opt{args} // [] });
    @$s{qw(socket port addr users)} = ("$d/s", $port, "unix:$d/s", $users);
    my ($ask, $good) = $cluster ? ('CLUSTER INFO', qr/state:ok|NOAUTH/)
        : ('PING', qr/PONG|NOAUTH/);
    return started($s, sub {
        delete $s->{client};
        (redis_try($s, split / /, $ask) // '') =~ $good;
    });
}

# A Redis that rblctl has initialised, with the lists of conf/lists.json.  That
# takes it a second, so only the first program does it: others begin with a copy
# of its file, which not every server can read that another one wrote.  Options
# as for start_redis.
sub start_store {
    my (%opt) = @_;

    my @lists = (lists => repo_dir() . '/conf/lists.json');
    if (%opt || $ENV{RBL_REDIS_CLUSTER}) {
        my $s = start_redis(%opt);
        init_store($s, @lists);
        return $s;
    }
    my $file = build_dir() . '/t/store-' . sha256_hex(store_program('server'),
        map { read_file($_) } $lists[1], build_dir() . '/rblctl') . '.rdb';
    open my $lock, '>', "$file.lock" or die "$file.lock: $!";
    flock $lock, LOCK_EX or die "$file.lock: $!";
    my $d = own_dir('redis');
    my $is_made = -e $file;
    copy($file, "$d/dump.rdb") or die "$file: $!" if $is_made;
    my $s = start_redis(dir => $d);
    if (!$is_made) {
        init_store($s, @lists);
        redis($s, 'SAVE');
        copy("$d/dump.rdb", "$file.new") && rename "$file.new", $file
            or die "$file: $!";
    }
    $s->{judge} = \&faultless if $0 =~ m{\bt/bill/};
    return $s;
}

# A cluster of so many masters, each with a replica, in the place of one Redis.
sub start_masters {
    my (%opt) = @_;

    require RblFailover::Cluster;
    return RblFailover::Cluster::start_cluster(masters =>
        $ENV{RBL_REDIS_CLUSTER}, args => $opt{args} // [],
        appendonly => $opt{appendonly} // 0);
}

# The arguments of a node that has all slots.  It serves two seconds after its
# start, which Redis fixes.
sub cluster_node {
    my ($d, $port) = @_;

    my $bus = free_port();
    write_file("$d/nodes.conf", '0' x 40 . " 127.0.0.1:$port\@$bus "
        . "myself,master - 0 0 1 connected 0-16383\n"
        . "vars currentEpoch 1 lastVoteEpoch 0\n");
    return ('--cluster-enabled', 'yes', '--cluster-port', $bus,
        '--cluster-config-file', 'nodes.conf');
}

# Writes the ACL with more text, and the password files; {user => path of its
# password}
sub redis_users {
    my ($d, $more) = @_;

    my $acl = read_file(repo_dir() . '/conf/redis-rbl.acl');
    $acl =~ s/^user default .*\n//m or die 'redis-rbl.acl: no user default';
    my %users;
    while ($acl =~ /^user (\S+) off /mg) {
        $users{$1} = "$d/$1.password";
        write_file($users{$1}, "secret of $1\n", 0600);
    }
    $acl =~ s/^user (\S+) \Koff /'on #' . sha256_hex("secret of $1") . ' '/mge;
    write_file("$d/users.conf", $acl . $more);
    return \%users;
}

# (user, password file) of a program for a store; nothing if the store has no
# such users, or if `text` (of a configuration) names another user or prefix.
sub store_login {
    my ($store, $user, $text) = @_;

    return () if ref $store ne 'HASH' || !$store->{users}
        || ($text // '') =~ /store_(?:user|password_file|prefix)\b/;
    return ($user, $store->{users}{$user} // die "no user $user");
}

sub nginx_preload {
    return $ENV{RBL_PRELOAD} if defined $ENV{RBL_PRELOAD};
    return '' if defined $ENV{RBL_NGINX};       # has all it needs
    my $module = read_file(build_dir() . '/ngx_rbl_module.so');
    return $module =~ /\0(libasan\.so\.\d+)\0/ ? $1 : '';
}

# The environment for an nginx with a sanitized module.
sub nginx_env {
    my $preload = nginx_preload();
    return () if $preload eq '';
    return (LD_PRELOAD => $preload, LSAN_OPTIONS => 'print_suppressions=0:'
        . 'suppressions=' . repo_dir() . '/t/lib/nginx.lsan');
}

# From now on each program of this test may run nginx with a sanitized module.
# Leaks are not looked for: those of the programs of others are not ours.
sub any_runs_nginx {
    my %env = nginx_env() or return;
    @ENV{ keys %env } = values %env;
    $ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0';
    return;
}

# Options: store (a redis) or store_addr, api / server / http / main / events
# (text added at that level), portal (text added at its location; without it
# there is none), conf (a whole configuration, with %%PORT%%,
# %%DIR%%, %%STORE%%, %%MODULE%%), workers, connections (of a worker), level
# (of the error log), module (0: not loaded), start (0: only {conf_path,
# command} are made), env.
sub start_nginx {
    my (%opt) = @_;

    my $d = own_dir('nginx');
    my $port = $opt{port} // free_port();
    my $text = $opt{conf} // nginx_conf(%opt);
    my $addr = $opt{store_addr} // ($opt{store} ? $opt{store}{addr}
        : "unix:$d/no-store");
    my %v = (PORT => $port, DIR => $d, STORE => $addr,
        MODULE => build_dir() . "/ngx_rbl_module.so");
    $text =~ s/%%(PORT|DIR|STORE|MODULE)%%/$v{$1}/g;
    write_file("$d/nginx.conf", $text);
    my $env = { nginx_env(), %{ $opt{env} // {} } };
    my @command = ($ENV{RBL_NGINX} // 'nginx', '-p', "$d/", '-c',
        "$d/nginx.conf", '-e', "$d/error.log");
    if (exists $opt{start} && !$opt{start}) {
        return { name => 'nginx', dir => $d, port => $port, env => $env,
            conf_path => "$d/nginx.conf", command => \@command,
            error_log => "$d/error.log" };
    }
    my $s = spawn('nginx', { dir => $d, env => $env }, @command);
    @$s{qw(port error_log conf_path)} = ($port, "$d/error.log",
        "$d/nginx.conf");
    # By TERM, nginx kills workers that look for leaks for a second.
    $s->{signal} = 'QUIT' if $ENV{RBL_NGINX};
    watch_log('nginx', "$d/error.log");
    return started($s, sub { -s "$d/nginx.pid" && tcp_open($port) });
}

sub nginx_conf {
    my (%opt) = @_;

    my %o = (main => '', events => '', http => '', server => '', api => '',
        workers => 2, level => 'info', connections => 512, %opt);
    my $user = $> == 0 ? 'user root;' : '';
    my $module = $o{module} // 1 ? 'load_module %%MODULE%%;' : '';
    my $store = $o{no_store} || !($o{module} // 1) ? ''
        : 'rbl_store %%STORE%%;';
    my ($login, $file) = store_login($o{store}, 'rbl-api',
        join ' ', @o{qw(http server api)});
    $store .= " rbl_store_user $login; rbl_store_password_file $file;"
        if $store ne '' && $login && !defined $o{store_addr};
    my $location = $o{module} // 1
        ? "location /3.0/ { rbl_api on; $o{api} }" : '';
    if (defined $o{portal}) {
        ($login, $file) = store_login($o{store}, 'rbl-portal', $o{portal});
        my $user = $login ? "rbl_store_user $login; "
            . "rbl_store_password_file $file;" : '';
        $location .= " location /portal/1/ { rbl_portal on; rbl_etag on; $user "
            . "$o{portal} }";
    }
    return <<"CONF";
$module
$user
daemon off;
worker_processes $o{workers};
error_log %%DIR%%/error.log $o{level};
pid %%DIR%%/nginx.pid;
lock_file %%DIR%%/nginx.lock;
$o{main}
events { worker_connections $o{connections}; $o{events} }
http {
    access_log %%DIR%%/access.log;
    log_format seconds '\$request_method \$request_uri \$status \$request_time';
    access_log %%DIR%%/seconds.log seconds;
    client_body_temp_path %%DIR%%/body;
    proxy_temp_path %%DIR%%/proxy;
    fastcgi_temp_path %%DIR%%/fastcgi;
    uwsgi_temp_path %%DIR%%/uwsgi;
    scgi_temp_path %%DIR%%/scgi;
    $store
    $o{http}
    server {
        listen 127.0.0.1:%%PORT%%;
        server_name localhost;
        $location
        $o{server}
    }
}
CONF
}

sub tcp_open {
    my ($port) = @_;

    return IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port,
        Proto => 'tcp', Timeout => 2);
}

# zones => [[zone, type, text], ...]: dataset types are ip4set, ip4tset,
# ip6trie, dnset, generic, ...  Its address for a resolver is
# "127.0.0.1@$s->{port}".
sub start_rbldnsd {
    my (%opt) = @_;

    my $d = own_dir('rbldnsd');
    my $port = $opt{port} // free_port();
    my $host = $opt{host} // '127.0.0.1';
    my (@specs, %file);
    for my $z (@{ $opt{zones} }) {
        my ($zone, $type, $text) = @$z;
        my $file = 'z' . scalar @specs;
        write_file("$d/$file", with_soa($zone, $text));
        $file{$zone} = $file;
        push @specs, "$zone:$type:$file";
    }
    my @user = $> == 0 ? ('-u', 'nobody') : ();
    my $s = spawn('rbldnsd', { dir => $d }, 'rbldnsd', '-n', @user, '-w', $d,
        '-c', '1', '-b', "$host/$port", @{ $opt{args} // [] }, @specs);
    @$s{qw(port file)} = ($port, \%file);
    return started($s, sub { read_file($s->{log}) =~ /\bstarted \(/ });
}

# Without an SOA a resolver chooses the TTL of negative responses itself.
sub with_soa {
    my ($zone, $text) = @_;

    return $text if $text =~ /^\$SOA/m;
    return "\$SOA 0 ns.$zone hostmaster.$zone 1 60 60 60 0\n"
        . "\$NS 60 ns.$zone\n$text";
}

# Replaces the data of a zone; returns when it is served.
sub rbldnsd_data {
    my ($s, $zone, $text) = @_;

    my $before = () = read_file($s->{log}) =~ /zones reloaded/g;
    write_file("$s->{dir}/$s->{file}{$zone}", with_soa($zone, $text));
    # rbldnsd detects changes by the file time in seconds.
    utime time + 2 * ++$counter, time + 2 * $counter,
        "$s->{dir}/$s->{file}{$zone}";
    signal_server($s, 'HUP');
    return wait_for {
        my $now = () = read_file($s->{log}) =~ /zones reloaded/g;
        $now > $before;
    } 10, "rbldnsd to load $zone";
}

# stubs => {zone => server, port or "address@port", ...}, local =>
# [local-zone/local-data lines], conf => text in the server clause.  All other
# names: NXDOMAIN, so no query leaves the machine.
# A forwarder: every query goes to that port.  Options of dnsmasq follow.
sub start_dnsmasq {
    my ($to, @args) = @_;

    my $d = own_dir('dnsmasq');
    my $port = free_port();
    my $s = spawn('dnsmasq', { dir => $d }, 'dnsmasq', '--keep-in-foreground',
        '--log-facility=-', '--conf-file=/dev/null', '--no-resolv', '--no-hosts',
        '--user=', '--pid-file=', "--port=$port", '--listen-address=127.0.0.1',
        '--bind-interfaces', "--server=127.0.0.1#$to", @args);
    $s->{port} = $port;
    return started($s, sub { read_file($s->{log}) =~ /started, version/ });
}

sub start_unbound {
    my (%opt) = @_;

    my $d = own_dir('unbound');
    my $port = $opt{port} // free_port();
    my $stubs = '';
    for my $zone (sort keys %{ $opt{stubs} // {} }) {
        my $to = $opt{stubs}{$zone};
        $to = $to->{port} if ref $to;
        $to = "127.0.0.1\@$to" if $to !~ /\@/;
        $stubs .= qq{stub-zone:\n  name: "$zone"\n}
            . qq{  stub-addr: $to\n  stub-first: no\n};
    }
    my $nodefault = join '', map { qq{  local-zone: "$_" transparent\n} }
        sort keys %{ $opt{stubs} // {} };
    my $local = join '', map { "  $_\n" } @{ $opt{local} // [] };
    write_file("$d/unbound.conf", <<"CONF");
server:
  interface: 127.0.0.1
  port: $port
  access-control: 127.0.0.0/8 allow
  username: ""
  chroot: ""
  directory: ""
  pidfile: ""
  use-syslog: no
  verbosity: 1
  num-threads: 1
  module-config: "iterator"
  do-ip6: no
  do-not-query-localhost: no
  qname-minimisation: no
  harden-below-nxdomain: no
  cache-max-negative-ttl: 0
  cache-max-ttl: 0
  local-zone: "." static
$nodefault$local@{[ $opt{conf} // '' ]}
remote-control:
  control-enable: no
$stubs
CONF
    my $s = spawn('unbound', { dir => $d }, 'unbound', '-d', '-p', '-c',
        "$d/unbound.conf");
    $s->{port} = $port;
    return started($s, sub { read_file($s->{log}) =~ /start of service/ });
}

# store => redis, resolver => server or port, conf => {key => value or
# [values]}: the configuration file; args => [..].
sub start_checkd {
    my (%opt) = @_;

    my $d = own_dir('checkd');
    # The tests' servers change their data faster than their TTLs allow.
    my %conf = (store => ref $opt{store} ? $opt{store}{addr} : $opt{store},
        log => 'stderr', log_level => 'debug', cache_size => 0,
        lookup => 'resolver');
    my ($login, $file) = store_login($opt{store}, 'rbl-checkd',
        join ' ', keys %{ $opt{conf} // {} });
    @conf{qw(store_user store_password_file)} = ($login, $file) if $login;
    if (defined(my $r = $opt{resolver})) {
        $conf{resolver} = '127.0.0.1@' . (ref $r ? $r->{port} : $r);
    }
    %conf = (%conf, %{ $opt{conf} // {} });
    my $text = '';
    for my $key (sort keys %conf) {
        next if !defined $conf{$key};
        $text .= "$key $_\n"
            for ref $conf{$key} ? @{ $conf{$key} } : $conf{$key};
    }
    write_file("$d/rbl-checkd.conf", $text);
    my $s = spawn('checkd', { dir => $d, env => $opt{env} },
        build_dir() . "/rbl-checkd", '-c', "$d/rbl-checkd.conf",
        @{ $opt{args} // [] });
    $s->{conf_path} = "$d/rbl-checkd.conf";
    my $ready = $opt{ready} // qr/ready/i;
    return $s if !$ready;
    return started($s, sub { read_file($s->{log}) =~ $ready });
}

# rblctl(redis or undef, arguments...): as run_cmd; its options, {stdin} and so
# on, may stand before the arguments.
sub rblctl {
    my ($redis, @args) = @_;

    my $opt = ref $args[0] ? shift @args : {};
    my @store = $redis ? ('--store', $redis->{addr}) : ();
    my ($login, $file) = store_login($redis,
        ($args[0] // '') eq 'fsck' ? 'rblctl-fsck' : 'rblctl');
    push @store, '--user', $login, '--password-file', $file
        if $login && !grep { /^(?:-c|--config|--prefix)\b/ } @args;
    delete $redis->{known} if $redis && grep { $_ eq 'init' } @args;
    return run_cmd({ timeout => 60, %$opt }, build_dir() . "/rblctl", @store,
        @args);
}

# The decoded output of a command that must succeed.
sub rblctl_json {
    my ($redis, @words) = @_;

    my $r = rblctl($redis, @words, '--json');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    Test::More::is("$r->{status} $r->{err}", '0 ',
        "rblctl @words[0, 1] succeeds without an error");
    return json($r->{out});
}

# Faults in the store at the end of a test.
sub faultless {
    my ($redis) = @_;

    my $r = rblctl($redis, 'fsck');
    return $r->{status} == 0 ? () : "fsck: $r->{out}$r->{err}";
}

# Initialises a store; lists => path of a list file, partitions => N.  That of a
# test of bills is without fault at the end.
sub init_store {
    my ($redis, %opt) = @_;

    my @n = $opt{partitions} ? ('--partitions', $opt{partitions}) : ();
    my $r = rblctl($redis, 'init', @n);
    die "rblctl init: $r->{err}" if $r->{status} != 0;
    if ($opt{lists}) {
        $r = rblctl($redis, 'lists', 'load', $opt{lists});
        die "rblctl lists load: $r->{err}" if $r->{status} != 0;
    }
    $redis->{judge} = \&faultless if $0 =~ m{\bt/bill/};
    return 1;
}

# An account (paid unless free => 1) with an application: {sid, token, app},
# which http() takes as auth.  args => [..] go to `account add`.
sub make_account {
    my ($redis, %opt) = @_;

    my $r = rblctl($redis, 'account', 'add', $opt{name} // 'Test',
        $opt{free} ? '--free' : '--paid', @{ $opt{args} // [] }, '--json');
    die "rblctl account add: $r->{err}" if $r->{status} != 0;
    my $sid = json($r->{out})->{id};
    $r = rblctl($redis, 'app', 'add', $sid, $opt{app} // 'Test', '--json');
    die "rblctl app add: $r->{err}" if $r->{status} != 0;
    my $app = json($r->{out});
    return { sid => $sid, token => $app->{token}, app => $app->{id},
        secret => $app->{secret} };
}


1;
