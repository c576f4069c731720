#!/usr/bin/perl

# Two accounts.  Wherever a call takes an id, in the path, the query or a form,
# the SID of the other account must give the same response, byte for byte, as a
# SID that does not exist, and must change nothing.

use strict;
use warnings;

use RblApi;
use RblExamples;
use RblJudge;

my $t = api_setup();
my %kind = (host => 'HT', rblprofile => 'RP', rbl => 'RB', contact => 'CO',
    contactgroup => 'CG', check => 'PP');

# Fields that take ids, and their resource.
my %field = (rbl_profile => 'rblprofile', contact_group => 'contactgroup',
    entries => 'rbl', host => 'host');

# One of each resource, of both accounts.
my (%mine, %theirs);
for (['', \%mine], ['other', \%theirs]) {
    my ($who, $have) = @$_;
    local $t->{acct} = $who ? $t->{other} : $t->{acct};
    for my $family (sort keys %kind) {
        my $call = $family eq 'check' ? 'check/start' : "$family/add";
        my $r = call($t, 'POST', "$call.json", form => example($call));
        is($r->{status}, 200, "$call succeeds"
            . ($who && ' for the other account'));
        my $data = (eval { json($r) } // {})->{data} // {};
        $data = $data->[0] if ref $data eq 'ARRAY';
        $have->{$family} = $data->{id} // '';
        like($have->{$family}, qr/^\Q$kind{$family}\E[0-9a-f]+$/,
            "$call returns an id of its kind");
    }
}

sub words {
    my ($r) = @_;

    my $head = $r->{head};
    $head =~ s/^Date:[^\r]*\r\n//mi;
    return "$head\n$r->{body}";
}

# Sends the SID of the other account and one that does not exist; both SIDs have
# the same length.
sub same {
    my ($code, $name, $ask) = @_;

    my ($foreign, $unknown) = map { $ask->($_) } 0, 1;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is(words($foreign), words($unknown), $name);
    is($foreign->{status}, $code, "$name is refused with $code")
        or diag(substr $foreign->{raw}, 0, 1000);
}

# No daemon runs, so nothing changes the queues in the background.
unchanged {
    my $asked = 0;
    for my $d (described()) {
        my ($path) = $d->{at} =~ m{^/3\.0/(.*)\.\{format\}$};
        my ($of) = $d->{of} =~ m{^/3\.0/(\w+(?:/\w+)?)};
        my ($family) = $of =~ /^(\w+)/;
        my @form = $d->{method} eq 'POST'
            ? (form => example($of)) : ();
        for my $format (sort keys %{ $d->{formats} }) {
            if ($path =~ /\{id\}/ || $d->{params}{id}) {
                $asked++;
                same(404, "$d->{method} $path.$format: the id", sub {
                    my $id = $_[0] ? sid_of($kind{$family})
                        : $theirs{$family};
                    my $url = "$path.$format" =~ s/\{id\}/$id/r;
                    $url .= "?id=$id" if $d->{params}{id};
                    return call($t, $d->{method}, $url, @form);
                });
            }
            for my $field (grep { $d->{form}{$_} } sort keys %field) {
                next if $field eq 'host' && $of ne 'check/start';
                $asked++;
                my $resource = $field{$field};
                for my $mixed ($field eq 'host' || $of eq 'host/add' ? 0
                    : (0, 1))
                {
                    same(400, "$d->{method} $path.$format: $field"
                        . ($mixed ? ' among ours' : ''), sub {
                        my $id = $_[0] ? sid_of($kind{$resource})
                            : $theirs{$resource};
                        $id = "$mine{$resource},$id" if $mixed
                            && $field ne 'rbl_profile';
                        my $url = "$path.$format"
                            =~ s/\{id\}/$mine{$family}/r;
                        return call($t, 'POST', $url, form => {
                            %{ $form[1] }, $field => $id });
                    });
                }
            }
        }
    }
    cmp_ok($asked, '>', 80, 'more than 80 calls are compared');
} $t, 'by nothing of this';

done_testing();
