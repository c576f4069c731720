#!/usr/bin/perl

# Contacts: pending until confirmed, then active or paused; the lifetime of the
# code; groups, which must belong to the account, and their counters.

use strict;
use warnings;

use Digest::SHA qw(sha1_hex);
use RblTest;
use RblScript;

use constant { TYPE => 2, VALUE => 3, SCHEDULE => 4, STATUS => 5, GROUPS => 6,
    CREATED => 7, DIGEST => 8, UNTIL => 9, TRIES => 10, SENT => 11 };
use constant DAY => 86_400_000;

redis_new();
my ($ac, $acct) = account();
my (undef, $other) = account();
my $default = chosen($acct)->[2];
my $theirs = chosen($other)->[2];
my @cg = map { sid('CG') } 1 .. 3;
script('group_add', [$acct], group => $_, name => $_, is_default => '0')
    for @cg;

sub contact { return unpacked(cmd('GET', k('r', $ac, $_[0])) // return undef) }
sub set {
    my ($sid, %field) = @_;
    my $c = contact($sid);
    $c->[$_] = $field{$_} for keys %field;
    cmd('SET', k('r', $ac, $sid), packed($c));
}
sub refs { return cmd('HGET', k('refs', $ac), "$_[0]:c") // 0 }
sub add {
    my (@groups) = @_;
    my $sid = sid('CO');
    my $r = script('contact_add', [$acct], contact => $sid, type => 'email',
        value => "$sid\@b.example", schedule => 'every_check',
        digest => "digest $sid", code => 'code42', event => sid('EV'),
        groups => \@groups);
    is($r->[0], 'OK', 'contact_add adds a contact');
    return $sid;
}
sub call_on { return script("contact_$_[0]", [$acct], @_[1 .. $#_]) }
sub word { return call_on(@_)->[0] }
sub events {
    return map { unpacked($_->[1][5]) }
        @{ cmd('XRANGE', k('outbox'), '-', '+') };
}
sub unchanged_by {
    my ($name, $code) = @_;
    my @keys = sort grep { !/:audit:/ } @{ cmd('KEYS', '*') };
    my @before = map { cmd('DUMP', $_) } @keys;
    $code->();
    is_deeply([sort grep { !/:audit:/ } @{ cmd('KEYS', '*') }], \@keys,
        "$name: the same keys");
    is_deeply([map { cmd('DUMP', $_) } @keys], \@before,
        "$name: nothing changed");
}

# add

my ($sid, $ev) = (sid('CO'), sid('EV'));
my $r = script('contact_add', [$acct], contact => $sid, type => 'sms',
    value => '+15551234567', schedule => 'while_listed',
    digest => "\xff digest", code => 'abc234', event => $ev,
    groups => [@cg[1, 0, 1]]);
is($r->[0], 'OK', 'contact_add adds a contact by SMS');
is_deeply(contact($sid), unpacked($r->[1]),
    'contact_add returns the stored record');
my $c = contact($sid);
is_deeply([@$c[0 .. 6]], [1, $sid, 'sms', '+15551234567', 'while_listed',
    'pending', [@cg[1, 0]]], 'matches the request, each group once');
is_deeply([@$c[DIGEST, TRIES, SENT]], ["\xff digest", 0, 0],
    'the record has the digest and no tries');
is($c->[UNTIL], $c->[CREATED] + DAY, 'the code ends after a day');
is_deeply([map { refs($_) } $default, @cg], [0, 1, 1, 0], 'groups are counted');
is_deeply(cmd('ZRANGE', k('contacts', $ac), 0, -1), [$sid],
    'the index has the new contact');
my ($e) = events();
is_deeply([@$e[0 .. 2]], [1, $ev, 'contact.confirm'],
    'contact_add writes a contact.confirm event');
is($e->[3], $c->[CREATED], 'the event has the date of the contact');
is($e->[10], 0, 'the event goes to no receiver');
is_deeply($e->[11], [], 'the event goes to no callback');
is_deeply([@$e[12, 13, 14, 15]], ['UTC', '', $sid, 'abc234'],
    'the contact and the code');
is_deeply([@$e[4 .. 9]], ['', '', '', 0, 0, packed([])],
    'no check, no host, no results');
is(cmd('XRANGE', k('outbox'), '-', '+')->[0][1][1], $ac,
    'the event has the SID of the account');
my $plain = add();
is_deeply(contact($plain)->[GROUPS], [$default], 'no group: the default one');
is(refs($default), 1, 'the default group counts the contact');
is_deeply(cmd('ZRANGE', k('contacts', $ac), 0, -1), [$sid, $plain],
    'sorted by creation');

unchanged_by('bad adds' => sub {
    for my $bad ([$theirs], [@cg, $theirs], [sid('CG')], [''], [$cg[0], 'x']) {
        is_deeply(call_on('add', contact => sid('CO'), type => 'email',
            value => 'a@b.example', schedule => 'every_check', digest => 'd',
            code => 'c', event => sid('EV'), groups => $bad), ['GROUP'],
            'a group not its own');
    }
    is(script('contact_add', [k('acct', sid('AC'))], contact => sid('CO'),
        type => 'email', value => 'a', schedule => 's', digest => 'd',
        code => 'c', event => sid('EV'))->[0], 'ACCOUNT',
        'contact_add refuses an unknown account');
});

my $a = unpacked(cmd('GET', $acct));
cmd('SET', $acct, packed([@$a[0 .. 7], 0, 2, @$a[10 .. $#$a]]));
is(unpacked(cmd('GET', $acct))->[9], 2, 'two contacts are allowed');
cmd('SET', $acct, packed([@$a[0 .. 7], 2, @$a[9 .. $#$a]]));
unchanged_by('the limit' => sub {
    is_deeply(call_on('add', contact => sid('CO'), type => 'email',
        value => 'a', schedule => 's', digest => 'd', code => 'c',
        event => sid('EV')), ['LIMIT', 2],
        'contact_add refuses a contact beyond the limit');
});
cmd('SET', $acct, packed($a));

# with any plan

my @more = map { sid('CO') } 3 .. 1000;
cmd('ZADD', k('contacts', $ac), map { (1000, $_) } @more);
unchanged_by('many' => sub {
    is_deeply(call_on('add', contact => sid('CO'), type => 'email',
        value => 'a', schedule => 's', digest => 'd', code => 'c',
        event => sid('EV')), ['CONTACTS', 1000],
        'an account has at most 1,000 contacts');
});
cmd('ZREM', k('contacts', $ac), @more);

# update

is(word('update', contact => $sid, schedule => 'start_and_end'), 'OK',
    'contact_update changes the schedule');
$c = contact($sid);
is($c->[SCHEDULE], 'start_and_end', 'the contact has the new schedule');
is_deeply($c->[GROUPS], [@cg[1, 0]], 'the groups are not');
is(word('update', contact => $sid, groups => [@cg[2, 1, 2]]), 'OK',
    'contact_update changes the groups');
$c = contact($sid);
is_deeply($c->[GROUPS], [@cg[2, 1]], 'the contact has each new group once');
is($c->[SCHEDULE], 'start_and_end', 'the schedule is not');
is_deeply([map { refs($_) } @cg], [0, 1, 1],
    'the new groups count the contact');
is(word('update', contact => $sid, groups => [@cg[2, 1]]), 'OK',
    'contact_update accepts the same groups');
is_deeply([map { refs($_) } @cg], [0, 1, 1],
    'the same groups do not change the counters');
unchanged_by('bad updates' => sub {
    is(word('update', contact => $_, schedule => 'every_check'), 'CONTACT',
        'no such contact') for sid('CO'), $cg[0], '';
    is(word('update', contact => $sid, schedule => 'every_check',
        groups => [$cg[0], $theirs]), 'GROUP', 'a group not its own');
    is(word('update', contact => $sid), 'OK',
        'contact_update accepts a request without changes');
});

# a pending contact can be neither paused nor resumed

unchanged_by('pending' => sub {
    is(word('status', contact => $sid, status => $_), 'PENDING',
        "a pending contact cannot be set to $_") for qw(paused active);
    is(word('status', contact => sid('CO'), status => 'paused'), 'CONTACT',
        'no such contact');
});

# confirm

unchanged_by('an unknown contact' => sub {
    is(word('confirm', contact => $_, digest => 'x'), 'CONTACT',
        'no such contact') for sid('CO'), '';
});
is(word('confirm', contact => $sid, digest => 'wrong'), 'CODE',
    'contact_confirm refuses a wrong code');
is(contact($sid)->[TRIES], 1, 'the wrong code is counted as a try');
is(word('confirm', contact => $sid), 'CODE',
    'contact_confirm refuses an empty code');
is(word('confirm', contact => $sid, digest => "\xff digest "), 'CODE',
    'contact_confirm refuses a code that is nearly right');
is(word('confirm', contact => $sid, digest => "\xff digest"), 'OK',
    'contact_confirm accepts the right code');
$c = contact($sid);
is($c->[STATUS], 'active', 'the confirmed contact is active');
is_deeply([@$c[DIGEST, UNTIL, TRIES]], ['', 0, 0], 'the code is used');
unchanged_by('confirmed' => sub {
    is(word('confirm', contact => $sid, digest => "\xff digest"), 'CONFIRMED',
        'a contact is confirmed only once');
    is(word('confirm', contact => $sid, digest => 'wrong'), 'CONFIRMED',
        'wrong or right');
    is(word('resend', contact => $sid, digest => 'd', code => 'c',
        event => sid('EV')), 'CONFIRMED',
        'contact_resend refuses a confirmed contact');
});

# paused and active

is(word('status', contact => $sid, status => 'paused'), 'OK',
    'contact_status pauses the contact');
is(contact($sid)->[STATUS], 'paused', 'the contact is paused');
unchanged_by('again' => sub {
    is(word('status', contact => $sid, status => 'paused'), 'OK',
        'contact_status accepts a contact that is paused already');
    is(word('confirm', contact => $sid, digest => 'd'), 'CONFIRMED',
        'a paused contact stays confirmed');
    is(word('resend', contact => $sid, digest => 'd', code => 'c',
        event => sid('EV')), 'CONFIRMED',
        'contact_resend refuses a paused contact');
});
is(word('status', contact => $sid, status => 'active'), 'OK',
    'contact_status resumes the contact');
is(contact($sid)->[STATUS], 'active', 'the contact is active');
is(word('status', contact => $sid, status => 'active'), 'OK',
    'contact_status accepts a contact that is active already');

# five wrong codes

for my $try (1 .. 5) {
    is(word('confirm', contact => $plain, digest => "wrong $try"), 'CODE',
        "wrong, try $try");
}
unchanged_by('locked' => sub {
    is(word('confirm', contact => $plain, digest => "digest $plain"), 'LOCKED',
        'the right one');
    is(word('confirm', contact => $plain, digest => 'wrong'), 'LOCKED',
        'a wrong one');
});
is(contact($plain)->[STATUS], 'pending', 'a locked contact stays pending');

# resend

cmd('DEL', k('outbox'));
$ev = sid('EV');
is_deeply(call_on('resend', contact => $plain, digest => 'second',
    code => 'code77', event => $ev), ['OK'],
    'contact_resend sends a code at once after contact_add');
$c = contact($plain);
is_deeply([@$c[DIGEST, TRIES]], ['second', 0], 'a new code');
is($c->[UNTIL], $c->[SENT] + DAY, 'the new code is valid for a day');
is_deeply([map { [@$_[1, 2, 14, 15]] } events()],
    [[$ev, 'contact.confirm', $plain, 'code77']], 'goes to the contact');
unchanged_by('too soon' => sub {
    $r = call_on('resend', contact => $plain, digest => 'third', code => 'c',
        event => sid('EV'));
    is($r->[0], 'LATER',
        'contact_resend refuses a second code within a minute');
    cmp_ok($r->[1], '>=', 55,
        'contact_resend returns at least 55 seconds to wait');
    cmp_ok($r->[1], '<=', 60,
        'contact_resend returns at most 60 seconds to wait');
    is(word('resend', contact => sid('CO'), digest => 'd', code => 'c',
        event => sid('EV')), 'CONTACT', 'no such contact');
});
set($plain, SENT, $c->[SENT] - 59_400);
$r = call_on('resend', contact => $plain, digest => 'third', code => 'c',
    event => sid('EV'));
is("@$r", 'LATER 1', 'less than a second is a second');
set($plain, SENT, $c->[SENT] - 60_000);
is(word('resend', contact => $plain, digest => 'third', code => 'c',
    event => sid('EV')), 'OK', 'contact_resend sends a code after a minute');
is(word('confirm', contact => $plain, digest => 'second'), 'CODE',
    'only the last code counts');

# a clock that is set back does not block it forever

set($plain, SENT, contact($plain)->[SENT] + DAY);
is(word('resend', contact => $plain, digest => 'fourth', code => 'c',
    event => sid('EV')), 'OK',
    'contact_resend sends a code after the clock is set back');

# a code of yesterday

set($plain, UNTIL, contact($plain)->[SENT] - 1);
is(word('confirm', contact => $plain, digest => 'fourth'), 'CODE',
    'the code has expired');
set($plain, UNTIL, contact($plain)->[SENT] + DAY);
is(word('confirm', contact => $plain, digest => 'fourth'), 'OK',
    'contact_confirm accepts a code in time');

# delete

my $n = cmd('XLEN', k('outbox'));
is(word('delete', contact => $sid), 'OK',
    'contact_delete deletes the contact');
ok(!contact($sid), 'the record is deleted');
is_deeply([map { refs($_) } @cg], [0, 0, 0],
    'no group counts the deleted contact');
is_deeply(cmd('ZRANGE', k('contacts', $ac), 0, -1), [$plain],
    'the index has only the other contact');
is(cmd('XLEN', k('outbox')), $n, 'no event is written');
unchanged_by('a deleted contact' => sub {
    is(word('delete', contact => $sid), 'CONTACT',
        'a contact is deleted only once');
    is(word('delete', contact => $_), 'CONTACT', 'no such contact')
        for sid('CO'), '';
});

# adding an address again gives no more codes

my @again = (type => 'sms', value => '+15557654321', schedule => 'every_check',
    digest => 'd', code => 'c');
sub again { return call_on('add', contact => $_[0] // sid('CO'), @again,
    event => sid('EV')) }
my $first = sid('CO');
is(again($_)->[0], 'OK',
    'contact_add accepts the same address five times')
    for sid('CO'), sid('CO'), sid('CO'), sid('CO'), $first;
$n = cmd('XLEN', k('outbox'));
for (0, 1) {
    unchanged_by('again' => sub {
        $r = again();
        is($r->[0], 'CODES',
            'contact_add refuses a sixth code within the hour');
        cmp_ok($r->[1], '>=', 3500,
            'contact_add returns at least 3500 seconds to wait');
        cmp_ok($r->[1], '<=', 3600,
            'contact_add returns at most 3600 seconds to wait');
    });
    next if $_;
    unchanged_by('resend' => sub {
        $r = call_on('resend', contact => $first, digest => 'd', code => 'c',
            event => sid('EV'));
        is($r->[0], 'CODES',
            'contact_resend refuses a sixth code within the hour');
        cmp_ok($r->[1], '<=', 3600, 'seconds to wait');
    });
    is(word('delete', contact => $first), 'OK',
        'contact_delete deletes a contact of the address');
}
is(cmd('XLEN', k('outbox')), $n, 'nothing is sent');
my $mark = k('sent', $ac, sha1_hex("$again[1]|$again[3]"));
ok(cmd('EXISTS', $mark), 'the store remembers the codes of the address');
cmp_ok(cmd('PTTL', $mark), '<=', 3_600_000,
    'the store remembers the codes for an hour at most');
is(script('contact_add', [$other], contact => sid('CO'), @again,
    event => sid('EV'))->[0], 'OK',
    'another account can add the same address');
cmd('DEL', $mark);
is(again($first)->[0], 'OK', 'contact_add accepts the address after the hour');
is(word('delete', contact => $first), 'OK',
    'contact_delete deletes the contact of the address');

# a test message

my %test = (event => sid('EV'), type => 'contact.test', body => '{"test":1}');
my %refused = (pending => 'PENDING', paused => 'PAUSED');
for my $status (sort keys %refused) {
    set($plain, STATUS, $status);
    unchanged_by($status => sub {
        is(word('test', contact => $plain, %test), $refused{$status},
            "a test message to a $status contact is refused");
    });
}
set($plain, STATUS, 'active');
set($plain, SENT, 0);
is(word('test', contact => $plain, %test), 'OK',
    'contact_test accepts an active contact');
is_deeply({ @{ cmd('HGETALL', k('event', $ac, $test{event})) } }->{body},
    '{"test":1}', 'the event of the test has its body');
is(cmd('HGET', k('dlv', $ac, $test{event}, $plain), 'test'), '1',
    'the delivery is marked as a test');
ok(cmd('ZSCORE', k('retry'), "$ac:$test{event}:$plain"),
    'the test message is queued at once');
is(cmd('EXISTS', k('pending', $ac)), 0, 'contacts have no pending deliveries');
unchanged_by('too soon' => sub {
    $r = call_on('test', contact => $plain,
        %test{qw(type body)}, event => sid('EV'));
    is($r->[0], 'SOON',
        'contact_test refuses a second message within a minute');
    cmp_ok($r->[1], '<=', 60, 'seconds to wait');
});
unchanged_by('no contact' => sub {
    is(word('test', contact => sid('CO'), %test), 'CONTACT',
        'no such contact');
});
$r = script('delivery_claim', [k('retry')], most => 10, lease => 60_000);
is_deeply([@{ $r->[2] }[1, 2, 7, 8]], ['contact.test', contact($plain)->[3],
    '{"test":1}', contact($plain)->[2]], 'a daemon claims it');
is(script('delivery_done', [k('retry')], member => "$ac:$test{event}:$plain",
    attempt => 0, outcome => 'retry', delay => 1000, status => 500,
    error => 'no', quiet => 0)->[0], 'OK',
    'delivery_done records the failed test');
is(cmd('EXISTS', k('dlv', $ac, $test{event}, $plain),
    k('event', $ac, $test{event}), k('dead', $ac)), 0, 'nothing is left');

# nor can the other account reach it

unchanged_by('a stranger' => sub {
    for (['update', schedule => 'every_check'], ['status', status => 'paused'],
        ['delete'], ['resend', digest => 'd', code => 'c', event => sid('EV')],
        ['confirm', digest => 'd'], ['test', %test])
    {
        my ($verb, @args) = @$_;
        is(script("contact_$verb", [$other], contact => $plain, @args)->[0],
            'CONTACT',
            "$verb by another account");
    }
});

done_testing();
