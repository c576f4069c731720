package RblSeam;

# Arguments of scripts by the names that their heads declare (shared/README.md,
# "The seam"):
#
#   redis($redis, 'EVAL', seam_source('host_add'), seam_words('host_add',
#       [$acct], name => 'n', type => 'rbl', family => 1,
#       host => [$one, $two], value => ['192.0.2.1', '192.0.2.2']));
#
# An argument that is not given is "", as in C.  A SID, and a number that the
# script reads with tonumber or in arithmetic, has to be given, unless the head
# says what "" means (`--- arg: profile  SID or ""`).
#
# Arguments of any number (`--- arg: host value...`) are arrays of one length.
# A value that is no array is the same for all of them, or the only one.
#
# A row of a reply by the names of its fields:
#
#   my %digest = seam_row('digest_claim', $reply->[3]);

use strict;
use warnings;

use Carp 'croak';
use Exporter 'import';
use RblTest;

our @EXPORT = qw(columns seam_row seam_source seam_words);

my (%head, %source);

# The text of a script for Redis.
sub seam_source {
    my ($name) = @_;

    return $source{$name} //= read_file(build_dir() . "/gen/lua/$name.lua");
}

# {keys => [names], args => [names], each => [names of the arguments of any
# number], row => [names], needed => {name => 1}}.
sub head_of {
    my ($name) = @_;

    my ($file) = glob repo_dir() . "/shared/lua/*/$name.lua"
        or croak "there is no script $name";
    my %h = (keys => [], args => [], each => [], row => []);
    my (%text, $last, $in_row);
    for (split /\n/, read_file($file)) {
        last if !/^(?:--|[ \t]*$)/;
        if (/^--- (key|arg): (\S+(?: \S+)*)(?:  (.*))?$/) {
            my ($kind, $text, @names) = ($1, $3 // '', split / /, $2);
            my $each = $names[-1] =~ s/\.\.\.$//;
            push @{ $h{ $kind eq 'key' ? 'keys' : $each ? 'each' : 'args' } },
                @names;
            $text{ $last = $names[-1] } = $text;
        }
        elsif (/^--- row: \S+ (\S+(?: \S+)*)/
            || $in_row && /^---   (\S+(?: \S+)*)/)
        {
            push @{ $h{row} }, map { s/(?:#|\[\])$//r } split / /, $1;
            $in_row = 1;
            next;
        }
        elsif (/^--  +(.*)/ && defined $last) {
            $text{$last} .= " $1";
        }
        else {
            $last = undef;
        }
        $in_row = 0;
    }

    my ($lua, $n) = (seam_source($name), 0);
    for (@{ $h{args} }) {
        my $arg = qr/ARGV\[${\ ++$n }\]/;
        next if $text{$_} =~ /""/;
        $h{needed}{$_} = 1 if $text{$_} =~ /^(?:a new |its )?SID\b/
            || $lua =~ /tonumber\($arg\)(?! or )|[-+*\/] ?$arg|$arg [-+*\/]/;
    }
    return \%h;
}

# The arguments in their positions.
sub args_of {
    my ($name, $h, @named) = @_;

    croak "$name: names and values are not pairs" if @named % 2;
    my @names = (@{ $h->{args} }, @{ $h->{each} });
    my %given;
    while (my ($arg, $value) = splice @named, 0, 2) {
        croak "$name has no argument $arg, but ", join ', ', @names
            if !grep { $_ eq $arg } @names;
        croak "$name: $arg is given twice" if exists $given{$arg};
        croak "$name: $arg is not defined" if !defined $value;
        $given{$arg} = $value;
    }
    my ($missing) = grep { $h->{needed}{$_} && !exists $given{$_} } @names;
    croak "$name needs the argument $missing" if defined $missing;

    my @each = map { $given{$_} // '' } @{ $h->{each} };
    my ($n, @other) = map { scalar @$_ } grep { ref } @each;
    $n //= (grep { exists $given{$_} } @{ $h->{each} }) ? 1 : 0;
    croak "$name: @{ $h->{each} } are not equally many"
        if grep { $_ != $n } @other;
    return (map({ $given{$_} // '' } @{ $h->{args} }),
        map { my $i = $_; map { ref ? $_->[$i] : $_ } @each } 0 .. $n - 1);
}

sub seam_row {
    my ($name, $row) = @_;

    my $names = ($head{$name} //= head_of($name))->{row};
    croak "a row of $name has the fields @$names" if @$row != @$names;
    return map { $names->[$_] => $row->[$_] } 0 .. $#$names;
}

# Rows {host => .., value => ..}, ... as columns (host => [..], value => [..]).
sub columns {
    my (@rows) = @_;

    my %column;
    for my $name (map { keys %$_ } @rows) {
        $column{$name} //= [map { $_->{$name} // '' } @rows];
    }
    return %column;
}

# The words of EVAL and EVALSHA behind the script: the number of keys, keys,
# arguments, and the caller of an audited script (caller_of).
sub seam_words {
    my ($name, $keys, @named) = @_;

    my $h = $head{$name} //= head_of($name);
    croak "$name takes the keys @{ $h->{keys} }" if @$keys != @{ $h->{keys} };
    return (scalar @$keys, @$keys, args_of($name, $h, @named),
        caller_of(seam_source($name)));
}

1;
