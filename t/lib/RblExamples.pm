package RblExamples;

# The examples of conf/openapi.json: fields with which a call succeeds.
#
#     use RblExamples;
#     my $fields = example('host/add');     # of the API, or of the portal
#     my @values = examples_of('host');     # all of fields with this name
#
# Where hosts, lists and addresses have to differ, each example has a number of
# its own: ops1@example.net becomes ops7@example.net, 192.0.2.10 an address in
# 198.18.0.0/15.

use strict;
use warnings;

use Exporter 'import';

use RblJudge;

our @EXPORT = qw(example examples_of);

my %differ = map { $_ => 1 } qw(host contact mail);
my $n = 0;
my %example;                        # call => the first example of its body

sub fresh {
    my ($field, $value) = @_;

    return $value if !$differ{$field};
    $n++;
    return join '.', unpack 'C4', pack 'N', 0xc6120000 + $n
        if $value =~ /^[\d.]+$/;
    return $value =~ s/\d+(?=\D*$)/$n/r;
}

sub read_examples {
    for my $d (described('/3.0/'), described('/portal/1/')) {
        my $call = $d->{at} =~ s{^/(?:3\.0|portal/1)/|/\{id\}|\.json$
            |\.\{format\}$}{}gxr;
        $example{$call} = $d->{examples}[0] if $d->{method} eq 'POST';
    }
    return;
}

sub example {
    my ($call) = @_;

    read_examples() if !%example;
    my $given = $example{$call} // {};
    return { map { $_ => fresh($_, $given->{$_}) } keys %$given };
}

sub examples_of {
    my ($field) = @_;

    read_examples() if !%example;
    return map { $_->{$field} // () } values %example;
}

1;
