#!/usr/bin/perl

# rblctl doctor: faults are planted one by one in a system of real servers; each
# is named by its row, with a reason and a line that mends it.  On the healthy
# system nothing is named.  Rows for which something is stopped or broken for
# good: doctor_faults.t.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblDoctor;
use RblFault qw(start_relay relay_mode);

plan skip_all => "Debian's nginx does not load a module with a sanitizer"
    if $ENV{RBL_NGINX};

my $d = doctor_world();
my ($redis, $dir, $dns) = @$d{qw(redis dir dns)};

# --- a healthy system --------------------------------------------------------

my $man = read_file(repo_dir() . '/conf/man/rblctl.8.in');
my $r;
# Without a route for IPv6, or a server, there is nothing to try.
sub others {
    return grep { $_->{state} ne 'good' && $_->{name} ne 'ipv6' }
        values %{ $r->{rows} };
}
wait_for { $r = doctor($d); $r->{status} < 3 && !others() } 90, 'health';
is(join(' ', map { "$_->{name}: $_->{state}: $_->{reason}" } others()), '',
    'a healthy system: all rows are good');
is($r->{status}, 0, 'a healthy system: the exit status is 0');
my ($tries) = read_file(repo_dir() . '/rbl-checkd/ctl/doctor.c')
    =~ /^static const doctor_try_t +doctor_tries(.*?)^\};/ms;
my @own = map { split } $tries =~ /"(\w[\w ]*)"/g;
is(scalar @own, 33, 'the table has all rows');
is(join(' ', grep { !$r->{rows}{$_} || $man !~ /^\.It Li $_$/m } @own), '',
    'rblctl(8) and the output have all rows of the table');
is($r->{rows}{clocks}{state}, 'good', 'the conditions are rows, too');
$r = doctor($d, text => 1);
like($r->{out}, qr/\Agood\n\n(?:not tried:\nipv6: .*\n\n)?good: store_away, /,
    'a healthy system: the text begins with the verdict');
is(join('', grep { length > 80 } split /\n/, $r->{out} =~ s/.*^good:/good:/msr),
    '', 'no line of names is too long');
like($d->{smtp_log}->(), qr/^(?!.*(?:mail|rcpt|data)).*quit/s,
    'the mail server is greeted, and gets no mail');

# --- configuration and store -------------------------------------------------

named($d, 'a key that is unknown', 'configuration', 'broken',
    qr/doctor\.conf:\d+: frob: there is no/, conf => { frob => 1 });
named($d, 'a store that is closed', 'store_away', 'broken',
    qr/cannot reach.*Connection refused/,
    redis => { addr => '127.0.0.1:' . free_port() });
my $wrong = "$dir/wrong.password";
write_file($wrong, "guess\n", 0600);
named($d, 'a wrong password', 'store_away', 'broken', qr/WRONGPASS/,
    redis => { addr => $redis->{addr}, users => { rblctl => $wrong } });
named($d, 'the password file is open to all', 'files', 'degraded',
    qr/every user can read \Q$d->{open}\E/,
    args => ['--password-file', $d->{open}], redis => { addr =>
    $redis->{addr} });

my $schema = redis($redis, 'HGET', 'rbl:meta', 'schema');
redis($redis, 'HSET', 'rbl:meta', 'schema', $schema - 1);
named($d, 'a store of the release before', 'schema', 'degraded',
    qr/has schema \d+, this rblctl has $schema/);
redis($redis, 'HSET', 'rbl:meta', 'schema', $schema);

my %setting = (
    'appendonly no' => ['store_settings', 'degraded', qr/appendonly is no/],
    'maxmemory-policy allkeys-lru' =>
        ['store_memory', 'degraded', qr/policy is allkeys-lru/],
    'maxmemory 4096gb' =>
        ['store_memory', 'degraded', qr/maxmemory is \d+ MB, and the machine/],
    'maxmemory ' . int(1.08 * (redis($redis, 'INFO', 'memory')
        =~ /^used_memory:(\d+)/m)[0]) =>
        ['store_memory', 'degraded', qr/of maxmemory are used/],
);
for my $set (sort keys %setting) {
    my ($key, $value) = split / /, $set;
    my (undef, $before) = @{ redis($redis, 'CONFIG', 'GET', $key) };
    redis($redis, 'CONFIG', 'SET', $key, $value);
    my $row = named($d, $set, @{ $setting{$set} });
    like($row->{remedy}, qr/ redis-cli -[hs] \S+ .*(?:set|info) /,
        "$set: the client of the store has its address");
    redis($redis, 'CONFIG', 'SET', $key, $before);
}
ok(wait_for { redis($redis, 'INFO', 'persistence')
    =~ /aof_rewrite_in_progress:0/ } 20, 'the append-only file is back');

my $valkey = start_relay($redis);
relay_mode($valkey, 'valkey');
redis($redis, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
my $row = named($d, 'a Valkey', 'store_memory', 'degraded', qr/allkeys-lru/,
    redis => { addr => $valkey->{addr}, users => $redis->{users} });
like($row->{remedy}, qr/ valkey-cli -s \Q$valkey->{socket}\E config set /,
    'a Valkey: the remedy names its client');
redis($redis, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction');

# --- DNS ---------------------------------------------------------------------

my $closed = '127.0.0.1@' . free_port();
named($d, 'no resolver', 'resolver', 'broken',
    qr/\Q$closed\E Connection refused/, conf => { resolver => $closed });
like(doctor($d, text => 1, conf => { resolver => $closed })->{out},
    qr/^dns_udp, dns_tcp, ipv6, mail_from, receiver_names: no resolver can be/m,
    'no resolver: one line names the rows that are not tried');
my $unbound = start_unbound(conf =>
    "  access-control: 127.0.0.0/8 refuse\n");
named($d, 'an unbound that refuses', 'resolver', 'broken', qr/REFUSED/,
    conf => { resolver => "127.0.0.1\@$unbound->{port}" });
my $mute = RblDns->new(rules => [['.' => 'mute']]);
named($d, 'a resolver that is silent', 'resolver', 'broken',
    qr/does not answer/, conf => { resolver => $mute->addr });
my $liar = RblDns->new(rules => [['\.com A$' => { a => ['10.1.1.1'] }],
    @{ $d->{rules} }]);
named($d, 'a resolver that answers for every name', 'resolver', 'degraded',
    qr/an address for a name that does not exist/,
    conf => { resolver => $liar->addr });
named($d, 'a public resolver', 'resolver', 'degraded',
    qr/8\.8\.8\.8\@53 is a public resolver/,
    conf => { resolver => '8.8.8.8', lookup => 'resolver' });

my $guard = start_unbound(conf => "  private-address: 127.0.0.0/8\n",
    stubs => { map { ("$_.test" => $dns->port) } qw(a b c) });
named($d, 'an unbound that hides 127.0.0.0/8', 'resolver', 'broken',
    qr/removes addresses of 127\.0\.0\.0\/8/, conf => { lookup => 'resolver',
    resolver => "127.0.0.1\@$guard->{port}" });

# --- mail --------------------------------------------------------------------

my $smtp = start_fake_smtp(greet => '554 go away');
my $url = "smtp://127.0.0.1:$smtp->{port}";
named($d, 'a mail server that greets with 554', 'smtp', 'degraded',
    qr/refuses this machine with 554: go away/, conf => { smtp_url => $url });
answer_smtp($smtp, greet => "554 \e[31mred");
like(doctor($d, text => 1, conf => { smtp_url => $url })->{out},
    qr/\\x1b\[31mred/, 'bytes of a server do not reach the terminal');
answer_smtp($smtp, greet => 'hang');
my $slow = doctor($d, conf => { smtp_url => $url });
like($slow->{rows}{smtp}{reason}, qr/does not answer in time/,
    'a mail server that is silent: smtp names it');
answer_smtp($smtp);
named($d, 'a mail server without STARTTLS', 'smtp', 'degraded', qr/no TLS/,
    conf => { smtp_url => $url, smtp_tls => 'required' });
named($d, 'a mail server without authentication', 'smtp', 'degraded',
    qr/offers no authentication/, conf => { smtp_url => $url,
    smtp_user => 'robot', smtp_password_file => $d->{secret} });
named($d, 'no mail server', 'smtp', 'degraded', qr/smtp:.*refused|connect/i,
    conf => { smtp_url => 'smtp://127.0.0.1:' . free_port() });
my $exim = start_exim(tls => { cert => "$dir/self.pem", key => "$dir/self.key" },
    user => ['robot', 'right']);
named($d, 'a mail server with a certificate of its own', 'smtp', 'degraded',
    qr/no TLS: .*certificate/i, conf => { smtp_url =>
    "smtp://127.0.0.1:$exim->{port}", smtp_tls => 'required' });
named($d, 'a wrong password of mail', 'smtp', 'degraded',
    qr/refuses user robot/, conf => { smtp_tls => 'opportunistic', smtp_url =>
    "smtp://127.0.0.1:$exim->{port}", smtp_user => 'robot',
    smtp_password_file => $d->{secret} });
named($d, 'a sender without a domain', 'mail_from', 'degraded',
    qr/not\.there\.test.*neither MX nor address/,
    conf => { smtp_from => 'rbl@not.there.test' });

# --- lists -------------------------------------------------------------------

named($d, 'a list for non-commercial use', 'licence', 'degraded',
    qr/gateway manual.*: a\.test/, conf => { gateway => 'manual' });
rblctl($redis, qw(lists override a.test --day-quota 3));
named($d, 'a quota that is too small', 'quota', 'degraded',
    qr/a\.test: about \d+ queries a day for all hosts, its quota is 3/);
rblctl($redis, qw(lists override a.test --none));
rblctl($redis, 'lists', 'override', 'a.test', '--server', $dns->addr);

# --- the site ----------------------------------------------------------------

my %site = (
    'a directive that nginx does not know' => ['nginx', 'broken',
        qr/nginx -t: unknown directive "frob"/, sub { "$_[0] frob on;" }],
    'a module that is not there' => ['nginx', 'broken',
        qr/nginx -t: dlopen.*none\.so/, sub { "load_module $dir/none.so;\n$_[0]"
        }],
    'another store' => ['nginx_store', 'broken', qr/nginx uses .*not the store/,
        sub { $_[0] =~ s/rbl_store \S+;/rbl_store 127.0.0.1:1;/r }],
    'another prefix' => ['nginx_store', 'broken', qr/rbl_store_prefix other/,
        sub { $_[0] =~ s/(rbl_store \S+;)/$1 rbl_store_prefix other;/r }],
    'no TLS' => ['certificate', 'degraded', qr/without TLS/,
        sub { $_[0] =~ s/listen \S+ ssl;/listen 0.0.0.0:$d->{free};/r }],
    'a certificate that has expired' => ['certificate', 'broken',
        qr/expired \d+ days ago/, certificate('expired')],
    'a certificate that expires soon' => ['certificate', 'degraded',
        qr/expires in \d days/, certificate('soon')],
    'a certificate of another name' => ['certificate', 'broken',
        qr/is not for localhost/, certificate('named')],
    'a certificate of no authority' => ['certificate', 'degraded',
        qr/no authority of this machine vouches/, certificate('self')],
    'a portal that is not there' => ['portal', 'degraded', qr/answers with 404/,
        sub { $_[0] =~ s{(rbl_portal_url \S+?)portal/;}{$1none/;}r }],
    'a portal that is closed' => ['portal', 'degraded', qr/refused|connect/i,
        sub { $_[0] =~ s{(rbl_portal_url \S+?):\d+/}{$1:$d->{closed}/}r }],
);

sub certificate {
    my ($name) = @_;
    return sub { $_[0] =~ s{/good\.(pem|key)}{/$name.$1}gr };
}

my $conf = read_file($d->{nginx}{conf_path});
for my $name (sort keys %site) {
    my ($row, $state, $reason, $change) = @{ $site{$name} };
    my $file = "$d->{nginx}{dir}/planted.conf";
    write_file($file, $change->($conf));
    named($d, $name, $row, $state, $reason, nginx => $file);
}
my $got = named($d, 'no authority that browsers trust', 'certificate', 'broken',
    qr/SSL certificate problem/, env => { SSL_CERT_FILE => "$dir/self.pem" });
like($got->{remedy}, qr/authority of your own .*try: update-ca-certificates/,
    'an authority of your own is put where the machine looks for it');
chmod 0644, $redis->{users}{'rbl-api'};
named($d, 'a password of nginx that all can read', 'files', 'degraded',
    qr/every user can read \S+rbl-api/);
chmod 0600, $redis->{users}{'rbl-api'};

write_file("$dir/packages", "1.1-1\n1.0-1\n");
named($d, 'packages of two releases', 'versions', 'degraded',
    qr/rbl-checkd is 1\.1-1, libnginx-mod-rbl is 1\.0-1/);
write_file("$dir/packages", "1.0-1\n1.0-1\n");

# --- the machine -------------------------------------------------------------

units($d, 'rbl-checkd.service' => 'failed');
named($d, 'a service that has failed', 'units', 'broken',
    qr/rbl-checkd\.service has failed/);
units($d, 'nginx.service' => 'inactive');
named($d, 'a service that is not enabled', 'units', 'degraded',
    qr/nginx\.service is disabled and inactive/);
units($d, 'rbl-backup.service' => 'failed');
named($d, 'a copy that has failed', 'backup', 'degraded',
    qr/rbl-backup\.service has failed/);
units($d);
utime 1, time - 50 * 3600, "$d->{backups}/copy.rdb";
named($d, 'no copy since two days', 'backup', 'degraded',
    qr/is 50 hours old/);
utime 1, time, "$d->{backups}/copy.rdb";
named($d, 'a full disk', 'disk', 'broken', qr/has 0 MB free/,
    conf => { log => "$d->{full}/x/log" }) if $d->{full};


# --- another user ------------------------------------------------------------

SKIP: {
    skip('only root can be another user', 1) if $>;
    my $r = run_cmd({ timeout => 60 }, 'setpriv', '--reuid=65534',
        '--clear-groups', build_dir() . '/rblctl', 'doctor', '--store',
        $redis->{addr}, '--daemon', '/etc/shadow');
    like($r->{out}, qr/shadow cannot be read by this user; .*try: sudo/,
        'a user who cannot read the configuration is told so');
}

done_testing();
