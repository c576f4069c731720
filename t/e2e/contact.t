#!/usr/bin/perl

# A contact is added over HTTP, gets its code by mail through exim or by POST,
# and is confirmed only by that code; five wrong ones lock it until another is
# sent.

use strict;
use warnings;

use lib 't/lib';
use RblTest;
use RblMail;

my $exim = start_exim();
my $hook = start_receiver();
my $redis = start_redis();
init_store($redis);
my $nginx = start_nginx(store => $redis);
my $checkd = start_checkd(store => $redis, conf => { deliver_http => 'on',
    deliver_allow => '127.0.0.0/8',
    smtp_url => "smtp://127.0.0.1:$exim->{port}",
    smtp_from => 'blocklists@example.net' });
my $acct = make_account($redis);

sub get { return api($nginx, $acct, 'GET', @_) }
sub post { return api($nginx, $acct, 'POST', @_) }
sub state_of { return get("/3.0/contact/$_[0].json")->{data}[0]{status} }

sub add {
    my ($type, $value) = @_;

    my $r = post('/3.0/contact/add.json', { type => $type, contact => $value,
        schedule => 'start_and_end' });
    is($r->{status_code}, 200, "contact/add accepts the $type contact");
    is($r->{data}{status}, 'pending', "the new $type contact is pending");
    return $r->{data}{id};
}

sub confirm {
    my ($id, $code) = @_;

    return post("/3.0/contact/confirm/$id.json",
        { authcode => $code })->{status_code};
}

# The code of the n-th mail
my (%seen, @codes);
sub mailed {
    my ($n) = @_;

    ok(wait_for(sub { mails($exim) == $n }, 20), "mail $n comes");
    my ($new) = grep { !$seen{ $_->[0]{'message-id'} }++ } mails($exim);
    my ($code) = mail_body($new) =~ /^ {4}([a-z2-9]{6})$/m;
    push @codes, $code;
    return $code;
}

my $mail = add('email', 'ops@example.net');
my $code = mailed(1);
like($code, qr/^[a-hjkmnp-z2-9]{6}$/, 'the mail has a code');
my $wrong = $code eq 'aaaaaa' ? 'bbbbbb' : 'aaaaaa';
is(confirm($mail, $wrong), 400, 'another code is wrong');
is(state_of($mail), 'pending', 'a wrong code leaves the contact pending');
is(confirm($mail, $code), 200, 'the code of the mail confirms the contact');
is(state_of($mail), 'active', 'the confirmed contact is active');
is(confirm($mail, $code), 409, 'a contact cannot be confirmed twice');

my $locked = add('email', 'desk@example.net');
$code = mailed(2);
$wrong = $code eq 'aaaaaa' ? 'bbbbbb' : 'aaaaaa';
is(confirm($locked, $wrong), 400, "wrong code number $_ is refused") for 1 .. 5;
is(confirm($locked, $code), 409,
    'the right code is refused after five wrong ones');
is(post("/3.0/contact/resend/$locked.json")->{status_code}, 200,
    'contact/resend sends another code');
my $old = $code;
$code = mailed(3);
is(confirm($locked, $old), 400, 'the old code is not valid')
    if $old ne $code;
is(confirm($locked, $code), 200, 'the new code confirms the contact');

my $endpoint = add('endpoint', $hook->{url});
ok(wait_for(sub { received($hook) == 1 }, 20), 'a POST comes');
my ($r) = received($hook);
is($r->{json}{event_type}, 'contact.confirm', 'the POST is a confirmation');
is(confirm($endpoint, $r->{json}{authcode}), 200,
    'the code of the POST confirms the endpoint');
is(state_of($endpoint), 'active', 'the confirmed endpoint is active');

my $all = join '|', $r->{json}{authcode}, @codes;
unlike(read_file($_), qr/$all/, 'no code is in ' . ($_ =~ m{([^/]+)$})[0])
    for $checkd->{log}, glob "$nginx->{dir}/*.log";
done_testing();
