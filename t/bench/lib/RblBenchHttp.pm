package RblBenchHttp;

# The servers of the HTTP benchmarks: one Redis with the data of RblBenchData,
# one nginx with the module and with `return 200` in the same worker, and, if
# wanted, the peers (peers/README): an nginx with Lua and a Node process.  The
# module uses Redis with the rights of conf/redis-rbl.acl; in the nginx "open",
# and for the peers, the Redis user has all rights.  "least" are minimal
# programs with the Redis commands of the module, {none, host, page}.
#
#     my $s = http_servers(peers => 1);
#     # {redis, nginx, open, least, lua, node, data, account, auth, host, sizes}
#     my $url = url_of($s->{nginx}, '/floor/');
#
# Every nginx has one worker, no access log, and unlimited requests per
# connection.

use strict;
use warnings;

use Exporter 'import';
use MIME::Base64 qw(encode_base64);

use RblBench;
use RblBenchData;
use RblNode;
use RblRedis qw(workers);
use RblTest;

our @EXPORT = qw(http_servers url_of auth_of same_answers random_script);

use constant {
    FLOOR    => 2500,                   # bytes
    PEERS    => repo_dir() . '/t/bench/peers',
    MODULES  => '/usr/lib/nginx/modules',
    SERVER   => 'access_log off; keepalive_requests 100000000;',
};

# The answers of the peers, by path.
my @PEER = qw(page-ready page-packed page-hashes host-ready host-packed);

sub url_of { return "http://127.0.0.1:$_[0]{port}$_[1]" }

sub auth_of {
    my ($a) = @_;

    return 'Basic ' . encode_base64("$a->{sid}:$a->{token}", '');
}

sub http_servers {
    my (%opt) = @_;

    my $redis = bench_store();
    my $maker = start_nginx(store => $redis, workers => 1);
    my $data = bench_data($redis, $maker, accounts => $opt{accounts});
    my $a = $data->{accounts}[int @{ $data->{accounts} } / 2];
    my %s = (redis => $redis, data => $data, account => $a,
        auth => auth_of($a), host => $a->{hosts}[8]);
    peer_data($redis, $maker, $data) if $opt{peers};
    $s{sizes} = {
        host => length body($maker, \%s, "/3.0/host/$s{host}.json"),
        page => length body($maker, \%s, '/3.0/hosts.json?page_size=20'),
    };
    stop_server($maker);

    $s{nginx} = start_nginx(store => $redis, workers => 1, level => 'error',
        server => SERVER . floors($s{sizes}));
    $s{nginx}{workers} = [workers($s{nginx})];
    $s{open} = start_nginx(store => { %$redis, users => undef }, workers => 1,
        level => 'error', server => SERVER);
    $s{open}{workers} = [workers($s{open})];
    $s{least} = start_least(\%s);
    if ($opt{peers}) {
        $s{lua} = start_lua($redis);
        $s{node} = start_node($redis);
    }
    return \%s;
}

sub body {
    my ($server, $s, $path) = @_;

    my $r = http($server, 'GET', $path, auth => $s->{account});
    die "$path: $r->{raw}\n" if $r->{status} != 200;
    return $r->{body};
}

# t/tools/storefloor with the module's keys and answers of the same size; "none"
# sends no command, and answers like `return 200`.
sub start_least {
    my ($s) = @_;

    my ($sid, @hosts) = ($s->{account}{sid}, @{ $s->{account}{hosts} });
    my %ask = (none => [], host => [$s->{host}], page => [@hosts[0 .. 19]]);
    my %least;
    for my $name (keys %ask) {
        my @keys = map { redis_key('r', $sid, $_) } @{ $ask{$name} };
        unshift @keys, redis_key('totals', $sid) if @keys;
        @keys = map { tagged($s->{redis}, $_) } @keys;
        my $port = free_port();
        my $p = spawn('storefloor', {}, build_dir() . '/t/tools/storefloor',
            $port, $s->{redis}{socket}, $s->{sizes}{$name} // FLOOR, @keys);
        @$p{qw(port workers)} = ($port, [$p->{pid}]);
        $least{$name} = started($p,
            sub { RblTest::Servers::tcp_open($port) });
    }
    return \%least;
}

# `return 200` with 2,500 bytes, and with the size of our answers.  A text in a
# configuration has at most 4 KiB, so a large one has several parts.
sub floors {
    my ($sizes) = @_;

    my $conf = '';
    my %floor = ('' => FLOOR, map { ("-$_" => $sizes->{$_}) } keys %$sizes);
    for my $name (sort keys %floor) {
        my ($n, $i, $sets, $parts) = ($floor{$name}, 0, '', '');
        for (; $n > 4000; $n -= 4000) {
            my $var = 'floor_' . ++$i . ($name =~ tr{-}{_}r);
            $sets .= "set \$$var \"" . 'x' x 4000 . '"; ';
            $parts .= "\${$var}";
        }
        $conf .= "location /floor$name/ { default_type application/json; "
            . "${sets}return 200 \"$parts" . 'x' x $n . "\"; }\n";
    }
    return $conf;
}


# --- peers -----------------------------------------------------------------

sub start_lua {
    my ($redis) = @_;

    my $peers = PEERS;
    my $locations = join '', map {
        "location /$_/ { " . ($_ eq 'page-hashes'
            ? 'lua_socket_buffer_size 32k; ' : '')  # faster only for this
                                                    # server
        . "content_by_lua_block { peer.@{[ tr/-/_/r ]}() } }\n"
    } @PEER;
    my $nginx = start_nginx(module => 0, workers => 1, level => 'error',
        main => join('', map { "load_module ${\MODULES}/$_;\n" }
            'ndk_http_module.so', 'ngx_http_lua_module.so'),
        http => "lua_package_path '$peers/?.lua;;';\n"
            . "init_by_lua_block { peer = require 'peer' "
            . "peer.socket = 'unix:$redis->{socket}' }\n",
        server => SERVER . $locations);
    $nginx->{workers} = [workers($nginx)];
    return $nginx;
}

sub start_node {
    my ($redis) = @_;

    my $modules = node_modules(PEERS . '/package.json', 'bench');
    my $port = free_port();
    my $s = spawn('node', { env => { NODE_PATH => $modules,
        NODE_ENV => 'production' } }, 'node', PEERS . '/peer.js', $port,
        $redis->{socket});
    $s->{port} = $port;
    started($s, sub { read_file($s->{log}) =~ /^ready$/m });
    $s->{workers} = [$s->{pid}];
    return $s;
}

# Dies unless the peers answer like the module: ready records byte for byte, the
# others field for field.  Retries, since seconds pass between two requests.
sub same_answers {
    my ($s) = @_;

    my @pairs;
    for my $peer (qw(lua node)) {
        for my $kind (@PEER) {
            my @path = $kind =~ /page/ ? ('hosts.json?page_size=20&page=2')
                : map { "host/$_.json" } @{ $s->{account}{hosts} }[7, 8];
            push @pairs, map { [$peer, "/$kind/$_", "/3.0/$_",
                $kind =~ /ready/] } @path;
        }
    }
    for (@pairs) {
        my ($peer, $path, $ours, $exact) = @$_;
        my ($x, $y);
        my $same = wait_for {
            ($x, $y) = (body($s->{$peer}, $s, $path),
                body($s->{nginx}, $s, $ours));
            same_answer($x, without_end($y), $exact);
        } 5;
        die "$peer $path differs:\n$x\n$y\n" if !$same;
    }
    for my $peer (qw(lua node)) {
        my $r = http($s->{$peer}, 'GET', '/page-ready/',
            auth => [$s->{account}{sid}, 'f' x 64]);
        die "$peer takes a wrong token\n" if $r->{status} != 401;
    }
    return 1;
}


# --- load ------------------------------------------------------------------

# A script for wrk that requests all paths of all accounts in one shuffled
# order: paths(account) returns them.
sub random_script {
    my ($s, $name, $paths) = @_;

    my @lines;
    for my $a (@{ $s->{data}{accounts} }) {
        my $auth = auth_of($a);
        push @lines, map { "{\"$_\",\"$auth\"},\n" } $paths->($a);
    }
    srand 1;
    for my $i (reverse 1 .. $#lines) {
        my $j = int rand $i + 1;
        @lines[$i, $j] = @lines[$j, $i];
    }
    my $file = own_dir('wrk') . "/$name.lua";
    write_file($file, "local list = {\n" . join('', @lines) . <<'LUA');
}
local n, i = #list, 0
function init()
    for k, v in ipairs(list) do
        list[k] = wrk.format("GET", v[1], { Authorization = v[2] })
    end
end
function request()
    i = i % n + 1
    return list[i]
end
LUA
    return $file;
}

1;
