package RblDeliver;

# Delivery alone: a Redis with one partition, one account with an application,
# events made by the store's own scripts, and the tool t/tools/deliverd.c.

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes ();

use RblScript;
use RblTest;

our @EXPORT = qw(deliver_setup start_deliverd hook_add event_emit one_off
    due_now deliveries delivery idle dead_letters hook_status standard_ok
    soon attempt $AC $ACCT $AP $SECRET);

our ($AC, $ACCT, $AP);
our $SECRET = 'callback secret';

my $redis;

sub deliver_setup {
    my (%opt) = @_;

    $redis = redis_new(%opt);
    cmd('HSET', 'rbl:meta', 'schema', 2, 'partitions', 1, 'created', 1);
    ($AC, $ACCT) = account();
    $AP = sid('AP');
    script('app_put', [$ACCT], $AP, 'app', $SECRET, 'f' x 16, 'd' x 32);
    return $redis;
}

# Options: conf => {key => value}, resolver, env.
sub start_deliverd {
    my (%opt) = @_;

    my $d = own_dir('deliverd');
    my ($login, $file) = store_login($redis, 'rbl-checkd');
    my %conf = (store => $redis->{addr}, log => 'stderr',
        store_user => $login, store_password_file => $file,
        log_level => 'debug', deliver_http => 'on',
        deliver_allow => '127.0.0.0/8', deliver_timeout => '3s',
        resolver => '127.0.0.1@' . ($opt{resolver} // 9),
        %{ $opt{conf} // {} });
    write_file("$d/conf", join '',
        map { defined $conf{$_} ? "$_ $conf{$_}\n" : () } sort keys %conf);
    my $s = spawn('deliverd', { dir => $d, env => $opt{env} },
        build_dir() . '/t/tools/deliverd', "$d/conf");
    return started($s, sub { read_file($s->{log}) =~ /ready/ });
}

# A receiver of the account: hook_add(url, secret, types...)
sub hook_add {
    my ($url, $secret, @types) = @_;

    my $wh = sid('WH');
    script('hook_put', [$ACCT], $wh, 'hook', $url, $secret, @types);
    return $wh;
}

sub hook_status {
    return record('hook', cmd('GET', k('r', $AC, $_[0])))->{status};
}

# The events of one check of a host that is listed (or as given): started,
# completed, listed.  Returns the SIDs of the check and the host.
my $host_number = 0;

sub event_emit {
    my (%opt) = @_;

    my $ht = $opt{host};
    if (!$ht) {
        my $added = script('host_add', [$ACCT], 'name', 'rbl', 1, '', '', '',
            '', $ht = sid('HT'), '10.9.0.' . ++$host_number);
        die "host_add: $added->[0]" if $added->[0] ne 'OK';
    }
    cmd('HDEL', k($_), "$AC:$ht") for 'flight', 'flight:due';
    my $pp = script('check_start', [$ACCT], sid('PP'), $ht, '', '', '', '',
        60_000)->[1];
    begin($ACCT, $pp, $ht);
    finish_check($ACCT, $pp, $ht, $opt{results}
        // [listed_result('RBa'), listed_result('RBb')], $opt{failed});
    return ($pp, $ht);
}

# A one-off check with a callback; returns the SID of the check.
sub one_off {
    my ($url, $value, %opt) = @_;

    my $pp = sid('PP');
    script('check_start', [$ACCT], $pp, '', $value, 1, $url, $AP, 60_000);
    begin($ACCT, $pp, '');
    finish_check($ACCT, $pp, '', $opt{results} // [listed_result('RBa')],
        $opt{failed});
    return $pp;
}

# soon { condition } 'name': a test that waits for it.
sub soon(&;$$) {
    my ($condition, $name, $timeout) = @_;

    return ok(&wait_for($condition, $timeout // 15), $name);
}

# What waits for its time: {member => seconds until it is due}
sub deliveries {
    my %r = @{ cmd('ZRANGE', k('retry'), 0, -1, 'WITHSCORES') };
    my $now = Time::HiRes::time();
    return { map { $_ => $r{$_} / 1000 - $now } keys %r };
}

# The fields of a delivery by its member
sub delivery {
    return { @{ cmd('HGETALL', k('dlv', split /:/, $_[0])) } };
}

sub due_now { cmd('ZADD', k('retry'), 'XX', 0, $_) for @_ }

# One attempt of a callback to a URL: "delivered", or "status error" as it was
# recorded; then nothing is left of it.
sub attempt {
    my ($url) = @_;

    one_off($url, '192.0.2.7');
    my ($m, $result);
    wait_for {
        ($m) = keys %{ deliveries() };
        return $result = 'delivered' if idle();
        my $e = $m ? delivery($m) : {};
        $result = "$e->{status} $e->{error}" if $e->{attempt};
    } 15, "an attempt at $url";
    if ($m && !idle()) {
        cmd('ZREM', k('retry'), $m);
        cmd('DEL', k('dlv', split /:/, $m),
            k('event', (split /:/, $m)[0, 1]));
    }
    return $result;
}

# Nothing is left to be done?
sub idle {
    return cmd('XLEN', k('outbox')) == 0 && cmd('ZCARD', k('retry')) == 0
        && !@{ cmd('KEYS', k('dlv', '*')) }
        && !@{ cmd('KEYS', k('event', '*')) };
}

# [{field => value}] of the account, oldest first
sub dead_letters {
    return map { { @{ $_->[1] } } }
        @{ cmd('XRANGE', k('dead', $AC), '-', '+') };
}

# Are the headers of the Standard Webhooks right for this key?
sub standard_ok {
    my ($r, $key) = @_;

    require Digest::SHA;
    my $h = $r->{headers};
    my $sum = Digest::SHA::hmac_sha256_base64(
        join('.', $h->{'webhook-id'}, $h->{'webhook-timestamp'}, $r->{body}),
        $key);
    $sum .= '=' while length($sum) % 4;
    return $h->{'webhook-signature'} eq "v1,$sum";
}

1;
