#!/usr/bin/perl

# Signing in by a mailed link: the index of users by address, the call, the mail,
# what it leaves, who learns what, limits.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use MIME::QuotedPrint ();
use Test::More;

use RblMail;
use RblPortal;

my $t = portal_setup();
my $redis = $t->{redis};
my ($sid, $other) = map { $t->{$_}{sid} } qw(acct other);
my $exim = start_exim();
my $sent = qr/If the address is that of a user, a link is on its way/;

sub hash_key {
    my ($name, $text) = @_;

    my $hash = substr sha256_hex($text), 0, 32;
    return redis_key($name, hex(substr $hash, 0, 4) % partitions(), $hash);
}

sub found {
    my ($mail) = @_;

    return @{ redis($redis, 'ZRANGE', hash_key('mail', lc $mail), 0, -1) };
}

sub mail_me {
    my ($mail, %opt) = @_;

    return portal($t, undef, 'POST', 'session/link.json',
        fields => { mail => $mail }, %opt);
}

# Addresses may be asked for again, and networks ask again.
sub forget_asked {
    redis($redis, 'DEL', $_)
        for @{ redis($redis, 'KEYS', 'rbl:{*}:asked:*') };
    return;
}

sub outbox_empty {
    for my $key (@{ redis($redis, 'KEYS', 'rbl:{*}:outbox') }) {
        return 0 if redis($redis, 'XLEN', $key);
    }
    return !@{ redis($redis, 'KEYS', 'rbl:{*}:event:*') }
        && !@{ redis($redis, 'KEYS', 'rbl:{*}:dlv:*') };
}

sub everything {
    my ($secret) = @_;

    my $all = redis_dump($redis);
    return grep { index("$_ $all->{$_}", $secret) >= 0 } sort keys %$all;
}

# --- the index ---------------------------------------------------------------

my $user = add_user($t, mail => 'Jo.Doe@example.net', role => 'admin');
is_deeply([found('jo.doe@EXAMPLE.net')], ["$sid:$user->{id}"],
    'rblctl puts a user into the index');
my $owner = sign_in($t);
{
    my $r = accepted(portal($t, $owner, 'POST', 'user/add.json', fields =>
        { mail => 'Added@example.net', role => 'viewer' }), 'user/add');
    my $id = $r->{data}{id};
    is_deeply([found('added@example.net')], ["$sid:$id"],
        'the portal puts a user into the index');
    refused(portal($t, $owner, 'POST', 'user/add.json', fields =>
        { mail => 'Added@example.net', role => 'viewer' }), 409, qr/Another/,
        'an address twice');
    ok((grep { $_ eq "$sid:$id" } found('added@example.net')),
        'the first user stays in the index');
    accepted(portal($t, $owner, 'POST', "user/delete/$id.json"),
        'the portal deletes the user');
    ok(!(grep { $_ eq "$sid:$id" } found('added@example.net')),
        'takes the user out');
    my $gone = add_user($t, mail => 'gone@example.net');
    is(rblctl($redis, 'user', 'delete', $sid, $gone->{id})->{status}, 0,
        'rblctl user delete');
    is_deeply([found('gone@example.net')], [],
        'rblctl takes the deleted user out of the index');
    is(rblctl($redis, 'user', 'add', $sid, 'Jo.Doe@example.net', '--role',
        'owner')->{status}, 3, 'rblctl with an address twice');
    is_deeply([found('jo.doe@example.net')], ["$sid:$user->{id}"],
        'a refused user is not put into the index');
    my $r2 = rblctl($redis, '--json', 'user', 'link', $sid, $user->{id},
        '--url', 'https://a.example/portal/');
    like(json($r2->{out})->{link},
        qr{^https://a\.example/portal/\#/link/$sid\.[0-9a-f]{64}$},
        'rblctl prints a whole link');
    like(rblctl($redis, 'user', 'link', $sid, $user->{id}, '--url',
        $_)->{err}, qr/--url must be the portal's URL/,
        "rblctl refuses the URL $_")
        for 'https://a.example', 'x', 'https://a.example/?a/';
}

# --- the mail ----------------------------------------------------------------

my %smtp = (smtp_url => "smtp://127.0.0.1:$exim->{port}",
    smtp_from => 'blocklists@example.net', smtp_timeout => '5s');
my $checkd = start_checkd(store => $redis, resolver => 9, conf => \%smtp);

sub link_in {
    my ($mail) = @_;

    my $text = MIME::QuotedPrint::decode_qp($mail->[1]);
    my ($link) = $text =~ m{^ {4}http://localhost/portal/\#/link/(\S+)$}m;
    return ($link // '', $text);
}

like(accepted(mail_me('jo.doe@example.net'), 'a known address')->
    {status_message}, $sent,
    'the answer promises a link if the address is known');
wait_for { mails($exim) == 1 && outbox_empty() } 20, 'a mail';
my ($mail) = mails($exim);
is($mail->[0]{'envelope-to'}, 'Jo.Doe@example.net',
    'the mail goes to the address as the user has it');
is($mail->[0]{subject}, 'Sign in to blocklist monitoring',
    'the mail has its subject');
is($mail->[0]{'content-type'}, 'text/plain; charset=utf-8', 'a plain text');
my ($link, $text) = link_in($mail);
like($link, qr/^\Q$sid\E\.[0-9a-f]{64}$/, 'the mail has a link');
like($text, qr/Account: Test/, 'the account\'s name');
like($text, qr/from the network address 127\.0\.0\.1\./,
    'the mail names the network address of the request');
like($text, qr/ignore this message/, 'the advice for strangers');
like($text, qr/It works once, until \d{4}-/,
    'the mail tells how long the link works');
my ($secret) = $link =~ /\.(.*)/;
is_deeply([map { /:link:/ ? 'link' : $_ } everything($secret)], ['link'],
    'no queue and no event has the link, but its record');
unlike(read_file($checkd->{log}), qr/$secret|jo\.doe/i,
    'the log of the daemon has neither link nor address');
unlike(read_file($t->{nginx}{error_log}), qr/$secret|jo\.doe/i,
    'the error log of nginx has neither link nor address');
unlike(read_file("$t->{nginx}{dir}/access.log"), qr/$secret|jo\.doe/i,
    'the access log of nginx has neither link nor address');
is(scalar @{ redis($redis, 'KEYS', "rbl:{*}:log:*:US*") }, 0,
    'the store keeps no log of the user');
my $r = use_link($t, $link);
is(accepted($r, 'the link signs in')->{data}{user}, $user->{id},
    'the link signs its user in');
refused(use_link($t, $link), 403, qr/expired or was used/,
    'the link works only once');
is_deeply([everything($secret)], [], 'the used link is nowhere in the store');

# Two clients use one mailed link.
{
    forget_asked();
    my $n = mails($exim);
    accepted(mail_me('jo.doe@example.net'),
        'the portal accepts another request for a link');
    wait_for { mails($exim) == $n + 1 } 20, 'its mail';
    my ($link) = link_in((mails($exim))[-1]);
    my @socks = map { RblTest::Http::tcp_connect($t->{nginx}{port}) } 1 .. 8;
    my $bytes = RblTest::Http::http_head('POST', '/portal/1/session/start.json',
        body => qq({"link":"$link"}), type => 'application/json',
        headers => ['Sec-Fetch-Site: same-origin']);
    RblTest::Http::write_all($_, $bytes) for @socks;
    is_deeply([sort map { RblTest::Http::read_answer($_, 10)->{status} }
        @socks], [200, (403) x 7], 'eight at once: one gets in');
}

# One mail for each account.
{
    forget_asked();
    my $second = add_user($t, acct => $t->{other},
        mail => 'Jo.Doe@example.net');
    my $n = mails($exim);
    accepted(mail_me('JO.DOE@Example.NET'), 'an address of two accounts');
    wait_for { mails($exim) == $n + 2 } 20, 'two mails';
    my %user = map { my ($link) = link_in($_);
        my $d = json(use_link($t, $link))->{data};
        ($d->{account} => $d->{user}) } (mails($exim))[$n, $n + 1];
    is_deeply(\%user, { $sid => $user->{id}, $other => $second->{id} },
        'each account has a link of its own');
    rblctl($redis, 'user', 'delete', $other, $second->{id});
}

# The address of a user that an owner added is confirmed by a mailed link.
{
    forget_asked();
    my $id = json(portal($t, $owner, 'POST', 'user/add.json', fields =>
        { mail => 'invited@example.net', role => 'viewer' }))->{data}{id};
    my $confirmed = sub { redis($redis, 'ZSCORE',
        hash_key('mail', 'invited@example.net'), "$sid:$id") ne 'inf' };
    ok(!$confirmed->(), 'an address that an owner adds is not confirmed');
    my $shown = sub { (map { $_->{confirmed} } grep { $_->{id} eq $id }
        @{ $_[0] })[0] };
    my $both = sub { ($shown->(json(portal($t, $owner, 'GET',
        'users.json'))->{data}), $shown->(json(rblctl($redis, '--json', 'user',
        'list', $sid)->{out}))) };
    is(join(',', $both->()), ',', 'the portal and rblctl show an address'
        . ' that is not confirmed without a time');
    my $n = mails($exim);
    accepted(mail_me('invited@example.net'), 'the address asks for a link');
    wait_for { mails($exim) == $n + 1 } 20, 'its mail';
    my ($link) = link_in((mails($exim))[-1]);
    is(accepted(use_link($t, $link), 'the link signs in')->{data}{user}, $id,
        'the link is of the user');
    ok($confirmed->(), 'the link from the mail confirms the address');
    my @since = $both->();
    like($since[0], qr/^20\d\d-/, 'the portal shows since when an address is'
        . ' confirmed');
    is($since[1], $since[0], 'rblctl shows the same time');
    rblctl($redis, 'user', 'delete', $sid, $id);
}

# --- who learns what ---------------------------------------------------------

# Calls of scripts and the answer, of one request.
sub traces {
    my ($mail) = @_;

    redis($redis, 'CONFIG', 'RESETSTAT');
    my $r = mail_me($mail);
    my $stats = redis($redis, 'INFO', 'commandstats');
    my %n = map { $_ => $stats =~ /cmdstat_$_:calls=(\d+)/ ? $1 : 0 }
        qw(evalsha get set pexpire zrange zadd xadd wait);
    my %head = %{ $r->{headers} };
    delete $head{date};
    return { status => $r->{status}, body => $r->{body}, head => \%head,
        %n };
}

stop_server($checkd);
{
    my ($jo, $nobody) = ('jo.doe@example.net', 'nobody@example.net');
    my (@looks, @links);
    for (1 .. 5) {                      # nginx asks for other things, too
        forget_asked();
        @looks = map { traces($_) } $jo, $nobody, $jo, $jo;
        @links = @{ redis($redis, 'KEYS', redis_key('link', $sid, '*')) };
        mail_me($nobody) for 1, 2;
        push @looks, map { traces($_) } $jo, $nobody;
        my @get = map { $_->{get} } @looks;
        last if "@get[1 .. 3]" eq "@get[0, 0, 0]" && $get[4] == $get[5];
    }
    my ($known, $unknown, $again, $third, @fourth) = @looks;
    is($known->{evalsha}, 7, 'round trips: two limits, five accounts');
    is_deeply($unknown, $known, 'an unknown address costs the same commands');
    is_deeply($again, $known, 'a known one again');
    is_deeply($third, $known,
        'the third request for a known address looks the same');
    is_deeply($fourth[0], $fourth[1],
        'the fourth request for a known address looks like any fourth');
    is(scalar @{ redis($redis, 'KEYS', redis_key('link', $sid, '*')) },
        scalar @links, 'makes no link');
    my $ttl = redis($redis, 'PTTL', hash_key('asked', 'jo.doe@example.net'));
    ok($ttl > 3_590_000 && $ttl <= 3_600_000,
        'the requests for an address are counted for an hour');
}

forget_asked();
for my $n (1 .. 30) {
    is(mail_me("n$n\@example.net")->{status}, 200,
        "request $n for a link is accepted") if $n < 4;
    mail_me("n$n\@example.net") if $n >= 4;
}
$r = mail_me('jo.doe@example.net');
refused($r, 429, qr/from your network/, 'a network has a limit');
like($r->{headers}{'retry-after'}, qr/^3(?:[56]\d\d)$/,
    'the Retry-After header is about an hour');
is(mail_me('x')->{status}, 400, 'what is no address costs nothing');
forget_asked();
refused(mail_me($_), 400, qr/mail/, "the address $_ is refused with 400")
    for '', 'x', "a\@example.net\r\nBcc: b\@example.net", 'a@b@example.net',
    'a@example.net,b@example.net';
{
    my $nginx = start_nginx(store => $redis, portal => '');
    wait_for { http($nginx, 'GET', '/portal/1/me.json')->{status} == 401 } 10;
    refused(portal({ nginx => $nginx }, undef, 'POST', 'session/link.json',
        fields => { mail => 'jo.doe@example.net' }), 403, qr/not configured/,
        'the portal sends no link without a URL');
    unlike(http($nginx, 'GET', '/portal/1/me.json')->{headers}
        {'www-authenticate'}, qr/doors/, 'the page does not offer it');
}

# --- networks, and the limit of nginx -----------------------------------------

sub limited {
    my (%opt) = @_;

    my $nginx = start_nginx(store => $redis, portal => '', %opt);
    wait_for { http($nginx, 'GET', '/portal/1/me.json')->{status} == 401 } 10;
    return { nginx => $nginx };
}

{
    my $door = limited(http => 'set_real_ip_from 127.0.0.1; '
        . 'real_ip_header X-Real-IP; rbl_portal_url https://a.example/;');
    my $networks = sub {
        forget_asked();
        portal($door, undef, 'POST', 'session/link.json', fields => { mail =>
            'a@example.net' }, headers => ["X-Real-IP: $_"],
            host => 'a.example') for @_;
        return @{ redis($redis, 'KEYS', 'rbl:{*}:asked:*') } - 1;
    };
    is($networks->('192.0.2.1', '192.0.2.255'), 1, '24 bits of IPv4');
    is($networks->('192.0.2.1', '192.0.3.1', '2001:db8::1'), 3,
        'three networks are counted apart');
    is($networks->('2001:db8:1::1', '2001:db8:1:ffff::1', '2001:db8:2::1'), 2,
        '48 bits of IPv6');
    is($networks->('192.0.2.1', 'c000:201::1'), 2,
        'an address is that of its family');
    stop_server($door->{nginx});
    forget_asked();
}

# Guesses of links, with the limit of the files that come with the portal.
{
    my $site = read_file(repo_dir() . '/conf/nginx-site.conf');
    my ($zone) = $site =~ /^(map \$binary.*?^limit_req_zone [^\n]*)/ms;
    my $file = read_file(repo_dir() . '/conf/nginx-portal.conf');
    my ($limit) = $file =~ /^ +(limit_req zone.*?;\n\s*limit_req_status.*?;)/ms;
    my $door = limited(portal => $limit, http => "$zone set_real_ip_from "
        . '127.0.0.1; real_ip_header X-Real-IP;');
    my %status;
    $status{ use_link($door, "$sid." . 'f' x 64)->{status} }++ for 1 .. 40;
    ok($status{403} && $status{403} >= 21 && $status{403} < 30
        && $status{429} && $status{429} > 10, 'guesses of links are limited')
        or diag(join ' ', %status);
    is(http($door->{nginx}, 'GET', '/portal/1/me.json')->{status}, 401,
        'other calls are not');
    my $calls = sub {
        my ($call, @from) = @_;

        return scalar grep { portal($door, undef, 'POST', "session/$call.json",
            headers => ["X-Real-IP: $_"])->{status} == 429 } @from;
    };
    my $net = 0;
    for my $call (qw(start link begin passkey)) {
        my ($a, $b) = map { sprintf '2001:db8:0:%x', ++$net } 1 .. 2;
        cmp_ok($calls->($call, map { "$a:1:2:3:$_" } 1 .. 40), '>', 10,
            "session/$call is limited, by 64 bits of IPv6");
        is($calls->($call, "$b:1:2:3:1"), 0, 'the next network is not');
    }
    is($calls->('begin', map { "10.10.10.$_" } 1 .. 40), 0,
        'addresses of IPv4 are counted one by one');
    stop_server($door->{nginx});
}

# --- late and refused mails --------------------------------------------------

sub no_links {
    redis($redis, 'DEL', $_) for @{ redis($redis, 'KEYS', 'rbl:{*}:link:*') };
    return;
}

{
    no_links();
    my $n = mails($exim);
    ok(@{ redis($redis, 'KEYS', 'rbl:{*}:outbox') } > 1,
        'events for unknown addresses wait as well');
    $checkd = start_checkd(store => $redis, resolver => 9, conf => \%smtp);
    wait_for { outbox_empty() } 20, 'the outbox';
    is(scalar(mails($exim)), $n, 'a mail whose link is gone is not sent');
    forget_asked();
    accepted(mail_me('nobody@example.net'), 'an unknown address');
    wait_for { outbox_empty() } 20, 'the outbox with an unknown address';
    is(scalar(mails($exim)), $n, 'no mail goes to an unknown address');
    is(scalar @{ redis($redis, 'KEYS', "rbl:{*}:$_:*") }, 0,
        "an unknown address leaves no $_") for qw(dead event dlv);
    stop_server($checkd);
}

{
    # A server that refuses, and says back what it got.
    my $fake = start_fake_smtp(end => '451 later');
    $checkd = start_checkd(store => $redis, resolver => 9, conf => { %smtp,
        smtp_url => "smtp://127.0.0.1:$fake->{port}" });
    accepted(mail_me('jo.doe@example.net'), 'a mail that is not taken');
    my $dlv;
    wait_for {
        ($dlv) = grep { (redis($redis, 'HGET', $_, 'attempt') // 0) == 1 }
            @{ redis($redis, 'KEYS', 'rbl:{*}:dlv:*') };
        $dlv;
    } 20, 'an attempt';
    my ($member) = $dlv =~ /:dlv:(.*)/;
    my ($key) = @{ redis($redis, 'KEYS', redis_key('link', $sid, '*')) };
    redis($redis, 'PEXPIRE', $key, 5000);   # less than a lease
    redis($redis, 'ZADD', $dlv =~ s/:dlv:.*/:retry/r, 1, $member);
    wait_for { outbox_empty() } 20, 'it ends';
    is(scalar(grep { $_->{step} eq 'message' } smtp_seen($fake)), 1,
        'one whose link ends before it could be sent is dropped');
    is(scalar @{ redis($redis, 'KEYS', 'rbl:{*}:dead:*') }, 0,
        'a link that ends before it is sent is no dead letter');

    forget_asked();
    answer_smtp($fake, end => '554 no');
    accepted(mail_me('jo.doe@example.net'), 'a mail that is refused');
    wait_for { @{ redis($redis, 'KEYS', 'rbl:{*}:dead:*') } } 20, 'a letter';
    my ($letter) = @{ redis($redis, 'XRANGE', redis_key('dead', $sid), '-',
        '+') };
    my %letter = @{ $letter->[1] };
    is_deeply([@letter{qw(t to b)}], ['user.link', $user->{id}, ''],
        'a dead letter has no link');
    wait_for { outbox_empty() } 20, 'it ends';
    stop_server($checkd);
}

# --- members that name no user -----------------------------------------------

{
    forget_asked();
    my $key = hash_key('mail', 'jo.doe@example.net');
    my ($old, $new, $foreign) = map { sid_of('US') } 1 .. 3;
    my $elsewhere = add_user($t, mail => 'else@example.net');
    my $now = time * 1000;
    redis($redis, 'ZADD', $key, $now - 120_000, "$sid:$old",
        $now - 120_000, "$sid:$elsewhere->{id}", $now, "$sid:$new",
        $now - 120_000, 'nonsense');
    accepted(mail_me('jo.doe@example.net'),
        'a request for an address with stale members is accepted');
    is_deeply([sort(found('jo.doe@example.net'))],
        [sort "$sid:$user->{id}", 'nonsense'],
        'members that name no user are removed');

    # fsck
    redis($redis, 'ZADD', $key, $now - 120_000, "$sid:$new");
    redis($redis, 'DEL', hash_key('mail', 'else@example.net'));
    redis($redis, 'ZADD', $key, 'inf', "$sid:$user->{id}");
    for my $made ($elsewhere, $user) {      # fsck passes over new users
        my $k = redis_key('user', $sid, $made->{id});
        my $u = mp_unpack(redis($redis, 'GET', $k));
        $u->[6] -= 120_000;
        redis($redis, 'SET', $k, mp_pack($u));
    }
    redis($redis, 'SET', hash_key('mail', 'x@example.net'), 'x');
    my $r = rblctl($redis, 'fsck', '--json');
    my @faults = grep { $_->{fault} =~ /^(?:mail|type)$/ }
        @{ json($r->{out}) };
    is_deeply([sort map { $_->{where} } @faults],
        [sort $elsewhere->{id}, $user->{id}, "$sid:$new", 'nonsense',
            tagged($redis, hash_key('mail', 'x@example.net'))],
        'fsck finds faults');
    rblctl($redis, 'fsck', '--repair');
    is_deeply([found('jo.doe@example.net')], ["$sid:$user->{id}"],
        'removes members that are wrong');
    is_deeply([found('else@example.net')], ["$sid:$elsewhere->{id}"],
        'fsck adds members that are missing');
    isnt(redis($redis, 'ZSCORE', $key, "$sid:$user->{id}"), 'inf',
        'fsck knows who has confirmed an address');
}

$r = rblctl($redis, 'fsck');
is($r->{status}, 0, 'the store is consistent') or diag("$r->{out}$r->{err}");

done_testing();
