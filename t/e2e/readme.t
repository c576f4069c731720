#!/usr/bin/perl

# Runs the examples of the API.  Those of rbl-api(7) cover every call, and each
# of them succeeds.  Deletions run last, in reverse order, so that nothing is in
# use. $HT is the newest host, $HT2 the one before, and so on; $CODE is the code
# from the mail.  Those of the README are pasted as a whole.

use strict;
use warnings;

use lib 't/lib';
use RblTest;
use RblJudge;
use RblMail;

my ($section) = read_file(build_dir() . '/man/rbl-api.7')
    =~ /^\.Sh EXAMPLES\n(.*?)^\.Sh /ms;
my @lines = map { split /\n/ }
    $section =~ /^\.Bd -literal[^\n]*\n(.*?)^\.Ed$/msg;
my ($first, @examples) = @lines;
like($first, qr/^A=/, 'the address comes first');
is(scalar(grep { !/^curl -u \$U / } @examples), 0,
    'each example after the address is a call');
cmp_ok(scalar @examples, '>', 30, 'the examples were found');

# --- no call is missing or duplicate ---------------------------------------

my (%shown, %again);
for my $example (@examples) {
    my ($path) = $example =~ m{\$A(/[\w/\$]+)\.\w+};
    my $call = ($example =~ / -d | -X POST / ? 'POST' : 'GET') . " $path";
    $call =~ s/\$[A-Z]+/{id}/;
    $shown{$call} = 1;
    $again{$example}++;
}
is(join("\n", grep { $again{$_} > 1 } sort keys %again), '',
    'nothing is shown twice');
my %calls = map { ("$_->{method} $_->{at}" =~ s/\/3\.0|\.\{format\}//gr) => 1 }
    grep { $_->{at} eq $_->{of} } described();
is(join("\n", sort keys %shown), join("\n", sort keys %calls),
    'every call is shown');

# --- they work -------------------------------------------------------------

my $exim = start_exim();
my $redis = start_redis();
init_store($redis, lists => repo_dir() . '/conf/demo/lists.json');
my $nginx = start_nginx(store => $redis);
my $checkd = start_checkd(store => $redis, resolver => start_unbound(),
    conf => { smtp_url => "smtp://127.0.0.1:$exim->{port}",
        smtp_from => 'blocklists@example.net' });
my $acct = make_account($redis);
wait_for { api($nginx, $acct, 'GET', '/3.0/acls.json')->{total_acls} } 10,
    'the daemon';
my $home = own_dir('home');
write_file("$home/.curlrc", qq(silent\nshow-error\nwrite-out = "\\n%{http_code}"\n));

my %ids;                                # kind => [..], the newest last

# Newly added ids are newer than ids from a list.
sub learn {
    my ($data, $added) = @_;

    for my $id (map { $_->{id} // () } ref $data eq 'ARRAY' ? @$data : $data) {
        my $known = $ids{ substr $id, 0, 2 } //= [];
        next if grep { $_ eq $id } @$known;
        if ($added) { push @$known, $id } else { unshift @$known, $id }
    }
}

# The code of the new mail
my (%mailed, $code_sent);
sub learn_code {
    my $new;
    wait_for { ($new) = grep { !$mailed{ $_->[0]{'message-id'} } }
        mails($exim) } 20, 'the mail' or return;
    $mailed{ $new->[0]{'message-id'} } = 1;
    ($code_sent) = mail_body($new) =~ /^ {4}([a-z2-9]{6})$/m;
}

sub run_example {
    my ($example) = @_;

    my %env = (HOME => $home, SID => $acct->{sid}, TOKEN => $acct->{token},
        CODE => $code_sent // '');
    for my $kind (keys %ids) {
        my @newest = reverse @{ $ids{$kind} };
        $env{ $kind . ($_ ? $_ + 1 : '') } = $newest[$_]
            for 0 .. ($#newest < 2 ? $#newest : 2);
    }
    my $r = run_cmd({ env => \%env }, 'sh', '-u', '-c', "$first\n"
        . $example =~ s/authcode=\w+/authcode=\$CODE/r);
    my ($body, $code) = $r->{out} =~ /\A(.*)\n(\d+)\z/s;
    is($code // $r->{err}, 200, "the example succeeds: $example")
        or diag("$r->{out}$r->{err}");
    learn(json($body)->{data} // [], $example =~ m{/add\.})
        if ($body // '') =~ /^\{/;
    learn_code() if $example =~ m{/contact/(?:add|resend)};
}

$first =~ s/:8080/:$nginx->{port}/ or die 'no port';
run_example($_) for grep { !m{/delete/} } @examples;
run_example($_) for reverse grep { m{/delete/} } @examples;

# --- examples of the README, pasted as a whole -------------------------------

($section) = read_file(repo_dir() . '/README.md')
    =~ /^## The API in five minutes\n(.*?)^## /ms;
my @pasted = $section =~ /^    (.*)$/mg;
cmp_ok(scalar @pasted, '>', 15, 'the lines were found');
s/:8080/:$nginx->{port}/ for @pasted;

my $new = make_account($redis);
my $dir = own_dir('readme');
mkdir "$dir/run" or die $!;
write_file("$dir/run/account", "SID=$new->{sid}\nTOKEN=$new->{token}\n");
write_file("$home/.curlrc", "fail-with-body\nshow-error\n");
my $r = run_cmd({ env => { HOME => $home } }, 'bash', '-c',
    join "\n", "cd $dir", 'set -euo pipefail', @pasted);
is($r->{status}, 0, 'every line succeeds') or diag($r->{out} . $r->{err});
is($r->{err}, '', 'no line of the README prints an error');
my $answers = () = $r->{out} =~ /"status_code":200/g;
cmp_ok($answers, '>', 10, 'there are answers');
my $calls = grep { /curl / } @pasted;
is(scalar(grep { !/curl -su \$U / } grep { /curl / } @pasted), 0,
    "all $calls calls are quiet ones");

done_testing();
