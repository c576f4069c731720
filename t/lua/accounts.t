#!/usr/bin/perl

# Accounts: setting one field changes no other field.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { STATUS => 3, ZONE => 4 };

redis_new();
my ($ac, $acct) = account();

sub set {
    my ($script, $at, $value) = @_;

    my $want = unpacked(cmd('GET', $acct));
    $want->[$at] = $value;
    my @keys = sort @{ cmd('KEYS', '*') };
    is(script($script, [$acct], $value)->[0], 'OK', "$script $value");
    is_deeply(unpacked(cmd('GET', $acct)), $want, 'is in the record');
    is_deeply([sort @{ cmd('KEYS', '*') }], \@keys, 'and nowhere else');
}

set('account_timezone', ZONE, $_) for 'Europe/Berlin', 'UTC';
set('account_status', STATUS, $_) for 'suspended', 'active';

my $none = k('acct', sid('AC'));
for my $script ('account_timezone', 'account_status') {
    is(script($script, [$none], 'x')->[0], 'ACCOUNT',
        "$script of an unknown account");
    is(cmd('EXISTS', $none), 0, 'creates no account');
}

# a record with more or fewer fields, of another version, keeps its own
my $more = [@{ unpacked(cmd('GET', $acct)) }, 0, 'later'];
cmd('SET', $acct, packed($more));
set('account_timezone', ZONE, 'Asia/Tokyo');

done_testing();
