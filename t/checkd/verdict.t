#!/usr/bin/perl

# From a fault to the verdict on all surfaces, and back: a dead resolver in
# direct mode.  rblctl status, the metrics, Nagios and Zabbix, the portal.

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

my @zones = map { "$_.test" } qw(a b c);
my $w = direct_world({ map { $_ => [[authority($_)]] } @zones },
    conf => { name => 'one' });
my $dns = $w->{resolver};
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
eventually { status()->{out} =~ /^broken: dns/ } 60,
    'rblctl status begins with the verdict broken';
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
{
    local $w->{acct} = make_account($w->{redis}, name => 'empty');
    is(plain('nagios'), 'OK - 0 hosts listed!',
        'an account without hosts stays OK');
}

$dns->rules(zone_rules(@known));
good('after');

ok(stop_server($w->{checkd}), 'the daemon stops');
eventually { status()->{out} =~ /^broken: no_daemon/ } 60,
    'rblctl status is broken without a daemon';
is(status()->{status}, 2, 'rblctl status exits with 2 without a daemon');
eventually { sample('rbl_condition{name="no_daemon"}') eq '1' } 20,
    'the metrics name the missing daemon';

done_testing();
