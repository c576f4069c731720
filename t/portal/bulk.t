#!/usr/bin/perl

# hosts/ids and hosts/bulk: one change of many hosts, what it leaves unchanged,
# what undoes it; refusals; the store is consistent afterwards.

use strict;
use warnings;

use Test::More;

use RblPortal;

my $t = portal_setup();
my $me = sign_in($t, role => 'admin');
my $ac = $t->{acct}{sid};

sub made {
    my ($call, $fields) = @_;

    return accepted(portal($t, $me, 'POST', "$call.json", fields => $fields),
        $call)->{data};
}
sub hosts {
    return map { $_->{id} } @{ made('host/add', { host => $_[0], name => 'n',
        type => $_[1] // 'rbl' }) };
}
sub bulk {
    my ($action, $hosts, $to) = @_;

    return made('hosts/bulk', { action => $action, hosts => join(',', @$hosts),
        $to ? (to => $to) : () });
}
# All slices; the ids of what was changed.
sub all {
    my ($action, $hosts, $to) = @_;

    my @rest = @$hosts;
    my @changed;
    for (1 .. @rest) {
        last if !@rest;
        my @some = splice @rest, 0, 200;
        my $d = bulk($action, \@some, $to);
        push @changed, @{ $d->{changed} };
        unshift @rest, @some[@some - $d->{left} .. $#some] if $d->{left};
    }
    return map { $_->{id} } @changed;
}
sub ids {
    my ($query) = @_;

    my ($after, @all) = ('');
    do {
        my $r = accepted(portal($t, $me, 'GET', "hosts/ids.json?limit=20&$query"
            . "&after=$after"), 'hosts/ids');
        push @all, @{ $r->{data} };
        $after = $r->{next};
    } while defined $after;
    return @all;
}
sub host {
    return accepted(portal($t, $me, 'GET', "host/$_[0].json"), 'host')
        ->{data}[0];
}
sub counts {
    my $c = accepted(portal($t, $me, 'GET', 'counts.json'), 'counts')->{data};
    return join ' ', map { "$_ $c->{$_}" } grep { $c->{$_} }
        qw(hosts listed unknown paused ranges critical high normal info);
}

my @some = hosts('192.0.2.0/26');
my @few = map { hosts("198.51.100.$_") } 1 .. 3;
my $group = made('contactgroup/add', { name => 'G' })->{id};
my $profile = made('rblprofile/add', { name => 'P' })->{id};
my ($default) = split /,/, host($few[0])->{contact_group};

# --- ids ---------------------------------------------------------------------

is(join(' ', sort { $a cmp $b } ids('')),
    join(' ', sort { $a cmp $b } @some, @few), 'hosts/ids has all hosts');
is(join(' ', ids('text=198')), "@few", 'hosts/ids finds hosts by text');
refused(portal($t, $me, 'GET', 'hosts/ids.json?state=x'), 400, qr/\bstate\b/,
    'hosts/ids refuses what hosts/find does');

# --- pause and resume --------------------------------------------------------

my $d = bulk('pause', [@few, $few[0]]);
is_deeply($d, { left => 0, gone => 0, ranges => [],
    changed => [map { { id => $_, was => '' } } @few] },
    'hosts are paused, each once');
is(host($few[1])->{status}, 'paused', 'the record says that');
is_deeply(bulk('pause', \@few)->{changed}, [], 'paused hosts stay unchanged');
is(join(' ', all('resume', [@some[0 .. 3], @few])), "@few",
    'only paused hosts are resumed');
is(join(' ', all('pause', \@some)), "@some", 'many hosts are paused in slices');
is(counts(), 'hosts 67 unknown 3 paused 64', 'paused hosts are counted');
is(scalar(all('resume', \@some)), 64, 'many hosts are resumed');

# --- groups and profiles -----------------------------------------------------

is_deeply(bulk('group', \@few, $group)->{changed},
    [map { { id => $_, was => $default } } @few],
    'the answer has the groups before');
is(host($few[2])->{contact_group}, $group, 'hosts are moved to a group');
is_deeply(bulk('group', \@few, $group)->{changed}, [],
    'hosts of the group stay unchanged');
is_deeply([map { $_->{was} } @{ bulk('group', [$few[0]], "$group,$default")
    ->{changed} }], [$group], 'a host in two groups');
is_deeply([map { $_->{was} } @{ bulk('group', [@few[0, 1]], $default)
    ->{changed} }], ["$group,$default", $group],
    'both groups are what undoes it');
my $before = bulk('profile', \@few, $profile)->{changed}[0]{was};
is(host($few[0])->{rbl_profile}, $profile, 'hosts get another profile');
is(join(' ', all('profile', \@few, $before)), "@few",
    'hosts get the profile again that they had');

# --- ranges, hosts that are gone, and deletion -------------------------------

my ($range) = hosts('203.0.113.0/29', 'ip_range');
my @kids = ids("parent=$range");
is(scalar @kids, 8, 'the addresses of a range');
$d = bulk('group', [$range, $kids[0], sid_of('HT')], $group);
is_deeply([@$d{qw(left gone)}, map { map { $_->{id} } @$_ }
    @$d{qw(changed ranges)}], [0, 1, $kids[0], $range],
    'a range is left to other calls');
is($d->{ranges}[0]{was}, $default, 'the answer has the groups of a range');
list_host($t, $kids[1]);
my $key = redis_key('r', $ac, $range);
my $h = record('host', redis($t->{redis}, 'GET', $key));
redis($t->{redis}, 'SET', $key, record_pack('host', %$h,
    name => \$h->{name}, value => \$h->{value}, listed_count => 1,
    first_listed => time * 1000));
is(join(' ', all('delete', [@kids[0 .. 3], @some])), "@kids[0 .. 3] @some",
    'hosts are deleted');
is(host($range)->{listed_count}, 0,
    'the range has no listed address any longer');
is(counts(), 'hosts 8 unknown 7 ranges 1', 'the others are still there');
is_deeply([@{ bulk('delete', \@some) }{qw(gone changed)}], [64, []],
    'hosts are gone once');
my $r = rblctl($t->{redis}, 'fsck');
is($r->{status}, 0, 'the indexes have what the records say')
    or diag($r->{out});

# --- refusals ----------------------------------------------------------------

my $foreign = json(call($t, 'GET', 'contactgroups.json',
    auth => $t->{other}))->{data}[0]{id};
for ([hosts => action => 'pause'], [hosts => action => 'pause', hosts => 'x'],
    [hosts => action => 'pause', hosts => join ',', ($few[0]) x 201],
    [action => hosts => $few[0]], [action => hosts => $few[0], action => 'x'],
    map({ [to => hosts => $few[0], action => 'group', to => $_] } '', 'x',
        $foreign, "$group,$foreign", $profile, 'x' x 1801),
    [to => hosts => $few[0], action => 'profile', to => $group])
{
    my ($field, %fields) = @$_;
    refused(portal($t, $me, 'POST', 'hosts/bulk.json', fields => \%fields), 400,
        qr/\b$field\b/, join ' ', map { "$_ " . substr $fields{$_}, 0, 20 }
        sort keys %fields);
}
is(host($few[0])->{contact_group}, $default,
    'a refused change changes nothing');

done_testing();
