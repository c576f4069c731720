#!/usr/bin/perl

# The calls of the portal for webhooks: changes, secrets, tests, the log, dead
# letters and replays, and what they refuse.  rblctl sees the same.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup();
my $ac = $t->{acct}{sid};
my $owner = sign_in($t);
my $url = 'https://hook.example/x?y=1';
my $shown = 'https://hook.example/x?****';

sub post { return portal($t, $owner, 'POST', "$_[0].json", fields => $_[1]) }
sub get { return portal($t, $owner, 'GET', $_[0]) }
sub data { return accepted(@_)->{data} }
sub hook { return record('hook', redis($t->{redis}, 'GET',
    redis_key('s', $ac, $_[0]))) }
sub ctl { return json(rblctl($t->{redis}, '--json', 'webhook', @_)->{out}) }

# --- add ---------------------------------------------------------------------

my $empty = accepted(get('webhooks.json'), 'no webhooks');
is_deeply([@$empty{qw(page total_pages page_size total_webhooks data)}],
    [1, 0, 20, 0, []], 'an empty page');
my $made = data(post('webhook/add', { name => ' Ops ', url => $url,
    types => ['rbl.host.listed', 'rbl.host.delisted'] }), 'a webhook is added');
my $wh = $made->{id};
like($made->{secret}, qr{^whsec_[A-Za-z0-9+/]{43}=$},
    'the response has the secret');
is($made->{secret}, hook($wh)->{secret}, 'the store has the same secret');
like($made->{created}, qr/^20\d\d-.*\+00:00$/,
    'the response has the time of creation');
is_deeply([@$made{qw(name url types status disabled reason failing_since failed
    quiet_until)}], ['Ops', $shown, ['rbl.host.listed', 'rbl.host.delisted'],
    'active', '', '', '', 0, ''], 'what it is');
is(ctl('show', $ac, $wh)->{name}, 'Ops', 'rblctl shows it');
my $list = accepted(get('webhooks.json'), 'the list');
unlike(json_text($list), qr/whsec_/, 'no list has a secret');
delete $made->{secret};
is_deeply($list->{data}, [$made],
    'the list has all other fields of the webhook');
is($list->{total_webhooks}, 1, 'the list counts one webhook');
my $one = data(get("webhook/$wh.json"), 'one');
is_deeply($one, { %$made, old_secret_until => '', pending => 0,
    account_dead_letters => 0 }, 'one of them, without the secret');
is(data(get('webhook/WH' . uc(substr $wh, 2) . '.json'), 'in capitals')->{id},
    $wh, 'the ID may be in capitals');

sub json_text { return JSON::XS->new->canonical->encode($_[0]) }

unchanged {
    for my $case (['no name', { url => $url }, qr/No name/],
        ['an empty name', { name => ' ', url => $url }, qr/No name/],
        ['a long name', { name => 'x' x 256, url => $url }, qr/name/],
        ['no url', { name => 'n' }, qr/No url/],
        (map { ["the url $_", { name => 'n', url => $_ },
            qr/url .* http or https/] } 'ftp://x.example/', 'x', 'http://',
            'https://u:p@x.example/', 'https://x.example/#a',
            'http://0x7f.1/', 'http://127.1/', 'https://x.example:0/',
            'https://x.example/ä', 'https://x.example/' . 'a' x 2048),
        ['an unknown type', { name => 'n', url => $url, types => 'a' },
            qr/types/],
        ['a type twice empty', { name => 'n', url => $url, types => ',' },
            qr/types/],
        ['too many types', { name => 'n', url => $url,
            types => [('rbl.host.listed') x 17] }, qr/types/],
        ['types that are no texts', { name => 'n', url => $url,
            types => [{}] }, qr/types/])
    {
        my ($name, $fields, $text) = @$case;
        refused(post('webhook/add', $fields), 400, $text, $name);
    }
} $t, 'by wrong fields';

{
    my $late = sign_in($t);
    sign_in_ago($t, $late, 11 * 60_000);
    for my $call ('webhook/add', "webhook/rotate/$wh") {
        my $r = portal($t, $late, 'POST', "$call.json",
            fields => { name => 'n', url => $url });
        refused($r, 401, qr/sign in again/, "$call: not soon after a sign-in");
        like($r->{headers}{'www-authenticate'},
            qr/insufficient_user_authentication/,
            "$call names the reason in the challenge");
    }
}

# --- update ------------------------------------------------------------------

accepted(post("webhook/update/$wh", { name => 'New' }),
    'the portal changes the name');
accepted(post("webhook/update/$wh", { url => 'http://[2001:db8::1]:8080/' }),
    'the portal changes the URL');
accepted(post("webhook/update/$wh", { types => 'rbl.host.listed' }),
    'the portal changes the types');
is_deeply([@{ hook($wh) }{qw(name url types)}],
    ['New', 'http://[2001:db8::1]:8080/', ['rbl.host.listed']],
    'each changed alone');
accepted(post("webhook/update/$wh", { name => 'All', url => $url,
    types => [] }), 'all at once');
is_deeply([@{ hook($wh) }{qw(name url types)}], ['All', $url, []],
    'no types are all');
redis($t->{redis}, 'HSET', redis_key('hook', $ac, $wh), 'since',
    1_795_167_000_000, 'fails', 7, 'till', 1000 * (time + 100));
$one = data(get("webhook/$wh.json"), 'one that fails');
is("$one->{failing_since} $one->{failed}", '2026-11-20T09:30:00+00:00 7',
    'since when, how often');
like($one->{quiet_until}, qr/^20/, 'the failing webhook is paused');
is(accepted(get('webhooks.json'), 'the list')->{data}[0]{failed}, 7,
    'the list counts the failures');
accepted(post("webhook/update/$wh", { name => 'b', url => $url }),
    'the portal changes the name but not the URL');
is(data(get("webhook/$wh.json"), 'one')->{failed}, 7,
    'the same url forgets no failures');
accepted(post("webhook/update/$wh", { url => "$url&z" }),
    'the portal changes the URL');
is(data(get("webhook/$wh.json"), 'one')->{failed}, 0,
    'another URL resets the failures');
refused(post("webhook/update/$wh", { url => 'x' }), 400, qr/url/, 'a bad url');
refused(post("webhook/update/$wh", { types => 'x' }), 400, qr/types/,
    'the portal refuses an unknown type');

# --- secrets -----------------------------------------------------------------

my $old = hook($wh)->{secret};
my $began = time;
my $new = data(post("webhook/rotate/$wh"), 'a new secret');
is_deeply([@{ hook($wh) }{qw(secret old)}], [$new->{secret}, $old],
    'the old one signs, too');
is_current(hook($wh)->{old_until} / 1000 - 86_400, $began,
    'the old secret is valid for a day');
is(data(get("webhook/$wh.json"), 'one')->{old_secret_until},
    $new->{old_secret_until}, 'the webhook says so');
data(post("webhook/rotate/$wh", { overlap => 7200 }), 'for two hours');
is_current(hook($wh)->{old_until} / 1000 - 7200, $began,
    'the old secret is valid for two hours');
is(data(post("webhook/rotate/$wh", { overlap => 0 }), 'at once')
    ->{old_secret_until}, '', 'the old secret ends at once');
refused(post("webhook/rotate/$wh", { overlap => $_ }), 400, qr/overlap/,
    "overlap $_ is refused with 400") for -1, 2_592_001, 'x', '1.5', '';

# --- status ------------------------------------------------------------------

accepted(post("webhook/disable/$wh"), 'the portal disables the webhook');
$one = data(get("webhook/$wh.json"), 'one');
is($one->{status}, 'disabled', 'the webhook is disabled');
like($one->{disabled}, qr/^20/,
    'the webhook has the time when it was disabled');
refused(post("webhook/test/$wh"), 409, qr/enable it first/,
    'a disabled webhook cannot be tested');
refused(post("webhook/replay/$wh", { all => 1 }), 409, qr/enable it first/,
    'the portal refuses a replay to a disabled webhook');
accepted(post("webhook/enable/$wh"), 'the portal enables the webhook');
is(ctl('show', $ac, $wh)->{status}, 'active', 'rblctl says so, too');

# --- a test ------------------------------------------------------------------

my $ev = data(post("webhook/test/$wh"), 'a test')->{event};
like($ev, qr/^EV[0-9a-f]{32}$/, 'the test has the ID of its event');
my %event = @{ redis($t->{redis}, 'HGETALL', redis_key('event', $ac, $ev)) };
is($event{type}, 'webhook.test', 'the test is queued as webhook.test');
my $body = json({ body => $event{body} });
is($body->{event_sid}, $ev, 'the body has the ID of the event');
is($body->{message}, 'This is a test of your webhook.',
    'the body has the message of a test');
is(data(get("webhook/$wh.json"), 'one')->{pending}, 1, 'the test is pending');

# --- the log -----------------------------------------------------------------

my $at = (time - 86_400) * 1000;
sub attempt {
    my (%o) = @_;
    redis($t->{redis}, 'RPUSH', redis_key('log', $ac, $wh), record_pack('try',
        version => 1, at => $at, event => 'EV' . 'a' x 32,
        type => 'rbl.host.listed', number => 1, outcome => 'retry',
        status => 500, took => 12, next => 5000, error => 'HTTP status',
        answer => \"<b>\x1b[1mno\xff", %o));
}
is_deeply(data(get("webhook/log/$wh.json"), 'no attempt'), [],
    'a new webhook has an empty log');
attempt(number => $_) for 1 .. 30;
my $log = data(get("webhook/log/$wh.json"), 'the log');
is_deeply([map { $_->{attempt} } @$log], [reverse 11 .. 30],
    'the last twenty, the newest first');
is_deeply([@{ $log->[0] }{qw(event type outcome http ms error)}],
    ['EV' . 'a' x 32, 'rbl.host.listed', 'retry', 500, 12, 'HTTP status'],
    'what there is to know');
is($log->[0]{answer}, "<b>\x1b[1mno\x{fffd}",
    'the entry has the answer of the receiver');
is(seconds($log->[0]{next}) - seconds($log->[0]{time}), 5, 'the next attempt');
sub seconds { return $_[0] =~ /T(\d+):(\d+):(\d+)/
    ? ($1 * 60 + $2) * 60 + $3 : 0 }
{
    my %who = map { $_ => sign_in($t, role => $_) } qw(viewer admin owner);
    my $operators = operators($t);
    $who{"operator, $_"} = sign_in($t, acct => $operators, role => $_)
        for qw(viewer admin);
    my %answer = map {
        my $in = /^operator/ ? "?account=$ac" : '';
        $_ => accepted(portal($t, $who{$_}, 'GET', "webhook/log/$wh.json$in"),
            $_)->{data}[0]{answer};
    } sort keys %who;
    is_deeply([map { "$_: $answer{$_}" } grep { $answer{$_} eq '****' }
        sort keys %answer], ['operator, viewer: ****', 'viewer: ****'],
        'viewers see that a receiver answered, and not what');
    is(scalar(grep { $_ eq $log->[0]{answer} } values %answer), 3,
        'owners and admins see the answer');
}
attempt(type => 'webhook.test', answer => \'');
is(accepted(portal($t, sign_in($t, role => 'viewer'), 'GET',
    "webhook/log/$wh.json?last=1"), 'a test')->{data}[0]{answer}, '',
    'no answer is none for a viewer');
is(data(get("webhook/log/$wh.json?last=1"), 'a test')->[0]{next}, '',
    'a failed test is not tried again');
redis($t->{redis}, 'RPOP', redis_key('log', $ac, $wh));
attempt(number => 31, at => $at - 30 * 86_400_000);
redis($t->{redis}, 'RPUSH', redis_key('log', $ac, $wh), 'junk');
attempt(number => 32, outcome => 'ok');
is_deeply([map { "$_->{attempt} " . ($_->{next} ? 1 : 0) }
    @{ data(get("webhook/log/$wh.json?last=4"), 'four') }], ['32 0', '30 1'],
    'the log leaves out old and damaged entries');
is(scalar @{ data(get("webhook/log/$wh.json?last=1000"), 'all') }, 31,
    'the log has all 31 attempts');
refused(get("webhook/log/$wh.json?last=$_"), 400, qr/last/,
    "last=$_ is refused with 400")
    for 0, 1001, 'x', -1, '';

# --- dead letters ------------------------------------------------------------

my $then = 1_795_167_000_000;
sub letter {
    my ($n, %o) = @_;
    redis($t->{redis}, 'XADD', redis_key('dead', $ac), $then + $n * 1000 . '-0',
        e => sprintf('EV%032x', $n), to => $wh, url => '',
        t => 'rbl.host.listed', b => "{$n}", s => 500, x => 'HTTP <status>',
        n => 10, a => '', %o);
}
my $other = data(post('webhook/add', { name => 'n', url => $url }), 'another')
    ->{id};
letter($_) for 1 .. 300;
letter(301, to => $other);
letter(302, to => 'CB0', a => 'AP' . '0' x 32);
letter(303, b => '');
sub dead {
    my ($who, $query) = @_;
    my $v = accepted(get("webhook/dead/$who.json" . ($query // '')), 'dead');
    return ($v->{data}, $v->{next});
}
my ($page, $next) = dead($wh);
is(scalar @$page, 20, 'twenty dead letters');
is_deeply($page->[0], { id => $then + 303_000 . '-0',
    time => '2026-11-20T09:35:03+00:00', event => sprintf('EV%032x', 303),
    type => 'rbl.host.listed', to => $wh, attempts => 10, http => 500,
    error => 'HTTP <status>', kept => 0 }, 'one whose body is not kept');
is_deeply([map { hex substr $_->{event}, 2 } @$page[1 .. 19]],
    [reverse 282 .. 300], 'the newest first');
is($page->[1]{kept}, 1, 'the second dead letter has its body');
my @all = @$page;
while ($next) {
    my $more;
    ($more, $next) = dead($wh, "?last=100&before=$next");
    push @all, @$more;
}
is(scalar @all, 301, 'page by page one reads all');
is_deeply([map { $_->{event} } @{ (dead($other))[0] }],
    [sprintf 'EV%032x', 301], 'the other webhook has its own dead letter');
is(data(get("webhook/$wh.json"), 'one')->{account_dead_letters}, 303,
    'the account has so many');
for my $bad ('last=0', 'last=101', 'last=x', 'before=x', 'before=1',
    'before=-', 'before=%2b', 'before=(1-0', 'before=' . '9' x 30 . '-0', 'before=1-')
{
    refused(get("webhook/dead/$wh.json?$bad"), 400, qr/last|before/, $bad);
}

# --- replay ------------------------------------------------------------------

sub retry { my $k = redis_key('acct', $ac); $k =~ s/:acct:.*/:retry/;
    return redis($t->{redis}, 'ZCARD', $k) }
sub replay {
    my (%fields) = @_;
    my ($sum, $calls, $next) = (0, 0, '');
    do {
        my $v = data(post("webhook/replay/$wh", { %fields,
            $next ? (after => $next) : () }), 'replay');
        $sum += $v->{deliveries};
        $calls++;
        $next = $v->{next};
    } while ($next && $calls < 100);
    return wantarray ? ($sum, $calls) : $sum;
}
my $before = retry();
is(replay(event => sprintf 'EV%032x', 7), 1,
    'a replay of one event queues one delivery');
is(retry() - $before, 1, 'the replayed event is queued');
is(replay(event => sprintf 'EV%032x', 7), 0, 'an event is replayed only once');
is(replay(event => uc sprintf 'EV%032x', 200), 1,
    'the ID of the event may be in capitals');
is(replay(from => '2026-11-20T09:30:00', to => '2026-11-20T09:31:00Z'), 59,
    'a replay of a time span queues 59 deliveries');
is(replay(from => '2026-11-20T09:34:00+00:00'), 61,
    'a replay from a time on queues 61 deliveries');
my ($n, $calls) = replay(all => 1);
is($n, 178, 'a replay of all queues the other deliveries');
ok($calls > 1, 'the replay takes several calls');
is(retry() - $before, 300, 'all are to be delivered');
is(redis($t->{redis}, 'XLEN', redis_key('dead', $ac)), 3,
    'dead letters of others and without a body stay');
unchanged {
    for my $case (['nothing', {}], ['all that is 0', { all => 0 }],
        ['two', { all => 1, event => sid_of('EV') }],
        ['to alone', { to => '2026-11-20' }],
        ['all and to', { all => 1, to => '2026-11-20' }],
        ['a cursor alone', { after => '1-0' }])
    {
        refused(post("webhook/replay/$wh", $case->[1]), 400,
            qr/Give an event, or all/, "the replay of $case->[0] is refused");
    }
    for my $case ([event => 'x'], [event => ''], [event => $wh],
        [from => 'x'], [from => '2026-13-01'], [from => '2h'], [from => ''],
        [from => '2026-11-20T09:30:00+01:00'], [from => '1969-01-01'],
        [all => 'x'], [after => 'x'], [after => '1'], [after => '+'])
    {
        my ($field, $value) = @$case;
        refused(post("webhook/replay/$wh", { ($field eq 'after'
            ? (all => 1) : ()), $field => $value }), 400, qr/\b$field\b/,
            "replay: $field $value");
    }
} $t, 'by wrong replays';

# --- others ------------------------------------------------------------------

{
    my $stranger = sign_in($t, acct => $t->{other});
    unchanged {
        for my $call (qw(update rotate enable disable delete test replay)) {
            refused(portal($t, $stranger, 'POST', "webhook/$call/$wh.json",
                fields => { all => 1 }), 404, qr/webhook id/,
                "$call: another account's");
        }
    } $t, 'by a stranger';
    refused(portal($t, $stranger, 'GET', $_), 404, qr/webhook id/,
        "$_: another account's") for map { "$_$wh.json" } 'webhook/',
        'webhook/log/', 'webhook/dead/';
    is_deeply(accepted(portal($t, $stranger, 'GET', 'webhooks.json'), 'list')
        ->{data}, [], 'the list of another account does not have the webhook');
    refused(call($t, 'GET', 'webhooks.json'), 404, qr/path/,
        'none is a call of the API');
}

# --- the end, and the limit --------------------------------------------------

accepted(post("webhook/delete/$wh"), 'the portal deletes the webhook');
refused(post("webhook/delete/$wh"), 404, qr/webhook id/,
    'a deleted webhook cannot be deleted again');
refused(get("webhook/log/$wh.json"), 404, qr/webhook id/,
    'a deleted webhook has no log');
ok(!redis($t->{redis}, 'EXISTS', redis_key('log', $ac, $wh),
    redis_key('s', $ac, $wh)), 'nothing of it is left');
accepted(post('webhook/add', { name => "n$_", url => $url }),
    "the portal adds webhook $_")
    for 2 .. 100;
refused(post('webhook/add', { name => 'n', url => $url }), 409,
    qr/at most 100 webhooks/, 'an account has at most 100 webhooks');
my $last = accepted(get('webhooks.json?page=2&page_size=60'), 'a page');
is_deeply([@$last{qw(page total_pages page_size total_webhooks)},
    scalar @{ $last->{data} }], [2, 2, 60, 100, 40], 'of the list');
is(scalar @{ accepted(get('webhooks.json?page_size=1000'), 'all')->{data} },
    100, 'all on one page');
refused(get("webhooks.json?$_"), 400, qr/page/, "$_ is refused with 400")
    for 'page=0', 'page_size=x';

my $r = rblctl($t->{redis}, 'fsck');
is($r->{status}, 0, 'the store is consistent') or diag("$r->{out}$r->{err}");

done_testing();
