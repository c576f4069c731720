package RblDigest;

# Digests in the store: an account with contacts and hosts, their checks, and
# the messages to the contacts.

use strict;
use warnings;
use Exporter 'import';
use RblScript;
use RblScript qw(take_one done due_now);
use RblSeam;
use RblTest;

our @EXPORT = qw(digests_new contact host last_address check waits forget claim
    store whole tells leases_end take_one done due_now nothing_left sound);

use constant { HT => 2 ** 42 };

my ($ac, $acct, $redis);
my $n_hosts = 0;
my $flaps;
my @states = qw(listed delisted clear unreported);

# A redis-server with an account: its SID, its key, its group, another group.
# Hosts flap only with digests_new(flaps => 1).
sub digests_new {
    my (%o) = @_;

    $flaps = $o{flaps};
    $redis = redis_new();
    rblctl($redis, 'init', '--partitions', 1);
    ($ac, $acct) = account();
    my $other = sid('CG');
    script('group_add', [$acct], group => $other, name => 'other',
        is_default => '0');
    return ($ac, $acct, chosen($acct)->[2], $other);
}

# An active contact: contact($schedule, type => .., groups => [..]).
sub contact {
    my ($schedule, %o) = @_;

    my $co = sid('CO');
    script('contact_add', [$acct], contact => $co,
        type => $o{type} // 'endpoint', value => "https://x.example/$co",
        schedule => $schedule, digest => 'digest', code => 'code',
        event => sid('EV'), groups => $o{groups} // []);
    script('contact_confirm', [$acct], contact => $co, digest => 'digest');
    return $co;
}

# A host of the account's group or of those given, and the address of the n-th
# last one.
sub host {
    my (@groups) = @_;

    my $ht = sid('HT');
    script('host_add', [$acct], name => 'name', type => 'rbl', family => 1,
        group => $groups[0] // '', host => $ht,
        value => '192.0.2.' . ++$n_hosts);
    if (@groups) {
        my $h = unpacked(cmd('GET', k('r', $ac, $ht)));
        $h->[9] = [@groups];
        cmd('SET', k('r', $ac, $ht), packed($h));
    }
    return $ht;
}
sub last_address { return '192.0.2.' . ($n_hosts - ($_[0] // 0)) }

# One check of a host with each list's result; "listed:4" has a weight.
sub check {
    my ($ht, @says) = @_;

    cmd('HDEL', k($_), "$ac:$ht") for 'flight', 'flight:due';
    my $pp = sid('PP');
    script('check_start', [$acct], check => $pp, host => $ht, keep => 60_000);
    my $begun = begin($acct, $pp, $ht);
    my @zones = ('a', 'b');
    my $failed = $says[0] eq 'failed';
    my $r = finish_check($acct, $pp, $ht, $failed ? [] : [map {
        my $l = 'RB' . shift @zones;
        /^listed:?(\d?)/ ? listed_result($l, weight => $1 || 0)
            : result($l, $_, error => $_ eq 'unknown' ? 'timeout' : '')
        } @says], $failed ? 'It failed.' : '', events => $begun->[7]);
    is($r->[0], 'OK', "the check ends: @says") if $r->[0] ne 'OK';
    no_flapping($ac, $ht) if !$flaps;
}

# The contents of a contact's digest: "listed 192.0.2.1, ..."
sub waits {
    my ($co) = @_;

    my @rows = @{ cmd('ZRANGE', k('digest', $ac, $co), 0, -1, 'WITHSCORES') };
    my @out;
    while (my ($ht, $score) = splice @rows, 0, 2) {
        my ($value) = $ht =~ /^HT\w+\|([^|]*)\|/;
        my $raw = defined $value ? '' : cmd('GET', k('r', $ac, $ht)) // next;
        $value //= unpacked($raw)->[2];
        push @out, $states[$score / HT] . ' ' . $value;
    }
    return join ', ', @out;
}

sub forget {
    cmd('DEL', map { my $co = $_; map { k($_, $ac, $co) } qw(digest making batch
        line) } $_)
        for @_;
    cmd('DEL', k('digests'));
}

# The digests that may be told, by the names of the rows of digest_claim.
sub claim {
    my (%o) = @_;

    my @claimed;
    for (1 .. 500) {
        my $r = script('digest_claim', [k('digests')],
            window => $o{window} // 0, lease => $o{lease} // 30_000,
            most => $o{hosts} // 50, events => [map { sid('EV') } 1 .. 4]);
        is($r->[0], 'OK', 'claimed') if $r->[0] ne 'OK';
        return $r->[1] if !wantarray;
        push @claimed, map { { seam_row('digest_claim', $_) } } @$r[3 .. $#$r];
        last if $r->[1] != 0 || @$r == 3 && !unfinished();
    }
    return @claimed;
}

# Is there a digest that is being made, or a batch that is to be told?
sub unfinished {
    return 1 if @{ cmd('KEYS', k('making', '*')) };
    for my $k (@{ cmd('KEYS', k('batch', '*')) }) {
        my ($co) = $k =~ /(CO\w+)$/;
        return 1 if cmd('ZSCORE', k('digests'), "$ac:$co")
            < (cmd('TIME')->[0] + 1) * 1000;
    }
    return 0;
}

# Stores what claim() gave.
sub store {
    my ($d, %o) = @_;

    my @args = (member => $d->{member}, claimed => $d->{event},
        limit => $o{limit} // 20);
    my @all = @{ $o{messages} // [[$d->{event}, '{"m":1}', '']] };
    my $r = script('digest_store', [k('digests')], @args,
        event => [map { $_->[0] } @all], body => [map { $_->[1] } @all],
        host => [map { $_->[2] } @all]);
    my ($said, $n) = @$r;
    $said = script('digest_store', [k('digests')], @args)->[0]
        while $said eq 'MORE';
    return [$said, defined $n ? $n : ()];
}
# Messages to each contact now: {CO => "listed 192.0.2.1, ..."}
sub tells {
    my %told;
    for my $d (claim()) {
        my @rows = @{ $d->{hosts} };
        while (my ($raw, $state) = splice @rows, 0, 2) {
            push @{ $told{ substr $d->{member}, 35 } },
                "$states[$state] " . unpacked($raw)->[2];
        }
        is_deeply(store($d, messages => []), ['OK', 0], 'stored')
            if !$d->{alert};
    }
    return map { $_ => join ', ', @{ $told{$_} } } keys %told;
}

sub leases_end { cmd('ZADD', k('digests'), 'XX', 0, "$ac:$_[0]") }
sub sound {
    my ($name) = @_;

    my $r = rblctl($redis, 'fsck');
    is($r->{out}, "no fault in 1 account\n", "$name: fsck finds no fault")
        or diag($r->{err});
}
sub nothing_left {
    my ($name) = @_;

    is_deeply([sort grep { !/:(?:pace|hears|r|hosts|contacts):/ }
        map { @{ cmd('KEYS', k($_)) } } 'digest*', 'making*', 'batch*', 'line*',
        'event*',
        'dlv*', 'retry'], [], "$name: nothing is left");
}

1;
