package RblDoctor;

# The world of rblctl doctor: everything that a healthy service has, by real
# servers, and faults.
#
#     my $d = doctor_world();
#     doctor($d, conf => {...});          # {status, out, rows by name}
#     named($d, 'no resolver', 'resolver', 'broken', qr/refused/, conf =>
#         { resolver => '127.0.0.1@1' });
#
# Options of doctor and named: conf (changes of the daemon's configuration),
# redis (another store), nginx (another file), args, env, text (1: not JSON).

use strict;
use warnings;

use Exporter 'import';
use RblCheckd;
use RblDeliver qw(authority certificate);
use RblDns;
use RblMail;
use RblTest;
use Test::More ();
use Time::HiRes 'time';

our @EXPORT = (@RblTest::EXPORT, @RblCheckd::EXPORT, @RblMail::EXPORT,
    qw(doctor_world doctor named units));

my @units = qw(rbl-checkd.service nginx.service rbl-backup.timer
    rbl-backup.service systemd-timesyncd.service);

sub doctor_world {
    my $dir = temp_dir();
    my @rules = (test_entry(aa => 1),
        ['^test NS$' => {}], ['^example\.net A$' => { a => ['192.0.2.25'] }],
        ['^hook\.example\.net A$' => { a => ['93.184.216.34'] }],
        ['^hook\.example\.net AAAA$' => {}],
        ['^[abc]\.test SOA$' => { aa => 1 }], not_there(aa => 1));
    my $dns = RblDns->new(rules => \@rules);
    my %zones = map { ("$_.test" => { control => 'ip' }) } qw(a b c);
    $zones{'a.test'}{more} = '"terms": ["noncommercial"]';
    $zones{'b.test'}{more} = '"terms": ["registration"]';
    my $w = world(no_dns => 1, zones => \%zones, redis => { cluster => 0,
        appendonly => 1, conf => "appendfsync always\n" });
    my $d = { %$w, dir => $dir, dns => $dns, rules => \@rules,
        free => free_port(), closed => free_port(), backups => "$dir/copies", secret => "$dir/secret",
        open => "$dir/open" };
    for my $zone (sort keys %zones) {
        my $r = rblctl($d->{redis}, 'lists', 'override', $zone, '--server',
            $dns->addr);
        die "lists override: $r->{err}" if $r->{status};
    }
    my $r = rblctl($d->{redis}, 'webhook', 'add', $d->{acct}{sid}, 'Hook',
        'https://hook.example.net/');
    die "webhook add: $r->{err}" if $r->{status};
    write_file($d->{secret}, "guess\n", 0600);
    write_file($d->{open}, "secret of rblctl\n", 0644);
    mkdir $d->{backups};
    write_file("$d->{backups}/copy.rdb", '');
    certificates($dir);
    smtp($d);
    site($d);
    disk($d);
    mkdir "$dir/bin";
    write_file("$dir/bin/systemctl", "#!/bin/sh\nexec cat $dir/units\n", 0755);
    write_file("$dir/bin/dpkg-query", "#!/bin/sh\nexec cat $dir/packages\n",
        0755);
    write_file("$dir/packages", "1.0-1\n1.0-1\n");
    units($d);
    $d->{conf} = { store => $d->{redis}{addr}, store_user => 'rbl-checkd',
        store_password_file => $d->{redis}{users}{'rbl-checkd'},
        lookup => 'direct', list_server_allow => '127.0.0.0/8',
        resolver => $dns->addr, smtp_url => "smtp://127.0.0.1:$d->{mail}{port}",
        smtp_from => 'rbl@example.net', smtp_tls => 'off', log => 'stderr',
        conf_short(name => 'one', control_retry => '1s') };
    $d->{checkd} = start_checkd(store => $d->{redis}, conf => $d->{conf});
    check_host($d, add_host($d, '10.0.0.1'));
    return $d;
}

# Certificates: good, soon, expired, named (of another name), self (of an
# authority that this machine does not know).
sub certificates {
    my ($dir) = @_;

    authority($dir, $_) for 'ca', 'other';
    my %days = (good => 90, soon => 5, named => 90, self => 90);
    for my $name (sort keys %days) {
        certificate($dir, $name eq 'self' ? 'other' : 'ca', $name, 'DNS:'
            . ($name eq 'named' ? 'rbl.example.org' : 'localhost'),
            days => $days{$name});
    }
    certificate($dir, 'ca', 'expired', 'DNS:localhost', expired => 1);
    return;
}

sub smtp {
    my ($d) = @_;

    $d->{mail} = start_fake_smtp();
    $d->{smtp_log} = sub {
        join ' ', map { $_->{step} } smtp_seen($d->{mail});
    };
    return;
}

sub site {
    my ($d) = @_;

    my ($login, $file) = store_login($d->{redis}, 'rbl-api', '');
    $d->{nginx} = start_nginx(store => $d->{redis}, conf => <<"CONF");
load_module %%MODULE%%;
user root;
daemon off;
worker_processes 1;
error_log %%DIR%%/error.log info;
pid %%DIR%%/nginx.pid;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path %%DIR%%/body;
    proxy_temp_path %%DIR%%/proxy;
    fastcgi_temp_path %%DIR%%/fastcgi;
    uwsgi_temp_path %%DIR%%/uwsgi;
    scgi_temp_path %%DIR%%/scgi;
    rbl_store %%STORE%%;
    rbl_store_user $login;
    rbl_store_password_file $file;
    server { listen 127.0.0.1:$d->{free}; return 404; }
    server {
        listen 127.0.0.1:%%PORT%% ssl;
        server_name localhost;
        ssl_certificate $d->{dir}/good.pem;
        ssl_certificate_key $d->{dir}/good.key;
        location /3.0/ { rbl_api on; }
        location /portal/ { return 200; }
        location /portal/1/ {
            rbl_portal on;
            rbl_portal_url https://localhost:%%PORT%%/portal/;
        }
    }
}
CONF
    return;
}

# A file system without room, if this user may mount one.
sub disk {
    my ($d) = @_;

    my $full = "$d->{dir}/full";
    mkdir $full;
    return if run_cmd('mount', '-t', 'tmpfs', '-o', 'size=64k', 'none',
        $full)->{status};
    at_stop(sub { run_cmd('umount', $full) });
    mkdir "$full/x";
    $d->{full} = $full;
    return;
}

# systemctl says that all units are well, but for these.
sub units {
    my ($d, %state) = @_;

    my $text = '';
    for my $unit (@units) {
        my $active = $state{$unit}
            // ($unit eq 'rbl-backup.service' ? 'inactive' : 'active');
        my $file = $active eq 'inactive' ? 'disabled' : 'enabled';
        $text .= "Id=$unit\nLoadState=loaded\nActiveState=$active\n"
            . "UnitFileState=$file\n\n";
    }
    write_file("$d->{dir}/units", $text);
    return;
}

sub doctor {
    my ($d, %o) = @_;

    my %conf = (%{ $d->{conf} }, %{ $o{conf} // {} });
    my $file = "$d->{dir}/doctor.conf";
    write_file($file, join '', map { "$_ $conf{$_}\n" }
        grep { defined $conf{$_} } sort keys %conf);
    my $r = rblctl($o{redis} // $d->{redis}, { env => { nginx_env(),
            PATH => "$d->{dir}/bin:$ENV{PATH}",
            SSL_CERT_FILE => "$d->{dir}/ca.pem", %{ $o{env} // {} } } },
        'doctor', $o{text} ? () : '--json', '--daemon', $file,
        '--nginx', $o{nginx} // $d->{nginx}{conf_path},
        '--lists', $d->{lists_file}, '--backups', $d->{backups},
        @{ $o{args} // [] });
    $r->{rows} = { map { $_->{name} => $_ } @{ json($r->{out})->{rows} } }
        if !$o{text} && $r->{status} < 3;
    return $r;
}

# The row names the fault, with a line that mends it.
sub named {
    my ($d, $name, $row, $state, $reason, %o) = @_;

    my $r = doctor($d, %o);
    my $got = $r->{rows}{$row} // { state => 'missing', reason => $r->{err} };
    my %exit = (broken => 2, degraded => 1);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    Test::More::is($got->{state}, $state, "$name: $row is $state")
        or Test::More::diag($got->{reason});
    Test::More::like($got->{reason}, $reason, "$name: the reason");
    Test::More::like($got->{remedy} // '', qr/\w.*; try: \S|needs rblctl init|^run /,
        "$name: a line that mends it");
    Test::More::cmp_ok($r->{status}, '>=', $exit{$state},
        "$name: the exit status");
    return $got;
}

1;
