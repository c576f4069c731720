#!/usr/bin/perl

# A list in each kind of trouble: its state, since when and why, on all
# surfaces, until it works again.  Both lookup modes.

use strict;
use warnings;

use FindBin;
use lib "$FindBin::Bin/../lib";
use Time::HiRes qw(time);
use Time::Local qw(timegm);
use RblTest;
use RblAuthority;
use RblCheckd;
use RblDns;
use RblPortal ();
use RblPrometheus;
use RblZones;

need_port_53();

# {zone => [rules of its server, state and reason in direct mode, in resolver
# mode, the resolver's response if it does not find the servers]}.
my @gone = (['.' => 'mute']);
my %trouble = (
    'good.test' => [[authority('good.test')], ('good passes') x 2],
    'lost.test' => [\@gone, 'unreachable search_failed', 'down servfail',
        'servfail'],
    'none.test' => [\@gone, 'unreachable no_servers', 'down point_gone',
        'nxdomain'],
    'banned.test' => [\@gone, 'unreachable search_refused', 'blocked refuses',
        'refused'],
    'silent.test' => [[['.' => 'mute']], ('down timeout') x 2],
    'fails.test' => [[['.' => 'servfail']], ('down servfail') x 2],
    'refuses.test' => [[['.' => 'refused']], ('blocked refuses') x 2],
    'error.test' => [[all('127.255.255.254')], ('blocked error_code') x 2],
    'wild.test' => [[authority('wild.test', wild => 'all')],
        ('wildcarding wildcard') x 2],
    'hijacked.test' => [[all('192.0.77.32')], ('wildcarding outside') x 2],
    'retired.test' => [[all('203.0.113.7')], ('wildcarding retired') x 2],
    'empty.test' => [[authority('empty.test', empty => 1)],
        ('down point_gone') x 2],
);
my @zones = sort keys %trouble;

sub all { return ['.' => { aa => 1, a => [$_[0]], ttl => 1 }] }

my $w = direct_world({ map { $_ => [$trouble{$_}[0]] } @zones },
    conf => { name => 'one' });
my $dns = $w->{resolver};
my @known = zone_rules(map { $_ => [map { $_->host } @{ $w->{server}{$_} }] }
    @zones);
my %zone_of = map { $_->{list}{id} => $_->{list}{host} }
    @{ json(rblctl($w->{redis}, '--json', 'lists', 'show')->{out}) };
$w->{nginx} = start_nginx(store => $w->{redis},
    http => 'rbl_zone rbl 1m; rbl_store_timeout 5s;',
    server => 'location /metrics { rbl_status prometheus; }
        location /status { rbl_status; }',
    portal => 'rbl_portal_url http://localhost/portal/;');
wait_for { http($w->{nginx}, 'GET', '/3.0/hosts.json',
    auth => $w->{acct})->{status} == 200 } 10, 'nginx';
my $user = RblPortal::sign_in($w, role => 'viewer');
my $operator = RblPortal::sign_in($w, acct => RblPortal::operators($w),
    role => 'viewer');

# --- surfaces: {zone => [state, reason, since]} ------------------------------

sub seconds {
    my @at = ($_[0] // '') =~ /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)/ or return 0;
    return timegm(reverse(@at[2 .. 5]), $at[1] - 1, $at[0]);
}

sub portal {
    my ($who, $path) = @_;
    return json(RblPortal::portal($w, $who, 'GET', "$path.json"))->{data};
}

sub tests { return { map { $zone_of{ $_->[0] } => [map {
    @$_{qw(state reason)}, seconds($_->{since}) } @{ $_->[1] }] } @_ } }

sub metrics {
    my $m = prometheus(http($w->{nginx}, 'GET', '/metrics')->{body});
    my %is;
    for my $name (keys %{ $m->{rbl_checkd_list_health}{samples} // {} }) {
        my %label = $name =~ /(\w+)="([^"]*)"/g;
        my $since = $m->{rbl_checkd_list_health_since_seconds}{samples}{
            qq(rbl_checkd_list_health_since_seconds{daemon="one",)
            . qq(list="$label{list}"})};
        $is{ $label{list} } = [@label{qw(state reason)}, int($since // 0)];
    }
    return \%is;
}

my %surface = (
    'rblctl lists show' => sub { return { map { $_->{list}{host} => ["@{
        $_->{health} }", $_->{health_reason}, seconds($_->{health_since})] }
        @{ json(rblctl($w->{redis}, '--json', 'lists', 'show')->{out}) } } },
    'rblctl status' => sub { return { map { map { $_->{zone} => [
        @$_{qw(health reason)}, int(($_->{state}{since_ms} // 0) / 1000)] }
        grep { $_->{list} } @{ $_->{lists} } }
        @{ json(rblctl($w->{redis}, '--json', 'status')->{out})->{daemons} }
        } },
    'rbl_status' => sub { return { map { map { $_->{zone} => [
        @$_{qw(health reason)}, int(($_->{state}{since_ms} // 0) / 1000)] }
        grep { $_->{list} } @{ $_->{lists} } }
        @{ json(http($w->{nginx}, 'GET', '/status')->{body})->{daemons} } } },
    'metrics' => \&metrics,
    'portal, lists/state' => sub { return tests(map { [@$_{qw(id tests)}] }
        @{ portal($user, 'lists/state') }) },
    'portal, list' => sub { return tests(map { my $l = portal($user, "list/$_");
        [$_, $l->{tests}] } sort keys %zone_of) },
    'portal, operator/lists' => sub { return tests(map { [$_->{list}{id},
        $_->{tests}] } @{ portal($operator, 'operator/lists') }) },
);

sub said {
    my ($is) = @_;
    no warnings 'uninitialized';
    return join ', ', map { "$_ " . join ' ', @{ $is->{$_} // [] }[0, 1] }
        @zones;
}

# All surfaces have these states ({zone => "STATE REASON"}), since a time in
# these bounds; {zone => since}.
sub shown {
    my ($when, $want, $begin) = @_;

    my $all = join ', ', map { "$_ $want->{$_}" } @zones;
    my %since;
    for my $name (sort keys %surface) {
        my $is;
        eventually { $is = $surface{$name}->(); said($is) eq $all } 60, "$when: $name has the state of each list"
            or diag(said($is));
        my @odd = grep { $is->{$_}[2] < int $begin || $is->{$_}[2] > time + 1 }
            @zones;
        is("@odd", '', "$when: $name has the time when each state began");
        $since{$_}{ $is->{$_}[2] } = 1 for @zones;
    }
    is(join(' ', grep { keys %{ $since{$_} } != 1 } @zones), '',
        "$when: all surfaces have the same times");
    return { map { $_ => (keys %{ $since{$_} })[0] } @zones };
}

# A host is checked again and again, until the daemon has these states.  It
# leaves lists that refuse alone, for no longer than the test waits.
my $ht;
sub checks {
    my ($want) = @_;

    my $all = join ', ', map { "$_ $want->{$_}" } @zones;
    $ht //= add_host($w, '10.0.0.1');
    wait_for {
        for my $key (map { redis_key({ partitions => $w->{partitions} },
            'list', $_) } keys %zone_of)
        {
            redis($w->{redis}, 'HSET', $key, 'till', 1)
                if redis($w->{redis}, 'HEXISTS', $key, 'till');
        }
        my $pp = check_host($w, $ht);
        wait_check($w, $pp);
        said(metrics()) eq $all;
    } 60, 'the states of the lists';
    return;
}

sub troubles {
    my ($mode, $n, $checkd, $begin, $mend) = @_;

    my %want = map { $_ => $trouble{$_}[$n] } @zones;
    checks(\%want);
    my $bad = shown("$mode, in trouble", \%want, $begin);
    for my $zone (grep { $_ ne 'good.test' } @zones) {
        my ($state) = split ' ', $want{$zone};
        is(log_count($checkd, "list \Q$zone\E\\b.*: $state\\b.* \\("), 1,
            "$mode: the log has the beginning of the state of $zone once");
    }
    my $table = rblctl($w->{redis}, 'lists', 'show')->{out};
    like($table, qr/^silent\.test .* down +2\d{3}-.* no response in time$/m,
        "$mode: the table of lists has state, time and reason");
    like(rblctl($w->{redis}, 'lists', 'show', 'wild.test', '--stored')->{out},
        qr/^health\ +wildcarding\nhealth\ since\ +2\d{3}-.*\n
        health\ reason\ +it\ lists\ names\ that\ no\ list\ should\ have$/mx,
        "$mode: a list has state, time and reason");

    my $mended = time;
    $mend->();
    my %well = map { $_ => 'good passes' } @zones;
    checks(\%well);
    my $good = shown("$mode, in order again", \%well, $begin);
    is(join(' ', grep { $_ ne 'good.test' && $good->{$_} < int $mended }
        @zones), '', "$mode: the good state of each list began with its end");
    is($good->{'good.test'}, $bad->{'good.test'},
        "$mode: a list that was good has been good since the same time");
    return;
}

# --- direct mode -------------------------------------------------------------

$dns->rules((map { [(quotemeta) . ' ' => $trouble{$_}[3]] }
    grep { $trouble{$_}[3] } @zones), @known);
troubles('direct', 1, $w->{checkd}, time - 30, sub {
    data($w, $_, 0, authority($_)) for @zones;
    $dns->rules(@known);
});
ok(stop_server($w->{checkd}), 'the daemon stops');

# --- resolver mode -----------------------------------------------------------

# The resolver has the answers of all servers.
sub through {
    my ($zone, @rules) = @_;
    return map { [$_->[0] =~ s/^\.$/\\.\Q$zone\E /r, $_->[1]] } @rules;
}

$dns->rules((map { through($_, $trouble{$_}[3] ? ['.' => $trouble{$_}[3]]
    : @{ $trouble{$_}[0] }) } @zones), not_there());
my $began = time;
my $checkd = start_checkd(store => $w->{redis}, resolver => $dns->port,
    conf => { conf_short(name => 'one', control_retry => '1s') });
troubles('resolver', 2, $checkd, $began, sub {
    $dns->rules((map { through($_, authority($_)) } @zones), not_there()) });

done_testing();
