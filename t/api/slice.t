#!/usr/bin/perl

# A slice of an answer that is smaller than what nginx likes to send at once
# (postpone_output) goes out, and the next one follows.

use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use RblApi;
use RblCheckd ();

use constant OWN => 60;

my $file = temp_dir() . '/lists.json';
write_file($file, RblCheckd::lists_json({ 'a.test' => {}, 'b.test' => {} }));
my $t = api_setup(lists => $file);
call($t, 'POST', 'rbl/add.json',
    form => { type => 'rbl', host => "l$_.own.test" }) for 1 .. OWN;
my $v = accepted(call($t, 'GET', 'rbls.json?page_size=1000', timeout => 10),
    'the lists of the system, which are few, and those of the account');
is(scalar @{ $v->{data} // [] }, OWN + 2, 'all of them');
done_testing();
