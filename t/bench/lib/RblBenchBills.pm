package RblBenchBills;

# The cost of billing for a daemon and its store, beside Stripe's stand-in.
#
#     my $bills = RblBenchBills->new(1000);     # accounts with a card
#     my $cost = $bills->renew();       # all are due at once; us of CPU, each
#     $cost = $bills->renew(864);       # one each 864 ms
#     $cost = $bills->book();           # by the check: a day's use is booked

use strict;
use warnings;

use RblBench;
use RblScript;
use RblStripe;
use RblTest;
use Time::HiRes qw(time sleep);

use constant { DAY => 86_400_000, PATIENT => 300, EACH => 100 };


sub new {
    my ($class, $n) = @_;

    my $self = bless { n => $n }, $class;
    my $redis = $self->{redis} = redis_new(appendonly => 1,
        args => ['--appendfsync', 'always']);
    init_store($redis, partitions => 1);
    my $stripe = $self->{stripe} = start_stripe();
    my $dir = own_dir('bills');
    write_file("$dir/key", "$stripe->{key}\n", 0600);
    $self->{accounts} = [map { (account())[0] } 1 .. $n];
    # The daemon searches the payments of a customer before it charges.
    for my $ac (@{ $self->{accounts} }) {
        my $customer = $self->stripe('customers', name => $ac);
        push @{ $self->{cards} }, [$customer, $self->stripe(
            'payment_methods/pm_card_visa/attach', customer => $customer)];
    }
    $self->cards();
    $self->{checkd} = start_checkd(store => $redis, conf => {
        gateway => 'stripe', gateway_key_file => "$dir/key",
        gateway_url => $stripe->{url}, deliver => 'off', schedule => 'off',
        log_level => 'info' });
    return $self;
}

sub stripe {
    my ($self, $path, @form) = @_;

    my $r = http($self->{stripe}, 'POST', "/v1/$path", form => [@form],
        headers => ["Authorization: Bearer $self->{stripe}{key}"]);
    die "$path: $r->{body}" if $r->{status} != 200;
    return json($r)->{id};
}

# Runs some Lua for each account: `ac`, `customer` and `method` are its own.
sub each_account {
    my ($self, $lua, @args) = @_;

    my @left = map { ($self->{accounts}[$_], @{ $self->{cards}[$_] }) }
        0 .. $self->{n} - 1;
    my $first = @args + 1;
    while (my @some = splice @left, 0, 3 * EACH) {
        cmd('EVAL', <<"LUA", 1, k('bills'), @args, @some);
for i = $first, #ARGV, 3 do
    local ac, customer, method = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    local function key(...)
        return KEYS[1]:sub(1, -6) .. table.concat({...}, ':')
    end
$lua
end
LUA
    }
    return;
}

sub cards {
    my ($self) = @_;

    $self->each_account(<<'LUA', now_ms());
    local ps, now = 'PS' .. ac:sub(3), tonumber(ARGV[1])
    redis.call('SET', key('source', ac, ps), cmsgpack.pack({1, ps, 'card',
        'visa', '4242', 12, 2099, method, 0, 0, now, now}))
    redis.call('ZADD', key('sources', ac), 1, ps)
LUA
    return;
}

sub bills {
    my ($self, $period, $ends) = @_;

    $self->each_account(<<'LUA', $period, $ends);
    local ends, check = tonumber(ARGV[2]), ARGV[1] == 'check'
    redis.call('SET', key('bill', ac), cmsgpack.pack({1, ac, 'stripe', 'Bench',
        check and 2000 or 25000000, ARGV[1], 28,
        check and 0 or ends - 86400000, ends, 'active', '', 0, 0, customer}))
LUA
    return;
}

# The accounts become due, one each `pace` ms; waits until the outbox has `told`
# more events, and no account is due.
sub runs {
    my ($self, $pace, $n, $told) = @_;

    my ($from, $until) = (now_ms() + 1000, cmd('XLEN', k('outbox')) + $told);
    my @due = map { ($from + $_ * $pace, $self->{accounts}[$_]) } 0 .. $n - 1;
    my $cost = spend(sub {
        while (my @some = splice @due, 0, 2000) {
            cmd('ZADD', k('billdue'), @some);
        }
        my $end = time + PATIENT;
        while (cmd('XLEN', k('outbox')) < $until
            || cmd('ZCOUNT', k('billdue'), '-inf', now_ms() + 30_000))
        {
            die "bills are not done\n" if time > $end;
            sleep 0.1;
        }
    }, daemon => [$self->{checkd}{pid}], store => [$self->{redis}{pid}]);
    $cost->{wall} -= 1;
    $cost->{$_} /= 1000 * $n for qw(daemon store);
    return $cost;
}

# Each account has to renew a month, and does: opened, charged, booked, told.
sub renew {
    my ($self, $pace, $n) = @_;

    $self->{months}++;
    $self->bills('month', now_ms() + 7 * DAY - $self->{months});
    $n //= $self->{n};
    return $self->runs($pace // 0, $n, $n);
}

# Each account has used some of its balance.
sub book {
    my ($self) = @_;

    $self->bills('check', 0);
    $self->each_account(<<'LUA');
    redis.call('HSET', key('money', ac), 'balance', 100000000, 'used', 48000,
        'day', 1)
LUA
    return $self->runs(0, $self->{n}, 0);
}

1;
