package RblApi;

# Base of the API tests: a store with lists, two accounts, an nginx; and the two
# checks of a response, accepted() and refused().
#
#     use RblApi;                       # brings RblTest too
#     my $t = api_setup();              # {redis, nginx, acct, other}
#     accepted(call($t, 'GET', 'hosts.json'), 'hosts');
#     refused(call($t, 'POST', 'host/add.json', form => {}), 400, qr/host/,
#         'nothing given');

use strict;
use warnings;

use Exporter 'import';

use RblTest;

our @EXPORT = (@RblTest::EXPORT, qw(api_setup call accepted refused
    unchanged add_host list_host forget sid_of xml_ok
    hosts_of_xml daemon_seen));

# Options go to start_nginx, redis => {..} to start_redis; lists => 1 loads those
# of conf/lists.json, lists => FILE others.  The store timeout is longer than the default, unless an option sets
# it: on a busy machine half a second may pass without a fault.
sub api_setup {
    my (%opt) = @_;

    $opt{http} = join ' ', $opt{http} // (), 'rbl_store_timeout 5s;'
        if join(' ', grep { defined && !ref } values %opt)
            !~ /rbl_store_timeout/;
    my $redis = store_of(%opt);
    delete @opt{qw(redis lists)};
    my $t = { redis => $redis, acct => make_account($redis),
        other => make_account($redis, name => 'Other') };
    $t->{nginx} = start_nginx(store => $redis, %opt);
    wait_for { call($t, 'GET', 'hosts.json')->{status} == 200 } 10,
        'the store of nginx';
    return $t;
}

sub store_of {
    my (%opt) = @_;

    my %redis = %{ $opt{redis} // {} };
    my $lists = $opt{lists} // 0;
    return start_store(%redis) if $lists eq '1';
    my $redis = start_redis(%redis);
    init_store($redis, $lists ? (lists => $lists) : ());
    return $redis;
}

# Sends a request below /3.0/ with the first account's credentials; auth =>
# undef: without credentials.
sub call {
    my ($t, $method, $path, %opt) = @_;

    $opt{auth} = $t->{acct} if !exists $opt{auth};
    return http($t->{nginx}, $method, "/3.0/$path", %opt);
}

# Tests for success; returns the decoded body (JSON).
sub accepted {
    my ($r, $name) = @_;

    my $v = eval { json($r) } // {};
    my $good = $r->{status} == 200 && ($v->{status_code} // 0) == 200
        && ($v->{version} // '') eq '3.6'
        && ($r->{headers}{'cache-control'} // '') eq 'no-store';
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok($good, $name) or diag($r->{raw} // $r->{error});
    return $v;
}

# Tests for a refusal in the envelope, with that code and message.
sub refused {
    my ($r, $code, $message, $name) = @_;

    my $v = eval { json($r) } // {};
    my $good = $r->{status} == $code && ($v->{status_code} // 0) == $code
        && ($v->{status_message} // '') =~ $message
        && join(' ', sort keys %$v) eq 'status_code status_message'
        && ($r->{headers}{'content-type'} // '')
            eq 'application/json; charset=utf-8'
        && ($r->{headers}{'cache-control'} // '') eq 'no-store';
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    ok($good, $name) or diag("expected $code $message, got:\n"
        . ($r->{raw} || $r->{error} || 'nothing'));
    return $v;
}

# A digest of the whole store.
# Runs the code; the store must be the same afterwards.
sub unchanged(&$$) {
    my ($code, $t, $name) = @_;

    my $before = redis_digest($t->{redis});
    $code->();
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is(redis_digest($t->{redis}), $before, "nothing changed: $name");
}

# Adds hosts and returns the records.
sub add_host {
    my ($t, $host, %form) = @_;

    my $r = call($t, 'POST', 'host/add.json',
        form => { host => $host, name => 'n', type => 'rbl', %form });
    die "host/add: $r->{raw}" if $r->{status} != 200;
    my $data = json($r)->{data};
    return wantarray ? @$data : $data->[0];
}

# Makes a host listed, as a check would: through the scripts of the store.  A
# daemon is registered: without one the state is unknown.
sub daemon_seen {
    my ($t) = @_;

    lists_answered($t, $t->{acct}{sid});
    redis($t->{redis}, 'ZADD', "rbl:{$_}:daemons", time * 1000, 'one')
        for 0 .. partitions() - 1;
}

# All lists of an account have just answered.
sub lists_answered {
    my ($t, $acct) = @_;

    redis($t->{redis}, 'SET', redis_key('checked', $acct), int(time) * 1000);
    redis($t->{redis}, 'DEL', redis_key('coverage', $acct));
}

sub list_host {
    my ($t, $id, %opt) = @_;

    my $acct = $opt{acct} // $t->{acct}{sid};
    my $key = redis_key('r', $acct, $id);
    my $host = record('host', redis($t->{redis}, 'GET', $key));
    my $now = int(time) * 1000;
    my @details = map { [ 'RB' . '0' x 31 . $_, "list$_.test",
        "https://list$_.test/", "why $_ & <so>", ['127.0.0.2'], $now ] }
        1 .. $opt{lists} // 1;
    redis($t->{redis}, 'SET', $key, record_pack('host', %$host,
        name => \$host->{name}, value => \$host->{value},
        first_listed => $opt{since} // $now, checked => $now,
        listed_count => scalar @details, details => \@details));
    redis($t->{redis}, 'ZADD', redis_key('listed', $acct),
        redis($t->{redis}, 'ZSCORE', redis_key('hosts', $acct), $id), $id);
    redis($t->{redis}, 'ZADD', redis_key('states', $acct),
        1e13 + ($opt{since} // $now), $id);
    forget($t, $acct);
}

# After a change by hand to an account's indexes, its record, a token or a host:
# deletes its totals and its version stamp, so that caches expire.
sub forget {
    my ($t, $acct) = @_;

    redis($t->{redis}, 'DEL', map { redis_key($_, $acct) }
        qw(totals unchanged));
}

# A well-formed SID that does not exist.
sub sid_of {
    my ($kind) = @_;

    return $kind . '0123456789abcdef' x ($kind eq 'PP' ? 4 : 2);
}

sub texts {
    my ($xml) = @_;

    return { map { s/&lt;/</gr =~ s/&gt;/>/gr =~ s/&quot;/"/gr =~ s/&amp;/&/gr }
        $xml =~ m{<(\w+)>([^<]*)</\1>}g };
}

# The hosts of an XML response, in the form of JSON.
sub hosts_of_xml {
    my ($body) = @_;

    my @hosts;
    my ($data) = $body =~ m{<data>(.*)</data>}s;
    while ($data =~ m{\G<item>(.*?<listed_details>(.*?)</listed_details>.*?)</item>}gs) {
        my ($host, $details) = ($1, $2);
        my @details = map { texts($_) } $details =~ m{<item>(.*?)</item>}gs;
        $host =~ s{<listed_details>.*</listed_details>}{}s;
        push @hosts, { %{ texts($host) }, listed_details => \@details };
    }
    return \@hosts;
}

sub xml_ok {
    my ($text, $name) = @_;

    my $r = run_cmd({ stdin => $text }, 'xmllint', '--noout', '-');
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($r->{status}, 0, $name) or diag("$r->{err}$text");
}

1;
