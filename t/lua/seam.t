#!/usr/bin/perl

# Arguments of scripts by their names, as tests give them (RblSeam.pm).

use strict;
use warnings;
use RblSeam;
use RblTest;

my @host = (name => 'n', type => 'rbl', family => 1);

# The arguments of host_add, without the record of its caller.
sub words {
    my @words = seam_words('host_add', ['key'], @_);
    return join '|', @words[0 .. $#words - 1];
}
is(words(@host), '1|key|n|rbl|1||||', 'what is not given is empty');
is(words(family => 1, net => 'x', name => 'n'), '1|key|n||1||||x',
    'the order of the names is free');
is(words(@host, host => 'A', value => 'a'), '1|key|n|rbl|1|||||A|a',
    'a host is given without arrays');
is(words(@host, host => ['A', 'B'], value => ['a', 'b']),
    '1|key|n|rbl|1|||||A|a|B|b', 'hosts are given as arrays');
is(words(@host, host => ['A', 'B'], value => 'a'),
    '1|key|n|rbl|1|||||A|a|B|a', 'one value is that of all hosts');
is(words(@host, host => [], value => []), '1|key|n|rbl|1||||',
    'empty arrays give no host');
is(words(@host, columns({ host => 'A', value => 'a' }, { host => 'B' })),
    '1|key|n|rbl|1|||||A|a|B|', 'rows become columns');

sub dies {
    my ($pattern, $name, $keys, @args) = @_;

    is(eval { seam_words($name, $keys, @args); 1 }, undef,
        "$name refuses " . ($args[0] // 'no arguments'));
    like($@, $pattern, "$name says why it refuses them");
}
dies(qr/^host_add has no argument kind, but name, type,/, 'host_add', ['key'],
    kind => 'rbl', @host);
dies(qr/^host_add: name is given twice/, 'host_add', ['key'], name => 'x',
    @host);
dies(qr/^host_add: group is not defined/, 'host_add', ['key'],
    group => undef, @host);
dies(qr/^host_add needs the argument family/, 'host_add', ['key'],
    name => 'n');
dies(qr/^host_status needs the argument host/, 'host_status', ['key'],
    status => 'paused');
dies(qr/^host_add: host value are not equally many/, 'host_add', ['key'],
    host => ['A', 'B'], value => ['a'], @host);
dies(qr/^host_add: names and values are not pairs/, 'host_add', ['key'],
    'name');
dies(qr/^zone_ask takes the keys zone seen/, 'zone_ask', ['key']);
dies(qr/^there is no script host_ad at/, 'host_ad', ['key']);

done_testing();
