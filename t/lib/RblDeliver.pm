package RblDeliver;

# Delivery alone: a Redis with one partition, one account with an application,
# events made by the store's own scripts, and the tool t/tools/deliverd.c.

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes ();

use RblScript;
use RblTest;

our @EXPORT = qw(deliver_setup lists_of_messages start_deliverd hook_add
    event_emit one_off due_now time_passes wake deliveries delivery idle
    dead_letters hook_status
    standard_ok soon attempt contact_put contact_active contact_code confirm
    confirm_attempt letter circuits_close
    authority certificate $AC $ACCT $AP $SECRET);

our ($AC, $ACCT, $AP);
our $SECRET = 'callback secret';

my ($redis, @deliverd);

sub deliver_setup {
    my (%opt) = @_;

    $redis = redis_new(%opt);
    cmd('HSET', 'rbl:meta', 'schema', schema_version(), 'partitions', 1,
        'created', 1);
    ($AC, $ACCT) = account();
    $AP = sid('AP');
    script('app_put', [$ACCT], app => $AP, name => 'app', secret => $SECRET,
        field => 'f' x 16, digest => 'd' x 32);
    return $redis;
}

# Two lists for messages: RBa has every field, RBb nearly none.
sub lists_of_messages {
    script('lists_put', [k('lists')], records => [
        packed([1, 'RBa', 'rbl', 'a.example', 'List <A> & co',
            'https://a.example/', 3, 0, 'active', '', ['127.0.0.2=spam source'],
            'https://a.example/q?h=%s&x=1', 'https://a.example/off?h=%s',
            'critical', 'ip', 'block', 'ip']),
        packed([1, 'RBb', 'rbl', 'b.example', 'List B', '', 3, 0, 'active', '',
            [], '', '', 'normal', 'ip', 'block', 'ip'])]);
    return;
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
    push @deliverd, $s;
    return started($s, sub { read_file($s->{log}) =~ /ready/ });
}

# Makes the daemons look now, as after a check; by themselves they look twice a
# second.
sub wake { signal_server($_, 'USR1') for @deliverd }

# A receiver of the account: hook_add(url, secret, types...)
sub hook_add {
    my ($url, $secret, @types) = @_;

    my $wh = sid('WH');
    script('hook_put', [$ACCT], hook => $wh, name => 'hook', url => $url,
        secret => $secret, types => \@types);
    return $wh;
}

sub hook_status {
    return record('hook', cmd('GET', k('s', $AC, $_[0])))->{status};
}

# The events of one check of a host that is listed (or as given): started,
# completed, listed.  Returns the SIDs of the check and the host.
my $host_number = 0;

sub event_emit {
    my (%opt) = @_;

    my $ht = $opt{host};
    if (!$ht) {
        my $added = script('host_add', [$ACCT], name => 'name', type => 'rbl',
            family => 1, host => $ht = sid('HT'),
            value => '10.9.0.' . ++$host_number);
        die "host_add: $added->[0]" if $added->[0] ne 'OK';
    }
    cmd('HDEL', k($_), "$AC:$ht") for 'flight', 'flight:due';
    my $pp = script('check_start', [$ACCT], check => sid('PP'), host => $ht,
        keep => 60_000)->[1];
    begin($ACCT, $pp, $ht);
    finish_check($ACCT, $pp, $ht, $opt{results}
        // [listed_result('RBa'), listed_result('RBb')], $opt{failed});
    no_flapping($AC, $ht) if !$opt{flaps};
    return ($pp, $ht);
}

# A one-off check with a callback; returns the SID of the check.
sub one_off {
    my ($url, $value, %opt) = @_;

    my $pp = sid('PP');
    script('check_start', [$ACCT], check => $pp, value => $value, family => 1,
        callback => $url, app => $AP, keep => 60_000);
    begin($ACCT, $pp, '');
    finish_check($ACCT, $pp, '', $opt{results} // [listed_result('RBa')],
        $opt{failed});
    return $pp;
}

# A pending contact without a code; options are fields of its record.
sub contact_put {
    my ($type, $value, %o) = @_;

    my $co = $o{id} // sid('CO');
    cmd('SET', k('r', $AC, $co), record_pack('contact', version => 1,
        schedule => 'start_and_end', status => 'pending', groups => [],
        created => 1, digest => '', until => 0, tries => 0, sent => 0,
        %o, id => $co, type => $type, value => \$value));
    return $co;
}

# A contact that subscribes to the account's default group; options likewise.
sub contact_active {
    my ($type, $value, %o) = @_;

    my $group = record('chosen', cmd('GET', k('chosen', $AC)))->{group};
    my $co = contact_put($type, $value, status => 'active', groups => [$group],
        %o);
    cmd('ZADD', k('contacts', $AC), cmd('INCR', k('seq', $AC)), $co);
    contacts_hear($AC);
    return $co;
}

# Gives a contact a code, as when it is added or sent another one.
sub contact_code {
    my ($co, $code) = @_;

    require Digest::SHA;
    my $r = record('contact', cmd('GET', k('r', $AC, $co)));
    contact_put(@$r{qw(type value)}, %$r, until => 1000 * (time + 86_400),
        digest => Digest::SHA::sha256("$co$code"));
}

# Sends a code to a contact; returns the SID of the event
sub confirm {
    my ($co, $code) = @_;

    contact_code($co, $code);
    my $ev = sid('EV');
    cmd('XADD', k('outbox'), '*', 'a', $AC, 'e', $ev, 'd',
        record_pack('event', version => 1, id => $ev,
            type => 'contact.confirm', date => 1_795_167_000_000, listed => 0,
            total => 0, results => "\x90", hooks => 0, callbacks => [],
            timezone => 'UTC', contact => $co, code => \$code));
    return $ev;
}

# One attempt of a confirmation, in attempt()'s form, or "dead: reason".
sub confirm_attempt {
    my ($type, $value, $code) = @_;

    circuits_close();
    my $letters = () = dead_letters();
    my $ev = confirm(my $co = contact_put($type, $value), $code);
    wake();
    my ($m, $result) = ("$AC:$ev:$co");
    wait_for {
        my $idle = idle();
        return $result = 'dead: ' . (dead_letters())[-1]{x}
            if (() = dead_letters()) > $letters;
        return $result = 'delivered' if $idle;
        my $e = delivery($m);
        $result = "$e->{status} $e->{error}" if $e->{attempt};
    } 20, "an attempt at $value";
    cmd('DEL', k('r', $AC, $co));       # so that it is dropped
    due_now($m);
    wait_for { idle() } 15, 'the end of it';
    return $result;
}

sub letter { return (dead_letters())[-1] }

# soon { condition } 'name': a test that waits for the condition.
sub soon(&;$$) {
    my ($condition, $name, $timeout) = @_;

    return ok(&wait_for($condition, $timeout // 15), $name);
}

# Waiting deliveries: {member => seconds until it is due}
sub deliveries {
    my %r = @{ cmd('ZRANGE', k('retry'), 0, -1, 'WITHSCORES') };
    my $now = Time::HiRes::time();
    return { map { $_ => $r{$_} / 1000 - $now } keys %r };
}

# The fields of a delivery by its member
sub delivery {
    return { @{ cmd('HGETALL', k('dlv', split /:/, $_[0])) } };
}

# Makes deliveries due, and closes the waits of their receivers' circuits.
sub due_now {
    for (@_) {
        my ($ac, $ev, $target) = split /:/;
        cmd('HDEL', k('hook', $ac, $target), 'till', 'probe');
        cmd('ZADD', k('retry'), 'XX', 0, $_);
    }
    circuits_close();
    wake();
}

# Moves times of waiting deliveries: that many seconds less to wait, and longer
# since receivers began to fail.
sub time_passes {
    my ($ms) = map { int 1000 * $_ } @_;

    my $waits = cmd('ZRANGE', k('retry'), 0, -1);
    cmd(qw(ZADD), k('retry'), qw(XX INCR), -$ms, $_) for @$waits;
    earlier($ms, k('dlv', split /:/, $_), 'first') for @$waits;
    for my $key (@{ cmd('KEYS', k('hook', '*')) }) {
        earlier($ms, $key, $_) for qw(since till probe);
    }
    wake();
}

# A delivery that has ended meanwhile stays so.
sub earlier {
    my ($ms, $key, $field) = @_;

    cmd('EVAL', "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
        redis.call('HINCRBY', KEYS[1], ARGV[1], -ARGV[2]) end", 1, $key, $field,
        $ms);
}

# Deletes earlier failures: no circuit of a host or an account delays
# deliveries.
sub circuits_close {
    my @keys = map { @{ cmd('KEYS', k('hook', '*', $_)) } } 'CB*', 'all';
    cmd('DEL', @keys) if @keys;
}

# One attempt of a callback to a URL: returns "delivered", or the recorded
# "status error"; nothing is left of it.
sub attempt {
    my ($url) = @_;

    circuits_close();
    one_off($url, '192.0.2.7');
    wake();
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

# True if nothing is left to do.
sub idle {
    return cmd('XLEN', k('outbox')) == 0 && cmd('ZCARD', k('retry')) == 0
        && cmd('ZCARD', k('digests')) == 0
        && cmd('ZCARD', k('tellings')) == 0
        && !@{ cmd('KEYS', k('dlv', '*')) }
        && !@{ cmd('KEYS', k('event', '*')) };
}

# [{field => value}] of the account, oldest first
sub dead_letters {
    return map { { @{ $_->[1] } } }
        @{ cmd('XRANGE', k('dead', $AC), '-', '+') };
}

# --- certificates, in the directory $dir

sub openssl {
    my $r = run_cmd('openssl', @_);
    die "openssl @_: $r->{err}" if $r->{status} != 0;
}

sub authority {
    my ($dir, $name) = @_;

    openssl('req', '-x509', '-newkey', 'ec', '-pkeyopt',
        'ec_paramgen_curve:P-256', '-nodes', '-days', 2, '-subj',
        "/CN=$name", '-keyout', "$dir/$name.key", '-out', "$dir/$name.pem");
}

# certificate($dir, authority, file, names, expired => 1, days => 1)
sub certificate {
    my ($dir, $ca, $file, $names, %opt) = @_;

    openssl('req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256',
        '-nodes', '-subj', '/CN=server', '-keyout', "$dir/$file.key", '-out',
        "$dir/$file.csr");
    write_file("$dir/$file.ext", "subjectAltName=$names\n");
    return expired($dir, $ca, $file) if $opt{expired};
    openssl('x509', '-req', '-in', "$dir/$file.csr", '-CA', "$dir/$ca.pem",
        '-CAkey', "$dir/$ca.key", '-CAcreateserial', '-extfile',
        "$dir/$file.ext", '-out', "$dir/$file.pem", '-days',
        $opt{days} // 1);
}

# `openssl x509` sets a certificate's end only, and before its start only until
# openssl 3.4; `openssl ca` sets both.
sub expired {
    my ($dir, $ca, $file) = @_;

    write_file("$dir/$file.db", '');
    write_file("$dir/$file.cnf", <<"END");
[ca]
default_ca = here
[here]
database = $dir/$file.db
policy = any
rand_serial = yes
[any]
commonName = supplied
END
    openssl('ca', '-batch', '-config', "$dir/$file.cnf", '-in',
        "$dir/$file.csr", '-cert', "$dir/$ca.pem", '-keyfile', "$dir/$ca.key",
        '-md', 'sha256', '-startdate', '20200101000000Z',
        '-enddate', '20200102000000Z', '-extfile', "$dir/$file.ext",
        '-outdir', $dir, '-notext', '-out', "$dir/$file.pem");
}

# True if the headers of Standard Webhooks are valid for this key.
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
