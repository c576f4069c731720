#!/usr/bin/perl

# While DNS does not work, accounts and hosts are made, the clock of the daemon
# jumps, and a second daemon has DNS.  No host becomes clear and no listing ends.
# Each condition is named and ends.  So is one dead list of 200.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblCheckd;
use RblClock;
use RblConditions;
use RblDns;
use RblTest;

my @yes = (['^5\.0\.0\.10\.', { a => ['127.0.0.2'], ttl => 0 }], test_entry(),
    not_there());
my @mute = (['.' => 'mute']);
my ($good, $bad) = map { RblDns->new(rules => \@yes) } 1, 2;
my @zones = map { "$_.test" } qw(a b);
my $w = world(no_dns => 1, zones => { map { $_ => { control => 'ip' } } @zones },
    redis => { port => 1, cluster => 0 });
condition_nginx($w);
my $values = 0;
$w->{poke} = sub { check_value($w, '10.0.1.' . ++$values % 250) };

sub start {
    my ($name, $dns, %o) = @_;

    return start_checkd(store => $w->{redis}, resolver => $dns->port, %o,
        conf => { conf_short(name => $name, control_retry => '1s') });
}

sub status { return rblctl($w->{redis}, 'status') }

sub nagios {
    my ($acct) = @_;

    return http($w->{nginx}, 'GET', '/3.0/listings.nagios', auth => $acct)->{body};
}

# --- one of two daemons ------------------------------------------------------

my $one = start('one', $good);
my $ht = add_host($w, '10.0.0.5');
eventually { host_record($w, $ht)->{listed_count} == 2 } 30,
    'both lists list the host';
$bad->rules(@mute);
my $two = start('two', $bad);
eventually { $w->{poke}->(); status()->{out} =~ /^dns: .*: two: resolver/m } 60,
    'rblctl status names the one of two daemons that has no DNS';
is(status()->{out} =~ /^dns: .*: one: /m, '', 'rblctl status does not name the daemon that has DNS');
cmp_ok(status()->{status}, '>=', 1, 'rblctl status ends with a status that is not good');
my @checks = map { check_host($w, $ht) } 1 .. 10;
eventually { !grep { (check_state($w, $_)->{status} // '')
    !~ /completed|failed/ } @checks } 60, 'checks go on';
is(host_record($w, $ht)->{listed_count}, 2,
    'a daemon without DNS ends no listing');
$bad->rules(@yes);
eventually { $w->{poke}->(); status()->{out} !~ /^dns: /m } 60,
    'rblctl status names it no longer';
ok(stop_server($two), 'the second daemon stops');

# --- an account that is made in an outage ------------------------------------

$good->rules(@mute);
named($w, 'dns', 'broken', qr/one: resolver/);
my $new = make_account($w->{redis}, args => ['--interval', '60']);
my $r = http($w->{nginx}, 'POST', '/3.0/host/add.json', auth => $new,
    form => { type => 'rbl', name => 'new', host => '198.18.0.6' });
is($r->{status}, 200, 'an account that is made in an outage adds a host');
like(nagios($new), qr/^UNKNOWN /, 'nothing is known of the host of the new account');
my $of_new = { %$w, acct => $new };
my $id = json($r)->{data}[0]{id};
like(verdict($of_new, $id, 'a.test'), qr/^unknown /,
    'a check of it in the outage ends unknown');
like(nagios($new), qr/^UNKNOWN /, 'a check in an outage makes nothing known');
is(host_record($w, $ht)->{listed_count}, 2, 'an outage ends no listing');

# --- the clock jumps meanwhile -----------------------------------------------

ok(stop_server($one), 'the daemon stops');
my %clock = clock_env();
$one = start('one', $good, env => \%clock);
named($w, 'dns_untried', 'degraded', qr/one: no list has answered/);
named($w, 'dns', 'broken', qr/one: resolver/);
for my $ahead (2 * 86_400, -3600, 0) {
    set_clock($ahead);
    check_host($w, $ht) for 1 .. 3;
    $w->{poke}->();
    named($w, 'clocks', 'degraded', qr/one: the clock here is/) if $ahead;
    is(host_record($w, $ht)->{listed_count}, 2,
        "a clock that jumps to $ahead s in an outage ends no listing");
}
over($w, 'clocks');
$good->rules(@yes);
over($w, 'dns');
eventually { check_host($of_new, $id); nagios($new) =~ /^OK / } 60,
    'the new account is fine after the outage';
check_host($w, $ht);
is(verdict($w, $ht, 'a.test'), 'listed ', 'the listed host is still listed');
ok(stop_server($one), 'the daemon stops');

# --- one of 200 lists --------------------------------------------------------

my @many = map { sprintf 'l%03d.test', $_ } 1 .. 200;
my $dead = $many[99];
$w = world(no_dns => 1, zones => { map { $_ => { control => 'ip',
    weight => $_ eq $dead ? 'critical' : 'normal' } } @many },
    redis => { port => 1, cluster => 0 });
condition_nginx($w);
$w->{poke} = sub { check_value($w, '10.0.1.' . ++$values % 250) };
$good->rules(["\\b\Q$dead\E" => 'mute'], @yes);
$one = start('one', $good);
$ht = add_host($w, '10.0.0.7');
named($w, 'critical_lists', 'degraded', qr/one: .*: \Q$dead\E/);
is(join(' ', grep { $_ ne 'critical_lists' } sort keys %{ conditions($w) }), '',
    'one dead list of 200 is nothing else');
check_host($w, $ht);
is(verdict($w, $ht, $many[0]), 'clear ', 'the other lists are heard');
like(verdict($w, $ht, $dead), qr/^unknown /, 'the dead one is unknown');
$good->rules(@yes);
over($w, 'critical_lists');
healthy($w, 'with 200 lists');
ok(stop_server($one), 'the daemon stops');
$_->stop for $good, $bad;

done_testing();
