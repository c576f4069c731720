#!/usr/bin/perl

# Hosts of an account whose plan has expired, in a browser, with a real daemon
# and a real list: a viewer reads English, an owner German.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $zone = 'dnsbl.portal.test';
my $rbldnsd = start_rbldnsd(zones => [[$zone, 'ip4set', "\$TTL 1\n"
    . ":127.0.0.2:spam source\n127.0.0.2\n192.0.2.10\n"]]);
my $lists = temp_dir() . '/lists.json';
write_file($lists, qq({"version": 1, "lists": [{"zone": "$zone", "name": "P",
    "type": "rbl", "families": ["ipv4"], "codes": ["127.0.0.2=spam"]}]}));
my $t = browser_setup(lists => $lists);
my ($redis, $ac) = ($t->{redis}, $t->{acct}{sid});
my $daemon = start_checkd(store => $redis, resolver => $rbldnsd,
    conf => { gateway => 'manual' });
my @hosts = map { add_host($t, "192.0.2.$_", name => "host $_")->{id} }
    10, 11;
my $owner = add_user($t);
my $me = sign_in($t, role => 'viewer');

sub counts {
    my $c = accepted(portal($t, $me, 'GET', 'counts.json'), 'counts')->{data};
    return join ' ', map { "$_ $c->{$_}" } grep { $c->{$_} }
        qw(listed unknown clear);
}

ok(wait_for(sub { counts() eq 'listed 1 clear 1' }, 60), 'all are checked');
my $day = 86_400_000;
my $now = time * 1000;
my @period = (begins => $now - 50 * $day, ends => $now - 20 * $day);
movement_of($t, $t->{acct}, '*', k => 'rn:1', c => 'revenue', a => 29_000_000,
    r => payment_of($t, $t->{acct}, 1, @period));
bill_of($t, $t->{acct}, @period);
redis($redis, 'ZADD', redis_key('billdue', $ac) =~ s/:AC.*//r, 0, $ac);
ok(wait_for(sub { counts() eq 'unknown 2' }, 60), 'the plan expires');
ok(wait_for(sub { !redis($redis, 'EXISTS', redis_key('work', $ac)) }, 60),
    'no host is scheduled');
browser_run($t, 'lapse', hosts => \@hosts, who => [
    { link => add_user($t, role => 'viewer')->{link}, locale => 'en-GB',
        stopped => 'not checked: plan expired', since => 'Not checked since',
        banner => 'Hosts are not checked until it is paid.',
        known => 'No host is known to be listed' },
    { link => $owner->{link}, locale => 'de-DE', owner => 1,
        stopped => "nicht gepr\x{fc}ft: Tarif abgelaufen",
        since => "Nicht gepr\x{fc}ft seit",
        banner => "Es wird nichts gepr\x{fc}ft", check => "Jetzt pr\x{fc}fen",
        known => 'Von keinem Host ist ein Eintrag bekannt' }]);
is(rblctl($redis, 'fsck')->{status}, 0, 'fsck finds nothing');

done_testing();
