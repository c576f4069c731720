package RblScript;

# The store's scripts alone, against a real redis-server.  Records are arrays
# in the order of shared/schema.txt, field 0 the version.

use strict;
use warnings;
use Digest::SHA 'sha1_hex';
use Exporter 'import';
use RblSeam;
use RblTest;
use Socket qw(AF_INET AF_INET6 inet_pton);

our @EXPORT = qw(script records unpacked packed sid k redis_new cmd account
    add_host listed_result no_flapping result finish_check begin begin_job take
    handle digest on_its_slot read_event end_events targets leave_event
    per_host contacts_hear tellings_end script_limits script_clock script_quick
    in_state asks_of members_of coverage_in chosen now_ms);

our @EXPORT_OK = qw(take_one done due_now slice step find_members
    find_address);

my $redis;
my (%source, %limit);

# Sets the version stamp of each account's hosts (_unchanged.lua) and returns the
# sums of the hosts' records.
my $MARK_OF = "local function mark_of(key)
    return (string.gsub(key, ':r:(AC%w+):.*', ':unchanged:%1'))
end\n";
my $MARK = $MARK_OF . <<'LUA';
local hosts = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
    redis.call('SET', mark_of(key), 'x')
    hosts[#hosts + 1] = key .. ' ' .. redis.sha1hex(redis.call('GET', key))
end
return table.concat(hosts, ' ')
LUA

# Deletes the stamps and returns the records that changed while their stamp
# stayed.
my $UNMARK = $MARK_OF . <<'LUA';
local marks, bad = {}, {}
for key, sum in string.gmatch(ARGV[1], '(%S+) (%S+)') do
    local mark = mark_of(key)
    if marks[mark] == nil then marks[mark] = redis.call('DEL', mark) == 1 end
    if marks[mark]
        and redis.sha1hex(redis.call('GET', key) or '') ~= sum
    then
        bad[#bad + 1] = key
    end
end
return bad
LUA

# Sets limits of scripts, by the names of their constants, from now on.
sub script_limits {
    %limit = @_;
    %source = ();
}

# From now on scripts take that for the time (ms).
my $clock;
sub script_clock {
    cmd('HSET', 'test:clock', 's', int($_[0] / 1000), 'us', $_[0] % 1000 * 1000);
    %source = () if !$clock++;
}

# From now on scripts are sent to this server once, and version stamps are not
# compared: for many thousands of calls.
my (%sha, $quick);
sub script_quick { $quick = 1 }

sub redis_new {
    $redis = start_redis(@_);
    return $redis;
}

# Runs a script of the build and returns its reply as an array reference.  Also
# does the work that it leaves; the reply is then that of a script that has done
# all of it.  The arguments have names (RblSeam.pm):
#
#   script('host_status', [$acct], host => $ht, status => 'paused')
sub script {
    my ($name, $keys, %args) = @_;

    my $reply = slice(@_);
    return $reply if ref $reply ne 'ARRAY' || $reply->[0] ne 'WORK';
    while (1) {
        my $r = step($keys->[0], $reply->[1]);
        return $r if $r->[0] ne 'OK';
        last if $r->[1];
    }
    return ['OK'] if $name ne 'host_add';
    my ($ac) = $keys->[0] =~ /(\w+)\z/;
    my @sids = ($args{range} || (), map { ref ? @$_ : $_ } $args{host});
    return ['OK', grep { defined } @{ cmd('MGET',
        map { k('r', $ac, $_) } @sids) }];
}

# Does some of an account's work.
sub step { return slice('work_step', [$_[0]], id => $_[1] // '') }

# Runs the script alone.
sub slice {
    my ($name, $keys, @args) = @_;

    $source{$name} //= do {
        my $lua = seam_source($name);
        $lua =~ s/^local $_ = \K\d+$/$limit{$_}/mg for keys %limit;
        $lua =~ s/call\('\KTIME'/HMGET', 'test:clock', 's', 'us'/g if $clock;
        $lua;
    };

    if ($quick) {
        $sha{$name} //= cmd('SCRIPT', 'LOAD', $source{$name});
        return cmd('EVALSHA', $sha{$name}, seam_words($name, $keys, @args));
    }
    my $before = cmd('DBSIZE') > 1000 ? ''
        : cmd('EVAL', $MARK, 0, k('r', 'AC*', 'HT*'));
    my $reply = cmd('EVAL', $source{$name}, seam_words($name, $keys, @args));
    still_marked($name, $before) if $before ne '';
    return $reply;
}

# Tests that changed hosts have no version stamp: otherwise nginx would show
# them from its cache.
sub still_marked {
    my ($name, $before) = @_;

    fail("$name changes $_, and the version stamp of its account stays")
        for @{ cmd('EVAL', $UNMARK, 0, $before) };
}

# The time of the server, which scripts take without script_clock.
sub now_ms { my $t = cmd('TIME'); return $t->[0] * 1000 + int $t->[1] / 1000 }

# A key of partition 0, which these tests use.
sub k { return join ':', 'rbl:{0}', @_ }

sub records {
    return map { mp_unpack($_) } @_;
}

sub unpacked { return mp_unpack($_[0]) }

sub packed { return mp_pack($_[0]) }

sub cmd { return redis($redis, @_) }

# Another one after each change of the store.
sub digest { return redis_digest($redis) }

my $serial = 0;

# Both halves of a check's SID are random, because SIDs of its events are made
# of them.
sub sid {
    my ($kind) = @_;

    $serial++;
    return sprintf 'PP%032x%032x', $serial, $serial + 0x1000_0000
        if $kind eq 'PP';
    return sprintf '%s%032x', $kind, $serial;
}

# Has a contact of that type a message for each host?
sub per_host { return $_[0] eq 'pagerduty' }

# Makes the sets of subscribers (_hears.lua), and the counters of groups, for
# contacts whose records and index were written directly.
sub contacts_hear {
    my ($ac) = @_;
    my %class = (start_and_end => 1, every_check => 2, while_listed => 4);

    cmd('DEL', $_) for @{ cmd('KEYS', k('hears', "$ac*")) };
    my %n = map { $_ => 0 } grep { /:c\z/ } @{ cmd('HKEYS', k('refs', $ac)) };
    for my $co (@{ cmd('ZRANGE', k('contacts', $ac), 0, -1) }) {
        my $c = unpacked(cmd('GET', k('r', $ac, $co)));
        $n{"$_:c"}++ for @{ $c->[6] };
        next if $c->[5] ne 'active';
        my $class = $class{ $c->[4] };
        $class = 3 if $class == 4 && per_host($c->[2]);
        cmd('ZADD', $_, $class, $co) for k('hears', $ac),
            map { k('hears', $ac, $_) } @{ $c->[6] };
    }
    $n{$_} ? cmd('HSET', k('refs', $ac), $_, $n{$_})
        : cmd('HDEL', k('refs', $ac), $_) for keys %n;
}

# Lets daemons notify the contacts of a host; returns the number of slices.
sub tellings_end {
    my $n = 1;
    $n++ while script('telling_step', [k('tellings')])->[1];
    return $n;
}

# An account with two active lists; returns its SID and its acct key.
sub account {
    my (%o) = @_;
    my $ac = sid('AC');

    script('lists_put', [k('lists')], records => [
        packed([1, 'RBa', 'rbl', 'a.example', 'A', 'https://a.example/', 3, 0,
            'active', '', [], '', '', 'normal', 'ip', 'block', 'ip']),
        packed([1, 'RBb', 'rbl', 'b.example', 'B', '', 5, 0,
            'active', '', [], '', '', 'normal', 'ip', 'block', 'ip']),
        packed([1, 'RBu', 'uribl', 'u.example', 'U', '', 4, 0,
            'active', '', [], '', '', 'normal', 'ip', 'block', 'none'])]);
    script('account_put', [k('acct', $ac)], name => 'Name', timezone => 'UTC',
        plan => 'plan', paid => 1, hosts => $o{max_hosts} // 0, contacts => 0,
        interval => $o{interval} // 3600, profile => sid('RP'),
        group => sid('CG'), checks => $o{max_checks} // 0,
        shortest => $o{min_interval} // 0);
    return ($ac, k('acct', $ac));
}

# The defaults of an account, by its acct key: version, profile, group.
sub chosen { return unpacked(cmd('GET', $_[0] =~ s/:acct:/:chosen:/r)) }

# How many hosts are in a state, by its number (_state.lua).
sub in_state {
    my ($ac, $state) = @_;
    my ($from, $to) = map { $_ . '0' x 13 } $state, $state + 1;
    return cmd('ZCOUNT', k('states', $ac), $from, "($to");
}

# The members of "find" that a host has (_find.lua).
sub find_members {
    my ($ht, $value, $name) = @_;
    my $id = "\0" . pack 'H*', substr $ht, 2;
    $name =~ tr/A-Z/a-z/;
    return ("n$name$id", $name eq $value ? () : "v$value$id");
}
sub find_address {
    my ($ht, $value) = @_;
    my ($address, $length) = $value =~ m{^([^/]*)/?(\d*)$};
    my $octets = inet_pton($address =~ /:/ ? AF_INET6 : AF_INET, $address);
    return 'a' . (!defined $octets ? "d$value" : (length $octets == 4 ? 4 : 6)
        . $octets) . chr($length eq '' ? 255 : $length) . "\0"
        . pack 'H*', substr $ht, 2;
}

# Adds one host (or a range: values after the first are its children).
sub add_host {
    my ($acct, $type, @values) = @_;
    my @range = $type ne 'ip_range' ? ()
        : (range => sid('HT'), net => shift @values);
    return script('host_add', [$acct], name => 'name', type => $type,
        family => 1, @range, host => [map { sid('HT') } @values],
        value => \@values);
}

sub result {
    my ($list, $status, %o) = @_;
    my $zone = $o{zone} // lc(substr $list, 2) . '.example';
    return [$list, 'rbl', 0, $zone, '', $status, $o{codes} // [],
        $o{details} // '', $o{reason} // '', $o{error} // '', 5,
        $o{weight} // 0];
}

sub listed_result {
    my ($list, %o) = @_;
    return result($list, 'listed', codes => ['127.0.0.2'],
        details => 'why', %o);
}

# The host does not flap, however often its lists change: nothing is held back.
sub no_flapping {
    my ($ac, $ht) = @_;

    my $h = unpacked(cmd('GET', k('r', $ac, $ht)) // return);
    return if @$h < 23;
    $h->[22] = [];
    cmd('SET', k('r', $ac, $ht), packed($h));
}

# Adds an event to the outbox, and reads it as a daemon; returns the id of the
# entry.
sub read_event {
    my ($ac, $ev) = @_;

    cmd('XADD', k('outbox'), '*', 'a', $ac, 'e', $ev, 'd', 'x');
    return cmd('XREADGROUP', 'GROUP', 'deliver', 'me', 'STREAMS', k('outbox'),
        '>')->[0][1][0][0];
}

# Targets of events of these accounts and types, from event_targets.
sub targets {
    my @even = grep { $_ % 2 == 0 } 0 .. $#_;
    my $r = script('event_targets', [k('outbox')], account => [@_[@even]],
        what => [@_[map { $_ + 1 } @even]]);
    return @$r[1 .. $#$r];
}

# Records events: [id, account, event, type, body, [target, outcome, ...]...].
sub end_events {
    my ($lease, @events) = @_;

    return script('event_done', [k('outbox')], lease => $lease,
        events => [map {
            my ($id, $ac, $ev, $type, $body, @to) = @$_;
            packed([$id, $ac, $ev, $type, $body, \@to]);
        } @events]);
}

# Records an event without a first attempt: its subscribers, and callbacks [URL,
# application]..., become deliveries.
sub leave_event {
    my ($id, $ac, $ev, $type, $body, @callbacks) = @_;

    my $n = 0;
    return end_events(60_000, [$id, $ac, $ev, $type, $body,
        (map { [$_->[0], 'later', '', '', ''] } @{ (targets($ac, $type))[0] }),
        (map { ['CB' . $n++, 'later', '', @$_] } @callbacks)]);
}

# The handle of a claimed job: the last one from take() or begin(), if any.
my (%taken, %begun);
sub handle {
    my ($acct, $pp, $ht, %o) = @_;
    return $begun{$pp} // $taken{$pp} if $taken{$pp} && !$o{times};
    my ($ac) = $acct =~ /(\w+)\z/;
    return join ':', $ac, $pp, $ht, $o{kind} // 'm', $o{times} // 1,
        $o{name} // 'test';
}

# Claims jobs of partition 0 for a daemon; returns handles, those of due hosts
# with the SID of a check.
sub take {
    my ($kind, $n, %o) = @_;
    my $r = script('check_take', [k('leases')], kinds => $kind, most => $n,
        share => $o{share} // $n, lease => $o{lease} // 60_000,
        daemon => $o{name} // 'test', alone => $o{alone} // $n,
        accounts => $o{not} // []);
    my @jobs;
    for my $job (@$r[1 .. $#$r]) {
        push @jobs, $job if !ref $job;
        next if !ref $job;
        my ($ac, $till, $hosts) = @$job;
        push @jobs, join ':', $ac, sid('PP'), $_, 'd', $till,
            $o{name} // 'test' for @$hosts;
        $taken{ (split /:/)[1] } = $_ for @jobs[-@$hosts .. -1];
    }
    return @jobs;
}

sub begin {
    my ($acct, $pp, $ht, $sum) = @_;
    return begin_job($taken{$pp} // handle($acct, $pp, $ht), $sum);
}

# The check of a due host may get another SID: see the reply.
sub begin_job {
    my ($job, $sum, $alone) = @_;
    my ($ac) = $job =~ /^(\w+)/;
    my $r = script('check_begin', [k('acct', $ac)], job => $job,
        keep => 60_000, sum => $sum // '', leave => $alone // '0');
    if ($r->[0] eq 'OK' && $r->[9]) {
        ($begun{ $r->[8] } = $job) =~ s/:PP\w+:(\w+):d:/:$r->[8]:$1:d:$r->[9]:/;
        $taken{ $r->[8] } //= $job;
    }
    return $r;
}

# Results in the daemon's form; `part`: without rarely used fields.
sub finish_check {
    my ($acct, $pp, $ht, $results, $failed, %o) = @_;
    my @clear = grep { $_->[5] eq 'clear' } @$results;
    my @other = grep { $_->[5] ne 'clear' } @$results;
    my @all = $o{part} ? () : (clear => join('', map { $_->[0] } @clear),
        all => @clear ? packed($results) : '=');
    return script('check_finish', [$acct],
        job => handle($acct, $pp, $ht, %o), told => packed(\@other),
        lists => scalar @$results, @all, why => $failed // '', keep => 60_000,
        interval => $o{interval} // 600, events => $o{events} // '1',
        soon => $o{recheck} // 0, details => $o{budget} // 16 << 20,
        asks => $o{asks} // '', members => $o{members} // '');
}

# The lists of a host as the daemon says it: [SID, minimum interval, is it
# critical, did it answer] in the order of the store; and which gave an answer
# (others have the error 3, and never gave one).
sub members_of {
    return join '', map { pack 'H32 N', substr($_->[0], 2),
        ($_->[1] // 0) | ($_->[2] ? 1 << 31 : 0) } @_;
}
sub asks_of {
    my @missing = map { $_->[3] // 1 ? 0 : 1 } @_;
    my $bits = pack 'b*', join '', @missing;
    return substr(sha1_hex(members_of(@_)), 0, 16)
        . ($bits =~ /[^\0]/ ? chr(length $bits) . $bits
            . "\x3f" x grep { $_ } @missing : '');
}

# The coverage of an account: {list => [critical, minimum interval, last noted
# answer (s) or "never"]}, {class => [the last answer of all, the last check (s),
# lists]}.
sub coverage_in {
    my $raw = cmd('GET', k('coverage', $_[0])) // return;
    my (undef, $table, @classes) = @{ unpacked($raw) };
    my (@sids, %list, %class);
    for (unpack '(a24)*', $table) {
        my ($sid, $least, $last) = unpack 'H32NN', $_;
        push @sids, "RB$sid";
        $list{"RB$sid"} = [$least >> 31, $least & 0x3fff_ffff,
            $least & 0x4000_0000 ? 'never' : $last];
    }
    for (@classes) {
        my (undef, undef, $full, $seen, $rest) = unpack 'a16NNNa*', $_;
        next if $rest =~ /^;/;
        my ($name, $members) = $rest =~ /\A([^;]+);(.*)\z/s or die 'no class';
        $class{$name} = [$full, $seen, map { $sids[$_ - 1] } unpack 'n*',
            $members];
    }
    return (\%list, \%class);
}

# Due deliveries; the end of an attempt of one; makes one due.
sub take_one {
    my $r = script('delivery_claim', [k('retry')], most => 10,
        lease => 60_000);
    return @$r[2 .. $#$r];
}
sub done {
    my ($d, $outcome, $wait) = @_;
    return script('delivery_done', [k('retry')], member => $d->[0],
        attempt => $d->[4], outcome => $outcome, delay => $wait // 0,
        status => $outcome eq 'ok' ? 200 : 500, error => 'text')->[0];
}
sub due_now { cmd('ZADD', k('retry'), 0, $_[0][0]) }

# A host's own slot in each interval (s), and whether a next check is in it,
# neither too soon nor too late after the last one.
sub on_its_slot {
    my ($ht, $checked, $next, $interval) = @_;
    my ($ms, $wait) = ($interval * 1000, $next - $checked);
    return ($next - hex substr $ht, -11) % $ms == 0 && $wait * 10 >= $ms
        && $wait * 10 < 11 * $ms;
}

1;
