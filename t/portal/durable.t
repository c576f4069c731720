#!/usr/bin/perl

# Which calls are durable.  Every call by POST of the table of calls is made, and
# MONITOR shows what it writes: a call that writes a key of a right
# (shared/record/rbl_keys.h) must be marked NGX_RBL_DURABLE and must wait for a
# replica after the write.

use strict;
use warnings;

use IO::Socket::UNIX;
use Test::More;

use RblExamples;
use RblFailover;
use RblJudge;
use RblPortal;
use RblWrites;

# Commands that make, change or delete a key.
my $WRITES = qr/^(?:SET|SETEX|PSETEX|DEL|UNLINK|GETDEL|HSET|HDEL|HMSET|ZADD|ZREM
    |ZREMRANGEBYSCORE|RPUSH|LPUSH|XADD|INCR)$/xi;

# Redis would notice the replica that stands still after max_lag.
my $f = start_sentinels(replicas => 1, max_lag => 60, down_after => 60_000);
init_store($f, lists => repo_dir() . '/conf/lists.json');
my $t = { redis => $f, acct => make_account($f) };
$t->{nginx} = start_nginx(store => $f, workers => 1,
    portal => 'rbl_portal_url http://localhost/portal/; '
        . 'rbl_store_timeout 5s;');
ok((wait_for { (() = read_file($t->{nginx}{error_log})
    =~ /durable link\) is ready/g) } 10, 'the durable link'),
    'nginx has a connection for durable changes');
my $owner = sign_in($t);
my $operator = sign_in($t, acct => operators($t));
my ($list, $other) = map { $_->{id} } @{ json(portal($t, $owner, 'GET',
    'rbls.json?page_size=2'))->{data} };

# --- the rights --------------------------------------------------------------

my ($rights) = read_file(repo_dir() . '/shared/record/rbl_keys.h')
    =~ /Keys of rights: ([^.]*)\./ or die 'rbl_keys.h names no rights';
my %right = map { $_ => 1 } $rights =~ /\w+/g;
cmp_ok(scalar keys %right, '>', 10, 'the header of the keys names the rights');

# --- the calls ---------------------------------------------------------------

my %calls = (%{ write_calls($t, $owner) },
    'check/start' => { made => sub { RblWrites::host() },
        fields => sub { { host => $_[0] } } },
    'hosts/read' => { fields => sub { { lines => '192.0.2.1' } } },
    'passkey/begin' => {},
    map({ my $call = $_; $call => { operator => 1,
            fields => sub { example($call) } } }
        'operator/account/add', 'operator/account/plan', 'operator/owner/add'),
    'session/begin' => { open => 1 },
    'session/link' => { open => 1, fields => sub {
        { mail => add_user($t)->{mail} } } },
    map({ my ($verb, $id, $fields) = @$_; ("operator/list/$verb" =>
            { made => sub { $id }, operator => 1, fields => $fields }) }
        ['disable', $list], ['enable', $list], ['thaw', $list],
        ['override', $list, sub { { rate => 1 } }],
        ['kill', $other, sub { { reason => 'x' } }], ['unkill', $other]),
);
my @rows = grep { $_->{method} eq 'POST' } routes(), routes('/portal/1/');
is(join(' ', grep { !$calls{$_} } map { write_name($_) } @rows), '',
    'the test can make each call of the table of calls');

# Frozen, or there is nothing to thaw.
redis($f, 'HSET', redis_key('list', $list), frozen => 1);

# --- what a call writes ------------------------------------------------------

my $monitor = IO::Socket::UNIX->new(Peer => master($f)->{socket})
    or die "$!";
print {$monitor} "MONITOR\r\n";
$monitor->flush;
readline $monitor;

# The commands that Redis runs during the code.
my $marks = 0;
sub commands {
    my ($code) = @_;

    redis($f, 'ECHO', 'mark' . ++$marks);
    my $r = $code->();
    redis($f, 'ECHO', 'mark' . ++$marks);
    my (@lines, $began);
    while (defined(my $line = readline $monitor)) {
        my ($mark) = $line =~ /"ECHO" "mark(\d+)"/i;
        last if defined $mark && $mark == $marks;
        push @lines, $line if $began;
        $began ||= defined $mark && $mark == $marks - 1;
    }
    return ($r, @lines);
}

# Keys of rights that were written, and whether a WAIT came after the last one.
sub touched {
    my (@lines) = @_;

    my (%touched, $waited);
    for my $line (@lines) {
        my ($verb, @words) = $line =~ /"((?:[^"\\]|\\.)*)"/g;
        next if !defined $verb;
        $waited = 1 if uc $verb eq 'WAIT';
        next if $verb !~ $WRITES;
        for (grep { $right{$_} } map { /^rbl:\{[^}]*\}:(\w+)/ ? $1 : () }
            @words)
        {
            $touched{$_} = 1;
            $waited = 0;
        }
    }
    return ([sort keys %touched], $waited);
}

# The fault of a call, or ''.
sub verdict {
    my ($marked, $touched, $waited) = @_;

    return !@$touched ? ''
        : !$marked ? "it writes @$touched and is not durable"
        : !$waited ? "it writes @$touched and does not wait" : '';
}

# Codes are in the records of contacts; billing chooses what is paid, and how.
my $others = qr{^(?:contact/confirm|billing/.*)\z};
my (%touches, @vain);
for my $row (@rows) {
    my $name = write_name($row);
    my $c = $calls{$name};
    my $id = $c->{made} ? $c->{made}->() : '';
    my $who = $c->{as} ? $c->{as}->() : $c->{open} ? undef
        : $c->{operator} ? $operator : $owner;
    my $fields = $c->{fields} ? $c->{fields}->($id) : {};
    my ($r, @lines) = commands(sub { write_call($row, $who, $id, $fields) });
    is($r->{status}, 200, "$row->{path}: is made") or diag($r->{raw});
    my ($touched, $waited) = touched(@lines);
    $touches{$name} = $touched if @$touched;
    my $marked = scalar $row->{bits} =~ /NGX_RBL_DURABLE/;
    push @vain, $name if $marked && !@$touched && $name !~ $others;
    is(verdict($marked, $touched, $waited), '',
        "$row->{path}: a change of a right waits for a replica")
        or diag(map { substr $_, 0, 160 } @lines);
}
cmp_ok(scalar keys %touches, '>', 20, 'calls that change rights were made');
is("@vain", '', 'no other call is durable');

# --- planted calls -----------------------------------------------------------

like(verdict(0, $touches{'app/revoke'}, 1), qr/not durable/,
    'a call that ends an application and has no mark is found');
{
    my ($planted, @lines) = commands(sub { redis($f, 'EVAL',
        "return redis.call('HDEL', KEYS[1], 'x')", 1,
        redis_key('tokens', $t->{acct}{sid})) });
    my ($touched, $waited) = touched(@lines);
    is_deeply($touched, ['tokens'], 'what a planted script writes is seen');
    like(verdict(1, $touched, $waited), qr/does not wait/,
        'a call that ends a token and does not wait is found');
}

# --- no replica confirms it --------------------------------------------------

my ($replica) = replicas($f);
for my $name ('token/revoke', 'app/revoke', 'webhook/disable',
    'webhook/delete', 'session/passkey')
{
    my ($row) = grep { write_name($_) eq $name } @rows;
    my $c = $calls{$name};
    my $id = $c->{made} ? $c->{made}->() : '';
    my $fields = $c->{fields} ? $c->{fields}->($id) : {};
    pause_server($replica);
    my $r = write_call($row, $c->{open} ? undef : $owner, $id, $fields);
    cont_server($replica);
    is($r->{status}, 503, "$name: gets 503 while no replica answers");
    like($r->{body}, qr/outcome is unknown/,
        "$name: the response says that the outcome is unknown");
}

done_testing();
