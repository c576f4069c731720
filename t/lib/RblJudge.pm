package RblJudge;

# The routes of the source, conf/openapi.json, and a judge, one process that
# checks responses against that description (t/api/judge/judge.js).
#
#     my $j = start_judge();
#     my $v = judge($j, { at => $at, method => 'get', format => 'json' }, $r);
#     is_deeply($v->{bad}, []);  $v->{value} is the document, also of XML
#
# or, for many: judge_send, judge_send, ..., judge_drain.

use strict;
use warnings;

use Exporter 'import';
use IO::Handle;
use IPC::Open2 qw(open2);
use JSON::XS ();
use MIME::Base64 qw(encode_base64);

use RblNode;
use RblTest::Process;

our @EXPORT = qw(routes described openapi start_judge judge
    judge_send judge_drain);

my $json = JSON::XS->new->utf8->allow_nonref;
my $ABOUT = repo_dir() . '/t/api/judge';

# --- routes and description ------------------------------------------------

my %BITS = (NGX_RBL_DOCUMENT => [qw(json xml)],
    NGX_RBL_PLAIN => [qw(nagios zabbix)], NGX_RBL_STARTS => [],
    NGX_RBL_PORTAL => [qw(json)], NGX_RBL_TABLE => [], NGX_RBL_SIGN_IN => [],
    NGX_RBL_OPEN => [],
    NGX_RBL_VIEWERS => [], NGX_RBL_OWNERS => [], NGX_RBL_RECENT => [],
    NGX_RBL_ADMINS => [], NGX_RBL_DURABLE => [],
    map { $_ => [] } qw(NGX_RBL_HOME NGX_RBL_SELF NGX_RBL_OPERATOR));

# The table of ngx_rbl_calls.h: {at => as in openapi.json, path, method, id,
# formats => {json => 1, ..}, bits}, one for a path and method; those of the API,
# below /3.0/, or routes('/portal/1/') those of the portal only.
sub routes {
    my ($base) = @_;

    $base //= '/3.0/';
    my $file = repo_dir() . '/ngx_rbl_module/http/ngx_rbl_calls.h';
    my $table = read_file($file);
    my $rows = () = $table =~ /^\w+\(/mg;
    my %routes;
    while ($table =~ /^(CALL|ITEM)(?:_AS|_OP)?\((GET|POST),\s"([^"]+)",
        \s(?:"[^"]+",\s)?([A-Z_|]+),/gmx)
    {
        my ($method, $path, $bits) = ($2, $1 eq 'ITEM' ? "$3\/" : $3, $4);
        $bits =~ s/\b(?=[A-Z])/NGX_RBL_/g;
        my $at = $path . ($path =~ m{/$} ? '{id}' : '');
        $at = $bits =~ /NGX_RBL_PORTAL/ ? "/portal/1/$at.json"
            : $bits =~ /NGX_RBL_TABLE/ ? "/portal/1/$at.csv"
            : "/3.0/$at.{format}";
        my $r = $routes{"$at $method"} //= { at => $at, path => $path,
            method => $method, id => $path =~ m{/$} ? 1 : 0, bits => $bits };
        $r->{formats}{$_} = 1
            for map { @{ $BITS{$_} // die "$file: $_\n" } } split /\|/, $bits;
        $rows--;
    }
    die "$file: $rows rows of the table cannot be read\n" if $rows;
    return grep { index($_->{at}, $base) == 0 } map { $routes{$_} }
        sort keys %routes;
}

my $openapi;

sub openapi {
    return $openapi //= $json->decode(read_file(repo_dir()
        . '/conf/openapi.json'));
}

sub resolve {
    my ($node) = @_;

    while (ref $node && $node->{'$ref'}) {
        my $at = openapi();
        $at = $at->{$_} // die "no $node->{'$ref'}\n"
            for map { s/~1/\//gr } split m{/}, substr $node->{'$ref'}, 2;
        $node = $at;
    }
    return $node;
}

# The operations of openapi.json of the same base, with aliases: {at, of (the described path),
# method, formats, params (name => schema), form (name => schema), required,
# examples, codes}.
sub described {
    my ($base) = @_;

    my @out;
    my $paths = openapi()->{paths};
    for my $of (grep { index($_, $base // '/3.0/') == 0 } sort keys %$paths) {
        my $item = $paths->{$of};
        for my $method (grep { exists $item->{$_} } qw(get post)) {
            my $op = $item->{$method};
            my @params = map { resolve($_) } @{ $item->{parameters} },
                @{ $op->{parameters} // [] };
            my ($format) = grep { $_->{name} eq 'format' } @params;
            my $body = resolve($op->{requestBody});
            my $form = $body && resolve(($body->{content}
                {'application/x-www-form-urlencoded'}
                // $body->{content}{'application/json'})->{schema});
            push @out, { at => $_, of => $of, method => uc $method,
                formats => { map { $_ => 1 } $format
                    ? @{ $format->{schema}{enum} } : 'json' },
                id => $of =~ /\{id\}/ ? 1 : 0,
                params => { map { $_->{name} => resolve($_->{schema}) }
                    grep { $_->{in} eq 'query' } @params },
                form => $form ? { map { $_ => resolve($form->{properties}{$_})
                    } keys %{ $form->{properties} } } : {},
                required => $form ? $form->{required} // [] : [],
                examples => $form ? $form->{examples} // [{}] : [{}],
                codes => { map { $_ => 1 } keys %{ $op->{responses} } },
            } for $of, @{ $item->{'x-rbl-aliases'} // [] };
        }
    }
    return @out;
}

# The described path for this one; "" if there is none.
my %of;

sub alias_of {
    my ($at) = @_;

    %of = map { $_->{at} => $_->{of} } described(), described('/portal/1/')
        if !%of;
    return $of{$at} // '';
}


# --- the judge -------------------------------------------------------------

my @judges;

sub start_judge {
    my $modules = node_modules("$ABOUT/package.json", 'judge');
    local $ENV{NODE_PATH} = $modules;
    my $pid = open2(my $out, my $in, 'node', "$ABOUT/judge.js",
        repo_dir() . '/conf/openapi.json');
    $in->autoflush(1);
    my $j = { pid => $pid, in => $in, out => $out, due => 0 };
    push @judges, $j;
    return $j;
}

# Sends a response to the judge; judge_drain returns the verdicts in this order.
sub judge_send {
    my ($j, $what, $r) = @_;

    my %q = (do => 'answer', head => 0, %$what);
    @q{qw(status headers body)} = ($r->{status} + 0, $r->{headers},
        encode_base64($r->{body}, '')) if $r;
    $q{at} = alias_of($q{at}) if defined $q{at};
    print { $j->{in} } $json->encode(\%q), "\n" or die "judge: $!\n";
    $j->{due}++;
}

sub judge_drain {
    my ($j) = @_;

    my @verdicts;
    while ($j->{due}) {
        my $line = readline $j->{out};
        die "the judge has left\n" if !defined $line;
        push @verdicts, $json->decode($line);
        $j->{due}--;
    }
    return @verdicts;
}

sub judge {
    my ($j, $what, $r) = @_;

    judge_send($j, { value => 1, %$what }, $r);
    return (judge_drain($j))[0];
}

at_stop(sub {
    for my $j (splice @judges) {
        close $j->{in};
        close $j->{out};
        waitpid $j->{pid}, 0;
    }
});

1;
