package RblCrash::Bill;

# 200 payments while daemons and the store are killed.  Each account owes four
# periods, which the daemons charge one after the other; the gateway declines,
# breaks its answers and is slow.
#
#     my $c = bill_world($seed, $mode);     # always, everysec, backup
#     bill_run($c);
#     my %fault = bill_verify($c);
#
# always: what the store has answered is on the disk.  everysec: a killed store
# loses up to a second.  backup: at half time the store is what it was some time
# ago, and the gateway has forgotten its keys.

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(time sleep);

use RblCheckd qw(fresh_sid);
use RblStripe;
use RblTest;

our @EXPORT = qw(bill_world bill_run bill_verify);

use constant { ACCOUNTS => 50, PERIODS => 4, PARTS => 4, DAY => 86_400_000,
    PATIENT => 200, PRICE => 25_000_000 };

sub draw {
    my ($c) = @_;

    $c->{state} = ($c->{state} * 1103515245 + 12345) & 0x7fffffff;
    return ($c->{state} >> 8) / (1 << 23);
}

sub pick { return $_[1][ int(draw($_[0]) * @{ $_[1] }) ] }
sub between { return $_[1] + draw($_[0]) * ($_[2] - $_[1]) }
sub key { return redis_key({ partitions => PARTS }, @_) }


# --- the world -------------------------------------------------------------

sub bill_world {
    my ($seed, $mode) = @_;

    my $c = { seed => $seed, state => $seed * 7919 + 1, mode => $mode,
        did => {} };
    draw($c) for 1 .. 5;
    $c->{redis} = start_redis(appendonly => 1, args => ['--appendfsync',
        'always', '--auto-aof-rewrite-percentage', '0']);
    init_store($c->{redis}, partitions => PARTS);
    $c->{stripe} = start_stripe();
    add_account($c) for 1 .. ACCOUNTS;
    my $dir = own_dir('crash');
    write_file("$dir/key", "$c->{stripe}{key}\n", 0600);
    $c->{daemon} = [map { start_checkd(store => $c->{redis}, conf => {
        gateway => 'stripe', gateway_key_file => "$dir/key",
        gateway_url => $c->{stripe}{url}, gateway_timeout => '300ms',
        bill_grace => '366d', deliver => 'off', schedule => 'off',
        store_timeout => '500ms', log_level => 'info', name => "d$_" }) }
        1 .. 3];
    return $c;
}

sub stripe {
    my ($c, $path, @form) = @_;

    my $r = http($c->{stripe}, 'POST', "/v1/$path", form => [@form],
        headers => ["Authorization: Bearer $c->{stripe}{key}"]);
    die "$path: $r->{body}" if $r->{status} != 200;
    return json($r)->{id};
}

# An account with a card that has not paid for some months.
sub add_account {
    my ($c) = @_;

    my $n = @{ $c->{accounts} // [] };
    my $ac = make_account($c->{redis}, name => "Crash $n")->{sid};
    my $customer = stripe($c, 'customers', name => $ac);
    my $method = stripe($c, 'payment_methods/pm_card_visa/attach',
        customer => $customer);
    my $ps = fresh_sid('PS');
    my $now = int(time * 1000);
    my $ends = $now - (PERIODS - 1) * 31 * DAY - 8 * DAY;
    my $put = sub {
        my ($entity, $key, %f) = @_;
        redis($c->{redis}, 'SET', $key, record_pack($entity, version => 1,
            %f));
    };
    $put->('source', key('source', $ac, $ps), id => \$ps, type => \'card',
        brand => \'visa', last4 => \'4242', month => 12, year => 2099,
        method => \$method, live => 0, told => 0, created => $now,
        asked => $now);
    redis($c->{redis}, 'ZADD', key('sources', $ac), 1, $ps);
    $put->('bill', key('bill', $ac), account => \$ac, gateway => \'stripe',
        plan => \'P', price => PRICE, period => \'month',
        anchor => (gmtime $ends / 1000)[3],
        begins => $ends - 30 * DAY, ends => $ends, state => \'active',
        open => \'', told => 0, customer => \$customer);
    redis($c->{redis}, 'ZADD', key('billdue', $ac) =~ s/:AC.*//r, 0, $ac);
    push @{ $c->{accounts} }, { ac => $ac, method => $method };
}


# --- the run ---------------------------------------------------------------

# Sets the next instant of the payment that is open, in one step.  A payment that
# was declined four times is tried again, as after another card was added.
my $HURRY = <<'LUA';
local raw = redis.call('GET', KEYS[1])
local b = raw and cmsgpack.unpack(raw)
if not b then return 'none' end
if b[11] == '' then return b[9] > tonumber(ARGV[1]) and 'done' or 'idle' end
local k = KEYS[1]:gsub('bill:', 'pay:', 1) .. ':' .. b[11]
local p = cmsgpack.unpack(redis.call('GET', k))
if ARGV[2] == '1' and p[21] and (p[6] == 'failed'
    or p[21] > tonumber(ARGV[1]) + 3000)
then
    p[6], p[21] = p[6] == 'failed' and 'open' or p[6], 1
    redis.call('SET', k, cmsgpack.pack(p))
    redis.call('ZADD', KEYS[2], 0, ARGV[3])
end
return p[6]
LUA

# State of an account: done, idle, or that of its payment.
sub state_of {
    my ($c, $a, $hurry) = @_;

    return redis_try($c->{redis}, 'EVAL', $HURRY, 2, key('bill', $a->{ac}),
        key('paydue', $a->{ac}) =~ s/:AC.*//r, int(time * 1000),
        $hurry ? 1 : 0, $a->{ac}) // '';
}

sub bill_run {
    my ($c) = @_;

    my $end = time + PATIENT;
    my ($look, $hurt, $fault) = (time, time + 1, time);
    my @left = @{ $c->{accounts} };
    while (time < $end) {
        if (time >= $look) {
            @left = grep { state_of($c, $_, 1) ne 'done' }
                @{ $c->{accounts} };
            $look = time + 0.3;
        }
        last if !@left;
        note_size($c);
        if (time >= $hurt) {
            hurt($c);
            $hurt = time + between($c, 0.05, 0.5);
        }
        if (time >= $fault) {
            trouble($c);
            $fault = time + between($c, 0.05, 0.4);
        }
        restart_some($c);
        go_back($c) if $c->{mode} eq 'backup' && @left < ACCOUNTS * 0.9
            && !$c->{did}{restored} && $c->{backup};
        keep($c) if $c->{mode} eq 'backup' && !$c->{backup}
            && charges($c) > 40;
        sleep 0.02;
    }
    for my $d (@{ $c->{daemon} }) {
        restart_server($d) if !alive($d);
    }
    return $c;
}

sub charges { return scalar @{ stripe_state($_[0]{stripe})->{charges} } }

# Trouble at the gateway.
sub trouble {
    my ($c) = @_;

    my $what = pick($c, [qw(cut half page error_after delay refuse decline
        mend mend mend unavailable none none)]);
    my $a = pick($c, $c->{accounts});
    return if $what eq 'none';
    $c->{did}{"gateway: $what"}++;
    if ($what eq 'decline') {
        stripe_card($c->{stripe}, $a->{method}, behaves =>
            'pm_card_chargeDeclined');
        push @{ $c->{bad} }, $a;
    } elsif ($what eq 'mend') {
        stripe_card($c->{stripe}, $_->{method}, behaves => 'pm_card_visa')
            for splice @{ $c->{bad} //= [] };
    } else {
        stripe_fault($c->{stripe}, $what, $what eq 'delay'
            ? (seconds => between($c, 0.1, 0.6)) : ());
    }
}

sub hurt {
    my ($c) = @_;

    my $what = draw($c);
    if ($what < 0.2) {
        kill_server($c->{redis});
        forget($c) if $c->{mode} eq 'everysec';
        $c->{did}{'store killed'}++;
        sleep between($c, 0, 0.3);
        restart_server($c->{redis});
    } else {
        my $d = pick($c, [grep { alive($_) } @{ $c->{daemon} }]) // return;
        kill_server($d);
        $c->{did}{'daemon killed'}++;
        $d->{back} = time + between($c, 0, 0.4);
    }
}

sub restart_some {
    my ($c) = @_;

    for my $d (@{ $c->{daemon} }) {
        next if !$d->{back} || time < $d->{back};
        delete $d->{back};
        restart_server($d);
    }
}


# --- a store that forgets ----------------------------------------------------

sub aof {
    my ($c) = @_;
    my ($file) = glob "$c->{redis}{dir}/appendonlydir/*.incr.aof";
    return $file;
}

# How large the log was in the last second.
sub note_size {
    my ($c) = @_;

    push @{ $c->{sizes} }, [time, -s aof($c)];
    shift @{ $c->{sizes} } while $c->{sizes}[0][0] < time - 1;
}

# The writes of the last second are lost.
sub forget {
    my ($c) = @_;

    my $size = pick($c, $c->{sizes})->[1];
    my $file = aof($c);
    $c->{did}{'octets lost'} += (-s $file) - $size;
    truncate $file, $size or die "truncate: $!";
    $c->{sizes} = [[time, $size]];
}

sub keep {
    my ($c) = @_;

    stop_server($c->{redis});
    $c->{backup} = own_dir('backup');
    run_cmd('cp', '-a', "$c->{redis}{dir}/appendonlydir", $c->{backup});
    $c->{kept} = charges($c);
    restart_server($c->{redis});
}

# The backup is restored two days later: the gateway has forgotten its keys.
sub go_back {
    my ($c) = @_;

    kill_server($_) for @{ $c->{daemon} }, $c->{redis};
    run_cmd('rm', '-rf', "$c->{redis}{dir}/appendonlydir");
    run_cmd('cp', '-a', "$c->{backup}/appendonlydir", $c->{redis}{dir});
    stripe_clock($c->{stripe}, 2 * 86_400);
    $c->{did}{restored} = charges($c) - $c->{kept};
    restart_server($c->{redis});
    restart_server($_) for @{ $c->{daemon} };
}


# --- results -----------------------------------------------------------------

sub events {
    my ($c) = @_;

    my @all;
    for my $p (0 .. PARTS - 1) {
        for my $e (@{ redis($c->{redis}, 'XRANGE', "rbl:{$p}:outbox", '-',
            '+') })
        {
            my %f = @{ $e->[1] };
            my $event = record('event', $f{d});
            push @all, { sid => $event->{id}, type => $event->{type},
                %{ record('billing', $event->{data}) } };
        }
    }
    return @all;
}

# Faults by topic; "": none.
sub bill_verify {
    my ($c) = @_;

    my $state = stripe_state($c->{stripe});
    my (%charged, %period, %ledger, %told, %sids);
    for my $charge (@{ $state->{charges} }) {
        my $m = $charge->{metadata};
        $charged{"$m->{payment} $charge->{amount}"}++;
        $period{"$m->{account} $m->{begins}"}++;
    }
    for my $a (@{ $c->{accounts} }) {
        for my $e (@{ redis($c->{redis}, 'XRANGE', key('ledger', $a->{ac}),
            '-', '+') })
        {
            my %f = @{ $e->[1] };
            $ledger{"$f{r} " . $f{a} / 10_000}++;
        }
    }
    for my $e (events($c)) {
        next if $sids{ $e->{sid} }++ || $e->{type} !~ /success/;
        my $p = record('payment', $e->{payment});
        $told{"$p->{id} " . $p->{amount} / 10_000}++;
    }
    my $fsck = rblctl($c->{redis}, 'fsck');
    my $differ = sub {
        my ($x, $y) = @_;
        return join ' ', grep { ($x->{$_} // 0) != ($y->{$_} // 0) }
            sort keys %{{ %$x, %$y }};
    };
    return (
        left => join(' ', grep { !/^done/ } map { state_of($c, $_) }
            @{ $c->{accounts} }),
        twice => join(' ', grep({ $charged{$_} > 1 } sort keys %charged),
            grep({ $period{$_} > 1 } sort keys %period),
            @{ $state->{doubled} }),
        all => keys %charged == ACCOUNTS * PERIODS ? ''
            : keys(%charged) . ' charges',
        ledger => $differ->(\%charged, \%ledger),
        told => $differ->(\%charged, \%told),
        fsck => $fsck->{status} ? $fsck->{out} : '',
    );
}

1;
