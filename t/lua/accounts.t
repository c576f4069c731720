#!/usr/bin/perl

# Accounts: setting one field changes no other field.

use strict;
use warnings;
use RblTest;
use RblScript;

use constant { NAME => 2, STATUS => 3, ZONE => 4, INTERVAL => 9,
    SHORTEST => 12 };

redis_new();
my ($ac, $acct) = account();

sub set {
    my ($script, $at, $value, @args) = @_;

    my $want = unpacked(cmd('GET', $acct));
    $want->[$at] = $value;
    my @keys = sort @{ cmd('KEYS', '*') };
    is(script($script, [$acct], @args)->[0], 'OK',
        "$script accepts the value $value");
    is_deeply(unpacked(cmd('GET', $acct)), $want,
        "$script stores $value in the account record");
    is_deeply([sort @{ cmd('KEYS', '*') }], \@keys,
        "$script creates and deletes no key");
}

set('account_update', ZONE, $_, timezone => $_, now => 1)
    for 'Europe/Berlin', 'UTC';
set('account_update', NAME, $_, name => $_, now => 1) for 'New', 'Old';
set('account_update', INTERVAL, $_, interval => $_, now => 1) for 7200, 3600;
set('account_status', STATUS, $_, status => $_) for 'suspended', 'active';

my $none = k('acct', sid('AC'));
for (['account_update', name => 'x', now => 1],
    ['account_status', status => 'active'])
{
    my ($script, @args) = @$_;
    is(script($script, [$none], @args)->[0], 'ACCOUNT',
        "$script of an unknown account");
    is(cmd('EXISTS', $none), 0, 'creates no account');
}

# a record with more or fewer fields, of another version, keeps its own
my $more = [@{ unpacked(cmd('GET', $acct)) }, 0, 'later'];
cmd('SET', $acct, packed($more));
set('account_update', ZONE, 'Asia/Tokyo', timezone => 'Asia/Tokyo', now => 1);

my $a = unpacked(cmd('GET', $acct));
$a->[SHORTEST] = 600;
cmd('SET', $acct, my $was = packed($a));
is_deeply(script('account_update', [$acct], name => 'n', timezone => 'UTC',
    interval => 599, now => 1), ['SHORT', 600],
    'the shortest interval is the plan\'s');
is(cmd('GET', $acct), $was, 'a refused interval does not change the account');

done_testing();
