#!/usr/bin/perl

# nginx caches accounts and tokens as long as the stamp of the account's totals
# is the same: every script that changes one of them changes the stamp in the
# same step.

use strict;
use warnings;
use RblTest;
use RblScript;

redis_new();
my ($ac, $acct) = account();
my ($ap, $rp, $cg) = (sid('AP'), sid('RP'), sid('CG'));
my @field = map { sprintf '%016x', $_ } 1 .. 3;

# The records that nginx may have cached.
sub state {
    my %at = map { $_ => cmd('GET', $_) } $acct, k('chosen', $ac),
        map { k('token', $ac, $_) } @field;
    return join ' ', map { $_ . '=' . unpack 'H*', $at{$_} // '' }
        sort keys %at;
}

sub step {
    my ($ends, $script, @args) = @_;

    script('totals_make', [$acct]);
    my $made = cmd('GET', k('totals', $ac));
    isnt($made, undef, 'the totals are there');
    my $before = state();
    is(script($script, [$acct], @args)->[0], 'OK',
        "$script with $args[1] succeeds");
    is(state() ne $before, $ends, "$script "
        . ($ends ? 'changes a record' : 'changes no record'))
        if $script ne 'app_put' && $script ne 'app_token';
    my $now = cmd('GET', k('totals', $ac));
    if (!$ends) {
        is($now, $made, "$script does not change the totals");
    } elsif ($script =~ /^fsck/) {
        is($now, undef, 'the totals are deleted');
    } else {
        my ($old, $new) = map { unpacked($_) } $made, $now;
        cmp_ok(pop @$new, '>', pop @$old, 'the totals have another stamp');
        is_deeply($new, $old, "$script changes only the stamp of the totals");
    }
}

step(!!0, 'app_put', app => $ap, name => 'name', secret => 'secret',
    field => $field[0], digest => 'd' x 32);
step(!!0, 'app_token', app => $ap, field => $field[1], digest => 'e' x 32,
    alone => '0');
step(!!1, 'app_token', app => $ap, field => $field[2], digest => 'f' x 32,
    alone => '1');
step(!!1, 'app_allow', app => $ap, networks => '192.0.2.0/24');
step(!!1, 'app_limit', app => $ap, hour => 5);
step(!!1, 'account_status', status => 'suspended');
step(!!1, 'account_update', timezone => 'Asia/Tokyo', now => 1);
step(!!1, 'account_update', interval => 7200, now => 1);
step(!!1, 'account_plan', plan => 'other', paid => 0, hosts => 1,
    contacts => 2, checks => 3, shortest => 60);
step(!!0, 'profile_add', profile => $rp, name => 'name', is_default => 0,
    given => 0);
step(!!1, 'profile_update', profile => $rp, is_default => '1');
step(!!0, 'profile_update', profile => $rp, named => '1', name => 'new name');
step(!!1, 'profile_add', profile => sid('RP'), name => 'another',
    is_default => 1, given => 0);
step(!!0, 'group_add', group => $cg, name => 'name', is_default => 0);
step(!!1, 'group_update', group => $cg, is_default => '1');
step(!!0, 'group_update', group => $cg, named => '1', name => 'new name');
step(!!1, 'chosen_delete', id => $cg, index => 'groups');
step(!!0, 'chosen_delete', id => $rp, index => 'profiles');
step(!!1, 'app_token_revoke', app => $ap, digits => substr $field[2], 0, 16);
script('app_token', [$acct], app => $ap, field => $field[0],
    digest => 'd' x 32, alone => '0');
step(!!1, 'app_revoke', app => $ap);

# fsck, which deletes an expired token
for (['fsck_entries', profile => '', group => '', what => 'tokens',
        entries => $field[0]],
    ['fsck_keys', keys => "token:$ac:$field[0]"])
{
    my ($script, @args) = @$_;
    cmd('HSET', k('tokens', $ac), $field[0], $ap) if @args > 2;
    cmd('SET', k('token', $ac, $field[0]), packed([1,
        pack('H*', $field[0]) . 'd' x 24, $ap, 'active', [], [], 1]));
    step(!!1, $script, mend => '1', @args);
}

# Damaged totals, and older ones, are made again.
for my $bad ('junk', packed([1, 1, 1, 1, 1])) {
    cmd('SET', k('totals', $ac), $bad);
    is(script('account_status', [$acct], status => 'active')->[0], 'OK',
        'account_status accepts damaged totals');
    is(cmd('EXISTS', k('totals', $ac)), 0,
        'account_status deletes damaged totals');
}

my @made = map { script('totals_make', [$acct]);
    my $made = unpacked(cmd('GET', k('totals', $ac)))->[5];
    cmd('DEL', k('totals', $ac)); $made } 1 .. 20;
is(scalar(grep { $made[$_] <= $made[$_ - 1] } 1 .. $#made), 0,
    'each new count has another stamp');

done_testing();
