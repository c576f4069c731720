#!/usr/bin/perl

# The contract of the API as a table: every path, method and format, the
# refusals and the limits, over HTTP only.  The rows are in t/api/contract/, one
# file per family.  They run with four ways of writing paths, each with accounts
# of its own.

use strict;
use warnings;

use RblContract;
use RblJudge;
use RblTest;

my $about = repo_dir() . '/t/api/contract';
my @tables = map { my $rows = do "$about/$_.pl";
    die "$_.pl: " . ($@ || $!) if ref $rows ne 'ARRAY'; $rows }
    qw(start hosts checks profiles rbls groups contacts common end);

my $w = contract_world();
for my $pass (qw(json xml bare slash)) {
    my $p = contract_pass($w, $pass);
    contract_rows($p, map { @$_ } @tables);
}

# The table covers all routes and the description.
my @missing = contract_missing(routes(), described());
is(join("\n", @missing), '', 'no route lacks a row');
ok(contract_missing({ at => '/3.0/none.{format}', method => 'GET',
    formats => { json => 1 } }), 'a route without a row is found');
note("answered: $_") for map { "$_->{method} $_->{at} "
    . join ',', sort keys %{ $_->{formats} } } routes();

done_testing();
