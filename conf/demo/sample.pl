#!/usr/bin/perl
#
# The sample of the demonstration (RUN_SAMPLE=1, see run.sh): an account with
# 2,000 addresses of documentation and benchmark networks, most of them in
# ranges, and 150 names below example domains.  They are checked at the lists of
# sample.json only, which this machine serves.  Sixty days of listings lie behind
# them.  They are random, and the same each time.
#
#   sample.pl zones DIR            writes the zones of the lists
#   sample.pl past URL SID TOKEN STORE BUILD
#                                  adds hosts, and what happened to them; no
#                                  daemon may run
#   sample.pl now URL SID TOKEN STORE BUILD RUN
#                                  adds contacts, mutes, marks and some other
#                                  accounts, and lists some hosts; the daemon and
#                                  the mail server run
#
# The past is made by the scripts of the product, with a clock that is set back:
# all records, counters and histories are what they would be.

use strict;
use warnings;

use Cwd 'abs_path';
use Digest::SHA qw(sha1_hex sha256_hex);
use File::Basename 'dirname';
use HTTP::Tiny;
use IO::Socket::UNIX;
use JSON::PP;
use MIME::Base64;

my $here = dirname(abs_path(__FILE__));
my ($days, $interval) = (60, 900);      # seconds between checks of a host
my $day_ms = 24 * 3600 * 1000;
my %weight = (info => 1, normal => 2, high => 3, critical => 4);
my ($what, @arg) = @ARGV;

sub slurp {
    my ($path) = @_;

    open my $in, '<', $path or die "$path: $!\n";
    local $/ = undef;
    return scalar <$in>;
}

my %list = map { ($_->{zone} =~ /^(\w+)/)[0] => $_ }
    @{ decode_json(slurp("$here/sample.json"))->{lists} };
$_->{sid} = 'RB' . substr sha256_hex($_->{zone}), 0, 32 for values %list;


# --- what there is, and what happens to it -----------------------------------

# [group, name, type, value, addresses of the range...]
sub hosts {
    my @all;

    my $range = sub {
        my ($group, $name, $net, $bits, $from) = @_;
        push @all, [$group, $name, 'ip_range', "$net.$from/$bits", map {
            my $at = $from + $_;
            my ($a, $b, $c) = split /\./, $net;
            join '.', $a, $b, $c + int($at / 256), $at % 256;
        } 0 .. 2 ** (32 - $bits) - 1];
    };
    push @all, ['Mail out', sprintf('mx-out-%02d.example.net', $_), 'rbl',
        '192.0.2.' . (64 + $_)] for 1 .. 10;
    push @all, ['Mail out', sprintf('mx-six-%02d.example.net', $_), 'rbl',
        "2001:db8:48::$_"] for 1 .. 6;
    $range->('Customers', 'VPS, hall 1', '198.18.0', 22, 0);
    $range->('Customers', "VPS, row $_", "198.18.$_", 24, 0) for 8 .. 10;
    $range->('Colocation', 'Colocation', '198.51.100', 25, 128);
    $range->('Office', 'Office', '203.0.113', 26, 128);
    my @of = qw(shop www mail news blog cart pay img api my);
    push @all, map { my $n = $_; map { ['Sites', "Site $n", 'uribl',
        "$of[$_].customer$n.example." . (qw(com net org))[$n % 3]] } 0 .. 9 }
        1 .. 15;
    return @all;
}

# Listings: [host, list, when it began, when it ended], in minutes before now; 0:
# it has not.
sub episodes {
    my @hosts = @_;

    srand 48;
    my (@all, %of);
    my $add = sub {
        my ($value, $list, $from, $till) = @_;
        return if grep { $from > $_->[1] - 90 && $till < $_->[0] + 90 }
            @{ $of{"$value $list"} };
        push @{ $of{"$value $list"} }, [$from, $till];
        push @all, [$value, $list, $from, $till];
    };
    my $day = 1440;
    # A provider sees this: a network that sends no mail; two rows with a bad
    # hour; customers who do not learn; a mail server that comes and goes, one
    # that is back, and one that is new.
    $add->("198.51.100.$_", 'policy', 58 * $day - $_, 0) for 200 .. 223;
    $add->("198.18.9.$_", 'traps', 17 * $day + $_, 17 * $day - 360 + $_)
        for 96 .. 143;
    $add->("198.18.8.$_", 'bots', 38 * $day + $_, 36 * $day + $_) for 1 .. 30;
    for my $n (17, 40, 133, 201, 250) {
        for (my $at = 57 - rand 5; $at > 1; $at -= 4 + rand 6) {
            my $long = (0.5 + rand 2.5) * $day;
            $add->("198.18.3.$n", 'bots', int($at * $day),
                int($at * $day > $long ? $at * $day - $long : 0));
        }
    }
    $add->('192.0.2.69', 'attacks', @$_) for [1200, 1080], [900, 780],
        [540, 330], [125, 0];
    $add->('192.0.2.67', 'traps', 12 * $day, 3 * $day);
    $add->('192.0.2.67', 'traps', 320, 0);
    $add->('192.0.2.65', 'traps', 245, 0);
    $add->('192.0.2.65', 'attacks', 21 * $day, 19 * $day);
    $add->('shop.customer7.example.net', 'hacked', 2 * $day + 100, 0);
    # And it sees some of these each day.
    my @ips = grep { !/^(?:198\.51|203)/ } map { @$_ > 4 ? @$_[4 .. $#$_]
        : $_->[2] eq 'rbl' && $_->[3] !~ /:/ ? $_->[3] : () } @hosts;
    my @names = map { $_->[2] eq 'uribl' ? $_->[3] : () } @hosts;
    my @usual = ([traps => 1.5], [bots => 2], [bots => 2], [attacks => 0.4],
        [attacks => 0.4], [attacks => 0.4], [links => 3], [hacked => 2]);
    for my $ago (reverse 0 .. $days - 1) {
        my $n = (3 + rand 5) * ($ago % 7 < 2 ? 0.5 : 1) * ($ago < 9 ? 1.6 : 1);
        for (1 .. $n) {
            my ($list, $mean) = @{ $usual[rand @usual] };
            my $from = int($ago * $day + 30 + rand $day - 30);
            my $till = $from + int($mean * $day * log(1 - rand));
            my $of = $list{$list}{type} eq 'rbl' ? \@ips : \@names;
            $add->($of->[rand @$of], $list, $from, $till < 30 ? 0 : $till);
        }
    }
    return @all;
}

# The last one is new when the daemon runs: some addresses of a row at once, and a
# mail server.
my @news = (bots => [map { "198.18.10.$_" } 33 .. 44], traps => ['192.0.2.70']);


# --- the zones ---------------------------------------------------------------

sub code_of {
    my ($list) = @_;
    return $list{$list}{codes}[0] =~ s/[@=].*//r;
}

sub zones {
    my ($dir) = @_;

    my @episodes = episodes(hosts());
    for my $list (grep { $_ ne 'silent' } sort keys %list) {
        my ($zone, @values) = ("$list.demo.ngx-rbl.test", map { $_->[0] }
            grep { $_->[1] eq $list && !$_->[3] } @episodes);
        my $text = ':' . code_of($list) . ":Sample: \$ is listed\n";
        my $head = "\$SOA 5 ns.$zone hostmaster.$zone 1 3600 600 86400 1\n"
            . "\$NS 60 ns.$zone\n\$TTL 5\n";
        my $test = $list{$list}{type} eq 'uribl' ? "test\n"
            : "127.0.0.2\n!127.0.0.1\n";
        write_to("$dir/$list.zone", join '', $head, $text, $test,
            map { "$_\n" } grep { !/:/ } @values);
        write_to("$dir/${list}6.zone", "\$TTL 5\n${text}::FFFF:7F00:2\n")
            if grep { $_ eq 'ipv6' } @{ $list{$list}{families} };
    }
    return;
}

sub write_to {
    my ($path, $text, $how) = @_;

    open my $out, $how // '>', $path or die "$path: $!\n";
    print {$out} $text;
    close $out or die "$path: $!\n";
    return;
}


# --- the API and the store ---------------------------------------------------

our ($url, $sid, $token, $store, $build, $run) = @arg;
sub client {
    return HTTP::Tiny->new(timeout => 60, default_headers => { Authorization =>
        'Basic ' . encode_base64(join(':', $sid // '', $token // ''), '') });
}
our $http = client();

sub call {
    my ($path, @form) = @_;

    my $r = @form ? $http->post_form("$url/$path", \@form)
        : $http->get("$url/$path");
    die "$path: $r->{status} $r->{content}\n" if !$r->{success};
    return decode_json($r->{content})->{data};
}

my $socket;
sub reply {
    my $line = <$socket> // die "the store is gone\n";
    my ($kind, $value) = $line =~ /^(.)(.*)\r\n\z/s;
    die "the store: $value\n" if $kind eq '-';
    return [map { reply() } 1 .. $value] if $kind eq '*';
    return $value if $kind ne '$';
    return if $value < 0;
    read $socket, my $bytes, $value + 2;
    return substr $bytes, 0, -2;
}

sub redis {
    my @words = @_;

    $socket //= IO::Socket::UNIX->new(Peer => $store) // die "$store: $!\n";
    print {$socket} join '', '*' . @words . "\r\n",
        map { '$' . length($_) . "\r\n$_\r\n" } @words;
    $socket->flush;
    return reply();
}

# A record or a part of one: an array of texts, small numbers and arrays.
sub packed {
    my ($v) = @_;

    return (@$v < 16 ? chr 144 + @$v : pack 'C n', 220, scalar @$v)
        . join '', map { packed($_) } @$v if ref $v;
    return chr $v if $v =~ /^\d{1,2}\z/;
    return (length $v < 32 ? chr 160 + length $v
        : pack 'C n', 218, length $v) . $v;
}

# Before a script: its last argument is the time (ms).
my $clock = <<'LUA';
local clock = table.remove(ARGV)
local redis = setmetatable({call = function(name, ...)
    local args, t = {...}, redis.call('TIME')
    if name == 'TIME' then
        return {clock:sub(1, -4), clock:sub(-3) .. '000'}
    elseif name == 'PEXPIRE' then
        args[2] = args[2] - (t[1] * 1000 - clock)
    end
    for i = 1, name == 'XADD' and #args or 0 do
        args[i] = args[i] == '*' and clock .. '-*' or args[i]
    end
    return redis.call(name, unpack(args))
end}, {__index = redis})
LUA

# Runs a script of the product at that time, with arguments by name.
my (%sha, %names);
sub script {
    my ($at, $name, $key, %given) = @_;

    $sha{$name} //= redis('SCRIPT', 'LOAD',
        $clock . slurp("$build/gen/lua/$name.lua"));
    $names{$name} //= [slurp((glob "$here/../../shared/lua/*/$name.lua")[0])
        =~ /^--- arg: (\w+)/mg];
    my $r = redis('EVALSHA', $sha{$name}, 1, $key,
        map({ ref $given{$_} ? @{ $given{$_} } : $given{$_} // '' }
            @{ $names{$name} }), sprintf '%d', $at);
    die "$name: $r->[0]\n" if $r->[0] ne 'OK';
    return $r;
}


# --- the past ----------------------------------------------------------------

sub add_hosts {
    my @hosts = @_;

    my @local = grep { $_ ne 'silent' } sort keys %list;
    my %profile = map { my ($name, @of) = @$_;
        $name => call('rblprofile/add.json', name => $name, is_default =>
            $name eq 'Sample lists' ? 1 : 0, entries => join ',',
            map { $list{$_}{sid} } @of)->{id} } ['Sample lists', @local],
        ['With a silent list', @local, 'silent'];
    my %group;
    for my $host (@hosts) {
        my ($group, $name, $type, $value) = @$host;
        $group{$group} //= call('contactgroup/add.json', name => $group)->{id};
        call('host/add.json', host => $value, name => $name, type => $type,
            contact_group => $group{$group}, rbl_profile => $profile{
            $group eq 'Office' ? 'With a silent list' : 'Sample lists'});
    }
    return;
}

# The result of a check of a host at a list that lists it, or gives no answer.
sub result {
    my ($list, $value) = @_;

    my $l = $list{$list};
    return [$l->{sid}, $l->{type}, 0, $l->{zone}, $l->{website}, 'unknown', [],
        '', '', 'timeout', 0, 0] if $list eq 'silent';
    return [$l->{sid}, $l->{type}, 0, $l->{zone}, $l->{website}, 'listed',
        [code_of($list)], $l->{lookup} =~ s/%s/$value/r, '', '', 5,
        $weight{ $l->{weight} }];
}

# A check of a host ends at this time; %$on are the lists that list it.
my ($base, $checks, $silent) = ('', 0, 0);
sub check {
    my ($at, $value, $ht, $on) = @_;

    my $is = $value =~ /:/ ? 'ipv6' : $value =~ /[a-z]/ ? 'domain' : 'ipv4';
    my @of = grep { my $l = $_; $_ ne 'silent' || $value =~ /^203/ }
        grep { grep { $_ eq $is } @{ $list{$_}{families} } } sort keys %list;
    my %other = map { $_ => 1 } keys %$on, $at < $silent ? () : 'silent';
    my @other = grep { $other{$_} } @of;
    my $clear = join '', map { $list{$_}{sid} } grep { !$other{$_} } @of;

    # Which lists gave no answer, and when they did last (rbl_answers.c): times
    # have 24 bits, and each list has 5 for its error: a timeout is 3.
    my $members = pack '(H32 N)*', map { substr($list{$_}{sid}, 2),
        $list{$_}{weight} eq 'critical' ? 1 << 31 : 0 } @of;
    my @none = map { $_ eq 'silent' && $other{$_} ? 1 : 0 } @of;
    my $minute = int $at / 60_000;
    my $asks = substr sha1_hex($members), 0, 16;
    $asks .= "\1" . pack('b8', join '', @none) . pack 'B*', join '',
        sprintf('00011000%016b', $minute % 65_536),
        (map { sprintf '%05b', $_ && 3 + 1 } @none),
        sprintf '%024b', int($silent / 60_000) % (1 << 24)
        if grep { $_ } @none;

    my $lease = sprintf '%d', $at + 60_000;
    my ($acct, $pp) = ("${base}acct:$sid", sprintf 'PP%064x', ++$checks);
    redis('ZADD', "${base}due:$sid", $lease, $ht);
    script($at, 'check_begin', $acct, keep => 60_000, leave => 0,
        job => join ':', $sid, $pp, $ht, 'd', $lease, 'sample');
    script($at, 'check_finish', $acct, keep => 60_000, events => 0, soon => 0,
        job => join(':', $sid, $pp, $ht, 'd', 1, $lease, 'sample'),
        told => packed([map { result($_, $value) } @other]),
        all => $clear ? '' : '=', clear => $clear, lists => scalar @of,
        interval => $interval, details => 16 << 20, asks => $asks,
        members => $members);
    return;
}

# The SIDs of all hosts but ranges, by value.
sub sids {
    ($base) = map { s/acct:.*//r } @{ redis('KEYS', "rbl:*:acct:$sid") };
    my %uniq = @{ redis('HGETALL', "${base}uniq:$sid") };
    return map { /^ip_range/ ? () : (s/^\w+\|//r => $uniq{$_}) } keys %uniq;
}

# All hosts, and ranges, were added at this time.
sub created {
    my ($at) = @_;

    my ($field) = slurp("$build/gen/rbl_schema.h") =~ /RBL_HOST_CREATED = (\d+)/
        or die "no RBL_HOST_CREATED\n";
    redis('EVAL', <<'LUA', 1, "${base}hosts:$sid", $base, $sid, $field + 1, $at);
for _, ht in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local key = ARGV[1] .. 'r:' .. ARGV[2] .. ':' .. ht
    local host = cmsgpack.unpack(redis.call('GET', key))
    host[tonumber(ARGV[3])] = tonumber(ARGV[4])
    redis.call('SET', key, cmsgpack.pack(host))
end
LUA
    return;
}

sub past {
    redis('CONFIG', 'SET', 'appendfsync', 'no');
    my @hosts = hosts();
    add_hosts(@hosts);

    # They have been there since the first day.
    my %ht = sids();
    redis('DEL', "${base}today:$sid", "${base}days:$sid");
    my $now = time;
    my $at = sub { ($now - 60 * $_[0]) * 1000 };
    my $first = $at->($days * 1440 + 60);
    created($first);
    $silent = $at->(3 * 1440);
    check($first++, $_, $ht{$_}, {}) for sort keys %ht;

    my %on;
    my @turns = map { [$_->[2], @$_[0, 1], 1], $_->[3] ? [$_->[3], @$_[0, 1], 0]
        : () } episodes(@hosts);
    push @turns, map { [3 * 1440, $_, '', 0] } grep { /^203/ } keys %ht;
    my ($n, $date) = (0, int $first / $day_ms);
    # A daemon notes each day that is over (account_settle.lua).
    my $until = sub {
        script(++$date * $day_ms, 'account_settle', "${base}acct:$sid")
            while $date < int $_[0] / $day_ms;
    };
    for (sort { $b->[0] <=> $a->[0] || $a->[1] cmp $b->[1] } @turns) {
        my ($minutes, $value, $list, $listed) = @$_;
        $until->($at->($minutes));
        $listed ? $on{$value}{$list} = 1 : delete $on{$value}{$list};
        check($at->($minutes) + $n++ % 1000, $value, $ht{$value}, $on{$value});
    }
    # The last check of each, at its own time within the interval (_due.lua).
    my @last = map { no warnings 'portable'; [$now * 1000
        - ($now * 1000 - hex substr $ht{$_}, 23) % ($interval * 1000), $_] }
        keys %ht;
    for (sort { $a->[0] <=> $b->[0] } @last) {
        $until->($_->[0]);
        check($_->[0], $_->[1], $ht{ $_->[1] }, $on{ $_->[1] } // {});
    }
    # Records of so old checks would have expired.
    redis('DEL', @{ redis('KEYS', "${base}check:$sid:*") },
        "${base}details:$sid");
    redis('CONFIG', 'SET', 'appendfsync', 'always');
    return;
}


# --- now ---------------------------------------------------------------------

sub ctl {
    my @words = @_;

    open my $out, '-|', "$build/rblctl", '-c', "$run/rbl-checkd.conf", '--json', @words
        or die "rblctl: $!\n";
    my $text = do { local $/ = undef; <$out> };
    close $out or die "rblctl @words fails\n";
    return $text =~ /^\s*[\[{]/ ? decode_json($text) : {};
}

# Adds an e-mail contact, and confirms it by the code that is mailed to it.
sub contact {
    my ($mail, $groups, $confirm, @alert) = @_;

    my $co = call('contact/add.json', contact => $mail, type => 'email',
        schedule => 'start_and_end', contact_group => $groups)->{id};
    ctl('contact', 'alert', $sid, $co, @alert) if @alert;
    for (1 .. ($confirm ? 600 : 0)) {
        for my $page (glob "$run/mails/*.html") {
            my $text = $page =~ /html\.html/ ? '' : slurp($page);
            next if $text !~ /<td>\Q$mail\E/ || $text !~ /^    (\w{6})$/m;
            call("contact/confirm/$co.json", authcode => $1);
            return $co;
        }
        select undef, undef, undef, 0.1;
    }
    die "$mail gets no code\n" if $confirm;
    return $co;
}

# The requests of the application by the hour, and that some failed one morning.
sub requests {
    my ($id) = map { $_->{id} } @{ ctl('app', 'list', $sid) };
    my ($hour, @values) = (int(time / 3600));
    for my $ago (reverse 0 .. 20 * 24) {
        my $n = 30 + int(rand 12) + 25 * (($hour - $ago) % 24 > 7);
        push @values, $sid, $id, $hour - $ago, $n, $ago == 30 ? 17 : 0, 0;
    }
    script(time * 1000, 'app_usage', "${base}acct:$sid", values => \@values);
    return;
}

# Other accounts, which an operator sees.
sub accounts {
    my @of = (['Example Mail', '192.0.2.67'], ['Example Shops', '192.0.2.97'],
        ['Example University'], ['Example Trial']);
    for (@of) {
        my ($name, @hosts) = @$_;
        local ($sid, $token) = (ctl('account', 'add', $name, '--paid')->{id});
        $token = ctl('app', 'add', $sid, 'Hosts')->{token};
        local $http = client();
        call('rblprofile/add.json', name => 'Local lists', is_default => 1,
            entries => $list{traps}{sid});
        call('host/add.json', host => $_, name => $name, type => 'rbl')
            for @hosts;
        ctl('account', 'suspend', $sid) if $name =~ /Trial/;
    }
    return;
}

sub now {
    my %group = map { $_->{name} => $_->{id} }
        @{ call('contactgroups.json?page_size=100') };
    my $all = join ',', @group{'Mail out', 'Customers', 'Colocation', 'Sites'};
    contact('noc@example.com', $all, 1, '--weight', 'high');
    contact('abuse@example.com', $group{Customers}, 1, '--rhythm',
        'daily 08:00', '--after', '30');
    contact('web@example.com', $group{Sites}, 1, '--weight', 'normal',
        '--quiet', '22:00-06:00');
    contact('night@example.com', $group{'Mail out'}, 0);
    ctl('webhook', 'add', $sid, 'Old inventory', 'http://127.0.0.1:9/hook',
        '--types', 'rbl.host.listed,rbl.host.delisted');
    ctl('user', 'add', $sid, $_->[0], '--role', $_->[1], '--name', $_->[2])
        for ['anna@example.com', 'admin', 'Anna Admin'],
        ['vic@example.com', 'viewer', 'Vic Viewer'];

    ctl('mute', 'add', $sid, '3d', 'The cause is known, ticket 4711',
        '--target', $list{policy}{sid});
    ctl('mute', 'add', $sid, '36h', 'The customer moves out', '--target',
        $group{Colocation});
    ctl('mute', 'add', $sid, '4d', 'The owners clean up, ticket 4720',
        '--target', $list{links}{sid}, '--group', $group{Sites});
    ctl('mute', 'add', $sid, 'never', 'Updates', '--repeat',
        'weekly sat 02:00', '--minutes', '120');
    ctl('mark', $sid, '192.0.2.65', $list{traps}{zone}, '--asked', 'true');
    ctl('mark', $sid, '198.51.100.200', $list{policy}{zone}, '--expected',
        'true');
    ctl('mark', $sid, 'shop.customer7.example.net', $list{hacked}{zone},
        '--ticket', 'T-4711');

    for (my $i = 0; $i < @news; $i += 2) {
        my ($list, $values) = @news[$i, $i + 1];
        write_to("$run/dns/$list.zone", join('', map { "$_\n" } @$values),
            '>>');
    }
    sleep 6;                    # rbldnsd looks for changes every five seconds
    my %ht = sids();
    requests();
    accounts();
    call('check/start.json', host => $ht{$_}) for $news[1][0], $news[3][0];
    return;
}

my %do = (zones => [1, \&zones], past => [5, \&past], now => [6, \&now]);
die "usage: sample.pl zones|past|now ...\n"
    if !$what || !$do{$what} || @arg != $do{$what}[0];
$do{$what}[1]->(@arg);
