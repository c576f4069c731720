#!/usr/bin/perl

# The shipped catalogue of lists and configuration of the resolver: every field
# that the loader and the checker need; no enabled list needs a key, is dead, or
# has the same data as another enabled list.

use strict;
use warnings;

use FindBin;
use JSON::XS;
use Test::More;

my $CONF = "$FindBin::Bin/../../conf";

my %WEIGHT = map { $_ => 1 } qw(critical high normal info);
my %SCOPE = map { $_ => 1 } qw(ip range asn domain);
my %KIND = map { $_ => 1 } qw(block informational allow);
my %FAMILY = (ipv4 => 1, ipv6 => 2, domain => 3);
my @TEXTS = qw(zone name type website lookup delist weight scope kind control
    note);
my @FIELDS = (@TEXTS, qw(families enabled codes));
my %LIMIT = (min_interval => 86400, rate => 1000, day_quota => 10_000_000);
my $CODES_MAX = 48;
my $OCTET = qr/(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])/;
my %HOW = map { $_ => 1 } qw(form account mail ages owner paid none unknown);
my %CAUSE = map { $_ => 1 } qw(malware attack trap complaint spam policy network
    backscatter content site unknown);

# Pages that were read, and have no https.
my %HTTP = map { $_ => 1 } (
    'http://www.uribl.com/', 'http://www.spamhaus.org/pbl/query/',
    'http://spameatingmonkey.com/', 'http://www.uceprotect.net/',
    'http://psbl.org/', 'http://www.dnsbl.com/', 'http://www.s5h.net/',
    'http://www.kempt.net/', 'http://rbl.interserver.net/');
my $LABEL = qr/[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?/;

# Zones whose data is contained in an enabled one.
my %PART_OF = (
    'zen.spamhaus.org' => [qw(sbl.spamhaus.org xbl.spamhaus.org
        pbl.spamhaus.org cbl.abuseat.org)],
    'b.barracudacentral.org' => ['bb.barracudacentral.org'],
    'bl.mailspike.net' => [qw(z.mailspike.net rep.mailspike.net)],
    'bl.blocklist.de' => ['all.bl.blocklist.de'],
    'multi.uribl.com' => [qw(black.uribl.com grey.uribl.com red.uribl.com)],
    'hostkarma.junkemailfilter.com' => ['black.junkemailfilter.com'],
    'uribl.spameatingmonkey.net' => ['urired.spameatingmonkey.net'],
);


sub slurp {
    my ($path) = @_;

    open my $fh, '<', $path or die "$path: $!";
    local $/;
    return scalar <$fh>;
}


sub address {
    my ($text) = @_;

    return $text =~ /^(127(?:\.$OCTET){3})\z/
        ? unpack('N', pack('C4', split /\./, $1)) : undef;
}


# A rule as [class, lo, hi, wildcard pattern or undef, bit or 0], or nothing.
sub parse_rule {
    my ($rule) = @_;

    return unless $rule =~ /^([!~]?)([^=@]+)(?:@(\w+))?=(.+)\z/;
    my ($class, $what, $weight, $text) = ($1, $2, $3, $4);
    return if defined $weight && ($class ne '' || !$WEIGHT{$weight});
    return if $text =~ /[;[:cntrl:]]/ || $text =~ /[^\x20-\x7e]/;

    if ($what =~ /^bit:([0-9]+)\z/) {
        my $bit = $1;
        return if $bit < 1 || $bit > 128 || $bit & ($bit - 1);
        return [$class, 0, 0, undef, $bit];
    }

    if ($what =~ /^([0-9.]+)-([0-9.]+)\z/) {
        my ($lo, $hi) = (address($1), address($2));
        return unless defined $lo && defined $hi && $lo < $hi;
        return [$class, $lo, $hi, undef, 0];
    }

    if ($what =~ /^127(?:\.(?:$OCTET|\*)){3}\z/ && ($what =~ tr/*//) == 1) {
        my $re = quotemeta $what;
        $re =~ s/\\\*/[0-9]+/;
        return [$class, 0, 0, qr/^$re\z/, 0];
    }

    my $addr = address($what);
    return defined $addr ? [$class, $addr, $addr, undef, 0] : undef;
}


# The classes of all rules that match an address.
sub classes {
    my ($list, $text) = @_;

    my $addr = address($text);
    my %found;

    for my $rule (map { parse_rule($_) } @{ $list->{codes} }) {
        my ($class, $lo, $hi, $re, $bit) = @$rule;
        my $hit = $bit ? $addr & 255 & $bit
                : $re ? $text =~ $re
                : $lo <= $addr && $addr <= $hi;
        $found{ $class || '+' } = 1 if $hit;
    }

    return join '', sort keys %found;
}


sub zone_faults {
    my ($zone) = @_;

    (my $bare = $zone) =~ s/^\{key\}\.//;
    return 'form' unless $bare =~ /^$LABEL(?:\.$LABEL)+\z/;
    return 'length' if length $zone > 200;
    return;
}


sub link_faults {
    my ($l) = @_;

    my @bad;

    for my $f (qw(website lookup delist)) {
        my $v = $l->{$f};
        next if $v eq '';
        (my $rest = $v) =~ s/%s//;
        push @bad, $f unless $v =~ m{^https?://[a-z0-9.-]+/}
            && $rest !~ /[%\s"<>\\]/;
    }

    push @bad, 'lookup without %s' if $l->{lookup} !~ /^\z|%s/;
    push @bad, 'website with %s' if $l->{website} =~ /%/;
    return @bad;
}


sub family_faults {
    my ($l) = @_;

    my @f = @{ $l->{families} };
    my @n = map { $FAMILY{$_} // 0 } @f;
    my @bad;

    push @bad, 'families' if !@f || grep { !$_ } @n;
    push @bad, 'order of families'
        if grep { $n[$_] <= $n[$_ - 1] } 1 .. $#n;

    my $domains_only = "@f" eq 'domain';
    push @bad, 'type' unless $l->{type} eq ($domains_only ? 'uribl' : 'rbl');
    push @bad, 'scope'
        if ($l->{scope} eq 'domain') != $domains_only;
    return @bad;
}


sub control_faults {
    my ($l) = @_;

    my $c = $l->{control};

    return if $c eq 'none' && !$l->{enabled};
    return if $c =~ /^ip(?:-positive-only)?\z/ && $l->{type} eq 'rbl';
    return if $c =~ /^name:$LABEL(?:\.$LABEL)*\z/ && $l->{type} eq 'uribl';
    return "control $c";
}


sub code_faults {
    my ($l) = @_;

    my @codes = @{ $l->{codes} };
    my @bad = map { "rule $_" } grep { !parse_rule($_) } @codes;
    my %seen;
    my $bits = 0;

    push @bad, 'too many rules' if @codes > $CODES_MAX;
    push @bad, map { "rule twice: $_" } grep { $seen{s/[@=].*//sr}++ } @codes;

    for my $code (@codes) {
        $bits = 1 if $code =~ /^[!~]?bit:/;
        push @bad, "after bits: $code" if $bits && $code !~ /^[!~]?bit:/;
    }

    return @bad;
}


# Rate limits and kinds of names: only values other than "always" and "both" are
# written.
sub limit_faults {
    my ($l) = @_;

    my @bad = grep { exists $l->{$_} && ($l->{$_} !~ /^[1-9][0-9]*\z/
        || $l->{$_} > $LIMIT{$_}) } sort keys %LIMIT;

    push @bad, 'terms' if exists $l->{terms} && (!@{ $l->{terms} }
        || grep { !/^(?:registration|key|noncommercial)\z/ } @{ $l->{terms} });
    push @bad, 'the term "key" and no {key}, or the other way round'
        if grep({ $_ eq 'key' } @{ $l->{terms} // [] })
            != ($l->{zone} =~ /\{key\}/);
    push @bad, 'names' if exists $l->{names}
        && ($l->{names} !~ /^(?:full|registered)\z/
            || "@{ $l->{families} }" !~ /domain/);
    push @bad, 'a quota and no minimum interval'
        if $l->{day_quota} && !$l->{min_interval};
    return @bad;
}


# One way out of a list.
sub way_faults {
    my ($l, $way) = @_;

    my %known = map { $_ => 1 } qw(codes how cause url mail ages takes note
        source read);
    my @bad = map { "unknown $_ of a way" } grep { !$known{$_} } keys %$way;
    my $how = $way->{how} // '';

    push @bad, "how $how" unless $HOW{$how};
    push @bad, 'cause' unless $CAUSE{ $way->{cause} // '' };
    push @bad, grep { exists $way->{$_} && $way->{$_} !~ /^[1-9][0-9]*\z/ }
        qw(ages takes);
    push @bad, 'code of a way' if grep { !parse_rule("$_=x") }
        @{ $way->{codes} // [] };
    push @bad, 'url of a way' if exists $way->{url}
        && $way->{url} !~ m{^https://[a-z0-9.-]+/[^\s"<>\\]*\z};
    push @bad, 'note of a way' if ($way->{note} // '')
        !~ /^(?:[\x20-\x7e]{1,200})?\z/ || ($way->{note} // '') =~ /\.\z/;
    push @bad, 'no link' if $how =~ /^(?:form|account|owner)\z/
        && ($way->{url} // $l->{delist}) eq '';
    push @bad, 'no address or page to write to' if $how eq 'mail'
        && ($way->{mail} // $l->{delist}) eq '';

    my ($source, $read) = @$way{qw(source read)};
    return (@bad, $source ? 'a source of nothing' : ()) if $how eq 'unknown';
    return (@bad, 'no source or day') unless $source && $read;
    push @bad, "day $read" unless $read =~ /^20\d\d-[01]\d-[0-3]\d\z/;
    push @bad, "source $source" unless $source =~ m{^https://[a-z0-9.-]+/\S*\z}
        || grep { index($source, $_) == 0 } keys %HTTP;
    return @bad;
}


# The last way is for all codes, and the only one that is; the others are for
# codes that the list has.
sub removal_faults {
    my ($l) = @_;

    my @ways = @{ $l->{removal} // [] };
    my @bad = map { way_faults($l, $_) } @ways;
    my @any = grep { !exists $ways[$_]{codes} } 0 .. $#ways;

    push @bad, 'no way out' if $l->{enabled} && !@ways;
    push @bad, 'the last way is not for all codes'
        if @ways && "@any" ne $#ways;

    my @rules = grep { $_ && $_->[0] eq '' } map { parse_rule($_) }
        @{ $l->{codes} };
    for my $code (map { @{ $_->{codes} // [] } } @ways) {
        my (undef, $lo, $hi, undef, $bit) = @{ parse_rule("$code=x") // next };
        push @bad, "no code $code" unless grep { $bit ? $_->[4] == $bit
            : $_->[1] <= $hi && $lo <= $_->[2] } @rules;
    }

    return @bad;
}


sub list_faults {
    my ($l) = @_;

    my @bad = map { "no $_" } grep { !exists $l->{$_} } @FIELDS;
    my %known = map { $_ => 1 } @FIELDS, keys %LIMIT, 'names',
        'terms', 'removal';

    push @bad, map { "unknown $_" } grep { !$known{$_} } keys %$l;
    return @bad if @bad;

    push @bad, map { "not a text: $_" }
        grep { ref $l->{$_} || $l->{$_} =~ /[^\x20-\x7e]/ } @TEXTS;
    push @bad, 'enabled' unless JSON::XS::is_bool($l->{enabled});
    push @bad, 'not arrays' unless ref $l->{families} eq 'ARRAY'
        && ref $l->{codes} eq 'ARRAY';
    return @bad if @bad;

    push @bad, 'weight' unless $WEIGHT{ $l->{weight} };
    push @bad, 'scope' unless $SCOPE{ $l->{scope} };
    push @bad, 'kind' unless $KIND{ $l->{kind} };
    push @bad, 'name' unless $l->{name} =~ /^\S(?:.{0,253}\S)?\z/;
    push @bad, 'an allow list is for information'
        if $l->{kind} eq 'allow' && $l->{weight} ne 'info';

    return (@bad, zone_faults($l->{zone}), link_faults($l),
        family_faults($l), control_faults($l), code_faults($l),
        limit_faults($l), removal_faults($l));
}


sub check_shape {
    my ($doc, $text) = @_;

    is($doc->{version}, 1, 'the catalog has version 1');
    is(join(',', sort keys %$doc), 'killed,lists,version',
        'the catalog has three members at the top level');

    my $lines = grep { /^\{"zone": / } split /\n/, $text;
    is($lines, @{ $doc->{lists} } + @{ $doc->{killed} },
        'each entry of the catalog has a line of its own');

    for my $l (@{ $doc->{lists} }) {
        is(join('; ', list_faults($l)), '', ($l->{zone} // 'no zone')
            . ': the entry has no faults');
    }

    my @bad = grep {
        join(',', sort keys %$_) ne 'reason,zone'
            || zone_faults($_->{zone})
            || $_->{reason} !~ /^[\x20-\x3a\x3c-\x7e]+\z/
    } @{ $doc->{killed} };
    is(join(' ', map { $_->{zone} // '?' } @bad), '',
        'killed lists have a valid zone and reason');

    my %seen;
    my @twice = grep { $seen{$_}++ }
        map { $_->{zone} } @{ $doc->{lists} }, @{ $doc->{killed} };
    is("@twice", '', 'no zone occurs twice in the catalog');
}


sub check_enabled {
    my ($doc) = @_;

    my @on = grep { $_->{enabled} } @{ $doc->{lists} };
    my %on = map { $_->{zone} => $_ } @on;
    my %dead = map { $_->{zone} => 1 } @{ $doc->{killed} };

    cmp_ok(scalar @on, '>=', 35, 'the catalog has at least 35 enabled lists');
    cmp_ok(scalar @on, '<=', 45, 'the catalog has at most 45 enabled lists');

    is(join(' ', grep { /\{key\}/ } keys %on), '',
        'no enabled list needs a key');
    is(join(' ', grep { $on{$_}{website} eq '' } keys %on), '',
        'every enabled list has a website');
    is(join(' ', grep { !@{ $on{$_}{codes} } } keys %on), '',
        'every enabled list has codes');
    is(join(' ', grep { $on{$_}{kind} eq 'allow' } keys %on), '',
        'no enabled list is an allow list');

    for my $family (sort keys %FAMILY) {
        ok(scalar(grep { "@{ $_->{families} }" =~ /\b$family\b/ } @on),
            "an enabled list exists for $family");
    }

    for my $whole (sort keys %PART_OF) {
        ok($on{$whole}, "$whole is enabled");
        is(join(' ', grep { $on{$_} } @{ $PART_OF{$whole} }), '',
            "no part of $whole is enabled");
    }

    # As in the loader: a domain under a dead domain is dead as well.
    my @under = grep {
        my $z = $_;
        grep { $z eq $_ || $z =~ /\.\Q$_\E\z/ } keys %dead;
    } map { $_->{zone} } @{ $doc->{lists} };
    is("@under", '', 'no list is below a killed zone');

    my %how;
    $how{ $_->{removal}[-1]{how} }++ for @on;
    note(join ', ', map { "$_ $how{$_}" } sort keys %how);
    cmp_ok($how{unknown} // 0, '<=', 2,
        'how one leaves an enabled list is known, but of two');

    my @order = map { $_->{enabled} ? 1 : 0 } @{ $doc->{lists} };
    is("@order", join(' ', sort { $b <=> $a } @order),
        'enabled lists come first in the catalog');
}


# Responses that have fooled other checkers.
sub check_traps {
    my ($doc) = @_;

    my %l = map { $_->{zone} => $_ } @{ $doc->{lists} };
    my @traps = (
        ['zen.spamhaus.org', '127.255.255.254', '!'],
        ['zen.spamhaus.org', '127.0.0.5', '+'],
        ['dbl.spamhaus.org', '127.0.1.255', '!'],
        ['dbl.spamhaus.org', '127.0.1.2', '+'],
        ['multi.uribl.com', '127.0.0.1', '!'],
        ['multi.uribl.com', '127.0.0.14', '+'],
        ['multi.surbl.org', '127.0.0.1', '!'],
        ['multi.surbl.org', '127.0.0.24', '+'],
        ['bl.mailspike.net', '127.0.0.12', '+'],
        ['bl.mailspike.net', '127.0.0.13', '~'],
        ['bl.mailspike.net', '127.0.0.17', '~'],
        ['bl.suomispam.net', '127.0.0.99', '+'],
        ['bl.suomispam.net', '127.0.0.3', '+'],
        ['hostkarma.junkemailfilter.com', '127.0.0.1', '~'],
        ['hostkarma.junkemailfilter.com', '127.0.0.2', '+'],
        ['hostkarma.junkemailfilter.com', '127.0.1.3', '~'],
        ['hostkarma.junkemailfilter.com', '127.0.0.9', '~'],
        ['dnsbl.spfbl.net', '127.0.0.2', '+'],
        ['dnsbl.spfbl.net', '127.0.0.4', '~'],
        ['rbl.efnetrbl.org', '127.0.0.1', '+'],
    );

    for my $trap (@traps) {
        my ($zone, $answer, $want) = @$trap;
        is($l{$zone} ? classes($l{$zone}, $answer) : 'absent', $want,
            "$zone answers $answer");
    }

    like(classes($l{'list.dnswl.org'}, '127.0.10.3'), qr/!/,
        'DNSWL over its limit is an error');
    is($l{'hostkarma.junkemailfilter.com'}{control}, 'ip-positive-only',
        'Hostkarma answers for 127.0.0.1');

    for my $allow (grep { $_->{kind} eq 'allow' } @{ $doc->{lists} }) {
        my @listing = grep { classes($allow, $_) !~ /^[!~]+\z/ }
            qw(127.0.0.2 127.0.0.3 127.0.0.77 127.0.4.2 127.0.10.0
               127.0.11.200 127.3.100.6);
        is("@listing", '', "$allow->{zone} never causes a listing");
    }
}


# Requirements of the operators of lists (and contents of domain lists).
sub check_rules {
    my ($doc) = @_;

    my %l = map { $_->{zone} => $_ } @{ $doc->{lists} };

    for my $rule (
        ['zen.spamhaus.org', day_quota => 300_000],
        ['dbl.spamhaus.org', day_quota => 300_000],
        ['{key}.zen.dq.spamhaus.net', day_quota => 300_000],
        ['bl.mailspike.net', day_quota => 100_000],
        ['list.dnswl.org', day_quota => 100_000],
        ['dwl.dnswl.org', day_quota => 100_000],
        ['bl.spameatingmonkey.net', day_quota => 100_000],
        ['bl.spameatingmonkey.net', rate => 5],
        ['dnsbl.spfbl.net', rate => 10],
        ['multi.surbl.org', day_quota => 250_000],
        ['dbl.spamhaus.org', names => 'full'],
        ['{key}.dbl.dq.spamhaus.net', names => 'full'],
        ['{key}.dblack.mail.abusix.zone', names => 'full'],
        ['multi.uribl.com', names => 'registered'],
        ['uribl.spameatingmonkey.net', names => 'registered'],
    ) {
        my ($zone, $field, $want) = @$rule;
        is($l{$zone}{$field}, $want, "$zone has the value $want of $field");
    }

    for my $zone (qw(sbl xbl pbl dbl zrd authbl zen)) {
        ok($l{"{key}.$zone.dq.spamhaus.net"}, "the catalog has $zone of DQS");
    }

    ok($l{"{key}.$_"}, "$_ with a key") for qw(combined.mail.abusix.zone
        black.mail.abusix.zone exploit.mail.abusix.zone
        dynamic.mail.abusix.zone dblack.mail.abusix.zone all.spamrats.com
        spam.spamrats.com);
}


# The resolver must not be one that makes every host look clean.
sub check_resolver {
    my $path = "$CONF/unbound.conf";
    my @live = grep { /\S/ && !/^\s*#/ } split /\n/, slurp($path);

    my ($program) = grep { -x }
        map { "$_/unbound-checkconf" } split(/:/, $ENV{PATH} // ''),
        '/usr/sbin';

    SKIP: {
        skip 'no unbound-checkconf', 1 unless $program;
        my $said = qx('$program' '$path' 2>&1);
        is($?, 0, 'unbound-checkconf accepts conf/unbound.conf') or diag($said);
    }

    my %have = map { /^\s*([a-z-]+):\s*"?([^"]*?)"?\s*$/ ? ($1 => $2) : () }
        @live;
    my %want = (
        'interface' => '127.0.0.1',
        'port' => 5335,
        'qname-minimisation' => 'no',
        'serve-expired' => 'no',
        'cache-min-ttl' => 0,
        'edns-buffer-size' => 1232,
        'num-threads' => 1,
    );

    is($have{$_}, $want{$_}, "the resolver has the value $want{$_} of $_")
        for sort keys %want;
    is(join('|', grep { /private-address|forward-/ } @live), '',
        'the resolver removes no answers and forwards no queries');
}


my $text = slurp("$CONF/lists.json");
my $doc = eval { JSON::XS->new->utf8->decode($text) };

ok($doc, 'conf/lists.json is JSON') or BAIL_OUT("lists.json: $@");
check_shape($doc, $text);
check_enabled($doc);
check_traps($doc);
check_rules($doc);
check_resolver();

done_testing();
