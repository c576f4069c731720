#!/usr/bin/perl

# Contacts in the portal: what was sent to them, a test message, and the types
# that the daemons deliver to; with a real daemon.

use strict;
use warnings;

use Test::More;

use RblJudge qw(openapi);
use RblPortal;

# Those that need something of the operator's are in no fresh service.
my @all = sort @{ openapi()->{components}{schemas}{ContactType}{enum} };
my %needs = map { $_ => 1 } qw(email sms pushover telegram);
my @always = grep { !$needs{$_} } @all;
my $t = portal_setup();
my $admin = sign_in($t, role => 'admin');
my $sid = $t->{acct}{sid};

sub get { return portal($t, $admin, 'GET', "$_[0].json") }
sub post { return portal($t, $admin, 'POST', "$_[0].json", fields => $_[1]) }
sub types { return [sort @{ accepted(get('contact/types'), 'types')->{data} }] }

# The worker reads the records of the daemons every five seconds.
sub types_become {
    my ($want, $name) = @_;

    my $got;
    wait_for { "@{ $got = types() }" eq "@$want" } 20, $name;
    is_deeply($got, $want, $name);
    return;
}
sub entries { return accepted(get("contact/log/$_[0]"), 'log')->{data} }

sub contact_of {
    my ($type, $value, $status) = (@_, '');

    my $id = accepted(post('contact/add', { type => $type, contact => $value,
        schedule => 'start_and_end' }), 'a contact')->{data}{id};
    my $key = redis_key('r', $sid, $id);
    my $c = record('contact', redis($t->{redis}, 'GET', $key));
    redis($t->{redis}, 'SET', $key, record_pack('contact', %$c,
        value => \$c->{value}, status => 'paused')) if $status;
    accepted(post("contact/resume/$id"), 'the portal resumes the contact')
        if $status eq 'active';
    return $id;
}

# --- types -------------------------------------------------------------------

is_deeply(types(), \@all,
    'all types are shown as long as no daemon has reported its own');
redis($t->{redis}, 'ZADD', 'rbl:{0}:daemons', time * 1000, 'old');
redis($t->{redis}, 'SET', 'rbl:{0}:daemon:old', mp_pack([1, 'old', 'v', 1, 1,
    [], [], [], ['email', 'pigeon', '<b>']]));
types_become(['email'], 'the type that is known of three is shown');
redis($t->{redis}, 'SET', 'rbl:{0}:daemon:old', mp_pack([1, 'old', 'v', 1, 1,
    [], [], []]));
types_become(\@all, 'a daemon of an older release shows all types');
redis($t->{redis}, 'SET', 'rbl:{0}:daemon:old', 'damaged');
is_deeply(types(), \@all, 'a damaged record shows all types');
redis($t->{redis}, 'DEL', 'rbl:{0}:daemon:old');

# The contact is active before a daemon can send it a request to confirm.
my $receiver = start_receiver(body => 'thank <you>');
my $contact = contact_of('endpoint', $receiver->{url}, 'active');
my $daemon = start_checkd(store => $t->{redis}, conf => { deliver_http => 'on',
    deliver_allow => '127.0.0.0/8' });
types_become(\@always,
    'a daemon without mail, SMS and tokens shows the other types');

# --- a test message ----------------------------------------------------------

is_deeply(entries($contact), [], 'nothing was sent');
my $event = accepted(post("contact/test/$contact"), 'a test')->{data}{event};
like($event, qr/^EV[0-9a-f]{32}$/, 'the event of the test has an ID');
wait_for { received($receiver) > 0 } 20, 'the message';
my ($got) = received($receiver);
is($got->{json}{event_type}, 'contact.test',
    'the message has the type contact.test');
is($got->{json}{event_sid}, $event, 'the message has the ID of the event');
like($got->{json}{message}, qr/This is a test/,
    'the message has the text of a test');
wait_for { @{ entries($contact) } > 0 } 20, 'the log';
my ($try) = @{ entries($contact) };
is_deeply([@$try{qw(event type outcome http attempt next answer)}], [$event,
    'contact.test', 'ok', 200, 1, '', 'thank <you>'],
    'the log has the attempt of the test');
is(accepted(portal($t, sign_in($t, role => 'viewer'), 'GET',
    "contact/log/$contact.json"), 'the log')->{data}[0]{answer}, '****',
    'a viewer does not see the answer to a message');
refused(post("contact/test/$contact"), 429, qr/less than a minute/,
    'the portal refuses a second test within a minute');

my $dead = contact_of('email', 'ops@example.test', 'active');
accepted(post("contact/test/$dead"), 'of a type that is not configured');
wait_for { @{ entries($dead) } > 0 } 20, 'its log';
($try) = @{ entries($dead) };
is($try->{outcome}, 'dead', 'the test of an unconfigured type is given up');
like($try->{error}, qr/no SMTP server/,
    'the log has the reason of the failure');
is((grep { "@{ $_->[1] }" =~ /contact\.test/ } @{ redis($t->{redis}, 'XRANGE',
    redis_key('dead', $sid), '-', '+') }), 0, 'a test leaves no dead letter');
is(redis($t->{redis}, 'ZCARD', redis_key('pending', $sid)), 0,
    'a test leaves no pending delivery');

# --- refusals ----------------------------------------------------------------

stop_server($daemon);
redis($t->{redis}, 'DEL', $_)           # its counters, which expire soon
    for @{ redis($t->{redis}, 'KEYS', 'rbl:*:daemon:*') };
for my $case (['pending', contact_of('email', 'a@example.test'), 409,
    qr/not confirmed/], ['paused', contact_of('email', 'b@example.test',
    'paused'), 409, qr/is paused/], ['unknown', sid_of('CO'), 404,
    qr/contact id/])
{
    my ($name, $id, $code, $text) = @$case;
    unchanged {
        refused(post("contact/test/$id"), $code, $text, "a contact: $name");
    } $t, $name;
}
refused(get("contact/log/" . sid_of('CO')), 404, qr/contact id/,
    'the log of no contact');
refused(portal($t, $admin, 'GET', "contact/log/$contact.json?last=$_"), 400,
    qr/last/, "last=$_ is refused with 400") for 0, 1001, 'x';
my $other = sign_in($t, acct => $t->{other});
refused(portal($t, $other, 'GET', "contact/log/$contact.json"), 404,
    qr/contact id/, 'another account\'s contact');
refused(portal($t, $other, 'POST', "contact/test/$contact.json"), 404,
    qr/contact id/, 'another account cannot test the contact');

my $r = rblctl($t->{redis}, 'fsck');
is($r->{status}, 0, 'the store is consistent') or diag("$r->{out}$r->{err}");

done_testing();
