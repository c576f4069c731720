#!/usr/bin/perl
# `RUN_SAMPLE=1 make run`: an account with 2,150 hosts and sixty days of listings,
# which the store and the portal take for real.

use strict;
use warnings;

use lib 't/lib';
use RblPortal;
use RblTest;

my $run = temp_dir() . '/run';
my %sanitizer = nginx_env();
my %env = (RUN_DIR => $run, RUN_PORT => free_port(), RUN_SAMPLE => 1,
    RUN_LIST_PORT => free_port(), RUN_MAIL_PORT => free_port(),
    RUN_OFFLINE => 1, RUN_PRELOAD => delete $sanitizer{LD_PRELOAD} // '',
    RUN_NGINX => $ENV{RBL_NGINX} // 'nginx', %sanitizer);
my @ctl = (build_dir() . '/rblctl', '-c', "$run/rbl-checkd.conf");

# Starts it; returns the process, and what the portal knows an owner and an
# operator by.
sub start_run {
    my $s = spawn('run', { env => \%env }, 'sh', repo_dir() . '/conf/run.sh',
        build_dir());
    wait_for { read_file($s->{log}) =~ /Ctrl-C stops/ || !alive($s) } 300,
        'make run';
    my (undef, @links) = read_file($s->{log})
        =~ m{^http://\S+/portal/#/link/(\S+)$}mg;
    return ($s, @links);
}

my $t = { nginx => { port => $env{RUN_PORT} },
    site => "localhost:$env{RUN_PORT}" };
sub signed_in {
    my $r = use_link($t, $_[0]);
    is($r->{status}, 200, 'a link signs in');
    return { cookie => cookie_of($r) };
}

my ($s, @links) = start_run();
is(scalar @links, 2, 'an owner and an operator can sign in')
    or diag(read_file($s->{log}));
my ($owner, $operator) = map { signed_in($_) } @links;
sub get { return accepted(portal($t, $owner, 'GET', $_[0]), $_[0])->{data} }

# the hosts, and how they are
my $counts = get('counts.json');
is($counts->{hosts}, 2150 + 6, 'there are 2,150 hosts and six ranges');
my ($flaps) = @{ get('hosts/find.json?text=192.0.2.69') };
like($flaps->{flapping_since}, qr/^\d{4}-/, 'a host flaps');

# what happened
my $trend = get('trend.json?days=60');
is(scalar @{ $trend->{days} }, 60, 'there are sixty days');
cmp_ok(scalar(grep { $_->{new} > 0 } @{ $trend->{days} }), '>', 50,
    'there are new listings on most of them');
cmp_ok(scalar(grep { $_->{ended} > 0 } @{ $trend->{days} }), '>', 40,
    'listings end on most of them');
is(scalar(grep { $_->{hosts} == 0 } @{ $trend->{weights} }), 0,
    'hosts are listed with each weight');
my $history = get("host/history/$flaps->{id}.json");
is(join(' ', map { $_->{status} } @$history[0 .. 6]),
    'listed clear listed clear listed clear listed',
    'the history of the host that flaps has seven changes');
my ($strip) = @{ get("hosts/strips.json?hosts=$flaps->{id}") };
like($strip->{days}, qr/^[lu-]{30}$/, 'the host was there on each of 30 days');
my $changes = get('changes.json');
is(scalar @$changes, 50, 'there are changes');

my ($bots) = grep { $_->{name} eq 'Sample Bots' }
    @{ get('rbls.json?page_size=1000') };
cmp_ok(scalar @{ get("list/trend/$bots->{id}.json?days=90")->{days} }, '>=', 59,
    'a list has sixty days');

# contacts and mutes
my %group = map { $_->{name} => $_ }
    @{ get('contactgroups.json?page_size=100') };
is(join(' ', map { $group{$_}{total_contacts} } 'Office', 'Customers'), '0 2',
    'a group has no contact');
is(scalar(grep { $_->{active} } @{ get('mutes.json') }), 4,
    'four mutes are not over');
is(join(' ', grep { $_ ne '' } map { $_->{group_name} }
    @{ get('mutes.json') }), 'Sites', 'one is of a list within a group');
my $kin = qr{198\.18\.10\.0/24: 12 of 256 by Sample Bots};
ok(wait_for(sub { grep { read_file($_) =~ $kin }
    glob "$run/mails/*.html" }, 60), 'a contact reads of a row in one line');

# an operator
is(join(', ', sort map { $_->{name} } @{ accepted(portal($t, $operator, 'GET',
    'operator/accounts.json'), 'operator/accounts')->{data} }),
    'Demonstration, Example Hosting, Example Mail, Example Shops, Example Trial,'
    . ' Example University', 'the operator sees six accounts');
my $fsck = run_cmd(@ctl, 'fsck');
is("$fsck->{status} $fsck->{err}", '0 ', 'rblctl fsck finds no fault')
    or diag($fsck->{out});

sub stops {
    signal_server($s, 'INT');
    ok(wait_for(sub { !alive($s) }, 60, 'its end'), 'SIGINT ends make run');
    is($s->{status}, 0, 'SIGINT ends make run with status 0');
}
stops();

# the next run has it still
($s, @links) = start_run();
is(scalar @links, 2, 'both can sign in again');
$owner = signed_in($links[0]);
is(get('counts.json')->{hosts}, 2156, 'the hosts are there');
stops();
done_testing();
