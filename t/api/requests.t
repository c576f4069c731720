#!/usr/bin/perl

# Random requests, built from the route table and the description: valid, nearly
# valid and hostile ones, over persistent connections.  Every response must come
# from the module, be well-formed and as described, and never be a 500; nginx
# must log no alert.
#
# RBL_REQUESTS: number of requests (20000); RBL_SEED: the seed, which is
# printed.

use strict;
use warnings;

use MIME::Base64 qw(encode_base64);
use RblApi;
use RblExamples;
use RblJudge;
use RblLines;
use Time::HiRes qw(time);

my $count = $ENV{RBL_REQUESTS} // 20_000;
my $seed = $ENV{RBL_SEED} // time ^ $$;
note('seed ' . ($seed = int $seed));
srand $seed;

my $t = api_setup(lists => 1, workers => 2, level => 'notice',
    http => 'keepalive_requests 1000000; client_header_timeout 20s;
        client_body_timeout 20s; large_client_header_buffers 8 32k;');
my $judge = start_judge();
my %routes = map { ("$_->{method} $_->{at}" => 1) } routes();
my @calls = grep { $routes{"$_->{method} $_->{at}"} } described();
my $auth = 'Authorization: Basic '
    . encode_base64("$t->{acct}{sid}:$t->{acct}{token}", '');

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# --- values ----------------------------------------------------------------

# SIDs that responses showed, by kind; the only state of the fuzzer.
my %known = map { $_ => [sid_of($_)] } qw(HT RP RB CO CG PP);
my @kinds = sort keys %known;

sub remember {
    my ($body) = @_;

    while ($body =~ /\b((HT|RP|RB|CO|CG|PP)[0-9a-f]{32,64})\b/g) {
        my $list = $known{$2};
        @$list < 40 ? push @$list, $1 : ($list->[rand @$list] = $1);
    }
}

sub sid {
    my ($kind) = @_;

    my $sid = pick(@{ $known{$kind} });
    return $sid if chance(0.8);
    return pick(sid_of($kind), uc $sid, $kind . uc substr($sid, 2),
        substr($sid, 0, -1), $sid . '0', pick(@{ $known{ pick(@kinds) } }),
        $kind, '');
}

my @bytes = map { chr } 0 .. 255;

sub junk {
    return join '', map { pick(@bytes) } 1 .. 1 + rand shift;
}

my @hostile = (
    sub { '' }, sub { ' ' }, sub { "\0" }, sub { junk(20) },
    sub { 'x' x pick(255, 256, 257, 1000, 8000) }, sub { "\xff\xfe" },
    sub { "\xed\xa0\x80" }, sub { "\xf4\x90\x80\x80" }, sub { "\xc0\xaf" },
    sub { "a\r\nX: y" }, sub { '%s%n%x' }, sub { '{"a":[' },
    sub { ']]>&<x>\'"' }, sub { '../' x 50 }, sub { '9' x pick(5, 19, 400) },
    sub { '-1' }, sub { '1e9' }, sub { '0x10' }, sub { "\xe2\x80\xae" },
    sub { "\x{1f4a9}" x 20 }, sub { ',' x 100 }, sub { '${7*7}' },
    sub { 'redis.call(1)' }, sub { "\xf0\x9f\x98\x80" x 64 },
);

my @hosts = (
    sub { join '.', map { int rand 256 } 1 .. 4 },
    sub { join('.', map { int rand 256 } 1 .. 3) . '.0/' . int 28 + rand 6 },
    sub { sprintf '2001:db8::%x', rand 65_536 },
    sub { sprintf '2001:db8:%x::/%d', rand 65_536, 124 + rand 6 },
    sub { 'h' . int(rand 2000) . '.example.test' },
    sub { pick("b\xc3\xbccher.example", 'a.b', '_x.test', 'x' x 63 . '.test') },
);

# Valid values of fields, by name; of others those of the description and of its
# examples.
my %right = (
    page => sub { 1 + int rand 5 }, page_size => sub { 1 + int rand 8 },
    name => sub { pick('n', "\xc3\xa9t\xc3\xa9", 'a & <b>', ' x ') },
    rbl_profile => sub { sid('RP') }, entries => sub { sids('RB') },
    contact_group => sub { sids('CG') }, id => sub { sid('PP') },
    callback => sub { 'http://cb.test:' . int(rand 70_000) . '/' },
    contact => sub { pick('a@example.test', '+491700000000',
        'https://example.test/x', 'u' x 30, 'f' x 32, '@channel', '12345') },
);

sub sids {
    my ($kind) = @_;

    return join ',', map { sid($kind) } 1 .. 1 + rand 3;
}

sub value {
    my ($call, $field, $schema) = @_;

    return pick(@hostile)->() if chance(0.12);
    return pick(@{ $schema->{enum} }) if $schema->{enum} && chance(0.95);
    if ($field eq 'host') {
        return sid('HT') if $call->{of} =~ /check/ && chance(0.5);
        return 'l' . int(rand 500) . '.list.test' if $call->{of} =~ /rbl/;
        return pick(@hosts)->();
    }
    return $right{$field}->() if $right{$field};
    return pick(examples_of($field)) // pick(@hostile)->();
}

# Pairs of names and values.
sub fields {
    my ($call, $schemas, $required) = @_;

    my %needed = map { $_ => 1 } @$required;
    my @pairs;
    for my $field (sort keys %$schemas) {
        next if !chance($needed{$field} ? 0.96 : 0.5);
        my $v = value($call, $field, $schemas->{$field});
        push @pairs, [$field, $v];
        push @pairs, [$field, value($call, $field, $schemas->{$field})]
            if chance(0.05);
        $pairs[-1][0] .= pick('[]', '[0]', '[', '[[]]', '[x]', ']', '[0][1]',
            '[99999999999999]') if chance(0.05);
    }
    push @pairs, [junk(10), junk(30)] if chance(0.05);
    push @pairs, map { ["k$_", 'v'] } 1 .. pick(50, 300) if chance(0.005);
    return @pairs;
}

sub encoded {
    return join '&', map { join '=', map { my $s = $_;
        utf8::encode($s) if utf8::is_utf8($s);
        if (chance(0.97)) {
            $s =~ s/([^A-Za-z0-9_.~\[\]-])/sprintf '%%%02X', ord $1/ge;
            $s =~ s/%20/+/g if chance(0.5);
        } else {
            $s =~ tr/\r\n//d;
            $s .= pick('', '%', '%4', '%zz', '%00', '%%', '+%');
        }
        $s } @$_ } @_;
}

# --- requests --------------------------------------------------------------

sub url {
    my ($call, $format) = @_;

    my $path = $call->{at};
    my %kind = (host => 'HT', check => 'PP', rbl => 'RB', contact => 'CO',
        rblprofile => 'RP', monitoringprofile => 'RP', contactgroup => 'CG',
        contactgroups => 'CG');
    my ($family) = $path =~ m{^/3\.0/(\w+)};
    my $odd = $call->{id} && chance(0.05);
    $path =~ s/\{id\}/$odd ? odd_id() : sid($kind{$family})/e;
    $path =~ s/\.\{format\}//;
    $path .= '/' if chance(0.05);
    $path .= ".$format" if $format ne 'json' || chance(0.9);
    return ($path, $odd);
}

sub odd_id {
    my $s = pick(@hostile)->() || 'x';
    utf8::encode($s) if utf8::is_utf8($s);
    $s =~ s/([^A-Za-z0-9_.~-])/sprintf '%%%02X', ord $1/ge;
    return $s;
}

sub odd_path {
    return '/3.0/' . pick('', 'x', 'hosts.jsonx', '..%2f..', '%00', '%ff%fe',
        'host//adds', 'host/add/add.json', 'a' x 5000, odd_id(), 'hosts.json/x',
        './hosts.xmlx', 'check', 'contactgroup', '?', 'rbl/.xml');
}

# {bytes, at, method, format, head}; at undef: any response of the module is
# allowed.
sub request {
    my ($call) = @_;

    my $format = pick(sort keys %{ $call->{formats} });
    my $r = { at => $call->{at}, format => $format };
    my $method = $call->{method};
    my ($url, $odd) = url($call, $format);
    $url = odd_path() if !$odd && chance(0.02) && ($odd = 1);
    $r->{at} = undef if $odd;
    if (chance(0.03)) {
        $method = pick(qw(GET POST HEAD PUT DELETE PATCH OPTIONS TRACE X
            PROPFIND LOCK), 'A' x 30);
    } elsif ($method eq 'GET' && chance(0.05)) {
        $method = 'HEAD';
    }
    my @query = fields($call, $call->{params}, []);
    $url .= '?' . encoded(@query) if @query;
    my @head = ("$method $url HTTP/1.1", 'Host: localhost');
    push @head, chance(0.97) ? $auth : credentials();
    push @head, "X-Junk: " . 'y' x rand 3000 if chance(0.01);
    my $body = '';
    if ($method eq 'POST' || chance(0.02)) {
        $body = body($call, \@head);
    }
    @$r{qw(bytes method head)} = (join("\r\n", @head, '', '') . $body,
        lc $method, $method eq 'HEAD' ? 1 : 0);
    return $r;
}

sub credentials {
    my $pair = pick('', ':', 'x', "$t->{acct}{sid}:", ":$t->{acct}{token}",
        "$t->{acct}{sid}:$t->{other}{token}", junk(40), 'a:' . 'b' x 5000,
        uc($t->{acct}{sid}) . ":$t->{acct}{token}");
    return () if chance(0.3);
    return 'Authorization: ' . pick('Basic ', 'basic', 'Bearer ', 'Basic  ')
        . (chance(0.8) ? encode_base64($pair, '') : '=*=');
}

sub body {
    my ($call, $head) = @_;

    my @pairs = fields($call, $call->{form}, $call->{required});
    my $type = 'application/x-www-form-urlencoded';
    my $body = encoded(@pairs);
    if (chance(0.1)) {
        $type = 'application/json';
        $body = eval { JSON::XS->new->allow_nonref->latin1->encode({
            map { $_->[0] => pick($_->[1], $_->[1], \1, 1, undef, [$_->[1]])
            } @pairs }) } // '{}';
        $body = pick(substr($body, 0, rand length $body), "[$body]",
            '[' x 5000, "$body}", junk(50), '""', 'null', "\xef\xbb\xbf$body")
            if chance(0.2);
    } elsif (chance(0.03)) {
        $type = pick('text/plain', 'multipart/form-data; boundary=x', '',
            'application/json; charset=utf-16', 'x' x 500,
            'APPLICATION/X-WWW-FORM-URLENCODED; charset=utf-8');
    }
    $body .= '&x=' . 'x' x pick(1000, 16_000, 65_000, 66_000)
        if chance(0.01);
    $body = junk(200) if chance(0.01);
    push @$head, "Content-Type: $type" if chance(0.97);
    if (chance(0.05)) {
        push @$head, 'Transfer-Encoding: chunked';
        my $chunks = '';
        while (length $body) {
            my $part = substr $body, 0, 1 + rand 500, '';
            $chunks .= sprintf "%x\r\n%s\r\n", length $part, $part;
        }
        return $chunks . "0\r\n\r\n";
    }
    push @$head, 'Content-Length: ' . length $body
        if length $body || chance(0.9);
    return $body;
}

# Requests after which the start of the next request is unknown.
sub broken_request {
    my $call = pick(grep { $_->{method} eq 'POST' } @calls);
    my $head = join "\r\n", 'POST ' . (url($call, 'json'))[0] . ' HTTP/1.1',
        'Host: localhost', $auth;
    my $bytes = pick(
        "$head\r\nTransfer-Encoding: chunked\r\n\r\n" . pick('x', 'ffffffffff'
            . "ffffffff\r\n", "5\r\nabc", "-1\r\n", "3\r\nabcdef\r\n0\r\n\r\n",
            "3;x=y\r\nabc\r\nzz\r\n"),
        "$head\r\nContent-Length: 10\r\n\r\nabc",
        "$head\r\nContent-Length: -1\r\n\r\n",
        "$head\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "$head\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
        "$head\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
            . "0\r\n\r\n",
        "$head\r\n" . substr($head, 0, rand length $head), junk(300),
        "GET /3.0/hosts.json\r\n", "GET /3.0/hosts.json HTTP/1.0\r\n\r\n",
        "\r\n\r\nGET /3.0/hosts.json HTTP/9.9\r\n\r\n",
    );
    return { bytes => $bytes, last => 1 };
}

# --- answers ---------------------------------------------------------------

my (%codes, @faults, %by_at);
my $served = 0;

sub fault {
    my ($r, $a, @why) = @_;

    push @faults, join "\n", @why, substr($r->{bytes}, 0, 1500) =~
        s/([^\r\n\x20-\x7e])/sprintf '\\x%02x', ord $1/ger,
        substr $a->{raw} // '', 0, 1500;
}

# Checks a response of the module, or one that only nginx itself can give to
# invalid HTTP or outside the location.
sub look {
    my ($r, $a) = @_;

    if (!$a->{complete}) {
        fault($r, $a, 'no answer') if !$r->{last};
        return 0;
    }
    $codes{ $a->{status} }++;
    if ($a->{status} >= 500 && !($r->{last} && $a->{status} == 505)) {
        fault($r, $a, "HTTP $a->{status}");
    }
    my $type = $a->{headers}{'content-type'} // '';
    if ($type eq 'text/html' && $a->{status} =~ /^(?:400|405|414|505)$/) {
        $codes{nginx}++;
        fault($r, $a, "nginx's own page")
            if !$r->{last} && !own_page($r, $a);
        return 0;
    }
    if ($r->{last}) {
        fault($r, $a, 'not in the envelope')
            if $a->{status} >= 400 && $a->{body} !~ /"status_code":/;
        return 0;
    }
    $served++;
    $by_at{"$r->{at} $r->{method}"}{ $a->{status} }++ if $r->{at};
    judge_send($judge, { at => $r->{at} // '', method => $r->{head} ? 'get'
        : $r->{method}, head => $r->{head}, format => format_of($r, $a) },
        $a);
    return 1;
}

# Cases that nginx answers itself: TRACE, control characters, paths outside the
# root.
sub own_page {
    my ($r, $a) = @_;

    return 1 if $a->{status} == 405 && $r->{method} eq 'trace';
    return 1 if $a->{status} == 414 || $r->{bytes} =~ m{^\S* \S*\.\.}i;
    return $a->{status} == 400 && (!$r->{at}
        || $r->{bytes} =~ m{\A\S* [^\r\n]*[\x00-\x20\x7f].* HTTP/1\.1\r});
}

# A hostile path may have any suffix, so the type of the response gives the
# format.
sub format_of {
    my ($r, $a) = @_;

    return $r->{format} if $r->{at};
    my $type = $a->{headers}{'content-type'} // '';
    return $type =~ /xml/ ? 'xml' : $type =~ /plain/ ? 'nagios' : 'json';
}

my @judged;

sub verdicts {
    for my $v (judge_drain($judge)) {
        my ($r, $a) = @{ shift @judged };
        my @bad = @{ $v->{bad} };
        fault($r, $a, @bad) if @bad;
    }
}

my $start = time;
my $sent = 0;

sub send_all {
    my ($upto, @from) = @_;

    lines_run($t->{nginx}, 8, sub {
        return if $sent >= $upto || @faults >= 10;
        $sent++;
        return chance(0.01) ? broken_request() : request(pick(@from));
    }, sub {
        my ($r, $a) = @_;

        push @judged, [$r, $a] if look($r, $a);
        remember($a->{body}) if $a->{status} == 200 && chance(0.3);
        verdicts() if @judged >= 32;
    });
    verdicts();
}

# Calls that were never successful.
sub never {
    return grep { !$by_at{"$_->{at} " . lc $_->{method}}{200}
        && $_->{of} !~ m{/(?:confirm|resume|pause|resend)/|check/status} }
        @calls;
}

send_all($count, @calls);

# Refreshes the known SIDs.
sub look_around {
    my %there;
    for my $c (grep { $_->{method} eq 'GET' && !$_->{id} } @calls) {
        my $path = $c->{at} =~ s{^/3\.0/}{}r =~ s/\{format\}/json/r;
        my $body = call($t, 'GET', $path)->{body};
        push @{ $there{$2} }, $1
            while $body =~ /"id":"((HT|RP|RB|CO|CG|PP)[0-9a-f]{32,64})"/g;
    }
    %known = (%known, %there);
}

# Calls that random requests missed are made now, with the calls that they need.
if ($count >= 10_000) {
    for (1 .. 10) {
        my @left = never() or last;
        look_around();
        send_all($sent + 300, (@left) x 5, grep { $_->{of} =~ m{/add} } @calls);
    }
}
note(sprintf '%d requests in %.0f s: %s', $sent, time - $start,
    join ', ', map { "$_: $codes{$_}" } sort keys %codes);

is(join("\n\n", @faults), '', "every answer is as described (seed $seed)");
cmp_ok($served, '>=', $count * 0.95, 'answers that were judged');
for my $code (200, 400, 401, 404, 405, 409, 413, 415) {
    cmp_ok($codes{$code} // 0, '>', 0, "there were some $code")
        if $count >= 5000;
}
if ($count >= 10_000) {
    my @never = map { "$_->{at} $_->{method}" } never();
    is("@never", '', 'each call was done at least once');
}
is(call($t, 'GET', 'hosts.json')->{status}, 200,
    'nginx serves hosts after all requests');

done_testing();
