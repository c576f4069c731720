package RblConditions;

# Surfaces that name a condition of the service: rblctl status and the status of
# nginx.  The world has {redis, nginx}, and perhaps `poke`, which is called again
# and again while a test waits for a condition of lists.

use strict;
use warnings;

use Exporter 'import';
use RblCheckd;
use RblPrometheus;
use RblTest;

our @EXPORT = qw(condition_nginx conditions sample named over healthy);

# Starts an nginx with the API and both forms of the status.
sub condition_nginx {
    my ($w) = @_;

    return $w->{nginx} = start_nginx(store => $w->{redis},
        http => 'rbl_zone rbl 1m; rbl_store_timeout 2s;',
        server => 'location /metrics { rbl_status prometheus; }'
            . ' location /status { rbl_status; }');
}

# The conditions of rblctl status, by name.
sub conditions {
    my ($w) = @_;
    return { map { $_->{name} => $_ } @{ json(rblctl($w->{redis}, '--json',
        'status')->{out})->{conditions} } };
}

# A sample of the metrics.
sub sample {
    my ($w, $name) = @_;
    my $m = prometheus(http($w->{nginx}, 'GET', '/metrics')->{body});
    my ($family) = $name =~ /^(\w+)/;
    return $m->{$family}{samples}{$name} // 'none';
}

sub poke {
    my ($w, $name) = @_;
    $w->{poke}->() if $w->{poke} && $name =~ /lists/;
}

# The condition is named on all surfaces with this state and reason.
sub named {
    my ($w, $name, $state, $reason) = @_;

    my $c;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    eventually { poke($w, $name); ($c = conditions($w)->{$name})
        && $c->{state} eq $state && $c->{reason} =~ $reason } 60,
        "$name: rblctl status names it";
    my $r = rblctl($w->{redis}, 'status');
    Test::More::ok($c && $c->{remedy} =~ /\w+ \w+/,
        "$name: rblctl status has a remedy") or Test::More::diag($r->{out});
    Test::More::like($r->{out}, qr/^$name: $state\b.*: .*; /m,
        "$name: the text of rblctl status has a line");
    Test::More::cmp_ok($r->{status}, '>=', $state eq 'broken' ? 2 : 1,
        "$name: the exit status is not good");
    eventually { sample($w, "rbl_condition{name=\"$name\"}") eq '1' } 60,
        "$name: the metrics of nginx name it";
    eventually {         # another worker looks a little later
        my ($row) = grep { $_->{name} eq $name }
            @{ json(http($w->{nginx}, 'GET', '/status'))->{conditions} };
        $row && $row->{state} eq $state;
    } 60, "$name: rbl_status has its state";
}

# They name it no longer.
sub over {
    my ($w, $name) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    eventually { poke($w, $name); !conditions($w)->{$name} } 90,
        "$name: rblctl status names it no longer";
    eventually { sample($w, "rbl_condition{name=\"$name\"}") eq '0' } 60,
        "$name: the metrics of nginx name it no longer";
}

# No condition is named.
sub healthy {
    my ($w, $when) = @_;

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    eventually { rblctl($w->{redis}, 'status')->{out} =~ /^good$/m } 60,
        "a healthy system $when: rblctl status says good";
    my $r = rblctl($w->{redis}, 'status');
    Test::More::is($r->{status}, 0,
        "a healthy system $when: the exit status is 0")
        or Test::More::diag($r->{out});
    eventually { sample($w, 'rbl_verdict') eq '0' } 20,
        "a healthy system $when: the metrics say good";
}

1;
