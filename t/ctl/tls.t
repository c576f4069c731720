#!/usr/bin/perl

# rblctl and a store behind TLS: commands with large requests and replies, a
# name, Sentinels, a cluster, and all that is refused with its reason.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::INET;
use RblFailover;
use RblTls;

my $d = tls_files();
my $redis = tls_redis('redis', auth => 'yes', cluster => 0);
my %good = tls_conf('ca', 'client');
my $n = 0;

sub conf {
    my (%conf) = @_;

    my $file = "$d/rblctl" . $n++ . '.conf';
    write_file($file, join '', map { my $key = $_;
        map { "$key $_\n" } ref $conf{$key} ? @{ $conf{$key} } : $conf{$key}
    } sort keys %conf);
    return $file;
}

# Configures a store; returns a function that runs rblctl.
sub at {
    my ($store, $at, %conf) = @_;

    my $file = conf(store => $at =~ /\D/ ? $at : "tls:127.0.0.1:$at",
        $store->{users}{rblctl} ? (store_user => 'rblctl',
            store_password_file => $store->{users}{rblctl}) : (), %conf);
    return sub { rblctl(undef, '-c', $file, @_) };
}

sub good {
    my ($ctl, @words) = @_;

    my $r = $ctl->(@words);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is("$r->{status} $r->{err}", '0 ', "@words[0, $#words > 0 ? 1 : 0]");
    return $r->{out};
}

# --- it works --------------------------------------------------------------

my $ctl = at($redis, $redis->{tls}, %good);
good($ctl, 'init');
like(good($ctl, 'store', 'plan'), qr/^state +ok$/m,
    'store plan shows the server');
like($ctl->('check', '192.0.2.1')->{err}, qr/^rblctl: no active list takes/,
    'check looks for lists in the store');
good($ctl, 'lists', 'load', repo_dir() . '/conf/lists.json');
cmp_ok(length good($ctl, 'lists', 'show', '--json'), '>', 65536,
    'lists show receives a large response over TLS');
my $ac = json(good($ctl, 'account', 'add', 'x', '--json'))->{id};
like(good($ctl, 'account', 'show', $ac), qr/\Q$ac\E/,
    'account show prints the new account');
good($ctl, 'app', 'add', $ac, 'y');
like($ctl->('status')->{out}, qr/^broken: no_daemon$/m,
    'status reads the store over TLS');
is(scalar @{ redis($redis, 'KEYS', "*$ac*") } > 0, 1,
    'the store has keys of the account');

# --- a name ----------------------------------------------------------------

my $named = tls_redis('named', cluster => 0);
good(at($named, $named->{tls}, tls_conf('ca'),
    store_tls_name => 'store.example.org'), 'init');

# --- what is refused -------------------------------------------------------

sub fails {
    my ($what, $command, $pattern, @words) = @_;

    my $r = $command->(@words ? @words : 'status');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($r->{status}, 3, "$what: rblctl exits with status 3");
    like($r->{err}, qr/\Arblctl: [^\n]*$pattern[^\n]*\n\z/,
        "$what: the message has the reason");
    is($r->{out}, '', "$what: nothing is written to standard output");
}

my $plain = start_redis(port => 1, cluster => 0);
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 5);

for (['a certificate for another name', $named->{tls},
        { tls_conf('ca'), store_tls_name => 'other.example.org' },
        qr/its certificate is not for store_tls_name/],
    ['a certificate for no address', $named->{tls}, { tls_conf('ca') },
        qr/its certificate is not for its address/],
    ['another authority', $redis->{tls}, { tls_conf('other', 'client') },
        qr/: (?:unable to get|self.signed)[^\n]* certificate/],
    ['an expired certificate', tls_redis('expired', cluster => 0)->{tls},
        { tls_conf('ca') }, qr/certificate has expired/],
    ['no certificate', $redis->{tls}, { tls_conf('ca') },
        qr/TLS: \S+ .*certificate required|reset by peer|Broken pipe/],
    ['a certificate by another authority', $redis->{tls},
        { tls_conf('ca', 'stranger') }, qr/TLS: \S+ alert unknown ca|reset by peer|Broken pipe/],
    ['a server without TLS', $plain->{port},
        { tls_conf('ca'), store_timeout => '300ms' },
        qr/ended the TLS handshake|TLS: |reset by peer|no reply in time/],
    ['a server that says nothing', $silent->sockport,
        { tls_conf('ca'), store_timeout => '300ms' }, qr/no reply in time/],
    ['no server', free_port(), { tls_conf('ca') }, qr/Connection refused/])
{
    my ($what, $at, $conf, $pattern) = @$_;

    fails($what, at($redis, $at, %$conf), $pattern);
}

# The configuration.

fails('no authorities', at($redis, $redis->{tls}),
    qr/store: tls: needs store_tls_ca/);
fails('no authorities, and --store', sub {
    rblctl(undef, '--store', "tls:127.0.0.1:$redis->{tls}", '-c', conf(), @_)
}, qr/store: tls: needs store_tls_ca/);
fails('no key', at($redis, $redis->{tls}, tls_conf('ca'),
    store_tls_certificate => "$d/client.pem"),
    qr/store_tls_certificate: store_tls_key must be given too/);
fails('the key of another certificate', at($redis, $redis->{tls}, %good,
    store_tls_key => "$d/redis.key"), qr/store_tls_key: \S+ cannot be used: .*mismatch/);
is(rblctl(undef, '--store', "tls:127.0.0.1:$redis->{tls}", '-c',
    conf(%good), 'account', 'list')->{status}, 0,
    'rblctl takes --store and the files of the configuration');

# --- several servers -------------------------------------------------------

my $f = start_sentinels(replicas => 1, tls => 'redis');
my $cluster = start_cluster(replicas => 0, tls => 'redis');

for my $several ($f, $cluster) {
    my ($words, $nodes) = tls_several($several);
    my $all = at($several, $words, %good, store_nodes => $nodes);
    good($all, 'init');
    good($all, 'account', 'add', "account $_") for 1 .. 5;
    is($all->('status')->{err}, '', 'status reads all servers over TLS');
    fails('another authority', at($several, $words,
        tls_conf('other', 'client'), store_nodes => $nodes,
        store_timeout => '200ms'), qr/certificate/);
}

done_testing();
