#!/usr/bin/perl

# The module's directives, as `nginx -t` sees them: valid values are accepted,
# and each mistake gives one line with the value and the allowed values.

use strict;
use warnings;
no warnings qw(qw);                     # addresses have commas

use RblTest;

my $dir = temp_dir();

# An nginx that refuses its configuration exits without freeing memory, so a
# sanitizer must not look for leaks here.
sub config_test {
    my (%opt) = @_;

    my $nginx = start_nginx(start => 0, no_store => 1, %opt);
    my %env = (%{ $nginx->{env} }, ASAN_OPTIONS =>
        join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0');
    return run_cmd({ env => \%env }, @{ $nginx->{command} }, '-t');
}

sub accepted {
    my ($name, %opt) = @_;

    my $r = config_test(%opt);
    ok($r->{status} == 0, "nginx -t accepts $name") or diag($r->{err});
    return $r;
}

sub refused {
    my ($name, $pattern, %opt) = @_;

    my $r = config_test(%opt);
    my @emerg = $r->{err} =~ /\[emerg\].*/g;
    isnt($r->{status}, 0, "nginx -t refuses $name");
    is(scalar @emerg, 1, "the message has one line: $name");
    like($emerg[0] // '', $pattern, "the message has the reason: $name");
    like($emerg[0] // '', qr/ in \S+nginx\.conf:\d+$/,
        "the message has the file and the line: $name");
}

my $time = qr/it must be a time from 1ms to 60s/;
my $keep = qr/it must be a time from 1s to 365d/;
my $page = qr/it must be a number from 1 to 10000/;
my $expand = qr/it must be a number from 1 to 1024/;
my $text = qr/it must be 1 to 255 characters without quotes, backslashes and/;
my $prefix = qr/it must be 1 to 32 characters of A-Z, a-z, 0-9, _, \. and -/;
my $addr = qr/it must be "address\[:port\]", "unix:\/path",/;

sub bad {
    my ($directive, $value, $allowed, $shown) = @_;

    $shown //= $value;
    refused("$directive $value",
        qr/invalid value "\Q$shown\E" in "$directive" directive, $allowed/,
        http => "$directive $value;");
}

accepted('nothing but rbl_api on');
accepted('rbl_api off', server => 'location /x { rbl_api off; }');

# Without /etc/hosts the name localhost does not resolve.
my @names = gethostbyname('localhost') ? qw(localhost localhost:6380) : ();
accepted("rbl_store $_", http => "rbl_store $_;")
    for qw(127.0.0.1 127.0.0.1:6380 [::1] [::1]:6380 unix:/run/redis.sock),
        @names;

accepted("rbl_store $_", http => "rbl_store $_;")
    for qw(sentinel:rbl@127.0.0.1:26379,127.0.0.2:26379
        cluster:127.0.0.1:6379,[::1]:6380 cluster:127.0.0.1:6379);

# The last name cannot be queried, so no query leaves the machine.
bad('rbl_store', $_, $addr)
    for qw(127.0.0.1:0 127.0.0.1:65536 127.0.0.1:x unix: [::1 :6379
        sentinel:127.0.0.1:26379 sentinel:@127.0.0.1:26379 sentinel:rbl@
        cluster: cluster:127.0.0.1 127.0.0.1:6379,127.0.0.2:6379),
        'x' x 64 . '.invalid';

accepted('rbl_store_nodes', http => 'rbl_store_nodes 10.0.0.1:1=192.0.2.1:2 '
    . 'inner:1=[2001:db8::1]:2;');
refused("rbl_store_nodes $_", qr/"\Q$_\E".* it must be ANNOUNCED:PORT=/,
    http => "rbl_store_nodes $_;")
    for qw(10.0.0.1:1 10.0.0.1:1=outer:2 10.0.0.1=192.0.2.1:2);

refused('tls: without an authority', qr/"rbl_store" with "tls:" needs/,
    api => 'rbl_store tls:127.0.0.1:6379;');

accepted("rbl_store_timeout $_", http => "rbl_store_timeout $_;")
    for qw(1ms 500ms 2s 60s 1m);

bad('rbl_store_timeout', $_, $time) for qw(0 0ms 61s 60001ms -1 soon 500);

accepted("rbl_check_keep $_", http => "rbl_check_keep $_;")
    for qw(1s 7d 365d);

bad('rbl_check_keep', $_, $keep) for qw(0 999ms 366d never);

accepted("rbl_max_page_size $_", http => "rbl_max_page_size $_;")
    for 1, 10_000;

bad('rbl_max_page_size', $_, $page)
    for qw(0 10001 -1 1k 99999999999999999999);

accepted("rbl_max_expand $_", http => "rbl_max_expand $_;") for 1, 1024;

bad('rbl_max_expand', $_, $expand) for qw(0 1025 many);

accepted("rbl_store_prefix $_", http => "rbl_store_prefix $_;")
    for 'a', 'A.b_c-9', 'x' x 32;

bad('rbl_store_prefix', $_, $prefix) for 'a:b', 'a/b', 'x' x 33;
bad('rbl_store_prefix', '"a{b"', $prefix, 'a{b');
bad('rbl_store_prefix', '""', $prefix, '');
bad('rbl_store_prefix', '"a b"', $prefix, 'a b');

my @host_names = qw(rbl_slack_hosts rbl_discord_hosts rbl_refuse_zones
    rbl_allow_zones);
for my $directive (@host_names) {
    my $host = qr/it must be a host name without scheme, port and path/;
    accepted($directive, http => "$directive chat.example Other 192.0.2.1;");
    bad($directive, $_, $host) for qw(https://a.example a.example:443 a/b
        a..b 127.1 @a), "b\xc3\xbc";
    bad($directive, '""', $host, '');
    bad($directive, 'good.example bad:1', $host, 'bad:1');
}
accepted('rbl_realm', http => 'rbl_realm "Our blocklists";');
bad('rbl_realm', '""', $text, '');
bad('rbl_realm', q{'a "b"'}, $text, 'a "b"');
bad('rbl_realm', q{'a\\\\b'}, $text, 'a\\b');
bad('rbl_realm', qq{"a\tb"}, $text, "a\tb");
bad('rbl_realm', 'x' x 256, $text);

accepted('rbl_zoneinfo', http => "rbl_zoneinfo $dir;");
bad('rbl_zoneinfo', $_, qr/it must be a directory/) for '/no/such', $0;
refused('rbl_zoneinfo in a server',
    qr/"rbl_zoneinfo" directive is not allowed here/,
    server => "rbl_zoneinfo $dir;");

refused("$_ maybe",
    qr/invalid value "maybe" in "$_" directive, it must be "on"/,
    http => "$_ maybe;") for qw(rbl_legacy_errors rbl_etag);

refused('rbl_api maybe',
    qr/invalid value "maybe" in "rbl_api" directive, it must be "on" or "off"/,
    server => 'location /x/ { rbl_api maybe; }');

refused('rbl_api outside a location', qr/"rbl_api" directive is not allowed/,
    http => 'rbl_api on;');

refused("rbl_api in location $_",
    qr/"rbl_api" cannot be used in location "[^"]+", it must be a plain prefix/,
    server => "location $_ { rbl_api on; }")
    for '= /x/', '~ ^/x/', '/x', '@x';

my %good = (
    rbl_etag => 'on',
    rbl_store => '127.0.0.1', rbl_store_user => 'web',
    rbl_store_timeout => '1s', rbl_store_prefix => 'rbl', rbl_realm => 'x',
    rbl_legacy_errors => 'on', rbl_max_page_size => 10, rbl_max_expand => 10,
    rbl_check_keep => '1d', rbl_etag => 'on', rbl_zoneinfo => $dir,
    rbl_store_password_file => "$dir/password",
    (map { $_ => 'a.example' } @host_names),
    rbl_portal_url => 'https://a.example/', rbl_portal_user => '$ssl_client_s_dn',
    rbl_portal_trust => '10.0.0.0/8', rbl_portal_name => 'Example',
    rbl_portal_logo => '/portal/logo.svg',
);

write_file("$dir/password", "secret\nsecond line\n", 0600);

for my $d (sort keys %good) {
    refused("$d twice", qr/"$d" directive is duplicate/,
        http => "$d $good{$d}; $d $good{$d};");
    refused("$d without a value",
        qr/invalid number of arguments in "$d" directive/, http => "$d;");
    next if $d eq 'rbl_zoneinfo';               # for the whole server
    accepted("$d on two levels", http => "$d $good{$d};",
        server => "$d $good{$d};",
        api => ($d eq 'rbl_store_user'
            ? "rbl_store_password_file $dir/password;" : '') . "$d $good{$d};");
}

refused('rbl_api twice', qr/"rbl_api" directive is duplicate/,
    server => 'location /x/ { rbl_api on; rbl_api on; }');

# shared memory and rbl_status

my $zone = qr/it must be a name and a size from 512k to 64m/;

accepted("rbl_zone $_", http => "rbl_zone $_;")
    for 'rbl 512k', 'a_b 1M', 'x 67108864';

bad('rbl_zone', $_, $zone)
    for 'rbl 0', 'rbl 511k', 'rbl 65m', 'rbl 1g', 'rbl many', 'rbl -1';
bad('rbl_zone', '"" 1m', $zone, ' 1m');

refused('rbl_zone twice', qr/"rbl_zone" directive is duplicate/,
    http => 'rbl_zone a 1m; rbl_zone b 1m;');
refused("rbl_zone with $_", qr/invalid number of arguments in "rbl_zone"/,
    http => "rbl_zone $_;") for '', 'a', 'a 1m 2m';
refused('rbl_zone in a server', qr/"rbl_zone" directive is not allowed here/,
    server => 'rbl_zone a 1m;');
refused('a zone that others have', qr/zone "one" .*conflicts|already declared/,
    http => 'rbl_zone one 1m; limit_req_zone $arg_x zone=one:1m rate=1r/s;');

accepted("rbl_status $_", http => 'rbl_zone rbl 1m;',
    server => "location = /s { rbl_status $_; if (\$arg_x) { set \$y 1; }
        limit_except GET { deny all; } }") for '', 'json', 'prometheus';

refused("rbl_status $_",
    qr/invalid value "\Q$_\E" in "rbl_status" directive, it must be "json" or "p/,
    http => 'rbl_zone rbl 1m;', server => "location /s { rbl_status $_; }")
    for qw(xml JSON prometheus2 on);

refused('rbl_status without a zone', qr/"rbl_status" needs an "rbl_zone"/,
    server => 'location /s { rbl_status; }');
refused('rbl_status twice', qr/"rbl_status" directive is duplicate/,
    http => 'rbl_zone rbl 1m;',
    server => 'location /s { rbl_status; rbl_status json; }');
refused('rbl_status outside a location', qr/"rbl_status" directive is not all/,
    http => 'rbl_zone rbl 1m; rbl_status;');
refused('rbl_status with rbl_api',
    qr/"rbl_status" and "rbl_api" cannot be in the same location/,
    http => 'rbl_zone rbl 1m;', api => 'rbl_status;');

# the password file

my $r = accepted('a private password file',
    http => "rbl_store_password_file $dir/password;");
unlike($r->{err}, qr/warn/, 'nginx does not warn of a private password file');

write_file("$dir/open", "secret\n", 0644);
$r = accepted('a password file for everyone',
    http => "rbl_store_password_file $dir/open;");
like($r->{err}, qr/\[warn\].*"\Q$dir\E\/open" is readable by everyone/,
    'nginx warns of a password file that everyone can read');
unlike($r->{err}, qr/secret/, 'the warning does not show the password');

my $line = qr/it must be a file whose first line has 1 to 255 bytes/;
write_file("$dir/empty", '', 0600);
write_file("$dir/blank", "\nsecret\n", 0600);
write_file("$dir/long", 'x' x 256 . "\n", 0600);
write_file("$dir/full", 'x' x 255 . "\n", 0600);
write_file("$dir/bare", 'x' x 255, 0600);

bad('rbl_store_password_file', "$dir/$_", $line) for qw(empty blank long);
accepted("first line, $_", http => "rbl_store_password_file $dir/$_;")
    for qw(full bare);

refused('a missing password file',
    qr/open\(\) "\Q$dir\E\/missing" failed \(2: No such file or directory\)/,
    http => "rbl_store_password_file $dir/missing;");

refused('a user without a password',
    qr/"rbl_store_user" is "web", but there is no "rbl_store_password_file"/,
    http => 'rbl_store_user web;');

accepted('both', http =>
    "rbl_store_user web; rbl_store_password_file $dir/password;");

# sign-in

accepted("rbl_portal_url $_", http => "rbl_portal_url $_;")
    for qw(https://a.example/ https://a.example:444/portal/
    http://127.0.0.1:8080/portal/ http://[::1]/ http://localhost/);
bad('rbl_portal_url', $_, qr/it must be an https URL that ends with "\/", or/)
    for qw(http://a.example/ https://a.example https://a.example/x
    https://a.example/?x=/ https://u@a.example/ /portal/ javascript://
    http://127.0.0.1.a.example/), 'https://a.example/#/',
    'https://a.example/' . 'x' x 240 . '/';

accepted("rbl_portal_name $_", http => "rbl_portal_name $_;")
    for qq{"Example Hosting & Co."}, 'x' x 64, "\xc3\xbc" x 64;
bad('rbl_portal_name', $_, qr/it must be 1 to 64 characters in UTF-8/)
    for 'x' x 65, "\xc3\xbc" x 65, "\xc3", "\xff";
bad('rbl_portal_name', '""', qr/it must be 1 to 64 characters/, '');
bad('rbl_portal_name', qq{"a\tb"}, qr/it must be 1 to 64 char/, "a\tb");
accepted("rbl_portal_logo $_", http => "rbl_portal_logo $_;")
    for qw(/logo.svg /portal/logo-2.png?v=3);
bad('rbl_portal_logo', $_, qr/it must be a path of this server, such as/)
    for qw(logo.svg / //other.example/x https://other.example/x data:x),
    "/\xc3\xbc", '/' . 'x' x 255;
bad('rbl_portal_logo', q{'/\\\\other.example'}, qr/it must be a path/,
    '/\\other.example');
bad('rbl_portal_logo', qq{"/a b"}, qr/it must be a path/, '/a b');

bad('rbl_portal_user', $_, qr/it must be one variable, such as \$remote_user/)
    for qw(remote_user $ $a$b a@b.example);
bad('rbl_portal_user', qq{"$_"}, qr/it must be one variable/, $_)
    for '${remote_user}x', '$a b', '';
accepted("rbl_portal_trust $_", http => "rbl_portal_trust $_;")
    for '192.0.2.1', '192.0.2.0/24 2001:db8::/32 unix:';
bad('rbl_portal_trust', $_, qr/it must be an address, a network such as/)
    for qw(all 192.0.2.1/24 a.example 192.0.2.0/33);
bad('rbl_portal_trust', '192.0.2.1 x', qr/it must be an address/, 'x');

sub door {
    my ($user, $rest, $http) = @_;

    return (portal => "rbl_portal_user $user; $rest", http => $http // '');
}
my $any = qr/"rbl_portal_user" is "\$\w+", which any client can set/;
for my $user (qw($http_x_user $arg_user $cookie_user $HTTP_X_User $args
    $query_string $uri $request_uri $document_uri $request $request_body $host
    $Host $content_type)) {
    refused("$user from everywhere", $any, door($user, ''));
    accepted("$user from a network", door($user, 'rbl_portal_trust 10.0.0.1;'));
}
my $basic = 'auth_basic "x"; auth_basic_user_file /dev/null;';
refused('$remote_user without a password', $any, door('$remote_user', ''));
refused('$remote_user without one in the location', $any,
    door('$remote_user', 'auth_basic off;', $basic));
refused('$remote_user without one for some', $any,
    door('$remote_user', "$basic satisfy any; allow all;"));
refused('$remote_user with one for some', $any,
    door('$remote_user', 'auth_basic $arg_x; auth_basic_user_file /dev/null;'));
refused('$remote_user from a network without a password', $any,
    door('$remote_user', 'rbl_portal_trust 10.0.0.1;'));
accepted('$remote_user with a password', door('$remote_user', $basic));
accepted('$remote_user with a password for all', door('$remote_user', '',
    $basic));
accepted('a map', door('$mail', '', 'map $http_x $mail { default ""; }'));
accepted('a location that is not of the portal', http =>
    'rbl_portal_user $http_x;');

accepted('blocks inside the location', api =>
    'limit_except GET { deny all; } if ($arg_x) { set $y 1; }');

done_testing();
