#!/usr/bin/perl

# The card of a listing: each enabled list of the catalogue has one with all of
# its parts, links with the host in them, and the words of the page say the same
# in both languages.  A list page has the ways out of the list.

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use JSON::XS;
use Test::More;

use RblPortal;

my $t = portal_setup(lists => 1);
my $me = sign_in($t, role => 'viewer');
my $ac = $t->{acct}{sid};
my $at = (int(time) - 7200) * 1000;
my $web = repo_dir() . '/ngx_rbl_module/web/lang';
my %words = map { $_ => JSON::XS->new->utf8->decode(
    read_file("$web/$_.json"))->{only_cards} } qw(en de);
my $lists = JSON::XS->new->utf8->decode(
    read_file(repo_dir() . '/conf/lists.json'))->{lists};

# A host with a current listing on each list of its profile, with this code.
sub cards {
    my ($value, $type, $codes) = @_;

    my $id = add_host($t, $value, name => 'a "name" <b>', type => $type)->{id};
    my $lists = accepted(portal($t, $me, 'GET', "host/lists/$id.json"),
        'host/lists')->{data}{lists};
    is(scalar(grep { exists $_->{card} } @$lists), 0,
        "$value: no card without a listing");

    my $key = redis_key('r', $ac, $id);
    my $host = record('host', redis($t->{redis}, 'GET', $key));
    redis($t->{redis}, 'SET', $key, record_pack('host', %$host,
        name => \$host->{name}, value => \$host->{value},
        listed_count => scalar @$lists, first_listed => $at, checked => $at,
        details => [map { [\$_->{id}, \$_->{host}, \'', \'',
            [map { \$_ } @$codes], $at, $at, 0, 0] } @$lists]));
    forget($t, $ac);
    return @{ accepted(portal($t, $me, 'GET', "host/lists/$id.json"),
        'host/lists')->{data}{lists} };
}

sub faults {
    my ($list, $value, $wire) = @_;

    my $c = $list->{card} // return 'none';
    my ($of) = grep { $_->{zone} eq $list->{host} } @$lists;
    my $way = $of->{removal}[-1];
    my @bad;

    push @bad, 'look' if @{ $c->{look} } != 3;
    push @bad, map { "look $_" } grep { $words{en}{"look_$c->{cause}_$_"}
        ne $c->{look}[$_ - 1] } 1 .. 3;
    push @bad, 'cause' if $words{en}{"cause_$c->{cause}"} ne $c->{cause_text};
    push @bad, 'how' if $words{en}{"how_$c->{how}"} ne $c->{how_text};
    push @bad, 'when' if index($c->{when}, $c->{cause} eq 'policy'
        && $words{en}{"policy_$c->{how}"} || $words{en}{"when_$c->{how}"}) != 0;
    push @bad, 'way' if "@{$c}{qw(how cause)}" ne "@{$way}{qw(how cause)}";
    push @bad, 'link' if $c->{url} !~ m{^https?://[^\s<>"%]+(?:%[0-9A-F]{2}
        [^\s<>"%]*)*\z}x;
    push @bad, 'host in the link'
        if ($way->{url} // $of->{delist}) =~ /%s/
            && index($c->{url}, $wire) < 0;
    push @bad, 'ends' if ($c->{ages} > 0) != ($c->{ends} ne '');

    my $asks = $c->{how} =~ /^(?:form|account|mail|owner)\z/;
    push @bad, 'text' if $asks != ($c->{text} ne '');
    push @bad, 'host in the text' if $asks && $c->{text}
        !~ /^Please (?:remove|have) \Q$value\E \(a "name" <b>\) .*from /;
    push @bad, 'source'
        if ($c->{how} eq 'unknown') != ($c->{source} eq '');
    return @bad;
}

for my $host (['192.0.2.77', 'rbl', '192.0.2.77', '127.0.0.250'],
    ['2001:db8::77', 'rbl', '2001%3Adb8%3A%3A77', '127.0.0.250'],
    ['cards.example.com', 'uribl', 'cards.example.com', '127.0.7.0'])
{
    my ($value, $type, $wire, $code) = @$host;
    my @all = cards($value, $type, [$code]);
    cmp_ok(scalar @all, '>', 2, "the profile has lists for $value");
    is(join(' ', map { my @bad = faults($_, $value, $wire);
        @bad ? "$_->{host}: @bad" : () } @all), '',
        "$value: each list has a whole card");
}

# The code decides.
my %of = map { $_->{host} => $_->{card} }
    cards('192.0.2.78', 'rbl', ['127.0.0.10']);
is("@{ $of{'zen.spamhaus.org'} }{qw(how cause)}", 'owner policy',
    'an entry of the PBL is a matter of policy');
%of = map { $_->{host} => $_->{card} }
    cards('192.0.2.79', 'rbl', ['127.0.0.4', '127.0.0.11']);
is("@{ $of{'zen.spamhaus.org'} }{qw(how cause)}", 'form malware',
    'one of the XBL beside the PBL is malware');
like($of{'zen.spamhaus.org'}{text},
    qr/^Entry: 127\.0\.0\.4, 127\.0\.0\.11 \(XBL/m,
    'the text has the codes and their meaning');
is($of{'zen.spamhaus.org'}{url},
    'https://check.spamhaus.org/results/?query=192.0.2.79',
    'the link has the address');

# Words.
is(join(' ', sort keys %{ $words{de} }), join(' ', sort keys %{ $words{en} }),
    'both languages have the same words of cards');

# The page of a list.
my $zen = 'RB' . substr sha256_hex('zen.spamhaus.org'), 0, 32;
my $ways = accepted(portal($t, $me, 'GET', "list/$zen.json"),
    'list')->{data}{removal};
my ($file) = grep { $_->{zone} eq 'zen.spamhaus.org' } @$lists;
is_deeply($ways, [map { { codes => [], url => '', mail => '', ages => 0,
    takes => 0, note => '', source => '', read => '', %$_ } }
    @{ $file->{removal} }], 'the page of a list has the ways of the catalogue');

done_testing();
