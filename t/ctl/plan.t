#!/usr/bin/perl
# rblctl plan, account plan, account interval: a file of plans is accepted
# completely or refused, and an account gets a plan's values at once.

use strict;
use warnings;

use lib 't/lib';
use JSON::XS ();
use RblSeam;
use RblTest;

my $redis = start_redis();
init_store($redis);
my $file = temp_dir() . '/plans.json';

sub gold {
    my (%member) = @_;

    my $p = { name => 'Gold', paid => 1, max_hosts => 10, max_contacts => 2,
        max_checks => 5, interval => '15m', price => '25.00',
        period => 'month', %member };
    delete @$p{ grep { !defined $p->{$_} } keys %$p };
    return $p;
}

sub put {
    my ($what) = @_;

    write_file($file, ref $what ? JSON::XS->new->canonical->encode($what)
        : $what);
}

sub plans { put({ version => 1, plans => [@_] }) }
sub list { return rblctl(undef, 'plan', 'list', '--file', $file, '--json') }

sub good {
    my ($name, @args) = @_;

    my $got = rblctl($redis, @args, '--json');
    is($got->{status}, 0, $name) or diag($got->{err});
    return $got->{status} == 0 ? json($got->{out}) : {};
}

sub bad {
    my ($name, $pattern, @args) = @_;

    my $got = rblctl($redis, @args);
    is($got->{status}, 3, "$name is refused with exit status 3");
    like($got->{err}, qr/\Arblctl: [^\n]*$pattern[^\n]*\n\z/,
        "$name: the message has the reason");
    is($got->{out}, '', "$name: nothing is written to standard output");
}


# --- the file --------------------------------------------------------------

my $shipped = rblctl(undef, 'plan', 'list', '--json', '--file',
    repo_dir() . '/conf/plans.json');
is($shipped->{status}, 0, 'plan list accepts the installed file');
my %shipped = map { $_->{name} => $_ } @{ json($shipped->{out}) };
ok($shipped{Business}{paid} && !$shipped{Free}{paid},
    'the plan Business is paid and Free is not');

plans(gold(), gold(name => 'Frei & fein', paid => 0, price => undef,
    period => undef, max_hosts => 0), gold(name => 'Each', price => undef,
    period => undef, check_price => '0.000125', interval => '90s'));
my $r = list();
is($r->{status}, 0, 'plan list accepts a valid file');
is_deeply([map { [@$_{qw(name max_hosts interval price period check_price)},
    $_->{paid} ? 1 : 0] } @{ json($r->{out}) }],
    [['Gold', 10, 900, '25.00', 'month', '', 1],
    ['Frei & fein', 0, 900, '', '', '', 0],
    ['Each', 10, 90, '', '', '0.000125', 1]],
    'plan list shows the plans of the file in order');
$r = rblctl(undef, 'plan', 'show', 'Each', '--file', $file);
like($r->{out}, qr/^price a check \(USD\)  0\.000125$/m,
    'plan show prints the price of a check');
bad('no such plan', 'there is no plan "gold" in \S+plans\.json', 'plan',
    'show', 'gold', '--file', $file);
bad('no file', 'unable to open \S+plans\.json: No such file', 'plan', 'list',
    '--file', "$file.none/plans.json");

put("{ \"version\": 1,\n tru\nx\e[1m }");
bad('broken JSON', 'plans\.json:2: [^\e]*', 'plan', 'list', '--file', $file);

my $at = qr/plans\.json: plans\[0\] Gold: /;
my @wrong = (
    (map { [qr/plans\[0\]: name: must be there, 1 to 255/, name => $_] }
        undef, '', ' x', 'x ', "a\nb", 5, 'x' x 256),
    (map { [qr/${at}paid: must be there, a whole number from 0 to 1$/,
        paid => $_, price => undef, period => undef] } undef, 2, -1, '1',
        JSON::XS::true(), 0.5),
    (map { my $m = $_; map { [qr/${at}$m: must be there, a whole number from /,
        $m => $_] } undef, -1, '10', 1.5, 100_000_001, [] }
        qw(max_hosts max_contacts max_checks)),
    (map { [qr/${at}interval: must be there, a time from "1s" to "30d"/,
        interval => $_] } undef, 900, '', '0', '31d', '1w', '15 m'),
    (map { [qr/${at}price: must be an amount of dollars and cents/,
        price => $_] } '25', '25.0', '25.000', '025.00', '-1.00', '1,000.00',
        '.50', '1e3.00', '99999999999999.00', "25.00 "),
    [qr/${at}price: must be text/, price => 25, period => 'month'],
    [qr/${at}price: .* either "price" and "period" or "check_price"/,
        price => undef, period => undef],
    [qr/${at}price: .* either/, check_price => '0.10'],
    [qr/${at}period: must be there with "price"/, period => undef],
    [qr/${at}period: must be there with "price"/, price => undef,
        check_price => '0.10'],
    [qr/${at}period: must be one of "month", "year"/, period => 'week'],
    [qr/${at}check_price: must be an amount/, price => undef,
        period => undef, check_price => '0.0000001'],
    [qr/${at}paid: must be 1 where there is a price/, paid => 0],
    [qr/${at}hosts: is not a member/, hosts => 5],
);
for my $w (@wrong) {
    my ($pattern, %member) = @$w;
    plans(gold(%member));
    $r = list();
    is($r->{status}, 3, "a plan is refused with the error $pattern");
    like($r->{err}, qr/^rblctl: .*$pattern/m,
        'the message has the expected value');
    is($r->{out}, '', 'a refused file shows no plan');
}
plans(gold(), gold(max_hosts => 1));
like(list()->{err}, qr/plans\[1\] Gold: name: is in this file twice/,
    'the message names a plan that occurs twice');
plans(gold(paid => 2, interval => ''), gold(name => 'x', max_hosts => -1));
$r = list();
is(scalar(() = $r->{err} =~ /^rblctl: .*plans\[[01]\]/mg), 3,
    'rblctl reports all three mistakes');
put($_->[0]), like(list()->{err}, $_->[1],
    "the message has the mistake of the file $_->[0]") for
    ['{', qr/plans\.json:1: /], ['[]', qr/must be an object of "version": 1/],
    ['{"version": 2, "plans": []}', qr/"version": 1/],
    ['{"version": 1, "plans": {}}', qr/"plans": \[\.\.\.\]/],
    ['{"version": 1, "plans": [], "x": 1}', qr/"x": is none of/],
    ['{"version": 1, "plans": [5]}', qr/plans\[0\]: entry: must be an object/],
    ['{"version": 1, "version": 1, "plans": []}', qr/duplicate/];
plans(map { gold(name => "p$_") } 1 .. 201);
like(list()->{err}, qr/at most 200/,
    'a file with more than 200 plans is refused');


# --- accounts --------------------------------------------------------------

plans(gold(), gold(name => 'Free', paid => 0, price => undef,
    period => undef, max_hosts => 2, max_contacts => 1, max_checks => 1,
    interval => '1h'));
my @plan = ('--file', $file);

sub has {
    my ($v, $name, $paid, @values) = @_;

    is_deeply([$v->{plan}, (map { $v->{$_}{max} } qw(hosts contacts checks)),
        @$v{qw(interval min_interval)}, $v->{paid} ? 1 : 0], [@values, $paid],
        $name);
    return $v->{id};
}

my $ac = has(good('account add --plan', 'account', 'add', 'A', '--plan',
    'Gold', @plan), "takes the plan's values", 1, 'Gold', 10, 2, 5, 900, 900);
is_deeply([@{ record('account', redis($redis, 'GET',
    redis_key('acct', $ac))) }{qw(paid max_hosts max_contacts max_checks
    interval min_interval)}], [1, 10, 2, 5, 900, 900],
    'the record has the values of the plan');
has(good('options', 'account', 'add', 'A', '--plan', 'Gold', @plan, '--free',
    '--max-hosts', 7, '--max-contacts', 0, '--max-checks', 9, '--interval',
    '1h'), 'options take precedence', 0, 'Gold', 7, 0, 9, 3600, 900);
has(good('shorter', 'account', 'add', 'A', '--plan', 'Gold', @plan,
    '--interval', '1m'), "an operator's shorter one too", 1, 'Gold', 10, 2, 5,
    60, 60);
has(good('no plan', 'account', 'add', 'A'), 'without a plan', 0, 'free', 0, 0,
    0, 3600, 0);
bad('a file of nothing', '--file is of use with --plan', 'account', 'add', 'A',
    @plan);
bad('unknown plan', 'there is no plan "Silver" in ', 'account', 'add', 'A',
    '--plan', 'Silver', @plan);
bad('unknown plan', 'there is no plan "Silver" in ', 'account', 'plan', $ac,
    'Silver', @plan);
bad('no account', 'there is no account', 'account', 'plan', 'AC' . '0' x 32,
    'Gold', @plan);

has(good('account interval', 'account', 'interval', $ac, '2h'), 'a longer one',
    1, 'Gold', 10, 2, 5, 7200, 900);
bad('too short', 'The plan allows no interval shorter than 900 s', 'account',
    'interval', $ac, '899');
bad("interval $_", 'the interval must be a time', 'account', 'interval', $ac,
    $_) for '0', 'x', '31d';
bad('no account', 'there is no account', 'account', 'interval',
    'AC' . '0' x 32, '1h');
has(good('to another plan', 'account', 'plan', $ac, 'Free', @plan),
    'a longer interval that was chosen stays', 0, 'Free', 2, 1, 1, 7200, 3600);
good('interval', 'account', 'interval', $ac, '1h');
has(good('and back', 'account', 'plan', $ac, 'Gold', @plan),
    'the shortest becomes the shortest', 1, 'Gold', 10, 2, 5, 900, 900);
good('interval', 'account', 'interval', $ac, '30m');
has(good('to a slower one', 'account', 'plan', $ac, 'Free', @plan),
    'never shorter than the plan', 0, 'Free', 2, 1, 1, 3600, 3600);

has(good('to the faster one', 'account', 'plan', $ac, 'Gold', @plan),
    'its interval', 1, 'Gold', 10, 2, 5, 900, 900);

# existing objects are kept
my $key = redis_key('acct', $ac);
sub add {
    my ($n) = @_;

    return redis($redis, 'EVAL', seam_source('host_add'),
        seam_words('host_add', [$key], name => 'name', type => 'rbl',
        family => 1, host => sprintf('HT%032x', $n),
        value => "192.0.2.$n"))->[0];
}
is(add($_), 'OK', "the account can add host $_ of three") for 1 .. 3;
$r = rblctl($redis, 'account', 'plan', $ac, 'Free', @plan, '--json');
is($r->{status}, 0, 'a plan for fewer hosts is accepted');
is($r->{err}, 'rblctl: the account has 3 hosts, 1 more than the plan allows: '
    . "it keeps them and can add none\n",
    'rblctl warns about one host too many');
is(json($r->{out})->{hosts}{used}, 3, 'the account keeps its three hosts');
is(add(4), 'LIMIT', 'a host above the limit is refused');

done_testing();
