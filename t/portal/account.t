#!/usr/bin/perl

# The settings of an account: what they are, who may change them, and what is
# refused.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup();
my $owner = sign_in($t);
my $sid = $t->{acct}{sid};

sub account { return accepted(portal($t, $owner, 'GET', 'account.json'),
    'account')->{data} }

sub update {
    my (%fields) = @_;

    return portal($t, $owner, 'POST', 'account/update.json',
        fields => \%fields);
}

sub ctl {
    my $r = rblctl($t->{redis}, '--json', @_);
    return $r->{status} == 0 ? json($r->{out}) : diag($r->{err});
}

my $a = account();
my $known = ctl('account', 'show', $sid);
is_deeply([@$a{qw(id name timezone interval min_interval plan profile
    contact_group hosts contacts checks created)}], [@$known{qw(id name timezone
    interval min_interval plan profile contact_group hosts contacts checks
    created)}], 'what rblctl shows');
is_deeply([map { $a->{$_}{used} } qw(hosts contacts checks)], [0, 0, 0],
    'nothing of them is used');

add_host($t, '192.0.2.1');
accepted(portal($t, $owner, 'POST', 'contact/add.json', fields =>
    { contact => 'ops@example.test', type => 'email',
    schedule => 'every_check' }), 'the portal adds a contact');
redis($t->{redis}, 'SET', redis_key('started', $sid), 7);
is_deeply([map { account()->{$_}{used} } qw(hosts contacts checks)], [1, 1, 7],
    'what is used');

accepted(update(timezone => 'Asia/Kolkata'), 'another time zone');
is(account()->{timezone}, 'Asia/Kolkata', 'the account has the new time zone');
is(json(portal($t, $owner, 'GET', 'me.json'))->{data}{account}{timezone},
    'Asia/Kolkata', 'the session has the new time zone at once');
accepted(update(name => 'New <b>', timezone => 'UTC', interval => 7200),
    'the portal changes all three fields');
is_deeply([@{ account() }{qw(name timezone interval)}],
    ['New <b>', 'UTC', 7200], 'the account has all three values');
accepted(update(), 'the portal accepts an update without fields');
is_deeply([@{ account() }{qw(name timezone interval)}],
    ['New <b>', 'UTC', 7200], 'an update without fields changes nothing');

unchanged {
    for my $case ([timezone => 'Here/There'], [timezone => ''],
        [timezone => '../../etc/passwd'], [timezone => 'x' x 300],
        [timezone => "UTC\0"], [timezone => 'europe/berlin'],
        [interval => 0], [interval => -1], [interval => '1h'],
        [interval => 30 * 86_400 + 1], [interval => ''], [name => ''],
        [name => 'x' x 256], [name => ' '])
    {
        my ($field, $value) = @$case;
        refused(update(name => 'No', timezone => 'UTC', interval => 60,
            $field => $value), 400, qr/\Q$field\E/,
            "$field: " . substr $value, 0, 20);
    }
} $t, 'by wrong values';
is((grep { /has no time zone/ } split /\n/, read_file($t->{nginx}{error_log})),
    0, 'an unknown time zone is not logged');

ctl('account', 'plan', $sid, 'Starter', '--file', repo_dir()
    . '/conf/plans.json');
is(account()->{min_interval}, 3600, 'a plan with a shortest interval');
unchanged {
    refused(update(timezone => 'Asia/Tokyo', interval => 3599), 409,
        qr/no interval shorter than 3600 seconds/, 'a shorter one');
} $t, 'not even the time zone';
accepted(update(interval => 3600), 'the shortest one');

my $admin = sign_in($t, role => 'admin');
accepted(portal($t, $admin, 'GET', 'account.json'), 'an admin reads');
refused(portal($t, $admin, 'POST', 'account/update.json',
    fields => { timezone => 'UTC' }), 403, qr/role owner/,
    'an admin cannot change the account');
is(json(portal($t, sign_in($t, acct => $t->{other}), 'GET', 'account.json'))
    ->{data}{id}, $t->{other}{sid}, 'each sees its own account');

done_testing();
