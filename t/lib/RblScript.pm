package RblScript;

# The store's scripts alone, against a real redis-server.  Records are arrays
# in the order of shared/schema.txt, field 0 the version.

use strict;
use warnings;
use Exporter 'import';
use RblTest;

our @EXPORT = qw(script records unpacked packed sid k redis_new cmd account
    add_host listed_result result finish_check begin);

my $redis;
my %source;

sub redis_new {
    $redis = start_redis(@_);
    return $redis;
}

# Runs a script of the build and returns its reply as an array reference.
sub script {
    my ($name, $keys, @args) = @_;

    $source{$name} //= do {
        read_file(build_dir() . "/gen/lua/$name.lua");
    };

    return cmd('EVAL', $source{$name}, scalar @$keys, @$keys, @args);
}

# A key of partition 0, where everything of these tests lives.
sub k { return join ':', 'rbl:{0}', @_ }

sub records {
    return map { mp_unpack($_) } @_;
}

sub unpacked { return mp_unpack($_[0]) }

sub packed { return mp_pack($_[0]) }

sub cmd { return redis($redis, @_) }

my $serial = 0;

sub sid {
    my ($kind) = @_;
    return $kind . sprintf('%0' . ($kind eq 'PP' ? 64 : 32) . 'x', ++$serial);
}

# An account with two active lists; returns its SID and its acct key.
sub account {
    my (%o) = @_;
    my $ac = sid('AC');

    script('lists_put', [k('lists')],
        packed([1, 'RBa', 'rbl', 'a.example', 'A', 'https://a.example/', 3, 0,
            'active', '', [], '', '', 'normal', 'ip', 'block', 'ip']),
        packed([1, 'RBb', 'rbl', 'b.example', 'B', '', 5, 0,
            'active', '', [], '', '', 'normal', 'ip', 'block', 'ip']),
        packed([1, 'RBu', 'uribl', 'u.example', 'U', '', 4, 0,
            'active', '', [], '', '', 'normal', 'ip', 'block', 'none']));
    script('account_put', [k('acct', $ac)], 'Name', 'UTC', 'plan', 1,
        $o{max_hosts} // 0, 0, $o{interval} // 3600, sid('RP'), sid('CG'));
    return ($ac, k('acct', $ac));
}

# Adds one host (or a range: values after the first are its children).
sub add_host {
    my ($acct, $type, @values) = @_;
    my @range = $type eq 'ip_range' ? (sid('HT'), shift @values) : ('', '');
    return script('host_add', [$acct], 'name', $type, 1, '', '', @range,
        map { (sid('HT'), $_) } @values);
}

sub result {
    my ($list, $status, %o) = @_;
    my $zone = $o{zone} // lc(substr $list, 2) . '.example';
    return [$list, 'rbl', 0, $zone, '', $status, $o{codes} // [],
        $o{details} // '', $o{reason} // '', $o{error} // '', 5];
}

sub listed_result {
    my ($list, %o) = @_;
    return result($list, 'listed', codes => ['127.0.0.2'],
        details => 'why', %o);
}

sub begin {
    my ($acct, $pp, $ht) = @_;
    return script('check_begin', [$acct], $pp, $ht, sid('EV'), '', '',
        60_000);
}

sub finish_check {
    my ($acct, $pp, $ht, $results, $failed) = @_;
    return script('check_finish', [$acct], $pp, $ht, '', '',
        packed($results), $failed // '', sid('EV'), sid('EV'), 60_000);
}

1;
