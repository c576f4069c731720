#!/usr/bin/perl
# Writes the manual pages into BUILD/man.
#
#   perl pages.pl BUILD
#
# A page is copied.  In a page X.in a line is replaced by what the project says
# itself:
#
#   @KEYS FIRST LAST@   these configuration keys, and all between them, as
#                       `rbl-checkd -D` prints them
#   @COMMAND WORDS@     this command, as `rblctl --help` prints it
#   @CALLS BASE@        the calls below a path, as conf/openapi.json describes
#                       them
#   @EXAMPLES TAG@      a line of curl for each call with this tag, for each
#                       example of its body
#   @FIELDS SCHEMA@     the fields of an object, but for those that its schema in
#                       conf/openapi.json leaves without a description
#
# A key or command that is in the program and not in the pages, or the other way
# round, is an error.

use strict;
use warnings;

use File::Basename qw(basename dirname);
use JSON::PP;

my $build = shift // die "usage: pages.pl BUILD\n";
my $here = dirname(__FILE__);
my %shown;                              # keys and commands

sub slurp {
    my ($from) = @_;

    open my $fh, '<', $from or die "$from: $!\n";
    local $/;
    return <$fh>;
}

sub output_of {
    my (@command) = @_;

    open my $fh, '-|', @command or die "$command[0]: $!\n";
    local $/;
    my $out = <$fh>;
    close $fh or die "@command failed\n";
    return $out;
}

# One sentence on each line, as mdoc wants it.
sub sentences {
    my ($text) = @_;

    return $text =~ s/--/\\-\\-/gr =~ s/\.  +/.\n/gr;
}

# --- keys of rbl-checkd(8) ---------------------------------------------------

# Texts stand above their key: "# text", then "#key value".
my (@keys, %key);
sub read_keys {
    my $text = '';
    for (split /\n/, output_of("$build/rbl-checkd", '-D')) {
        if (my ($line) = /^# (.*)/) {
            $text .= ($text eq '' ? '' : $text =~ /\.$/ ? '  ' : ' ') . $line;
            next;
        }
        if (/^#([a-z]\S*) ?(.*)/) {
            push @keys, $1;
            $key{$1} = { place => $#keys, text => $text, value => $2 };
        }
        $text = '';
    }
    return;
}

sub item_of_key {
    my ($name) = @_;

    $shown{$name} = 1;
    my $value = $key{$name}{value};
    my $is = $value =~ s/ *# no default$// ? "No default; for example"
        : 'Default:';
    return join "\n", ".It Ic $name", sentences($key{$name}{text}), $is,
        ".Ql $value .", '';
}

sub items_of_keys {
    my ($first, $last) = map { $key{$_} // die "no such key: $_\n" }
        split / /, $_[0];

    return join '', map { item_of_key($_) }
        @keys[ $first->{place} .. $last->{place} ];
}

# --- commands of rblctl(8) ---------------------------------------------------

# "  words ARGUMENTS", then "        text".
my %command;
sub read_commands {
    my $words;
    for (split /\n/, output_of("$build/rblctl", '--help')) {
        if (/^  ([a-z]+(?: [a-z]+)*)(?: (.*))?$/) {
            $words = $1;
            $command{$words}{synopsis} = synopsis($2 // '');
        } elsif (/^        ([a-z].*)/) {
            $command{$words}{text} = ucfirst "$1.";
        }
    }
    return;
}

# A synopsis in macros: [--file FILE]|--remove becomes
# Oo Fl Fl file Ar FILE Oc | Fl Fl remove.
sub synopsis {
    my ($text) = @_;

    my ($out, $last) = ('', '');
    # An option, an argument such as ADDRESS[@PORT], or a sign.
    for ($text =~ /--[^\[\]| ]+|[^\[\]| ]+(?:\[[^\]]*\][^\[\]| ]*)*|[\[\]|]/g) {
        if (/^--(.*)/) {
            $out .= " Fl Fl $1";
            $last = '';
        } elsif ($_ eq '|') {
            $out .= ' |';
            $last = '|' if $last ne '';
        } elsif (/^[\[\]]$/) {
            $out .= $_ eq '[' ? ' Oo' : ' Oc';
            $last = '';
        } else {
            $out .= ($last eq '|' ? ' ' : ' Ar ') . $_;
            $last = 'word';
        }
    }
    return $out;
}

sub item_of_command {
    my ($words) = @_;

    die "no such command: $words\n" if !$command{$words};
    $shown{$words} = 1;
    return ".It Ic $words$command{$words}{synopsis}\n"
        . sentences($command{$words}{text}) . "\n";
}

# --- calls of the API --------------------------------------------------------

my $openapi;
sub resolve {
    my ($node) = @_;

    while (ref $node && $node->{'$ref'}) {
        my (undef, @path) = split m{/}, $node->{'$ref'};
        $node = $openapi;
        $node = $node->{$_} for @path;
    }
    return $node;
}

# The names in the order in which they stand in the file behind a place in it;
# a parser does not keep it.
my $text;
sub in_order {
    my ($from, @names) = @_;

    my %at = map { $_ => index $text, "\"$_\": ", $from } @names;
    return sort { $at{$a} <=> $at{$b} } @names;
}

sub read_calls {
    $text = slurp("$here/../openapi.json");
    $openapi = JSON::PP->new->utf8->decode($text);
    return;
}

# The fields of a body, those that it must have and the others, and its examples.
sub fields_of {
    my ($body) = @_;

    return ([], [], [{}]) if !$body;
    my $schema = resolve($body)->{content}{'application/json'}{schema};
    my ($name) = ($schema->{'$ref'} // '') =~ m{([^/]+)$};
    $schema = resolve($schema);
    my @must = @{ $schema->{required} // [] };
    my %may = %{ $schema->{properties} // {} };
    delete @may{@must};
    return (\@must, [in_order(rindex($text, "\"$name\": {"), keys %may)],
        $schema->{examples} // [{}]);
}

# The calls that a condition names, in the order of the file: { path, method, of
# (the operation), item (of the path) }.
sub calls_where {
    my ($which) = @_;

    return grep { $which->() } map {
        my $item = $openapi->{paths}{$_};
        my $method = $item->{post} ? 'post' : 'get';
        { path => $_, method => uc $method, item => $item,
            of => $item->{$method} }
    } in_order(0, keys %{ $openapi->{paths} });
}

sub parameters {
    my ($call, $where) = @_;

    return grep { $_->{in} eq $where } map { resolve($_) }
        @{ $call->{item}{parameters} // [] }, @{ $call->{of}{parameters} // [] };
}

sub items_of_calls {
    my ($base) = @_;

    my $items = '';
    for my $call (calls_where(sub { $_->{path} =~ /^\Q$base\E/ })) {
        my @query = parameters($call, 'query');
        my ($must, $may) = fields_of($call->{of}{requestBody});
        my @must = ((map { $_->{name} } grep { $_->{required} } @query), @$must);
        my @may = ((map { $_->{name} } grep { !$_->{required} } @query), @$may);
        my $path = $call->{path} =~ s/^\Q$base\E|\.\{format\}$|\.json$//gr;
        $items .= ".It $call->{method} $path Ta $call->{of}{summary}"
            . (@must || @may ? ':' : '')
            . (@must ? ' Li ' . join ' , ', @must : '')
            . (@may ? ' Bq Li ' . join ' , ', @may : '') . "\n";
    }
    return $items || die "no calls below $base\n";
}

# An id in a path is a variable, named by the two letters of its kind; nagios and
# zabbix are formats of their own.
sub examples_of_calls {
    my ($tag) = @_;

    my $lines = '';
    for my $call (calls_where(sub { $_->{of}{tags}[0] eq $tag })) {
        my $path = $call->{path} =~ s{^/3\.0}{\$A}r;
        for (grep { $_->{required} && $_->{schema}{pattern} }
            parameters($call, 'path'), parameters($call, 'query'))
        {
            my $id = '$' . substr $_->{schema}{pattern}, 1, 2;
            $path = $_->{in} eq 'path' ? $path =~ s/\{$_->{name}\}/$id/r
                : "\"$path?$_->{name}=$id\"";
        }
        my ($format) = grep { $_->{name} eq 'format' } parameters($call, 'path');
        my @formats = grep { $_ ne 'xml' } @{ $format->{schema}{enum} };
        my ($must, $may, $examples) = fields_of($call->{of}{requestBody});
        for my $example (@$examples) {
            my $send = join '', map { " -d $_=$example->{$_}" }
                grep { exists $example->{$_} } @$must, @$may;
            $send = ' -X POST' if $send eq '' && $call->{method} eq 'POST';
            $lines .= "curl -u \$U$send " . ($path =~ s/\{format\}/$_/r) . "\n"
                for @formats;
        }
    }
    return $lines || die "no calls with the tag $tag\n";
}

sub items_of_fields {
    my ($name) = @_;

    my $fields = $openapi->{components}{schemas}{$name}{properties}
        // die "no schema $name\n";
    my $from = index $text, "\"$name\": {\n";
    return join '', map { ".It Li $_\n"
        . ($fields->{$_}{description} =~ s/\. (?=\S)/.\n/gr) . "\n" }
        grep { $fields->{$_}{description} } in_order($from, keys %$fields);
}

# --- the pages ---------------------------------------------------------------

read_keys();
read_commands();
read_calls();
my %items_of = (KEYS => \&items_of_keys, COMMAND => \&item_of_command,
    CALLS => \&items_of_calls, EXAMPLES => \&examples_of_calls,
    FIELDS => \&items_of_fields);
for my $file (glob("$here/*.[1-9] $here/*.in")) {
    my $text = slurp($file);
    if ($file =~ /\.in$/) {
        $text =~ s{^\@([A-Z]+) (.*)\@\n}{ $items_of{$1}
            ? $items_of{$1}->($2) : die "$file: no such line: $1\n" }gme;
    }
    my $page = "$build/man/" . basename($file, '.in');
    open my $fh, '>', "$page.new" or die "$page.new: $!\n";
    print $fh $text or die "$page.new: $!\n";
    close $fh or die "$page.new: $!\n";
    rename "$page.new", $page or die "$page: $!\n";
}
for (@keys, sort keys %command) {
    die "$_ is missing in the pages\n" if !$shown{$_};
}
