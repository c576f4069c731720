#!/usr/bin/perl

# 64 clients at once add, change and delete profiles, lists, groups, contacts
# and hosts of two accounts, and move the defaults, while a reader checks the
# responses.  Then exactly one profile and one group of each account is the
# default, nothing refers to a deleted object, and the counters match.
#
# RBL_SECONDS: duration (20); RBL_SEED: the seed, which is printed.

use strict;
use warnings;

use MIME::Base64 qw(encode_base64);
use RblApi;
use RblLines;

my $requests = $ENV{RBL_REQUESTS} // 16_000;
my $seed = int($ENV{RBL_SEED} // time ^ $$);
note("seed $seed");
srand $seed;

my $t = api_setup(http => 'keepalive_requests 1000000;');
my @accounts = map { { auth => $_, header => 'Authorization: Basic '
    . encode_base64("$_->{sid}:$_->{token}", '') } } @$t{qw(acct other)};

my %kind = (rblprofile => 'RP', contactgroup => 'CG', host => 'HT',
    contact => 'CO', rbl => 'RB');
my $number = 0;

sub pick { return $_[rand @_] }
sub chance { return rand() < $_[0] }

# --- actions of the clients ------------------------------------------------

# An id from an earlier response; the object may be deleted by now.
sub known {
    my ($a, $family) = @_;

    return pick(@{ $a->{known}{$family} // [] }) // sid_of($kind{$family});
}

sub some {
    my ($a, $family) = @_;

    return join ',', map { known($a, $family) } 1 .. 1 + rand 3;
}

sub learn {
    my ($a, $family, $id) = @_;

    my $list = $a->{known}{$family} //= [];
    @$list < 60 ? push @$list, $id : ($list->[rand @$list] = $id);
}

sub default_flag { return chance(0.3) ? (is_default => 1) : () }

my %make = (
    rblprofile => sub { { name => 'p' . ++$number, default_flag(),
        chance(0.5) ? (entries => some($_[0], 'rbl')) : () } },
    contactgroup => sub { { name => 'g' . ++$number, default_flag() } },
    rbl => sub { { type => 'rbl',
        host => 'l' . int(rand 300) . '.list.test' } },
    contact => sub { { contact => 'c' . ++$number . '@example.test',
        type => 'email', schedule => 'every_check',
        chance(0.7) ? (contact_group => some($_[0], 'contactgroup')) : () } },
    host => sub { { name => 'h', chance(0.1)
        ? (host => sprintf('10.9.%d.0/30', rand 40), type => 'ip_range')
        : (host => sprintf('10.8.%d.%d', rand 4, rand 256), type => 'rbl'),
        chance(0.7) ? (rbl_profile => known($_[0], 'rblprofile')) : (),
        chance(0.7) ? (contact_group => known($_[0], 'contactgroup'))
        : () } },
);
my %change = (
    rblprofile => sub { { name => 'q' . ++$number, default_flag(),
        chance(0.3) ? (entries => some($_[0], 'rbl')) : () } },
    contactgroup => sub { { name => 'k' . ++$number, default_flag() } },
    rbl => sub { { host => 'l' . int(rand 300) . '.list.test' } },
    contact => sub { { contact_group => some($_[0], 'contactgroup') } },
    host => sub { { rbl_profile => known($_[0], 'rblprofile'),
        contact_group => some($_[0], 'contactgroup') } },
);

sub request {
    my ($a, $method, $path, $form) = @_;

    my $body = $form ? form_encode($form) : '';
    return { account => $a, path => $path, bytes => join "\r\n",
        "$method /3.0/$path.json HTTP/1.1", 'Host: localhost', $a->{header},
        ($method eq 'POST' ? ('Content-Type: '
        . 'application/x-www-form-urlencoded', 'Content-Length: '
        . length $body) : ()), '', $body };
}

# There are few profiles and groups, so deletions often try the last one.
sub change {
    my $a = pick(@accounts);
    my $family = pick(qw(rblprofile rblprofile contactgroup contactgroup host
        host contact rbl));
    my $few = $family =~ /profile|group/;
    my $do = rand;
    my $r = $do < ($few ? 0.25 : 0.4)
        ? request($a, 'POST', "$family/add", $make{$family}->($a))
        : $do < 0.6
        ? request($a, 'POST', "$family/update/" . known($a, $family),
            $change{$family}->($a))
        : $do < 0.9 || $family ne 'host'
        ? request($a, 'POST', "$family/delete/" . known($a, $family))
        : request($a, 'POST', "host/" . pick(qw(pause resume)) . '/'
            . known($a, 'host'));
    $r->{family} = $family;
    return $r;
}

# Invariants that a reader must always see.
sub look {
    my ($v) = @_;

    my $total = $v->{total_rbl_profiles} // $v->{total_contact_groups} // 0;
    my $default = grep { $_->{is_default} } @{ $v->{data} };
    return "total $total" if $total < 1;
    return "$default are default" if $default > 1;
    return ();
}

my (%codes, %done, @faults);
my $looked = 0;

sub got {
    my ($r, $answer) = @_;

    my $v = eval { json($answer) } // {};
    $codes{ $answer->{status} }++;
    if ($answer->{status} !~ /^(?:200|400|403|404|409)$/) {
        push @faults, "$r->{bytes}\n$answer->{raw}";
        return;
    }
    if ($r->{reader}) {
        $looked++;
        push @faults, map { "$r->{path}: $_" } look($v);
        return;
    }
    return if $answer->{status} != 200;
    $done{ $r->{path} =~ s{/[A-Z]{2}[0-9a-f]+$}{}r }++;
    return if $r->{path} !~ m{/add$};
    my $data = $v->{data};
    learn($r->{account}, $r->{family}, $_->{id})
        for ref $data eq 'ARRAY' ? @$data : $data;
}

# --- the clients -----------------------------------------------------------

for my $a (@accounts) {
    for my $family (qw(rblprofile contactgroup)) {
        learn($a, $family, $_->{id}) for @{ json(http($t->{nginx}, 'GET',
            "/3.0/${family}s.json", auth => $a->{auth}))->{data} };
    }
    learn($a, 'rbl', $_->{id}) for @{ json(http($t->{nginx}, 'GET',
        '/3.0/rbls.json?page_size=5', auth => $a->{auth}))->{data} };
}

my $sent = 0;
lines_run($t->{nginx}, 64, sub {
    return if $sent >= $requests || @faults >= 10;
    return change() if ++$sent % 16;
    my $r = request(pick(@accounts), 'GET', pick('rblprofiles',
        'contactgroups'));
    $r->{bytes} =~ s/\.json/.json?page_size=1000/;
    $r->{reader} = 1;
    return $r;
}, \&got);

note("$sent requests: ", join ', ', map { "$_: $codes{$_}" }
    sort keys %codes);
note(join ', ', map { "$_: $done{$_}" } sort keys %done);
is(join("\n\n", @faults), '', "every answer is one that may be (seed $seed)");
cmp_ok($looked, '>', 20, 'the reader made more than 20 requests');
for my $family (sort keys %kind) {
    cmp_ok($done{"$family/$_"} // 0, '>', 0, "$family/$_ was done")
        for qw(add update delete);
}

# --- the result ------------------------------------------------------------

# All pages of a list.
sub all {
    my ($a, $list) = @_;

    my (@all, $v);
    my $page = 0;
    do {
        $page++;
        $v = json(http($t->{nginx}, 'GET', "/3.0/$list.json?page_size=1000"
            . "&page=$page", auth => $a->{auth}));
        push @all, @{ $v->{data} };
    } while ($page < ($v->{total_pages} // 0));
    my ($total) = map { $v->{$_} } grep { /^total_/ && !/pages|listed/ }
        keys %$v;
    is($total, scalar @all, "$list: the total is the number of records");
    return @all;
}

for my $a (@accounts) {
    my @profiles = all($a, 'rblprofiles');
    my @groups = all($a, 'contactgroups');
    my @hosts = all($a, 'hosts');
    my @contacts = all($a, 'contacts');
    my %list = map { $_->{id} => 1 } all($a, 'rbls');
    my %profile = map { $_->{id} => 1 } @profiles;
    my %group = map { $_->{id} => $_ } @groups;
    my %host = map { $_->{id} => 1 } @hosts;

    is(scalar(grep { $_->{is_default} } @profiles), 1,
        'the account has one default profile');
    is(scalar(grep { $_->{is_default} } @groups), 1,
        'the account has one default group');
    is(join(' ', grep { !$profile{$_} } map { $_->{rbl_profile} } @hosts), '',
        'the profile of each host is there');
    is(join(' ', grep { $_ ne '' && !$host{$_} } map { $_->{parent} } @hosts),
        '', 'the range of each address is there');
    is(join(' ', grep { !$list{$_} } map { @{ $_->{entries} } } @profiles),
        '', 'the lists of each profile are there');

    my (%hosts_of, %contacts_of);
    $hosts_of{$_}++ for map { split /,/, $_->{contact_group} } @hosts;
    $contacts_of{$_}++ for map { split /,/, $_->{contact_group} } @contacts;
    is(join(' ', grep { !$group{$_} } keys %hosts_of, keys %contacts_of), '',
        'the groups of each host and contact are there');
    for my $g (@groups) {
        is("$g->{total_hosts} $g->{total_contacts}",
            ($hosts_of{ $g->{id} } // 0) . ' '
            . ($contacts_of{ $g->{id} } // 0),
            "the counters of the group $g->{id} are right");
    }

    # Objects in use cannot be deleted; all others can, except the last one.
    my %used = map { $_->{rbl_profile} => 1 } @hosts;
    for my $p (@profiles) {
        my $r = http($t->{nginx}, 'POST', "/3.0/rblprofile/delete/$p->{id}",
            auth => $a->{auth});
        my $left = json(http($t->{nginx}, 'GET', '/3.0/rblprofiles',
            auth => $a->{auth}))->{total_rbl_profiles};
        is($r->{status}, $used{ $p->{id} } || $left == 1 && $r->{status} != 200
            ? 409 : 200,
            "the profile $p->{id} can be deleted unless it is in use");
    }
}

my $fsck = rblctl($t->{redis}, 'fsck');
is($fsck->{status}, 0, 'rblctl fsck finds nothing')
    or diag("$fsck->{out}$fsck->{err}");

done_testing();
