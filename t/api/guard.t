#!/usr/bin/perl

# Responses in front of nginx's own features: conditional requests must not hide
# an executed write, and auth_request must see a refusal as an error.

use strict;
use warnings;
use RblApi;

my $t = api_setup(http => 'rbl_legacy_errors on;', server => q{
    location /guarded/ { auth_request /3.0/hosts.json; root %%DIR%%; }
});
mkdir "$t->{nginx}{dir}/guarded";
write_file("$t->{nginx}{dir}/guarded/x.txt", 'guarded');

# --- conditional requests --------------------------------------------------

my $n = 0;
for my $header ('If-Match: "x"', 'If-Match: *', 'If-None-Match: *',
    'If-None-Match: "x"', 'If-Unmodified-Since: Fri, 20 Nov 2020 13:37:06 GMT',
    'If-Modified-Since: Fri, 20 Nov 2099 13:37:06 GMT', 'Range: bytes=0-3')
{
    $n++;
    accepted(call($t, 'GET', 'hosts.json', headers => [$header]),
        "GET with $header is served");
    accepted(call($t, 'POST', 'host/add.json', headers => [$header],
        form => { host => "10.7.0.$n", name => 'n', type => 'rbl' }),
        "POST with $header is served");
}
is(json(call($t, 'GET', 'hosts.json')->{body})->{total_hosts}, $n,
    'each write was executed once');

# --- with auth_request -----------------------------------------------------

my $sid = $t->{acct}{sid};
sub guarded { return http($t->{nginx}, 'GET', '/guarded/x.txt', auth => $_[0]) }

is(guarded($t->{acct})->{body}, 'guarded',
    'auth_request accepts valid credentials');
is(guarded(undef)->{status}, 401,
    'auth_request refuses a request without credentials');
is(guarded([$sid, '0' x 64])->{status}, 401,
    'auth_request refuses wrong credentials');
stop_server($t->{redis});
cmp_ok(guarded([$sid, '0' x 64])->{status}, '>=', 500,
    'auth_request refuses access without a store');

done_testing();
