package RblScreens;

# All screens of the portal in a browser, of accounts with everything on them
# (t/portal/node/screens.mjs).
#
#     use RblScreens;
#     screens(['light', 1280]);          # theme and width
#     screens(['light', 1280, 'keys']);  # and the way of the focus

use strict;
use warnings;

use Exporter 'import';
use Test::More;

use RblBrowser;

our @EXPORT = qw(screens);

# A name that is meant to harm: markup, marks that turn the text, 255 letters.
my $hostile = "\x{202e}<b>&lt;i&gt;</b>\x{2067}" . 'W' x 237;

# Two lists that listed the host in the last weeks; one does still.
sub history_of {
    my ($t, $id) = @_;

    my $day = 86_400_000;
    my $now = time * 1000;
    my $key = redis_key('hist', $t->{acct}{sid}, $id);
    for my $e ([70, 'list1.test', 'listed'], [40, 'list1.test', 'clear'],
        [20, 'list2.test', 'listed'], [9, 'list1.test', 'listed'])
    {
        my ($ago, $zone, $status) = @$e;
        redis($t->{redis}, 'XADD', $key, $now - $ago * $day . '-0', 'c',
            sid_of('PP'), 't', mp_pack([[\sid_of('RB'), \$zone, \$status,
            \'127.0.0.2']]));
    }
    redis($t->{redis}, 'XADD', redis_key('changes', $t->{acct}{sid}),
        $now - 9 * $day . '-0', 'h', $id, 'v', '192.0.2.1', 'n', 7, 't',
        mp_pack([map { [\sid_of('RB'), \"list$_.test", \'listed',
            \'127.0.0.2'] } 1 .. 5]));
    my $host = redis_key('r', $t->{acct}{sid}, $id);
    my $r = record('host', redis($t->{redis}, 'GET', $host));
    my ($first, $second, @rest) = @{ redis($t->{redis}, 'ZRANGE',
        'rbl:{0}:lists', 0, -1) };
    my ($answers, $coverage) = host_answers(int $now - 60_000,
        [$first, 3, 3 * 1440], [$second, 0, 50], map { [$_] } @rest);
    redis($t->{redis}, 'SET', redis_key('coverage', $t->{acct}{sid}),
        $coverage);
    redis($t->{redis}, 'SET', $host, record_pack('host', %$r,
        name => \$r->{name}, value => \$r->{value}, %$answers,
        troubled => [[$first, 'timeout', $now - 3 * $day, 4]]));
    forget($t, $t->{acct}{sid});
}

# Sixty days of listings, and what they leave: hosts by list, also day by day, and
# by weight.
sub days_of {
    my ($t) = @_;

    my ($ac, $date) = ($t->{acct}{sid}, int(time / 86_400));
    my $day = sub { join '', map { $_ < 128 ? chr : chr($_ % 128 + 128)
        . chr int $_ / 128 } @_ };
    redis($t->{redis}, 'SET', redis_key('days', $ac), join '', map {
        $day->($_ % 3 + 1, 150 + $_ * 17 % 40, $_ % 9, $_ % 5, $_ * 7 % 6,
            $_ * 5 % 7) } 0 .. 59);
    redis($t->{redis}, 'SET', redis_key('today', $ac), record_pack('today',
        version => 1, date => $date, begun => 2, ended => 1, info_was => 0,
        normal_was => 3, high_was => 1, critical_was => 1,
        first => $date - 1 - 119, last => $date - 1, made => $date - 200));
    my @ids = @{ redis($t->{redis}, 'ZRANGE', 'rbl:{0}:lists:active', 0, 2) };
    redis($t->{redis}, 'HSET', redis_key('refs', $ac), w4 => 3, w2 => 1,
        map { $_ . ':h' => 2 } @ids[0, 1]);
    redis($t->{redis}, 'HSET', redis_key('newly', $ac, $date - 3),
        $ids[0] => 2, $ids[2] => 1);
    redis($t->{redis}, 'SET', redis_key('trends', $ac), record_pack('trends',
        version => 1, first => $date - 60, last => $date - 1,
        lists => \join('', map { pack 'H12', substr $_, 2 } @ids),
        hosts => \"\2\2\0", days => \join '', map {
            pack 'C*', 1, 1, $_ % 3, $_ % 2 ? 6 : 5, $_ % 2 } 1 .. 59));
    return;
}

# Groups with names of every kind, after the default one.
sub groups_of {
    my ($t) = @_;

    call($t, 'POST', 'contactgroup/add.json', form => { name => $_ })
        for $hostile, 'W' x 255, 'Operations';
    return @{ json(call($t, 'GET', 'contactgroups.json'))->{data} };
}

sub contact_of {
    my ($t, $type, $value, $status, $groups) = @_;

    my $r = json(call($t, 'POST', 'contact/add.json', form => { type => $type,
        contact => $value, schedule => 'start_and_end',
        contact_group => $groups }));
    my $id = $r->{data}{id} // die "contact/add: $r->{status_message}\n";
    my $key = redis_key('r', $t->{acct}{sid}, $id);
    my $c = record('contact', redis($t->{redis}, 'GET', $key));
    redis($t->{redis}, 'SET', $key, record_pack('contact', %$c,
        value => \$c->{value}, status => $status));
    return $id;
}

sub cookie_for {
    my ($t, %who) = @_;

    my ($name, $value) = split /=/, sign_in($t, %who)->{cookie}, 2;
    return { name => $name, value => $value };
}

# Webhooks: one that is well, one that fails, with a log and dead letters, and one
# that is disabled.
sub hooks_of {
    my ($t) = @_;

    my $ac = $t->{acct}{sid};
    my @wh = map { json(rblctl($t->{redis}, '--json', 'webhook', 'add', $ac,
        $_, 'https://hook.example/' . 'x' x 200)->{out})->{id} }
        'well', $hostile, 'off';
    redis($t->{redis}, 'HSET', redis_key('hook', $ac, $wh[1]), 'since',
        1_795_167_000_000, 'fails', 7, 'till', 1000 * (time + 3600));
    for my $n (1 .. 3) {
        redis($t->{redis}, 'RPUSH', redis_key('log', $ac, $wh[1]),
            record_pack('try', version => 1, at => (time - 60 * $n) * 1000,
            event => sid_of('EV'), type => 'rbl.host.listed', number => $n,
            outcome => (qw(ok retry dead))[$n - 1], status => 200 * ($n % 3),
            took => 12, next => 300_000, error => $n > 1 ? 'HTTP status' : '',
            answer => '<script>alert(1)</script>' . 'y' x 500));
        redis($t->{redis}, 'XADD', redis_key('dead', $ac), '*', 'e',
            sid_of('EV'), 'to', $wh[1], 'url', '', 't', 'rbl.host.listed', 'b',
            $n == 1 ? '' : '{}', 's', 500, 'x', 'no <answer>', 'n', 10,
            'a', '');
    }
    rblctl($t->{redis}, 'webhook', 'disable', $ac, $wh[2]);
    return \@wh;
}

# Lists in every state, one muted within a group; profiles that follow the
# defaults, and with a choice.
sub lists_of {
    my ($t) = @_;

    my $own = json(call($t, 'POST', 'rbl/add.json', form => { type => 'rbl',
        host => ('x' x 60 . '.') x 3 . 'list.test' }))->{data}{id};
    my @ids = map { $_->{id} }
        @{ json(call($t, 'GET', 'rbls.json'))->{data} };
    my $now = time * 1000;
    redis($t->{redis}, 'HSET', redis_key('list', $ids[0]),
        frozen => $now - 7_200_000, turned => 12, of => 30,
        since => $now - 60_000, till => $now + 240_000,
        day => int(time / 86_400), used => 1000);
    redis($t->{redis}, 'HSET', redis_key('list', $ids[1]),
        since => $now - 60_000, till => $now + 240_000);
    my @word = qw(wildcarding blocked down resolver unsupported untried good
        unreachable);
    my @why = (qw(wildcard refuses timeout dns no_family), '', 'passes',
        'search_refused');
    redis($t->{redis}, 'SET', 'rbl:{0}:daemon:one', mp_pack([1, 'one', 'v',
        $now - 9_000_000, $now, [7, 2, 0, 3, 64, 1500, 90, 1, 4, 100, 5],
        [[\'192.0.2.53', 10, 1, 50_000]],
        [map { [\"$ids[$_]", \'', \$word[$_ % 8], \$why[$_ % 8], (1) x 10,
            $now - 3_600_000 * $_] } 2 .. $#ids]]));
    my @profiles = map { json(call($t, 'POST', 'rblprofile/add.json', form =>
        $_))->{data}{id} } { name => $hostile },
        { name => 'chosen <b>', entries => join ',', $own, @ids[0 .. 3] };
    my @groups = @{ json(call($t, 'GET', 'contactgroups.json'))->{data} };
    is(rblctl($t->{redis}, 'mute', 'add', $t->{acct}{sid}, '7d', 'W' x 200,
        '--target', $own, '--group', $groups[1]{id})->{status}, 0,
        'a list is muted within a group');
    return (lists => [$ids[0], $own], profiles => \@profiles);
}

# Seven days of the service, with a gap, and what waits for receivers.
sub service_of {
    my ($t, $hook) = @_;

    my $now = int(time / 300);
    for my $ago (0 .. 2015) {
        my $at = $now - $ago;
        next if $ago > 700 && $ago < 760;
        my $bad = $ago > 300 && $ago < 340;
        redis($t->{redis}, 'SETRANGE', 'rbl:{0}:series:' . int($at / 288),
            40 * ($at % 288), pack 'N10', 10, 350 + $ago * 7 % 50,
            ($bad ? 100 : 3000) + $ago * 31 % 400, $bad ? 900 : $ago % 40,
            $bad ? 2000 : $ago % 25, $ago % 9, $bad ? 400 + $ago : $ago % 20,
            $ago * 13 % 17, $ago % 5, $ago % 50 ? 0 : 1);
    }
    my ($ac, $day) = ($t->{acct}{sid}, int($now / 288));
    my @lists = @{ redis($t->{redis}, 'ZRANGE', 'rbl:{0}:lists:active', 0, -1) };
    for my $i (0 .. $#lists) {
        redis($t->{redis}, 'HSET', "rbl:{0}:responses:$day", $lists[$i],
            pack('N3', $i % 4 ? 900 : 0, $i % 7, $i % 3) x 24);
        redis($t->{redis}, 'HSET', 'rbl:{0}:responded', $lists[$i],
            1000 * (time - 600 * $i)) if $i % 4;
    }
    redis($t->{redis}, 'ZADD', redis_key('retry', $ac) =~ s/:AC.*//r,
        map { $_ => join ':', $ac, "EV$_", $_ % 5 ? $hook : 'CB1' }
        1 .. 12);
    return;
}

# The screens in these looks; the page judges each of them.
sub screens {
    my @looks = @_;

    my $t = browser_setup();
    daemon_seen($t);
    my $listed = add_host($t, '192.0.2.1', name => 'mail <b>&amp;</b>');
    list_host($t, $listed->{id}, lists => 2);
    history_of($t, $listed->{id});
    my @range = add_host($t, '198.51.100.0/28', name => $hostile,
        type => 'ip_range');
    add_host($t, '2001:db8::1', name => $hostile);
    add_host($t, '192.0.2.2', name => 'W' x 255);
    my @groups = map { $_->{id} } groups_of($t);
    my @contacts = map { contact_of($t, @$_, join ',', @groups) }
        [email => 'a' x 60 . '@' . 'b' x 60 . '.example.com', 'pending'],
        [endpoint => 'https://example.com/' . 'x' x 200 . '?key=1', 'active'],
        [slack => 'https://hooks.slack.com/services/T1/B1/abc', 'paused'],
        [pushover => 'a' x 30, 'active'];
    # An application with some requests and errors, in a store of its own time.
    my $sid = $t->{acct}{sid};
    my $app = json(rblctl($t->{redis}, '--json', 'app', 'add', $sid,
        $hostile)->{out});
    my $hour = int(time / 3600);
    redis($t->{redis}, 'HSET', redis_key('stats', $sid, $app->{id}, 'h'
        . int($_ / 24)), $_ % 24, 10 + $_ % 7, $_ % 24 . 'e', $_ % 3)
        for $hour - 20 .. $hour;
    for my $i (1 .. 30) {
        redis($t->{redis}, 'LPUSH', redis_key('errors', $sid, $app->{id}),
            record_pack('refusal', version => 1, time => time * 1000 - $i,
                method => \'GET', path => \('/3.0/' . 'x' x 200), code => 404,
                message => \'No <b>such</b> thing.', address => \'2001:db8::1'));
    }
    rblctl($t->{redis}, 'app', 'allow', $sid, $app->{id}, '2001:db8::/32');
    is(rblctl($t->{redis}, 'user', 'add', $sid, 'a' x 60 . '@' . 'b' x 60
        . '.example.com', '--role', 'viewer', '--name', $hostile)->{status}, 0,
        'a user with a name of that kind');
    rblctl($t->{redis}, 'fsck', '--repair');
    days_of($t);
    # Passkeys of the user who is signed in.
    my $user = add_user($t);
    redis($t->{redis}, 'HSET', redis_key('keys', $sid, $user->{id}), "PK$_->[0]",
        record_pack('passkey', version => 1, id => "PK$_->[0]", credential => 'c',
            algorithm => -7, key => 'k', counter => 0, name => \$_->[1],
            made => time * 1000, used => $_->[2], rp => 'r'))
        for ['1' x 32, "\x{202e}<b>" . 'W' x 240, 0], ['2' x 32, 'Laptop',
        time * 1000];
    # A plan with a payment that the user has to act for, sources, payments and a
    # ledger with names of that kind; in the account that is empty one that is not
    # paid.
    my $day = 86_400_000;
    my $now = time * 1000;
    payment_of($t, $t->{acct}, $_ * 1000, reference => \('W' x 255))
        for 1 .. 12;
    bill_of($t, $t->{acct}, gateway => \'stripe', plan => \$hostile,
        open => \payment_of($t, $t->{acct}, 1, state => \'customer',
            url => \('https://pay.example/' . 'x' x 200), done => 0, attempt => 2,
            reason => \'authentication_required'));
    source_of($t, $t->{acct});
    source_of($t, $t->{acct}, brand => \$hostile, live => 1);
    redis($t->{redis}, 'HSET', redis_key('money', $sid), balance => -1_234_567,
        used => 2_000);
    movement_of($t, $t->{acct}, $now - $_ . '-0', b => -$_ * 1000,
        r => $_ % 2 ? $hostile : '', d => $_ % 3 ? 'cash' : 'adjust')
        for reverse 1 .. 30;
    bill_of($t, $t->{other}, state => \'grace', begins => $now - 32 * $day,
        ends => $now - 2 * $day, stops => $now + 5 * $day);

    # An account whose plan has expired, with a host that was listed.
    my $third = make_account($t->{redis}, name => 'Expired');
    my %its = (auth => $third, form => { host => '192.0.2.3', name => $hostile,
        type => 'rbl' });
    my $stopped = json(call($t, 'POST', 'host/add.json', %its))->{data}[0]{id};
    list_host($t, $stopped, acct => $third->{sid});
    lapse($t, $third);

    my $hooks = hooks_of($t);
    service_of($t, $hooks->[1]);
    my $operators = operators($t);
    my $boss = sign_in($t, acct => $operators);
    portal($t, $boss, 'POST', "operator/$_->[0].json", fields => $_->[1])
        for ['account/add', { name => 'W' x 255, mail => 'w@example.test' }],
        ['account/plan', { account => $t->{acct}{sid}, plan => 'W' x 255 }];
    browser_run($t, 'screens', looks => \@looks,
        cookie => cookie_for($t, user => $user),
        empty => cookie_for($t, acct => $t->{other}),
        lapsed => cookie_for($t, acct => $third), stopped => $stopped,
        host => $listed->{id}, range => '198.51.100.0/28', contacts => [@contacts[0, 1]],
        group => $groups[1], app => $app->{id}, hooks => $hooks,
        lists_of($t), operator => cookie_for($t, acct => $operators),
        account => $t->{acct}{sid});
    done_testing();
}

1;
