#!/usr/bin/perl

# From a fault to the verdict, and back: a dead resolver in direct mode, beside
# a list on this machine that works without it.  rblctl status, the metrics,
# Nagios and Zabbix.  broken_direct.t and broken_resolver.t have all faults.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;
use RblAuthority;
use RblDns;
use RblPrometheus;
use RblZones;

need_port_53();

my @zones = map { "$_.test" } qw(a b c local);
my $w = direct_world({ map { $_ => [[authority($_)]] } @zones },
    conf => { name => 'one' });
my $dns = $w->{resolver};
my $given = rblctl($w->{redis}, 'lists', 'override', 'local.test', '--server',
    $w->{server}{'local.test'}[0]->host . '@53');
is($given->{status}, 0, 'a list gets a server') or diag($given->{err});
my @known = map { $_ => [map { $_->host } @{ $w->{server}{$_} }] } @zones;
my $nginx = start_nginx(store => $w->{redis}, http => 'rbl_zone rbl 1m;',
    server => 'location /metrics { rbl_status prometheus; }'
        . ' location /status { rbl_status; }');
my $host = add_host($w, '10.0.0.1');

sub status { return rblctl($w->{redis}, @_, 'status') }
sub metrics { return prometheus(http($nginx, 'GET', '/metrics')->{body}) }
sub sample {
    my ($name) = @_;
    my ($family) = $name =~ /^(\w+)/;
    return metrics()->{$family}{samples}{$name} // 'none';
}
sub plain {
    return http($nginx, 'GET', "/3.0/listings.$_[0]", auth => $w->{acct})
        ->{body};
}

sub good {
    my ($what) = @_;

    eventually { status()->{out} =~ /^good$/m } 60,
        "$what: the first line of rblctl status is good";
    my $r = status();
    is($r->{status}, 0, "$what: rblctl status exits with 0");
    is_deeply(json(status('--json')->{out})->{conditions}, [],
        "$what: rblctl status names no condition");
    eventually { sample('rbl_verdict') eq '0' } 20,
        "$what: the metric of the verdict is 0";
    is(sample('rbl_condition{name="dns"}'), '0',
        "$what: the metric of the condition is 0");
    eventually { plain('nagios') =~ /^OK - 0 hosts listed!/ } 20,
        "$what: Nagios gets OK";
    is(plain('zabbix'), '0', "$what: Zabbix gets 0");
}

eventually { verdict($w, $host, 'a.test') eq 'clear ' } 60,
    'the host is clear while DNS works';
good('before');

ok(stop_server($w->{checkd}), 'the daemon stops');
$dns->rules(['.' => 'mute']);
$w->{checkd} = $w->{start}->();
# Without a check.  The first answers may have the daemon's former record.
my (@said, $now);
eventually { ($now) = status()->{out} =~ /^(.*)$/m;
    push @said, $now if @said || $now ne 'good';
    $now eq 'broken: dns' } 60,
    'rblctl status begins with the verdict broken, and blames no list';
my %said = map { $_ => 1 } @said;
is_deeply([sort keys %said], ['broken: dns', 'degraded: dns_untried'],
    'rblctl status says that DNS was not tried yet, before it says more');
check_host($w, $host);
my $r = status();
is($r->{status}, 2, 'rblctl status exits with 2');
like($r->{out},
    qr/^dns: broken since [-+\dT:]+: one: resolver \S+ is at fault/m,
    'rblctl status has time and reason');
like($r->{out}, qr/^dns: .*; try: dig /m, 'rblctl status has the remedy');
my $v = json(status('--json')->{out});
is($v->{verdict}, 'broken', 'rblctl status --json has the verdict');
is_deeply([map { "$_->{name} $_->{state}" } @{ $v->{conditions} }],
    ['dns broken'], 'rblctl status --json has the condition');
eventually { sample('rbl_verdict') eq '2' } 20,
    'the metric of the verdict is 2';
is(sample('rbl_condition{name="dns"}'), '1',
    'the metric of the condition is 1');
is(sample('rbl_condition{name="clocks"}'), '0',
    'the metric of another condition is 0');
is(json(http($nginx, 'GET', '/status'))->{verdict}, 'broken',
    'rbl_status has the verdict');
eventually { plain('nagios') eq
    'UNKNOWN - DNS does not work, so lists cannot be queried.' } 20,
    'Nagios gets UNKNOWN and the reason';
is(plain('zabbix'), '-1', 'Zabbix gets -1');
is(verdict($w, $host, 'local.test'), 'clear ',
    'the list whose server is given is clear without DNS');
is(verdict($w, $host, 'a.test'), 'unknown resolver',
    'the others are unknown because of DNS');
{
    local $w->{acct} = make_account($w->{redis}, name => 'empty');
    is(plain('nagios'), 'OK - 0 hosts listed!',
        'an account without hosts stays OK');
}

$dns->rules(zone_rules(@known));
good('after');

done_testing();
