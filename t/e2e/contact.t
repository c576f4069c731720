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
    is($r->{status_code}, 200, "$type: added");
    is($r->{data}{status}, 'pending', "$type: pending");
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
like($code, qr/^[a-hjkmnp-z2-9]{6}$/, 'it has a code');
my $wrong = $code eq 'aaaaaa' ? 'bbbbbb' : 'aaaaaa';
is(confirm($mail, $wrong), 400, 'another code is wrong');
is(state_of($mail), 'pending', 'it is pending still');
is(confirm($mail, $code), 200, 'its code confirms it');
is(state_of($mail), 'active', 'it is active');
is(confirm($mail, $code), 409, 'once');

my $locked = add('email', 'desk@example.net');
$code = mailed(2);
$wrong = $code eq 'aaaaaa' ? 'bbbbbb' : 'aaaaaa';
is(confirm($locked, $wrong), 400, "wrong code $_") for 1 .. 5;
is(confirm($locked, $code), 409, 'then the right one is refused');
is(post("/3.0/contact/resend/$locked.json")->{status_code}, 200,
    'another one is sent');
my $old = $code;
$code = mailed(3);
is(confirm($locked, $old), 400, 'the old code is not valid')
    if $old ne $code;
is(confirm($locked, $code), 200, 'the new one confirms it');

my $endpoint = add('endpoint', $hook->{url});
ok(wait_for(sub { received($hook) == 1 }, 20), 'a POST comes');
my ($r) = received($hook);
is($r->{json}{event_type}, 'contact.confirm', 'a confirmation');
is(confirm($endpoint, $r->{json}{authcode}), 200, 'its code confirms it');
is(state_of($endpoint), 'active', 'it is active');

my $all = join '|', $r->{json}{authcode}, @codes;
unlike(read_file($_), qr/$all/, 'no code in ' . ($_ =~ m{([^/]+)$})[0])
    for $checkd->{log}, glob "$nginx->{dir}/*.log";
done_testing();
