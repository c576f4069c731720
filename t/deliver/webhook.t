#!/usr/bin/perl

# From the outbox to the receiver: recipients of each event, its contents, and
# its signature.

use strict;
use warnings;
use MIME::Base64 qw(encode_base64);
use RblTest;
use RblScript;
use RblDeliver;

deliver_setup();
my $key = join '', map { chr } 0 .. 31;
my $whsec = 'whsec_' . encode_base64($key, '');
my ($one, $two, $back) = map { start_receiver() } 1 .. 3;
my $all = hook_add($one->{url}, $whsec);
my $some = hook_add($two->{url}, 'plain', 'rbl.host.delisted');

my $d = start_deliverd();
my ($pp, $ht) = event_emit();
soon { idle() && received($one) == 3 } 'all is delivered';
my %by = map { $_->{json}{event_type} => $_ } received($one);
is_deeply([sort keys %by], ['rbl.host.check.completed',
    'rbl.host.check.started', 'rbl.host.listed'],
    'the receiver gets the events of a listing');
is(scalar received($two), 0, 'the other receiver gets nothing');

my $r = $by{'rbl.host.listed'};
like($r->{line}, qr{^POST /hook HTTP/1\.1$},
    'the request is a POST of HTTP/1.1');
my $h = $r->{headers};
is($h->{'content-type'}, 'application/json',
    'the request has the content type of JSON');
like($h->{'user-agent'}, qr{^ngx_rbl/\d},
    'the request has the user agent of ngx_rbl');
is($h->{'content-length'}, length $r->{body},
    'the request has the length of its body');
ok(!exists $h->{$_}, "the request has no header $_")
    for qw(expect accept-encoding authorization
    cookie transfer-encoding);
is($h->{host}, "127.0.0.1:$one->{port}", 'the request has the host of the URL');
for my $type (sort keys %by) {
    my $e = $by{$type};
    ok(signature_ok($e, $whsec), "$type: X-Webhook-Signature is valid");
    ok(standard_ok($e, $key), "$type: webhook-signature is valid");
    is($e->{headers}{'webhook-id'}, $e->{json}{event_sid},
        "$type: webhook-id is the SID of the event");
    is_current($e->{headers}{'webhook-timestamp'}, $^T,
        "$type: webhook-timestamp is the present time");
    is($e->{json}{check_sid}, $pp, "$type: the event has the SID of the check");
    is($e->{json}{host}{id}, $ht, "$type: the event has the SID of the host");
}
isnt($by{'rbl.host.listed'}{json}{event_sid},
    $by{'rbl.host.check.completed'}{json}{event_sid},
    'each event has its own SID');
is($r->{json}{total}, 2, 'the event counts two listings');
is_deeply([map { $_->{host} } @{ $r->{json}{details} }],
    ['a.example', 'b.example'], 'the event names the lists in its details');
ok(!exists $by{'rbl.host.check.started'}{json}{listed},
    'the event of the start counts no listings');

# the end of the listing
event_emit(host => $ht, results => [result('RBa', 'clear'),
    result('RBb', 'clear')]);
soon { idle() && received($two) == 1 && received($one) == 6 } 'delisted';
my ($e) = received($two);
is($e->{json}{event_type}, 'rbl.host.delisted',
    'the other receiver gets the type it wants');
ok(signature_ok($e, 'plain'),
    'the event is signed by the secret of its receiver');
ok(standard_ok($e, 'plain'), 'a secret without a prefix is the key itself');
ok(!$e->{json}{listed} && $e->{json}{total} == 0,
    'the event says that the host is not listed');
is_deeply($e->{json}{details}, [], 'the event of the end has no details');

# callbacks
my $check = one_off($back->{url}, '192.0.2.44');
soon { idle() && received($back) == 1 } 'the callback';
($e) = received($back);
is($e->{json}{event_type}, 'rbl.host.check.completed',
    'a callback gets the event of a completed check');
is($e->{json}{check_sid}, $check, 'the callback has the SID of its check');
is_deeply($e->{json}{host}, { host => '192.0.2.44' },
    'the callback has the value of the host only');
ok(signature_ok($e, $SECRET),
    'the callback is signed by the secret of the application');
is(scalar received($one), 6,
    'the receivers of the account get no one-off check');

one_off($back->{url}, '192.0.2.45', results => [], failed => 'No list.');
soon { idle() && received($back) == 2 } 'a failed check';
($e) = (received($back))[1];
is("$e->{json}{status}: $e->{json}{message}", 'failed: No list.',
    'the callback of a failed check has the reason');
like($e->{body}, qr/"details":\[\],"status":"failed","message":"No list\."\}$/,
    'the reason is at the end of the body');

# large results, which are in a separate field of the outbox; then half of the
# lists are unknown and keep their listings, and one has no listing
my @lists = map { sprintf 'list%03d.example', $_ } 1 .. 100;
sub large {
    my ($i, $is, %o) = @_;
    return result('RB' . 'x' x $i, $is, zone => $lists[$i - 1], %o,
        $is eq 'listed' ? (details => "d$i" x 40, codes => ['127.0.0.2']) : ());
}
sub told_of_large {
    my ($pp) = @_;
    return map { { map { $_->{host} => join ' ',
        @$_{qw(status details reason error)}, @{ $_->{codes} } }
        @{ $_->{json}{details} } } } grep { $_->{json}{check_sid} eq $pp
        && $_->{json}{event_type} =~ /completed|listed/ } received($one);
}
my %large = map { $lists[$_ - 1] => "listed " . "d$_" x 40 . '   127.0.0.2' }
    1 .. 99;
my ($large, $large_ht) = event_emit(results => [(map { large($_, 'listed') }
    1 .. 99), large(100, 'clear')]);
soon { idle() && received($one) == 9 } 'a large event';
is_deeply([told_of_large($large)], [\%large, \%large],
    'a large event has all of its lists');
($large) = event_emit(host => $large_ht, results => [
    large(100, 'unknown', error => 'timeout'), map { $_ % 2 ? large($_, 'listed')
        : large($_, 'unknown', error => 'timeout') } 1 .. 99]);
soon { idle() && received($one) == 12 } 'half of its lists are unknown';
$large{ $lists[2 * $_ - 1] } =~ s/  (?= 127)/  timeout/ for 1 .. 49;
is_deeply([told_of_large($large)], [\%large, \%large],
    'a large event has current listings and the errors of unknown lists');

# many at once, over one connection or more
my $before = received($one);
event_emit() for 1 .. 40;
soon { idle() && received($one) == $before + 120 } 'many events arrive';
my %seen;
$seen{ $_->{json}{event_sid} }++ for received($one);
is(scalar(grep { $_ != 1 } values %seen), 0,
    'the receiver gets each event once');

ok(stop_server($d, 5), 'the daemon ends on TERM');
is($d->{status}, 0, 'the daemon exits with 0');
unlike(read_file($d->{log}), qr/whsec_|plain|callback secret|\/hook/,
    'the log has no secret and no URL');
done_testing();
