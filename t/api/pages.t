#!/usr/bin/perl

# The page cache must never change a response: one worker reads pages repeatedly
# while hosts are added, deleted and changed.

use strict;
use warnings;

use RblApi;
use RblFault;
use RblTest;

my $t = api_setup(lists => 1, redis => { cluster => 1 },    # commands are counted
    workers => 1, http => 'rbl_store_timeout 3s;',
    server => 'location /status { stub_status; }');
my $acct = $t->{acct};
my %sent;

# Number of MGET and ZRANGE commands since the last call.  The first MGET reads
# the account and, if the page is cached, its totals and records; a page that
# has changed is then read as if it were not cached.
sub asked {
    my %now = redis($t->{redis}, 'INFO', 'commandstats')
        =~ /^cmdstat_(mget|zrange):calls=(\d+)/mg;
    my @n = map { ($now{$_} // 0) - ($sent{$_} // 0) } qw(mget zrange);
    %sent = %now;
    return "@n";
}

# Changes an index by hand, and its totals, which would not notice it.
sub edit {
    my ($command, $index, @args) = @_;

    redis($t->{redis}, $command, redis_key($index, $acct->{sid}), @args);
    forget($t, $acct->{sid});
}

# The page in the store, and in the response.
sub stored {
    my ($index, $first, $size) = @_;

    return join ' ', @{ redis($t->{redis}, 'ZRANGE',
        redis_key($index, $acct->{sid}), $first, $first + $size - 1) };
}

sub answered {
    my ($r) = @_;

    return join ' ', map { $_->{id} } @{ json($r)->{data} };
}

sub same {
    my ($path, $stored, $rounds, $name) = @_;

    # held.t tests cached texts: here no version stamp can be set.
    my $mark = redis_key('unchanged', $acct->{sid});
    redis($t->{redis}, 'DEL', $mark);
    redis($t->{redis}, 'RPUSH', $mark, 'none');
    asked();
    my $r = call($t, 'GET', $path);
    my $asked = asked();
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is(answered($r), $stored, $name);
    is($asked, $rounds, "$name: the numbers of MGET and ZRANGE are right");
    return $r;
}

my @h = map { add_host($t, "10.0.0.$_", name => "n$_") } 1 .. 45;
my $page = 'hosts.json?page=2&page_size=20';

is_deeply([@{ json(call($t, 'GET', "host/$h[30]{id}.json")) }{qw(page total_pages
    page_size total_hosts)}], [1, 1, 20, 45], 'one host is one page');
is(json(call($t, 'GET', "rbl/$_->{id}.json"))->{total_pages}, 1,
    'a single list is one page')
    for json(call($t, 'GET', 'rbls.json'))->{data}[25 % 20];

# --- cached pages ------------------------------------------------------------

same($page, stored('hosts', 20, 20), '2 1', 'read for the first time');
same($page, stored('hosts', 20, 20), '1 0', 'read again');
same('hosts.xml?page=2&page_size=20' =~ s/xml/json/r, stored('hosts', 20, 20),
    '1 0', 'and again');
like(call($t, 'GET', 'hosts.xml?page=2&page_size=20')->{body},
    qr/<id>\Q$h[20]{id}\E/, 'the XML page has the same host');

# Contents of records are not cached here.
call($t, 'POST', "host/update/$h[25]{id}.json", form => { name => 'new' });
my $r = same($page, stored('hosts', 20, 20), '1 0', 'a host was renamed');
is(json($r)->{data}[5]{name}, 'new', 'the cached page shows the new name');

# --- outdated pages in the cache ---------------------------------------------

call($t, 'POST', "host/delete/$h[30]{id}.json");
same($page, stored('hosts', 20, 20), '3 1', 'a host of it was deleted');
same($page, stored('hosts', 20, 20), '1 0', 'read again');
call($t, 'POST', "host/delete/$h[0]{id}.json");
same($page, stored('hosts', 20, 20), '3 1', 'a host before it was deleted');
my $last = 'hosts.json?page=3&page_size=20';
same($last, stored('hosts', 40, 20), '2 1', 'the last page');
add_host($t, '10.0.1.1');
same($last, stored('hosts', 40, 20), '3 1', 'a host was added');
call($t, 'POST', "host/delete/$h[$_]{id}.json") for 40 .. 44;
same('hosts.json?page=3&page_size=20', stored('hosts', 40, 20), '2 1',
    'all but it were deleted: the page is empty');
same('hosts.json?page=3&page_size=20', '', '1 1',
    'an empty page is not cached');
add_host($t, "10.0.2.$_") for 1 .. 5;
same($last, stored('hosts', 40, 20), '2 1', 'and filled again');

# Listings have an index of their own.
same('listings.json', '', '1 1', 'no listings');
list_host($t, $_) for map { $_->{id} } @h[3, 5];
same('listings.json', "$h[3]{id} $h[5]{id}", '3 2', 'two listings');
same('listings.json', "$h[3]{id} $h[5]{id}", '1 0', 'read again');

# Pages of another account have cache entries of their own.
$r = call($t, 'GET', $page, auth => $t->{other});
is(answered($r), '', 'another account gets an empty page');
my $foreign = call($t, 'GET', $page,
    auth => { sid => $acct->{sid}, token => $t->{other}{token} });
refused($foreign, 401, qr/credentials/, 'a guess without a token gets nothing');

# Large pages are not cached, and remove an earlier entry.
same('hosts.json?page_size=40', stored('hosts', 0, 40), '2 1', 'a page of 40');
same('hosts.json?page_size=40', stored('hosts', 0, 40), '2 1', 'read again');

# --- two requests with the same outdated page --------------------------------

# The first response updates the cache; the second request has read the records
# of the old page.
is(answered(call($t, 'GET', $page)), stored('hosts', 20, 20),
    'the page once more');
edit('ZREM', 'hosts', $h[27]{id});
my $head = http_head('GET', "/3.0/$page", auth => $acct);
my @c;
with_fault('hung', $t->{redis}, sub {
    @c = map { client('asks', $t->{nginx}, $head) } 1 .. 4;
    wait_for { http($t->{nginx}, 'GET', '/status')->{body} =~ /Writing: (\d+)/
        && $1 > 4 } 3, 'four wait for the store';
});
my $now = stored('hosts', 20, 20);
is(answered(RblTest::Http::read_answer($_, 5)), $now,
    'a guess that was put right meanwhile is still wrong') for @c;

# --- a listing that ends while its page is read ------------------------------

my $relay = start_relay($t->{redis});
my ($user, $password) = store_login($t->{redis}, 'rbl-api');
my $slow = start_nginx(store_addr => $relay->{addr}, workers => 1, http =>
    "rbl_store_user $user; rbl_store_password_file $password;
    rbl_store_timeout 5s;");
wait_for { http($slow, 'GET', '/3.0/acls.json', auth => $acct)->{status} == 200
    } 10, 'its store';
my $record = redis_key('r', $acct->{sid}, $h[3]{id});
my $listed = redis($t->{redis}, 'GET', $record);
for (['an ended listing', 30, listed_count => 0, details => []],
    ['a host that was paused', 31, status => 'paused'])
{
    my ($name, $size, %new) = @$_;      # page is not cached
    asked();
    with_fault('slow', $relay, sub {
        my $c = client('asks', $slow, http_head('GET',
            "/3.0/listings.json?page_size=$size", auth => $acct));
        my $zranges = 0;
        wait_for { $zranges += (split ' ', asked())[1] } 3, 'its index is read';
        my $v = record('host', $listed);
        redis($t->{redis}, 'SET', $record, record_pack('host', %$v,
            name => \$v->{name}, value => \$v->{value}, %new));
        is(answered(RblTest::Http::read_answer($c, 5)), $h[5]{id},
            "$name is not returned");
    });
    redis($t->{redis}, 'SET', $record, $listed);
}
is(answered(http($slow, 'GET', '/3.0/listings.json', auth => $acct)),
    "$h[3]{id} $h[5]{id}", 'as they are');

# --- an index with an invalid SID --------------------------------------------

# An invalid SID makes no key: a key that nginx may not read would fail the
# page's records and the account, and stay cached after the index was repaired.
my ($five, $four) = map { stored('hosts', 0, $_) } 5, 4;
for my $junk ('x' x 34, $acct->{app}, $acct->{sid}, sid_of('RB'), '', 'HT',
    'HT' . "\0" x 32, 'HT' . 'f' x 33)
{
    is(answered(call($t, 'GET', 'hosts.json?page_size=5')), $five,
        'a page is served without junk in the index');
    edit('ZADD', 'hosts', 0, $junk);
    for (1, 2) {
        $r = call($t, 'GET', 'hosts.json?page_size=5');
        accepted($r, 'a page is served with junk in the index');
        is(answered($r), $four, 'the junk in the index is not returned');
    }
    edit('ZREM', 'hosts', $junk);
    is(answered(call($t, 'GET', 'hosts.json?page_size=5')), $five,
        'the page is complete after the repair');
}

# Pages of different hashes share rows of the table: with one slot for each hash
# about 60 of these would push out each other.
add_host($t, "10.0.9.$_", name => "m$_") for 1 .. 45;
my @pages = map { my $size = $_;
    map { "hosts.json?page_size=$size&page=$_" } 1 .. int 90 / $size } 1 .. 32;
for my $round (1, 2) {
    asked();
    call($t, 'GET', $_) for @pages;
}
my ($zranges) = asked() =~ / (\d+)/;
cmp_ok($zranges, '<', 40, @pages . ' pages are cached side by side');

done_testing();
