#!/usr/bin/perl

# The examples of the README's API section, taken out of it and run as they
# stand there, from top to bottom: every one succeeds, and no call lacks one.
# What deletes comes last, in reverse, so that nothing is in use.  "HT…" stands
# for the newest host, and so on; "authcode=…" for the code that was mailed.

use strict;
use warnings;

use lib 't/lib';
use RblTest;
use RblJudge;
use RblMail;

my $more = "\x{e2}\x{80}\x{a6}";        # …

my ($section) = read_file(repo_dir() . '/README.md')
    =~ /^## The API by example\n(.*?)^## /ms;
my ($first) = $section =~ /^    (A=.*)$/m;
my @examples;
for my $row (grep { /^\|/ } split /\n/, $section) {
    while ($row =~ /`(curl [^`]+)`(?: \(([^()]+)\))?/g) {
        my ($example, $others) = ($1, $2 // '');
        push @examples, $example;
        push @examples, $example =~ s{/\w+/(?=[A-Z]{2}$more)}{/$_/}r
            for $others =~ /`(\w+)`/g;
    }
}
cmp_ok(scalar @examples, '>', 30, 'the examples were found');

# --- no call is missing, none is there twice -------------------------------

my (%shown, %again);
for my $example (@examples) {
    my ($path, $format) = $example =~ m{\$A(/[\w/$more]+)\.(\w+)};
    my ($type) = $example =~ /host\/add.*/ ? $example =~ /(-d host=\S+)/ : '';
    my $call = ($example =~ / -d | -X POST / ? 'POST' : 'GET') . " $path";
    $call =~ s/[A-Z]{2}$more/{id}/;
    $shown{$call} = 1;
    $again{"$call $format $type"}++;
}
is(join("\n", grep { $again{$_} > 1 } sort keys %again), '',
    'nothing is shown twice');
my %calls = map { ("$_->{method} $_->{at}" =~ s/\/3\.0|\.\{format\}//gr) => 1 }
    grep { $_->{at} eq $_->{of} } described();
delete $calls{'GET /check/status'};     # another way to write check/status/PP
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

# What was added is newer than what a list tells.
sub learn {
    my ($data, $added) = @_;

    for my $id (map { $_->{id} // () } ref $data eq 'ARRAY' ? @$data : $data) {
        my $known = $ids{ substr $id, 0, 2 } //= [];
        next if grep { $_ eq $id } @$known;
        if ($added) { push @$known, $id } else { unshift @$known, $id }
    }
}

# The code of the mail that is new
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

    my $command = $example;
    my %n;
    $command =~ s/([A-Z]{2})$more/$ids{$1}[-++$n{$1}] \/\/ ''/ge;
    $command =~ s/authcode=\K$more/$code_sent/ if defined $code_sent;
    my $r = run_cmd({ env => { HOME => $home, SID => $acct->{sid},
        TOKEN => $acct->{token} } }, 'sh', '-c', "$first\n$command");
    my ($body, $code) = $r->{out} =~ /\A(.*)\n(\d+)\z/s;
    is($code // $r->{err}, 200, $example) or diag("$command\n$r->{out}");
    learn(json($body)->{data} // [], $example =~ m{/add\.})
        if ($body // '') =~ /^\{/;
    learn_code() if $example =~ m{/contact/(?:add|resend)};
}

$first =~ s/:8080/:$nginx->{port}/ or die 'no port';
run_example($_) for grep { !m{/delete/} } @examples;
run_example($_) for reverse grep { m{/delete/} } @examples;

done_testing();
