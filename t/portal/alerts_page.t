#!/usr/bin/perl

# The screen Alerts in a browser: groups without a contact, the matrix of groups
# and contacts by the keyboard, mutes, and the log of all receivers.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup(http => 'rbl_zone rbl 1m;');
my $ac = $t->{acct}{sid};
my ($default) = @{ json(call($t, 'GET', 'contactgroups.json'))->{data} };
my %group = (default => $default->{id});
for my $name ('Night <i>shift</i>', 'Empty') {
    $group{$name} = json(call($t, 'POST', 'contactgroup/add.json', form => {
        name => $name }))->{data}{id};
}

sub contact {
    my ($value, $status, @groups) = @_;

    my $id = json(call($t, 'POST', 'contact/add.json', form => {
        type => 'endpoint', contact => $value, schedule => 'start_and_end',
        contact_group => join ',', @groups }))->{data}{id};
    my $key = redis_key('r', $ac, $id);
    my $c = record('contact', redis($t->{redis}, 'GET', $key));
    redis($t->{redis}, 'SET', $key, record_pack('contact', %$c,
        value => \$c->{value}, status => $status));
    return $id;
}

my $night = $group{'Night <i>shift</i>'};
my $works = contact('https://works.example/', 'active', $group{default});
my $waits = contact('https://waits.example/', 'pending', $night);
my $host = add_host($t, '192.0.2.1', name => 'mail');
my $other = json(call($t, 'POST', 'host/add.json', form => {
    host => '192.0.2.2', name => 'shop', type => 'rbl',
    contact_group => $night }))->{data}[0];
rblctl($t->{redis}, 'fsck', '--repair');
for my $n (1 .. 3) {
    redis($t->{redis}, 'RPUSH', redis_key('log', $ac, $works),
        record_pack('try', version => 1, at => (time - 60 * $n) * 1000,
        event => sid_of('EV'), type => 'contact.trigger', number => $n,
        outcome => (qw(ok retry dead))[$n - 1], status => 200 * ($n % 3),
        took => 12, next => 300_000, error => $n > 1 ? 'HTTP status' : '',
        answer => ''));
}
forget($t, $ac);
my ($list) = @{ redis($t->{redis}, 'ZRANGE', 'rbl:{0}:lists:active', 0, 0) };
browser_run($t, 'alerts', night => $night, works => $works, list => $list,
    link => add_user($t)->{link},
    viewer => add_user($t, role => 'viewer')->{link},
    german => add_user($t)->{link});
my %now = map { $_->{id} => $_->{contact_group} }
    @{ json(call($t, 'GET', 'contacts.json'))->{data} };
is(join(',', sort split /,/, $now{$works}),
    join(',', sort $group{default}, $night), 'the contact is in both groups');

done_testing();
