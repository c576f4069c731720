#!/usr/bin/perl

# conf/openapi.json is valid, has the same names as the route table, and
# describes the responses of a running nginx: success and refusals of each call.

use strict;
use warnings;

use RblApi;
use RblExamples;
use RblJudge;

my $judge = start_judge();

sub described_ok {
    my ($at, $method, $format, $r, $name) = @_;

    my $v = judge($judge, { at => $at, method => lc $method,
        head => $method eq 'HEAD' ? 1 : 0, format => $format,
        ($method eq 'HEAD' ? (method => 'get') : ()) }, $r);
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    is(join("\n", @{ $v->{bad} }), '', "$method $at $format: $name")
        or diag(substr $r->{raw} // 'no answer', 0, 2000);
    return $v->{value};
}

# --- valid -----------------------------------------------------------------

{
    RblJudge::judge_send($judge, { do => 'description' });
    my ($v) = judge_drain($judge);
    is(join("\n", @{ $v->{bad} }), '', 'OpenAPI 3.1, and all references lead '
        . 'somewhere');
    is(openapi()->{openapi}, '3.1.0', 'the description has the version 3.1.0');
}

# --- the same names as the route table -------------------------------------

sub words {
    return join "\n", sort map { "$_->{method} $_->{at} "
        . join ',', sort keys %{ $_->{formats} } } @_;
}

my @routes = routes();
my @described = described();
is(words(@routes), words(@described), 'the table and the description name the '
    . 'same paths, methods and formats');

# Each name in a schema is used; otherwise a typing error would go unnoticed.
{
    my $text = read_file(repo_dir() . '/conf/openapi.json');
    my $parts = openapi()->{components};
    for my $kind (sort grep { $_ ne 'securitySchemes' } keys %$parts) {
        my @idle = grep { index($text, "\"#/components/$kind/$_\"") < 0 }
            sort keys %{ $parts->{$kind} };
        is("@idle", '', "$kind: all are used");
    }
}

# --- the judge can refuse --------------------------------------------------

{
    my %r = (status => 200, headers => { 'cache-control' => 'no-store',
        'content-type' => 'application/json; charset=utf-8' });
    my $done = '{"status_code":200,"status_message":"OK","version":"3.6"}';
    my @no = (
        ['a wrong code', $done =~ s/200/201/r],
        ['a field too many', $done =~ s/\}/,"x":1}/r],
        ['a field missing', $done =~ s/,"version":"3.6"//r],
        ['another order', '{"status_message":"OK","status_code":200,'
            . '"version":"3.6"}'],
        ['a space', $done =~ s/,/, /r],
        ['a slash escaped', $done =~ s/OK/\\\/O/r],
        ['a key twice', $done =~ s/"version"/"version":"3.6","version"/r],
        ['not JSON', substr $done, 1],
        ['not UTF-8', $done =~ s/OK/\xff/r],
    );
    my $at = '/3.0/host/pause/{id}.{format}';
    my $say = sub {
        my ($body, $format, %more) = @_;
        judge_send($judge, { at => $at, method => 'post', format => $format },
            { %r, body => $body, %more });
        return scalar @{ (judge_drain($judge))[0]{bad} };
    };
    is($say->($done, 'json'), 0, 'the judge agrees');
    isnt($say->($_->[1], 'json'), 0, "the judge objects: $_->[0]") for @no;
    isnt($say->($done, 'json', headers => { %{ $r{headers} },
        'cache-control' => 'private' }), 0, 'the judge objects: a header');
    isnt($say->($done, 'json', status => 204), 0, 'the judge objects: 204');
    my $xml = '<?xml version="1.0" encoding="UTF-8"?><response><status_code>200'
        . '</status_code><status_message>OK</status_message><version>3.6'
        . '</version></response>';
    my %x = (headers => { %{ $r{headers} },
        'content-type' => 'application/xml; charset=utf-8' });
    is($say->($xml, 'xml', %x), 0, 'the judge reads XML');
    for (['open', 's{</version>}{}'], ['order', 's{<version>.*</version>}{}'],
        ['a control character', 's{OK}{&#1;}'], ['text', 's{<version>}{x$&}'],
        ['an unknown entity', 's{OK}{&eacute;}'], ['two roots', 's{$}{<a/>}'],
        ['no declaration', 's{^.*?\?>}{}'])
    {
        my $broken = $xml;
        eval "\$broken =~ $_->[1]; 1" or die $@;
        isnt($say->($broken, 'xml', %x), 0, "the judge objects: $_->[0]");
    }
}

# --- responses -------------------------------------------------------------

my $t = api_setup();
my $free = make_account($t->{redis}, name => 'Free', free => 1);
my $down = start_nginx(store_addr => 'unix:/nonexistent/store',
    http => 'rbl_store_timeout 500ms;');

# One object of each kind that has an id, and valid forms.
my %id;
sub form {
    my $form = example($_[0]);
    $form->{name} = 'n & <m>' if $form->{name};
    return $form;
}
my %kind = ('host' => 'HT', 'check' => 'PP', 'rblprofile' => 'RP',
    'rbl' => 'RB', 'contact' => 'CO', 'contactgroup' => 'CG');

sub family { return $_[0]{of} =~ m{^/3\.0/(\w+)} ? $1 : die $_[0]{of} }

sub add {
    my ($family) = @_;

    my $call = $family eq 'check' ? 'check/start' : "$family/add";
    my $r = call($t, 'POST', "$call.json", form => form($call));
    return sid_of($kind{$family}) if $r->{status} != 200;
    my $data = json($r)->{data};
    return ref $data eq 'ARRAY' ? $data->[0]{id} : $data->{id};
}

sub path_of {
    my ($d, $format, $id) = @_;

    my $path = $d->{at};
    $path =~ s/\{id\}/$id/;
    $path =~ s/\{format\}/$format/;
    return $path . ($d->{params}{id} ? "?id=$id" : '');
}

for my $d (@described) {
    my $name = $d->{of} =~ s{^/3\.0/|\.\{format\}$}{}gr;
    for my $format (sort keys %{ $d->{formats} }) {
        my $id = $d->{id} || $d->{params}{id} ? add(family($d)) : '';
        my $path = path_of($d, $format, $id);
        my $ask = sub {
            my ($method, %opt) = @_;

            my $at = delete $opt{path} // $path;
            my $server = delete $opt{server} // $t->{nginx};
            return http($server, $method, $at, auth => $t->{acct}, %opt);
        };
        my $say = sub {
            my ($status, $text, $method, %opt) = @_;

            my $r = $ask->($method, %opt);
            is($r->{status}, $status, "$method $path: $text");
            described_ok($d->{at}, $d->{method}, $format, $r, $text);
        };
        my @form = $d->{method} eq 'POST'
            ? (form => form($name =~ s{/\{id\}}{}r)) : ();
        my $good = $name =~ m{^contact/(?:resume|pause)/} ? 409
            : $name =~ m{^contact/confirm/} ? 400 : 200;
        $say->($good, 'a valid request', $d->{method}, @form);
        if ($d->{method} eq 'GET') {
            my $head = $ask->('HEAD');
            is($head->{status}, 200, "HEAD $path is served");
            described_ok($d->{at}, 'HEAD', $format, $head, 'HEAD');
        }
        $say->(401, 'no credentials', $d->{method}, auth => undef);
        $say->(401, 'wrong token', $d->{method},
            auth => [$t->{acct}{sid}, 'f' x 64]);
        $say->(405, 'another method', 'PUT');
        $say->(503, 'no store', $d->{method}, server => $down, @form);
        $say->(403, 'not paid', $d->{method}, auth => $free, @form)
            if family($d) =~ /^(?:rbl|monitoring|rblprofile)/;
        my $flag = (grep { exists $d->{params}{$_} || exists $d->{form}{$_} }
            qw(page details is_default))[0];
        if ($flag && $format !~ /nagios|zabbix/) {
            $say->(400, "a wrong $flag", $d->{method}, $d->{form}{$flag}
                ? (form => { %{ $form[1] }, $flag => 'x' })
                : (path => $path . ($path =~ /\?/ ? '&' : '?')
                    . "$flag=x"));
        }
        if ($d->{method} eq 'POST') {
            $say->(413, 'too much', 'POST', body => 'x' x 65_537);
            $say->(415, 'an unknown type', 'POST', body => 'x',
                type => 'text/plain');
            $say->(400, 'a field is missing', 'POST', form => {})
                if @{ $d->{required} };
        }
        if ($d->{id}) {
            my $unknown = path_of($d, $format, sid_of($kind{family($d)}));
            $say->(404, 'an unknown id', $d->{method}, path => $unknown,
                $d->{method} eq 'POST' ? (form => $form[1]) : ());
        }
    }
}

for my $format (qw(json xml nagios zabbix)) {
    my $r = http($t->{nginx}, 'GET', "/3.0/nothing.$format",
        auth => $t->{acct});
    is($r->{status}, 404, "an unknown path, $format");
    described_ok('', 'GET', $format, $r, 'an unknown path');
}

# --- ETags, limits ---------------------------------------------------------

{
    my $nginx = start_nginx(store => $t->{redis}, api => 'rbl_etag on;');
    wait_for { http($nginx, 'GET', '/3.0/hosts', auth => $t->{acct})->{status}
        == 200 } 10, 'the store';
    for my $d (grep { $_->{method} eq 'GET' && $_->{at} eq $_->{of} }
        @described)
    {
        my $id = $d->{id} || $d->{params}{id} ? add(family($d)) : '';
        for my $format (qw(json xml)) {
            my $path = path_of($d, $format, $id);
            my $r = http($nginx, 'GET', $path, auth => $t->{acct});
            described_ok($d->{at}, 'GET', $format, $r, 'with an ETag');
            my $etag = $r->{headers}{etag} // '';
            $r = http($nginx, 'GET', $path, auth => $t->{acct},
                headers => ["If-None-Match: $etag"]);
            is($r->{status}, 304, "$path: there already");
            described_ok($d->{at}, 'GET', $format, $r, '304');
        }
    }
    my $few = make_account($t->{redis});
    my $r = rblctl($t->{redis}, 'app', 'limit', $few->{sid}, $few->{app},
        '--hour', 1);
    is($r->{status}, 0, 'rblctl limits the application') or diag($r->{err});
    for my $code (200, 429) {
        $r = http($t->{nginx}, 'GET', '/3.0/hosts.json', auth => $few);
        is($r->{status}, $code, "a limit: $code");
        is($r->{headers}{'ratelimit-limit'}, 1, 'the header names the limit');
        described_ok('/3.0/hosts.{format}', 'GET', 'json', $r, 'limited');
    }
}

# --- XML has the same tree -------------------------------------------------

add($_) for sort keys %kind;
list_host($t, add('host'), lists => 3);
for my $d (grep { $_->{method} eq 'GET' } @described) {
    my $id = $d->{id} || $d->{params}{id} ? add(family($d)) : '';
    my @tree;
    # A second may pass between the two requests.
    my $same = wait_for {
        @tree = map { my $r = http($t->{nginx}, 'GET', path_of($d, $_, $id),
            auth => $t->{acct});
            described_ok($d->{at}, 'GET', $_, $r, 'a read') } qw(json xml);
        JSON::XS->new->canonical->encode($tree[0])
            eq JSON::XS->new->canonical->encode($tree[1]);
    } 5;
    ok($same, "$d->{at}: XML has the same values") or is_deeply(@tree);
}

done_testing();
