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
        "$script with $args[0] succeeds");
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

step(!!0, 'app_put', $ap, 'name', 'secret', $field[0], 'd' x 32);
step(!!0, 'app_token', $ap, $field[1], 'e' x 32, '0');
step(!!1, 'app_token', $ap, $field[2], 'f' x 32, '1');
step(!!1, 'app_allow', $ap, '192.0.2.0/24');
step(!!1, 'app_limit', $ap, 5, '', '', '');
step(!!1, 'account_status', 'suspended');
step(!!1, 'account_update', '', 'Asia/Tokyo', '', 1);
step(!!1, 'account_update', '', '', 7200, 1);
step(!!1, 'account_plan', 'other', 0, 1, 2, 3, 60, '');
step(!!0, 'profile_add', $rp, 'name', 0, 0);
step(!!1, 'profile_update', $rp, '', '', '1', '');
step(!!0, 'profile_update', $rp, '1', 'new name', '', '');
step(!!1, 'profile_add', sid('RP'), 'another', 1, 0);
step(!!0, 'group_add', $cg, 'name', 0);
step(!!1, 'group_update', $cg, '', '', '1');
step(!!0, 'group_update', $cg, '1', 'new name', '');
step(!!1, 'chosen_delete', $cg, 'groups');
step(!!0, 'chosen_delete', $rp, 'profiles');
step(!!1, 'app_token_revoke', $ap, substr $field[2], 0, 16);
script('app_token', [$acct], $ap, $field[0], 'd' x 32, '0');
step(!!1, 'app_revoke', $ap);

# fsck, which deletes an expired token
for (['fsck_entries', '', '', 'tokens', '', $field[0]],
    ['fsck_keys', "token:$ac:$field[0]"])
{
    my ($script, @args) = @$_;
    cmd('HSET', k('tokens', $ac), $field[0], $ap) if @args > 1;
    cmd('SET', k('token', $ac, $field[0]), packed([1,
        pack('H*', $field[0]) . 'd' x 24, $ap, 'active', [], [], 1]));
    step(!!1, $script, '1', @args);
}

# Damaged totals, and older ones, are made again.
for my $bad ('junk', packed([1, 1, 1, 1, 1])) {
    cmd('SET', k('totals', $ac), $bad);
    is(script('account_status', [$acct], 'active')->[0], 'OK',
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
