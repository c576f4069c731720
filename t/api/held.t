#!/usr/bin/perl

# The page cache keeps pages of hosts as JSON: a worker reads only their version
# stamp from the store, and must show the new state from the first request after
# a change on: over the API of this nginx or another one, by daemons, by rblctl.

use strict;
use warnings;

use IO::Select;
use IO::Socket::INET;
use MIME::Base64 qw(encode_base64);
use RblApi;
use RblCheckd ();
use RblTest;
use Socket qw(SOL_SOCKET SO_RCVBUF);

my $w = RblCheckd::world(partitions => 4, zones => {
    'a.test' => { data => RblCheckd::listed_entry('192.0.2.1', '192.0.2.2') },
});
my ($redis, $acct) = @$w{qw(redis acct)};
my $ac = $acct->{sid};
my %nginx = (workers => 1, store => $redis,
    http => 'rbl_store_timeout 5s; rbl_zone rbl 1m;');
my $t = { redis => $redis, acct => $acct, nginx => start_nginx(%nginx) };
my $other = { %$t, nginx => start_nginx(%nginx) };
my $daemon = RblCheckd::start_checkd(store => $redis, resolver => $w->{dns},
    ready => qr/rbl-checkd/, conf => { RblCheckd::conf_short() });
my %id = map { $_->{host} => $_->{id} } map { add_host($t, "192.0.2.$_") } 1 .. 20;
my $page = 'hosts.json?page_size=20';

sub key { return redis_key({ partitions => 4 }, $_[0], $ac, @_[1 .. $#_]) }

# Number of keys of the store that the code reads.
sub keys_of {
    my ($code) = @_;

    my $sum = sub {
        my $n = 0;
        $n += $_ for redis($redis, 'INFO', 'stats')
            =~ /^keyspace_(?:hits|misses):(\d+)/mg;
        return $n;
    };
    my $before = $sum->();
    $code->();
    return $sum->() - $before;
}

# Requests a page until its text is cached: only its version stamp and the
# totals are read, and account and token once a second.
sub hold {
    my ($name, $from, $path) = @_;

    my $least = 99;
    wait_for {
        my $n = keys_of(sub { call($from // $t, 'GET', $path // $page) });
        $least = $n if $n < $least;
        $least <= 2;
    } 10;
    # A text pays off after a few responses.
    call($from // $t, 'GET', $path // $page) for 1 .. 5;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($least, 2, "$name: a cached page reads two keys");
}

# The page in JSON, in XML, which is never cached, and in JSON again.
sub look {
    my ($from, $path) = @_;

    my @path = ($path // $page, ($path // $page) =~ s/json/xml/r);
    for (1 .. 20) {
        my @body = map { call($from // $t, 'GET', $_)->{body} } @path, $path[0];
        next if $body[0] ne $body[2];
        my $v = json({ body => $body[0] });
        return ($v->{data}, hosts_of_xml($body[1]), $v);
    }
    die "the page does not come to rest\n";
}

sub shown {
    my ($name, $from, $path) = @_;

    my ($is, $should, $v) = look($from, $path);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is_deeply($is, $should, $name);
    return $v;
}

# --- over the API ------------------------------------------------------------

hold('it is read again and again');
my $first = $id{'192.0.2.3'};
for (['update', { name => 'Other' }], ['pause', ''], ['resume', ''],
    ['pause', ''], ['update', { name => 'n' }], ['resume', ''])
{
    my ($verb, $form) = @$_;
    for my $by ($t, $other) {
        hold("before $verb", $_) for $t, $other;
        my $r = call($by, 'POST', "host/$verb/$first.json", form => $form);
        is($r->{status}, 200, "host/$verb is accepted");
        shown("$verb, over the " . ($by == $t ? 'same' : 'other')
            . ' nginx: seen by both', $_) for $t, $other;
    }
}
hold('before one is deleted');
call($other, 'POST', "host/delete/$id{'192.0.2.20'}.json");
is(shown('one is deleted')->{total_hosts}, 19, 'a deleted host is not counted');
add_host($other, '10.0.1.0/29', type => 'ip_range');
hold('with a range', $_) for $t, $other;
my ($range) = grep { $_->{type} eq 'ip_range' } @{ json(call($t, 'GET',
    'hosts.json?page_size=100'))->{data} };
ok($range, 'the hosts have a range');
for my $path ('hosts.json?page_size=7', 'hosts.json?page=2&page_size=20') {
    hold("$path", $t, $path);
    call($other, 'POST', "host/update/$range->{id}.json",
        form => { name => "of $path" });
    shown("$path, whose range changes", $t, $path);
}

# --- by daemons --------------------------------------------------------------

sub due_now {
    RblCheckd::set_due($w, $_) for @_;
}

# Until it has been checked once more; the page is requested meanwhile.
sub checked {
    my ($name, $host) = @_;

    my $was = redis($redis, 'GET', key('r', $host));
    hold("before $name");
    due_now($host);
    my ($bad, $looks, $now) = (0, 0, $was);
    wait_for {
        $now = redis($redis, 'GET', key('r', $host));
        my ($is, $should) = look();
        $looks++;
        $bad++ if explain_of($is) ne explain_of($should);
        $now ne $was;
    } 10, "a check of $host";
    isnt($now, $was, "$name: it was checked");
    is($bad, 0, "$name: always as it was ($looks looks)");
    shown($name);
}
sub explain_of { return join "\n", explain($_[0]) }

checked('a clear one', $id{'192.0.2.5'}) for 1 .. 3;
checked('one that is listed', $id{'192.0.2.1'}) for 1 .. 3;
my $listed = 'listings.json?page_size=20';
my $v = shown('listings', $t, $listed);
ok($v->{total_listed} > 0, 'the account has listings');
my %seen;
wait_for {
    $v = shown('a listing with a growing period', $t, $listed);
    $seen{ $v->{data}[0]{listed_period} } = 1;
    keys %seen >= 3;
} 10, 'three seconds of it';
is(scalar keys %seen, 3, 'the period of a listing changes each second');

# --- by rblctl ---------------------------------------------------------------

stop_server($daemon);
my $raw = redis($redis, 'GET', key('r', $first));
hold('before it is damaged');
my $host = record('host', $raw);
redis($redis, 'SET', key('r', $first), record_pack('host', %$host,
    name => \$host->{name}, value => \$host->{value}, profile => 'RP1'));
ok((wait_for {
    my ($is, $should) = look();
    explain_of($is) eq explain_of($should);
} 3), 'a hand in the store: seen within a second or two');
hold('before the repair');
my $r = rblctl($redis, 'fsck', '--repair');
like($r->{out}, qr/profile/, 'rblctl fsck repairs it');
shown('which is seen');
is(record('host', redis($redis, 'GET', key('r', $first)))->{profile},
    record('host', $raw)->{profile},
    'the repair restores the profile of the host');
hold('before the time zone');
rblctl($redis, 'account', 'timezone', $ac, 'Asia/Tokyo');
like(shown('another time zone')->{data}[0]{last_checked}, qr/JST/,
    'the page shows the new time zone');

# --- the response of a cached page -------------------------------------------

# It refers to the text in the cache, which changes replace, and has the ETag of
# the same page without a cache.
my $port = free_port();
my $lends = { %$t, nginx => start_nginx(%nginx, api => 'rbl_etag on;',
    server => "listen 127.0.0.1:$port sndbuf=4k;") };
my $fresh = call($lends, 'GET', $page);
like($fresh->{headers}{etag} // 'none', qr/^"/, 'a page has an ETag');
hold('with an ETag', $lends);
my $cached = call($lends, 'GET', $page);
is($cached->{body}, $fresh->{body}, 'a cached page is the same page');
is($cached->{headers}{etag}, $fresh->{headers}{etag}, 'a cached page has the same ETag');

my $login = encode_base64("$acct->{sid}:$acct->{token}", '');
my $slow = IO::Socket::INET->new(Proto => 'tcp');
setsockopt $slow, SOL_SOCKET, SO_RCVBUF, pack 'i', 2048;
$slow->connect($port, Socket::inet_aton('127.0.0.1')) or die $!;
syswrite $slow, "GET /3.0/$page HTTP/1.1\r\nHost: a\r\n"
    . "Authorization: Basic $login\r\n\r\n" for 1 .. 40;
sysread $slow, my $in, 700;
for my $name ('first', 'second') {
    call($other, 'POST', "host/update/$first.json", form => { name => $name });
    hold("the $name change", $lends);
}
my ($whole, %names) = 0;
my $ready = IO::Select->new($slow);
while ($whole < 40 && $ready->can_read(5)) {
    sysread $slow, $in, 65536, length $in or last;
    while ($in =~ /\AHTTP\S+ 200 OK\r\n.*?^Content-Length: (\d+)\r\n.*?\r\n\r\n/ms
        && length($in) >= $+[0] + $1)
    {
        my $v = json({ body => substr $in, $+[0], $1 });
        my ($host) = grep { $_->{id} eq $first } @{ $v->{data} };
        $names{ $host->{name} }++;
        $whole++;
        substr $in, 0, $+[0] + $1, '';
    }
}
is($whole, 40, 'a client that reads slowly gets each page whole');
is_deeply([sort keys %names], ['n', 'second'],
    'the pages are those before the changes and after them');
stop_server($lends->{nginx});

# --- the version stamp -------------------------------------------------------

hold('once more');
my $mark = redis($redis, 'GET', key('unchanged'));
is(length $mark, 16, 'a version stamp has 16 octets');
my $ttl = redis($redis, 'TTL', key('unchanged'));
ok($ttl > 0 && $ttl <= 600, "the version stamp expires by itself ($ttl s)");
hold('of the same account', $other);
is(redis($redis, 'GET', key('unchanged')), $mark,
    'both nginx have the same version stamp');
for my $bad ('', 'x', 'x' x 15, 'x' x 17, 'x' x 100_000) {
    redis($redis, 'SET', key('unchanged'), $bad);
    shown('a version stamp of ' . length($bad) . ' octets is invalid');
}
redis($redis, 'DEL', key('unchanged'));
redis($redis, 'RPUSH', key('unchanged'), 'x');
shown('nor is a value of another type');
redis($redis, 'DEL', key('unchanged'));
redis($redis, 'SET', key('unchanged'), $mark);
hold('one that is found') for 1 .. 3;

# A store that refuses writes: reads continue, and the worker does not retry all
# the time.
for (['maxmemory', 1, qr/answers SET: OOM/],
    ['min-replicas-to-write', 9, qr/answers SET: NOREPLICAS/])
{
    my ($name, $value, $words) = @$_;
    my $n = start_nginx(%nginx, http => '');
    wait_for { call({ %$t, nginx => $n }, 'GET', $page)->{status} == 200 } 5;
    redis($redis, 'DEL', key('unchanged'));
    redis($redis, 'CONFIG', 'SET', $name, $value);
    my %status;
    my $end = time + 3;
    while (time < $end) {
        $status{ call({ %$t, nginx => $n }, 'GET', $page)->{status} }++;
    }
    redis($redis, 'CONFIG', 'SET', $name, 0);
    is_deeply([keys %status], [200], "$name: reads still work");
    my $told = () = read_file($n->{error_log}) =~ /$words/g;
    is($told, 1, "$name: the refused write is logged once");
    shown('as it is', { %$t, nginx => $n });
    stop_server($n);
}

# --- cost --------------------------------------------------------------------

# Hosts that change all the time: a page whose text never pays off is read as if
# there were no cache, except for an attempt now and then.
sub commands {
    my ($n) = redis($redis, 'INFO', 'commandstats')
        =~ /^cmdstat_mget:calls=(\d+)/m;
    return $n // 0;
}
hold('before it changes all the time');
my ($asked, $before) = (0, commands());
for (1 .. 300) {
    redis($redis, 'DEL', key('unchanged'));
    call($t, 'GET', $page);
    $asked++;
}
my $mgets = commands() - $before;
cmp_ok($mgets, '<', $asked * 1.2, "$asked reads of it: $mgets of the store");

done_testing();
