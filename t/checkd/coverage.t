#!/usr/bin/perl

# The daemon says which lists of a host gave an answer, and the numbers of the
# API count them: lists of the system and own ones, with a minimum interval,
# critical, skipped, silent.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;

my $w = world(zones => {
    'a.test' => { weight => 'critical', data => listed_entry('10.0.0.1') },
    'b.test' => { more => '"min_interval": 86400', data => listed_entry() },
    'c.test' => { data => listed_entry() },
    'd.test' => { type => 'uribl', families => ['domain'], set => 'dnset',
        data => "\$SOA 0 ns.test h.test 1 60 60 60 0\nbad.example\n" },
});
my $nginx = start_nginx(store => $w->{redis});
sub get { return http($nginx, 'GET', "/3.0/$_[0]", auth => $w->{acct}) }
sub akey { return redis_key({ partitions => $_[0]{partitions} }, 'coverage',
    $_[0]{acct}{sid}) }
sub numbers {
    my $v = json(get('hosts.json'));
    return join ' ', map { $v->{$_} // '' } qw(lists_asked lists_answered
        critical_asked critical_answered);
}
ok(wait_for { get('hosts.json')->{status} == 200 } 10, 'nginx serves hosts');
is(numbers(), '0 0 0 0', 'no list applies without hosts');

my $ht = add_host($w, '10.0.0.5');
is(numbers(), '0 0 0 0', 'no list is known before the first check');
is(get('listings.nagios')->{body}, 'UNKNOWN - No daemon has been seen.',
    'nothing is known before the first daemon');
my $checkd = start_checkd(store => $w->{redis}, resolver => $w->{dns},
    conf => { conf_short() });
eventually { numbers() eq '3 3 1 1' } 30,
    'a scheduled check notes that all lists have answered';
is(get('listings.nagios')->{body}, 'OK - 0 hosts listed!',
    'the answer is OK with all lists');

# A class of its own, whose check has a listing.

redis($w->{redis}, 'DEL', akey($w));
my $listed = add_host($w, '10.0.0.1');
eventually { host_record($w, $listed)->{checked} > 0 } 30,
    'a listed host is checked';
eventually { numbers() eq '3 3 1 1' } 30,
    'a check with a listing notes it, too';

# The list with a minimum interval is skipped by the next check.

redis($w->{redis}, 'DEL', akey($w));
set_due($w, $ht);
eventually { numbers() eq '3 2 1 1' } 30, 'a skipped list has not answered'
    or diag(numbers());
wait_check($w, check_host($w, $ht));
eventually { numbers() eq '3 3 1 1' } 30, 'a manual check queries it';

done_testing();
