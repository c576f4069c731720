#!/usr/bin/perl

# A host that no list of its profile can check is not covered: its checks fail
# with the reason, and its listings stay.  It is covered again as soon as a list
# is.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use RblTest;
use RblCheckd;

my $w = world();                        # lists for IPv4 only
my $checkd = start_checkd(store => $w->{redis}, resolver => $w->{dns},
    conf => { conf_short() });
my $states = RblCheckd::akey($w, 'states');

sub counted {
    return join ' ', sort @{ redis($w->{redis}, 'ZRANGE', $states,
        map({ $_ . '0' x 13 } 3, '(4'), 'BYSCORE') };
}
sub state_of {
    my ($ht) = @_;

    my $pp = check_host($w, $ht);
    return wait_check($w, $pp);
}

my %host = (four => add_host($w, '10.0.0.1'));
for (['six', 2, '2001:db8::1'], ['name', 4, 'name.example']) {
    my ($of, $family, $value) = @$_;
    $host{$of} = fresh_sid('HT');
    script_ok($w, 'host_add', [RblCheckd::akey($w, 'acct')], name => 'n',
        type => 'rbl', family => $family, host => $host{$of}, value => $value);
}

eventually {
    host_record($w, $host{four})->{checked} > 0
        && counted() =~ / /
} 15, 'scheduled checks find out';
is(counted(), join(' ', sort @host{qw(six name)}),
    'the address and the name are not covered');

for my $of ('six', 'name') {
    my $s = state_of($host{$of});
    is("$s->{status} $s->{total} $s->{message}",
        'failed 0 No blocklist applies to this host.',
        "$of: the check fails with the reason");
    my $h = host_record($w, $host{$of});
    is("$h->{uncovered} $h->{listed_count} $h->{checked}", '1 0 0',
        "$of: never checked, not clear");
}
is(host_record($w, $host{four})->{uncovered} // 0, 0,
    'the IPv4 address is covered');
eventually { state_of($host{four})->{listed} } 30,
    'a check of the IPv4 address finds a listing';

ok(stop_server($checkd), 'the daemon stops');
done_testing();
