#!/usr/bin/perl

# A slice that is smaller than postpone_output must be sent at once, and the
# next one must follow.

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
