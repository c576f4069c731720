package RblWorst;

# The most expensive account that the documented limits allow, and how long
# scripts hold Redis for it.
#
# A time comes from Redis (INFO commandstats, of the one call) and is the
# minimum of several attempts, because other programs can only add to it.  On a
# slow machine it is scaled by the times of scripts of known cost, also the
# minimum of several attempts: 1,000 calls of TIME, 8 stored values of 100 KB,
# a record of 400 listings that is unpacked and packed, and Lua alone, which
# another server or build does not make faster.  On the reference machine they
# take COMMANDS, DATA, RECORD and LUA microseconds.  A time is never scaled by a
# single attempt: an interrupted one would make any script seem fast.

use strict;
use warnings;

use Exporter 'import';
use List::Util qw(max min);
use RblScript;
use RblSeam;
use RblTest;

use constant { COMMANDS => 500, DATA => 120, RECORD => 680, LUA => 1000,
    SYSTEM => 200, OWN => 200 };

our @EXPORT_OK = qw(spent);
our @EXPORT = qw(worst_store slice calibrate slowness %W
    host_in range_of listed_on open_check text_of);

our %W;                 # the account: ac, acct, rb, own, cg, co, rp, ap, wh
my %sha;
our %took;              # script -> microseconds of its last call
our %word;              # script -> first word of its reply

# Microseconds of all calls of scripts so far.  The counters are never reset:
# otherwise Redis would allocate its histogram again at the next call of each
# command, within the time of the script.
sub spent {
    my ($us) = cmd('INFO', 'commandstats') =~ /^cmdstat_evalsha:\S*?usec=(\d+)/m;
    return $us // 0;
}

# Runs a script like RblScript, and notes its time.
sub slice {
    my ($name, @args) = @_;

    $sha{$name} //= cmd('SCRIPT', 'LOAD', seam_source($name));
    my @words = seam_words($name, @args);
    my $before = spent();
    my $reply = cmd('EVALSHA', $sha{$name}, @words);
    $took{$name} = spent() - $before;
    $word{$name} = $reply->[0] // 'nothing';
    return $reply;
}

{
    no warnings 'redefine';
    *RblScript::slice = \&slice;
}

# The time of a script without a name.
sub probe {
    my ($source, @args) = @_;
    my $sha = $sha{$source} //= cmd('SCRIPT', 'LOAD', $source);
    my $before = spent();
    cmd('EVALSHA', $sha, @args);
    return spent() - $before;
}

# Measures the speed of this machine again: microseconds of each probe.
my $record = packed([map { [sid('RB'), 'rbl', 0, 'z' x 100, 'https://l.example/',
    'listed', ['127.0.0.2'], 't' x 80, 't' x 80, '', 2500] } 1 .. 400]);
sub calibrate {
    my $commands = probe("for i = 1, 1000 do redis.call('TIME') end", 0);
    my $data = probe("for i = 1, 8 do redis.call('SET', KEYS[1] .. i, ARGV[1])"
        . " end for i = 1, 8 do redis.call('DEL', KEYS[1] .. i) end", 1,
        k('probe'), 'x' x 100_000);
    my $records = probe('cmsgpack.pack(cmsgpack.unpack(ARGV[1]))', 0, $record);
    my $lua = probe("local t = {} for i = 1, 2000 do t[i] = 'word ' .. i .. ':'"
        . " .. i % 7 end table.sort(t) for i = 1, #t do t[i] = t[i]:sub(2) end"
        . " return #table.concat(t, ' ')", 0);
    return [$commands / COMMANDS, $data / DATA, $records / RECORD, $lua / LUA];
}

# How much slower the machine is than the reference, by all probes.
sub slowness {
    my (@looks) = @_;
    return max(1, map { my $i = $_; min(map { $_->[$i] } @looks) } 0 .. 3);
}

sub text_of { my ($n) = @_; return substr 'text ' x ($n / 5 + 1), 0, $n }

sub zone_of {
    my ($i) = @_;
    return join '.', sprintf('l%05d', $i), ('z' x 60) x 3, 'example';
}

sub system_lists {
    $W{rb} = [map { sid('RB') } 1 .. SYSTEM];
    script('lists_put', [k('lists')], records => [map { packed([1, $W{rb}[$_],
        'rbl', $_ ? "list$_.some.example" : "{key}.some.example",
        "List number $_", "https://list$_.example/site", 7, 0, 'active', '',
        [map { "127.0.0.$_=meaning" } 2 .. 12],
        "https://list$_.example/lookup?q={value}",
        "https://l$_.example/delist", 'normal', 'ip', 'block', 'ip', '', 0, 0,
        0, '', text_of(100)]) } 0 .. SYSTEM - 1]);
}

# Builds the account, with the scripts that the programs use.
sub worst_store {
    my (%o) = @_;

    my $redis = redis_new();
    $W{ac} = sid('AC');
    my $acct = $W{acct} = k('acct', $W{ac});
    system_lists();
    script('account_put', [$acct], name => text_of(255),
        timezone => 'America/Argentina/Ushuaia', plan => 'plan', paid => 1,
        hosts => 0, contacts => 0, interval => 3600,
        profile => $W{default} = sid('RP'), group => sid('CG'), checks => 0,
        shortest => 60);
    $W{own} = [map { sid('RB') } 1 .. OWN];
    script('rbl_add', [$acct], list => $W{own}[$_], type => 'rbl',
        zone => zone_of($_)) for 0 .. OWN - 1;
    my @all = (@{ $W{rb} }, @{ $W{own} });
    $W{rp} = [map { sid('RP') } 1 .. $o{profiles} // 990];
    script('profile_add', [$acct], profile => $_, name => text_of(255),
        given => '1', entries => \@all) for @{ $W{rp} };
    $W{cg} = [map { sid('CG') } 1 .. 990];
    script('group_add', [$acct], group => $_, name => text_of(255))
        for @{ $W{cg} };
    contacts();
    $W{ap} = sid('AP');
    script('app_put', [$acct], app => $W{ap}, name => 'app',
        secret => 's' x 64, field => '0' x 16, digest => 'd' x 32);
    $W{wh} = [map { sid('WH') } 1 .. 20];
    script('hook_put', [$acct], hook => $_, name => 'hook',
        url => 'https://hook.example/' . 'x' x 200, secret => 's' x 64)
        for @{ $W{wh} };
    cmd('XGROUP', 'CREATE', k('outbox'), 'deliver', 0, 'MKSTREAM');
    script('totals_make', [$acct]);
    return $redis;
}

# The allowed number of contacts, each in the allowed number of groups, active.
sub contacts {
    my $n = 0;
    for (1 .. 1000) {
        my $co = sid('CO');
        my @groups = map { $W{cg}[($n * 7 + $_) % 50] } 0 .. 49;
        my $r;
        while (@groups) {
            $r = script('contact_add', [$W{acct}], contact => $co,
                type => 'email', value => "c$n\@" . 'x' x 60 . '.example',
                schedule => 'every_check', digest => 'digest',
                code => 'abcdef', event => sid('EV'), groups => \@groups);
            last if $r->[0] eq 'OK';
            splice @groups, @groups / 2;
        }
        last if $r->[0] ne 'OK';
        script('contact_confirm', [$W{acct}], contact => $co,
            digest => 'digest');
        push @{ $W{co} }, $co;
        $n++;
    }
}

my $value = 0;

# A new host of the worst profile in 50 groups.
sub host_in {
    my ($profile) = @_;
    my $ht = sid('HT');
    $value++;
    my $r = script('host_add', [$W{acct}], name => text_of(255), type => 'rbl',
        family => 1, profile => $profile // $W{rp}[0], group => $W{cg}[0],
        host => $ht, value => join '.', 10, 200, $value >> 8, $value & 255);
    die "host_add: $r->[0]\n" if $r->[0] ne 'OK';
    script('host_update', [$W{acct}], host => $ht,
        groups => [@{ $W{cg} }[0 .. 49]]);
    return $ht;
}

# Arguments of host_add for a range of that many addresses; it is not added.
my $net = 0;
sub range_of {
    my ($n) = @_;
    $net++;
    return (range => sid('HT'), net => "11.$net.0.0/22",
        host => [map { sid('HT') } 1 .. $n],
        value => [map { join '.', 11, $net, $_ >> 8, $_ & 255 } 0 .. $n - 1]);
}

# The daemon's results of a host on all lists, with as much text and as many
# codes as texts.h leaves for so many lists.
sub listed_on {
    my ($status) = @_;
    my $is = $status eq 'listed';
    return [map {
        my $own = $_ >= SYSTEM;
        my $i = $own ? $_ - SYSTEM : $_;
        my $text = $is ? text_of($own ? 40 : 88) : '';
        [$own ? $W{own}[$i] : $W{rb}[$i], 'rbl', $own ? 1 : 0,
            $own ? zone_of($i) : "list$i.some.example",
            $own ? '' : "https://list$i.example/site", $status,
            $is ? ['127.0.0.102', '127.0.0.103'] : [], $text, $text,
            $status eq 'unknown' ? 'timeout' : '', 2500, $is ? 3 : 0];
    } 0 .. SYSTEM + OWN - 1];
}

# A manual check of a host, claimed and started by a daemon; its callbacks.
sub open_check {
    my ($ht, %o) = @_;
    my $pp = sid('PP');
    script('check_start', [$W{acct}], check => $pp, host => $ht,
        value => $ht ? '' : '192.0.2.77', family => 1,
        callback => 'https://callback.example/' . $_ . 'x' x 200,
        app => $W{ap}, keep => 3_600_000) for 1 .. $o{callbacks} // 32;
    return $pp if $o{queued};
    take('m', 1);
    begin($W{acct}, $pp, $ht) if !$o{taken};
    return $pp;
}

1;
