#!/usr/bin/perl

# The state of each host, the index by value and name, and the search, in random
# lives: after each step the indexes are those that the records call for, and a
# random search, page by page, finds the hosts that a walk through all records
# finds, in the right order.  Then: cursors, deletions between pages, bounds.
#
# RBL_SEED is the seed; RBL_STEPS the number of steps.

use strict;
use warnings;
use RblSeam;
use RblTest;
use RblScript qw(:DEFAULT find_address find_members step);

use constant { ID => 1, VALUE => 2, NAME => 3, TYPE => 4, PARENT => 6,
    STATUS => 7,
    PROFILE => 8, GROUPS => 9, CHECKED => 11, FIRST => 12, LISTED => 13,
    UNKNOWN => 14, DETAILS => 16, UNCOVERED => 18 };
use constant { WIDTH => 1e13, HOSTS => 40 };
use constant { CLEAR => 0, IS_LISTED => 1, IS_UNKNOWN => 2, NOT_COVERED => 3,
    PAUSED => 4, RANGE => 5 };

my $seed = $ENV{RBL_SEED} // int rand 1e6;
my $steps = $ENV{RBL_STEPS} // 400;
diag("RBL_SEED=$seed") if $ENV{RBL_SEED} || $ENV{HARNESS_VERBOSE};
srand $seed;

redis_new();
my ($ac, $acct) = account(interval => 600);
my @rp = (chosen($acct)->[1], sid('RP'));
my @cg = (chosen($acct)->[2], sid('CG'));
cmd('SET', k('r', $ac, $rp[1]),
    packed([1, $rp[1], 'None', 'active', 0, [], 1]));
cmd('ZADD', k('profiles', $ac), 8, $rp[1]);
cmd('SET', k('r', $ac, $cg[1]), packed([1, $cg[1], 'Other', 1]));
cmd('ZADD', k('groups', $ac), 9, $cg[1]);

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }
sub hosts_of {
    my $sids = cmd('ZRANGE', k('hosts', $ac), 0, -1);
    return @$sids ? map { unpacked($_) }
        @{ cmd('MGET', map { k('r', $ac, $_) } @$sids) } : ();
}

# --- what should be ----------------------------------------------------------

sub state_of {
    my ($h) = @_;

    return PAUSED if $h->[STATUS] ne 'active';
    return RANGE if $h->[TYPE] eq 'ip_range';
    return IS_LISTED if $h->[LISTED] > 0;
    return NOT_COVERED if $h->[UNCOVERED] // 0;
    return $h->[UNKNOWN] > 0 || !$h->[CHECKED] ? IS_UNKNOWN : CLEAR;
}

sub small { return $_[0] =~ tr/A-Z/a-z/r }

sub rows {
    my %r = @{ cmd('ZRANGE', k($_[0], $ac), 0, -1, 'WITHSCORES') };
    return join "\n", map { "$_ $r{$_}" } sort keys %r;
}

sub sound {
    my ($when) = @_;

    my (%state, %find, @listed);
    my @hosts = hosts_of();
    for my $h (@hosts) {
        my ($state, $place) = (state_of($h),
            cmd('ZSCORE', k('hosts', $ac), $h->[ID]));
        $state{ $h->[ID] } = WIDTH * $state
            + ($state == IS_LISTED ? $h->[FIRST] : $place) if $state;
        push @listed, $h->[ID] if $state == IS_LISTED;
        $find{$_} = 0 for find_members(@$h[ID, VALUE, NAME]),
            find_address(@$h[ID, VALUE]);
    }
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my ($states, $find) = map { my $of = $_; join "\n",
        map { "$_ $of->{$_}" } sort keys %$of } \%state, \%find;
    my $good = rows('states') eq $states && rows('find') eq $find
        && "@{ cmd('ZRANGE', k('listed', $ac), 0, -1) }" eq "@listed";
    return 1 if $good;
    is(rows('states'), $states, "the states match the records $when");
    is(rows('find'), $find, "the search index matches the records $when");
    is("@{ cmd('ZRANGE', k('listed', $ac), 0, -1) }", "@listed",
        "the listings match the records $when");
    return 0;
}

# --- searches ----------------------------------------------------------------

sub find_page {
    my (%o) = @_;

    delete $o{between};
    return script('host_find', [$acct], %o);
}

# All pages; `between` runs between two of them.
sub find_all {
    my (%o) = @_;

    my (@all, $r);
    my $after = '';
    for (1 .. 1000) {
        $r = find_page(%o, after => $after);
        die "find: @$r\n" if $r->[0] ne 'OK';
        push @all, map { unpacked($_)->[ID] } @{ $r->[3] };
        fail('a page is too long') if @{ $r->[3] } > $o{limit};
        $after = $r->[1];
        return @all if $after eq '';
        $o{between}->() if $o{between};
    }
    fail('the search ends');
    return @all;
}

sub heaviest {
    my ($most) = sort { $b <=> $a } map { $_->[9] || 2 } @{ $_[0][DETAILS] };
    return $most // 0;
}

# The same from the records, in the order of the answer, but for that of a
# search by text in a state, which has two.
sub model {
    my (%o) = @_;

    my $text = small($o{text} // '');
    my $begins = sub { substr(small($_[0]), 0, length $text) eq $text };
    my $has = sub { $o{part} && index(small($_[0]), $text) >= 0 };
    my $listing = grep { length($o{$_} // '') } qw(list weight since);
    my @hosts = grep {
        my $h = $_;
        (!$o{group} || grep { $_ eq $o{group} } @{ $h->[GROUPS] })
            && (!$o{profile} || $h->[PROFILE] eq $o{profile})
            && (!length($o{state} // '') || state_of($h) == $o{state})
            && (!$o{parent} || $h->[PARENT] eq ($o{parent} eq 'none' ? ''
                : $o{parent}))
            && (!$listing || state_of($h) == IS_LISTED)
            && (!$o{list} || grep { $_->[0] eq $o{list} } @{ $h->[DETAILS] })
            && (!$o{weight} || $o{weight} == heaviest($h))
            && (!$o{since} || $h->[FIRST] > now_ms() - $o{since} * 3_600_000)
            && ($begins->($h->[VALUE]) || $begins->($h->[NAME])
                || $has->($h->[VALUE]) || $has->($h->[NAME]))
            && ($o{sort} ne 'since' || state_of($h) == IS_LISTED)
    } hosts_of();
    if ($o{parent} && $o{parent} ne 'none') {
        return map { $_->[ID] } @hosts;
    } elsif ($o{sort} eq 'address' && $text eq '') {
        @hosts = sort { find_address(@$a[ID, VALUE])
            cmp find_address(@$b[ID, VALUE]) } @hosts;
    } elsif ($o{sort} eq 'since'
        || $o{since} && $text eq '' && $o{sort} ne 'name')
    {
        @hosts = sort { $a->[FIRST] <=> $b->[FIRST] || $a->[ID] cmp $b->[ID] }
            @hosts;
    } elsif ($text ne '') {
        # those with the same value, of two types, by SID
        my $first = sub { $begins->($_[0][VALUE])
            && small($_[0][NAME]) ne $_[0][VALUE] };
        my $n = 0;
        @hosts = map { $_->[1] } sort { $a->[0] cmp $b->[0] } map {
            [($first->($_) ? "v$_->[VALUE]"
                : $begins->($_->[NAME]) ? "w" . small($_->[NAME])
                : sprintf 'x%09d', $n++) . "\0$_->[ID]", $_] } @hosts;
    } elsif ($o{sort} eq 'name') {
        @hosts = map { $_->[1] } sort { $a->[0] cmp $b->[0] }
            map { [small($_->[NAME]) . "\0$_->[ID]", $_] } @hosts;
    }
    return map { $_->[ID] } @hosts;
}

my @words = ('', 'm', 'Mail', 'MAIL', 'mail ', 'zz', '10.', '10.0.0.1', '10.0.0',
    "\xc3\xa4", "\xc3\x84", '*', 'a*', 'x.example', 'X.EX', 'r ', '[', '(',
    "\xf0\x9f\x93\xa7", '%', '-', '+', 'n' x 255);
sub random_search {
    return (text => chance(0.4) ? '' : pick(@words),
        state => chance(0.5) ? '' : int rand 5,
        group => chance(0.7) ? '' : pick(@cg),
        profile => chance(0.7) ? '' : pick(@rp), part => pick('', '0', '1'),
        list => chance(0.8) ? '' : pick('RBa', 'RBb', 'RBc'),
        weight => chance(0.8) ? '' : 1 + int rand 4,
        since => chance(0.8) ? '' : 1 + int rand 48,
        parent => chance(0.6) ? '' : chance(0.6) ? 'none'
            : pick('', map { $_->[PARENT] } hosts_of()),
        sort => pick('', 'created', 'name', 'address', 'since'),
        limit => 1 + int rand 9);
}

sub searched {
    my ($when, %o) = @_;

    my @found = find_all(%o);
    my @want = model(%o);
    my $free = $o{text} ne '' && $o{sort} ne 'since'
        && grep { length $_ } @o{qw(state list weight since)};
    my ($found, $want) = map { join ' ', $free ? sort @$_ : @$_ } \@found,
        \@want;
    return 1 if $found eq $want;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is($found, $want, "search $when: " . join ', ', map { "$_=$o{$_}" }
        sort keys %o);
    return 0;
}

# --- steps -------------------------------------------------------------------

my $serial = 0;
sub name_of {
    return pick('Mail', 'MAIL ' . int rand 5, "\xc3\x84pfel", "\xc3\xa4pfel",
        'a*b', 'zz', '10.0.0.1x', 'x.example', 'X.EXAMPLE', '[1]',
        "\xf0\x9f\x93\xa7 post", 'n' x 255, "\xc3\xa4" x 255, '%d', $_[0],
        uc $_[0]);
}
sub add {
    return if cmd('ZCARD', k('hosts', $ac)) > HOSTS;
    my $n = ++$serial;
    my $domain = chance(0.3);
    my $value = $domain ? 'x.example' . ($n > 1 ? $n : '')
        : '10.0.' . int($n / 200) . '.' . $n % 200;
    script('host_add', [$acct], name => name_of($value),
        type => $domain ? 'uribl' : 'rbl', family => $domain ? 4 : 1,
        profile => pick('', @rp), group => pick('', @cg), host => sid('HT'),
        value => $value);
}
sub add_range {
    return if cmd('ZCARD', k('hosts', $ac)) > HOSTS;
    my $n = 4 * ++$serial;
    my $net = '11.0.' . int($n / 256) . '.';
    script('host_add', [$acct], name => pick('r', 'Mail'), type => 'ip_range',
        family => 1, range => sid('HT'), net => $net . $n % 256 . '/30',
        host => [map { sid('HT') } 0 .. 3],
        value => [map { $net . ($n % 256 + $_) } 0 .. 3]);
}
sub some_host { my @h = hosts_of(); return @h ? pick(@h) : undef }
sub check {
    my $h = some_host() // return;
    return if $h->[TYPE] eq 'ip_range' || $h->[STATUS] ne 'active';
    my ($ht, $pp) = ($h->[ID], sid('PP'));
    script('check_start', [$acct], check => $pp, host => $ht, app => 'APx',
        keep => 60_000);
    begin($acct, $pp, $ht);
    script('host_status', [$acct], host => $ht, status => 'paused')
        if chance(0.05);
    my @lists = ('RBa', 'RBb');
    my $how = int rand 6;
    my $weight = int rand 5;
    my @results = $how == 0 ? () : map { $how == 1
        ? result($_, 'listed', weight => $weight)
        : $how == 2 ? result($_, 'unknown', error => 'timeout')
        : $how == 3 && chance(0.5) ? listed_result($_)
        : result($_, 'clear') } @lists;
    finish_check($acct, $pp, $ht, \@results, @results ? '' : 'It failed.');
}
sub check_covered_by_none {
    my ($h) = grep { $_->[PROFILE] eq $rp[1] && $_->[STATUS] eq 'active'
        && $_->[TYPE] ne 'ip_range' } hosts_of();
    return if !$h;
    my ($ht, $pp) = ($h->[ID], sid('PP'));
    script('check_start', [$acct], check => $pp, host => $ht, app => 'APx',
        keep => 60_000);
    begin($acct, $pp, $ht);
    finish_check($acct, $pp, $ht, [], 'No blocklist applies to this host.');
}
# Due checks that find everything clear, alone and several at once.
sub clear {
    cmd('ZADD', k('due', $ac), 1, $_) for grep {
        cmd('ZSCORE', k('due', $ac), $_)
            && !cmd('HEXISTS', k('flight:due'), "$ac:$_") }
        map { $_->[ID] } hosts_of();
    cmd('ZADD', k('due'), 1, $ac);
    my @ended;
    for my $job (take('d', pick(1, 3))) {
        my $ht = (split /:/, $job)[2];
        begin_job($job);
        my $flight = cmd('HGET', k('flight:due'), "$ac:$ht") // next;
        push @ended, { member => "$ac:$ht", flight => $flight };
    }
    script('check_clear', [k('flight:due')], columns(@ended), interval => 600)
        if @ended;
    # those that it leaves find a list
    my @left = @{ cmd('HGETALL', k('flight:due')) };
    while (my ($member, $flight) = splice @left, 0, 2) {
        my ($of, $ht) = split /:/, $member;
        my ($pp, $times, $till, $name) = split /[:+]/, $flight;
        my @results = map { result($_, 'clear') } 'RBa', 'RBb';
        script('check_finish', [$acct],
            job => "$of:$pp:$ht:d:$times:$till:$name", told => packed([]),
            clear => 'RBaRBb', lists => 2, all => packed(\@results),
            keep => 60_000, interval => 600, events => '1', soon => 0,
            details => 16 << 20);
    }
}
my %may = (
    add => [8, \&add], range => [1, \&add_range],
    check => [14, \&check], none => [2, \&check_covered_by_none],
    clear => [5, \&clear],
    pause => [3, sub { my $h = some_host() // return;
        script('host_status', [$acct], host => $h->[ID],
            status => 'paused') }],
    resume => [5, sub { my ($h) = grep { $_->[STATUS] eq 'paused' } hosts_of();
        script('host_status', [$acct], host => $h->[ID], status => 'active')
            if $h }],
    name => [4, sub { my $h = some_host() // return;
        script('host_update', [$acct], host => $h->[ID], named => '1',
            name => name_of($h->[VALUE])) }],
    age => [4, sub { my ($h) = grep { state_of($_) == IS_LISTED } hosts_of();
        return if !$h;
        $h->[FIRST] = now_ms() - 60_000 * (1 + int rand 60 * 60);
        cmd('SET', k('r', $ac, $h->[ID]), packed($h));
        cmd('ZADD', k('states', $ac), WIDTH + $h->[FIRST], $h->[ID]) }],
    update => [3, sub { my $h = some_host() // return;
        script('host_update', [$acct], host => $h->[ID],
            profile => pick('', @rp),
            groups => pick([], [$cg[0]], [$cg[1]], [@cg])) }],
    delete => [3, sub { my $h = some_host() // return;
        script('host_delete', [$acct], host => $h->[ID], keep => 60_000) }],
);
my @order = map { ($_) x $may{$_}[0] } sort keys %may;
my %seen;
for my $n (1 .. $steps) {
    my $what = pick(@order);
    $may{$what}[1]->();
    my $when = "after step $n, $what, of seed $seed";
    my $good = sound($when);
    $good &&= searched($when, random_search()) for 1 .. 3;
    last if !$good;
    $seen{ state_of($_) } = 1 for hosts_of();
}
pass("the life of $steps steps ends");
is(join(' ', sort keys %seen), '0 1 2 3 4 5', 'every state was there');

# --- cursors -----------------------------------------------------------------

cmd('FLUSHALL');
($ac, $acct) = account();
for my $i (1 .. 60) {
    script('host_add', [$acct], name => 'Host ' . $i % 7, type => 'rbl',
        family => 1, host => sid('HT'), value => "10.1.0.$i");
}
my @all = map { $_->[ID] } hosts_of();
for my $o ({ sort => 'created' }, { sort => 'name' }, { sort => 'address' },
    { text => '10.1.' },
    { text => 'hoSt' }, { state => IS_UNKNOWN }, { state => IS_UNKNOWN,
    sort => 'name' }, { state => IS_UNKNOWN, text => 'h' })
{
    my $name = join ' ', map { "$_=$o->{$_}" } sort keys %$o;
    my %stay = map { $_ => 1 } @all;
    my @found = find_all(%$o, limit => 3, between => sub {
        my @h = hosts_of();
        my $h = pick(@h);
        script('host_delete', [$acct], host => $h->[ID], keep => 1000);
        delete $stay{ $h->[ID] };
        script('host_add', [$acct], name => 'Host ' . int rand 9,
            type => 'rbl', family => 1, host => sid('HT'),
            value => '10.1.' . join '.', 1 + int rand 200, int rand 250);
    });
    my %times;
    $times{$_}++ for @found;
    is(join(' ', grep { $times{$_} > 1 } keys %times), '',
        "$name: none comes twice while others come and go");
    is(join(' ', grep { !$times{$_} } keys %stay), '',
        "$name: each that stays comes");
    @all = map { $_->[ID] } hosts_of();
}

# the host at which a page ended is deleted
my $r = find_page(sort => 'name', limit => 5);
my @rest = (find_all(sort => 'name', limit => 50))[5 .. 11];
script('host_delete', [$acct], host => unpacked($r->[3][4])->[ID],
    keep => 1000);
$r = find_page(sort => 'name', limit => 7, after => $r->[1]);
is(join(' ', map { unpacked($_)->[ID] } @{ $r->[3] }), "@rest",
    'a deleted host does not move the next page');

# the addresses of ranges are passed over at once, unless others are among them
for my $net ('12.0.0.0/24', '12.0.1.0/24', '2001:db8::/121') {
    my $six = $net =~ /:/;
    my @value = map { $six ? sprintf '2001:db8::%x', $_
        : $net =~ s{0/24}{}r . $_ } 0 .. ($six ? 127 : 255);
    $value[0] = '2001:db8::' if $six;
    script('host_add', [$acct], name => 'r', type => 'ip_range',
        family => $six ? 2 : 1, range => sid('HT'), net => $net,
        host => [map { sid('HT') } @value], value => \@value);
}
sub top { return map { unpacked(cmd('GET', k('r', $ac, $_)))->[VALUE] }
    @_ }
my %top = (sort => 'address', parent => 'none', limit => 100);
my @top = grep { !/^10\./ } top(find_all(%top));
is("@top", '12.0.0.0/24 12.0.1.0/24 2001:db8::/121',
    'ranges come without their addresses');
my $one = find_page(%top);
cmp_ok($one->[2], '<', 100, 'addresses of ranges are not looked at');
is($one->[1], '', 'one call passes over all of them');
my ($net) = grep { $_->[VALUE] eq '12.0.1.0/24' } hosts_of();
my ($kid) = grep { $_->[VALUE] eq '12.0.1.77' } hosts_of();
script('host_delete', [$acct], host => $kid->[ID], keep => 1000);
script('host_add', [$acct], name => 'n', type => 'rbl', family => 1,
    host => sid('HT'), value => '12.0.1.77');
@top = grep { !/^10\./ } top(find_all(%top));
is("@top", '12.0.0.0/24 12.0.1.0/24 12.0.1.77 2001:db8::/121',
    'a host among the addresses of a range is found');
is(scalar(find_all(parent => $net->[ID], limit => 100, sort => '')), 255,
    'the addresses of a range');
script('host_delete', [$acct], host => $_->[ID], keep => 1000)
    for grep { $_->[VALUE] !~ /^10\./ && !$_->[PARENT] } hosts_of();

# many are listed since the same time
cmd('ZADD', k('states', $ac), 1e13 + 7, $_->[ID]) for hosts_of();
my %once = map { $_ => 1 } find_all(sort => 'since', limit => 2);
is(scalar keys %once, scalar(hosts_of()), 'listed since the same time')
    or diag(scalar keys %once);
my @twice = find_all(sort => 'since', limit => 2);
is(scalar @twice, scalar keys %once, 'the pages have each host once');

# what no call has said
for my $after ('x', 's', 's1', 'sHT', 's1HTx', 'v', 'n', 'nzz', 'nZZ', 'v3',
    's' . 9 x 400 . 'HT' . '0' x 32, 's-1HT' . '0' x 32, '(', '[', '+', '-',
    "n6\0", 'n61 LIMIT', 's1HT' . 'z' x 32, "n\n", 'v' . 'f' x 2000)
{
    is(find_page(text => 'h', limit => 1, after => $after)->[0], 'AFTER',
        'no cursor: ' . substr($after, 0, 20) =~ s/[^ -~]/?/gr);
}
for (['a61', sort => 'created'], ['a61', sort => 'name'],
    ['n61', sort => 'address'], ['a61', sort => 'address', text => 'h'],
    ['b1HT' . '0' x 32, sort => 'address'],
    ['n61', sort => 'created'], ['n61', sort => 'since'], ['v31', {}],
    ['v31', sort => 'name'], ['n61', text => 'b'])
{
    my ($after, @o) = @$_;
    @o = () if ref $o[0];
    is(find_page(@o, limit => 1, after => $after)->[0], 'AFTER',
        "$after is of another search, @o");
}
for my $after ('s0HT' . '0' x 32, 's' . 9 x 20 . 'HT' . 'f' x 32) {
    is(find_page(limit => 1, after => $after)->[0], 'OK', "$after is before "
        . 'or after all');
}
# cursors that were changed a little, or are noise
my @cursors = map { find_page(%$_, limit => 2)->[1] } { sort => 'name' },
    { sort => 'created' }, { sort => 'since' }, { text => 'h' };
my %word;
for (1 .. 500) {
    my $after = chance(0.2) ? join '', map { chr rand 256 } 1 .. 1 + rand 60
        : pick(@cursors);
    substr $after, rand length $after, int rand 3,
        pick('', 'v', 'n', 's', 'HT', 'f', '9', "\0", '-', '.', chr rand 256)
        for 1 .. rand 4;
    my $r = find_page(text => pick('', 'h', 'host 1'),
        sort => pick('', 'name', 'since'), state => pick('', 0 .. 4),
        limit => 1 + int rand 3, after => $after);
    $word{ ref $r ? $r->[0] : "no answer to $after" } = 1;
}
is(join(' ', sort keys %word), 'AFTER OK', 'changed cursors do no harm');
is(find_page(limit => 1, group => sid('CG'))->[0], 'GROUP', 'a foreign group');
is(find_page(limit => 1, profile => sid('RP'))->[0], 'PROFILE',
    'a foreign profile');

# --- bounds ------------------------------------------------------------------

script_limits(passed_most => 7);
cmd('ZREM', k('states', $ac), (find_all(text => '10.1', limit => 50))[-1]);
$r = find_page(text => '10.1', group => chosen($acct)->[2],
    state => CLEAR, limit => 100);
is("$r->[2] @{ $r->[3] }", '7 ', 'a call looks at so many hosts');
ok($r->[1] ne '', 'host_find returns a cursor to go on');
my @by_seven = find_all(sort => 'name', limit => 100);
is(scalar @by_seven, scalar hosts_of(),
    'host_find finds all hosts in pages of few records');
script_limits(octets_most => 1000);
$r = find_page(state => CLEAR, limit => 100, text => 'zzz');
is("$r->[1] $r->[2] @{ $r->[3] }", ' 0 ', 'nothing to be found');
$r = find_page(limit => 100);
cmp_ok(scalar @{ $r->[3] }, '<', 10, 'records of so many octets');
is(scalar(find_all(limit => 100)), scalar hosts_of(),
    'host_find finds all hosts in pages of few octets');
script_limits();

# A name that differs from the value only in case needs no entry by value.
my $ht = sid('HT');
script('host_add', [$acct], name => 'x.example', type => 'uribl', family => 1,
    host => $ht, value => 'x.example');
for my $name ('X.Example', 'other', 'X.EXAMPLE', 'x.example') {
    script('host_update', [$acct], host => $ht, named => '1', name => $name);
    is_deeply([grep { /x\.example|other/ }
        @{ cmd('ZRANGE', k('find', $ac), 0, -1) }],
        [sort(find_address($ht, 'x.example'),
            find_members($ht, 'x.example', $name))], "the name is $name");
}
script('host_delete', [$acct], host => $ht, keep => 60_000);

# what is damaged
cmd('ZADD', k('find', $ac), 0, $_) for 'n', 'nx', "nhost\0" . 'x' x 16, 'x';
is(scalar(find_all(text => 'h', limit => 9)), scalar(find_all(limit => 9)),
    'members of no host find nothing');

done_testing();
