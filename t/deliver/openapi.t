#!/usr/bin/perl

# The daemon's requests match the published interfaces of services: Twilio's
# OpenAPI document, a document derived from Discord's, and the clients of
# Datadog and PagerDuty come from npm.  RBL_OPENAPI names a directory with
# pagerduty.json, discord.json and datadog.json, the services' own documents;
# then requests are checked against these, too.  They are not part of this
# repository.

use strict;
use warnings;
use JSON::XS ();
use RblTest;
use RblScript;
use RblDeliver;
use RblNode;

my $dir = repo_dir() . '/t/deliver/openapi';
my $modules = node_modules("$dir/package.json", 'openapi');
my $documents = $ENV{RBL_OPENAPI} // '';
my $json = JSON::XS->new->ascii->canonical;

my $account = 'AC' . '0123456789abcdef' x 2;
my $tokens = own_dir('tokens');
write_file("$tokens/sms", "sms-token\n", 0600);

deliver_setup();
lists_of_messages();

my $s = start_receiver(body => '{"ok":true}');
my $base = "http://127.0.0.1:$s->{port}";
my $d = start_deliverd(conf => { digest_window => '400ms',
    contact_limit => 1000, sms_url => $base, sms_account => $account,
    sms_token_file => "$tokens/sms", sms_from => '+15005550006',
    pagerduty_url => $base, datadog_url => $base });
my %value = (sms => '+4915112345678', datadog => 'd' x 32,
    pagerduty => '0123456789abcdef' x 2,
    discord => "$base/api/v10/webhooks/123456789012345678/hush-d_i");

my %of = ('/2010-04-01/' => 'sms', '/v2/enqueue' => 'pagerduty',
    '/api/v1/' => 'datadog', '/api/v10/' => 'discord');
sub service {
    my ($line) = @_;

    my ($found) = grep { index($line, " $_") > 0 } keys %of;
    return $found ? $of{$found} : "nobody's: $line";
}

# --- opinions on requests: [by, service, request, changes]

sub verdicts {
    my $text = '';
    for (@_) {
        my ($by, $service, $r, %o) = @$_;
        my %h = (%{ $r->{headers} }, %{ $o{headers} // {} });
        delete @h{ grep { !defined $h{$_} } keys %h };
        my $body = $o{body} // $r->{body};
        utf8::decode($body);
        $text .= $json->encode({ by => $by, service => $service,
            line => $o{line} // $r->{line}, headers => \%h, body => $body })
            . "\n";
    }
    my $got = run_cmd({ stdin => $text, timeout => 120,
        env => { NODE_PATH => $modules, RBL_OPENAPI => $documents } },
        'node', "$dir/check.mjs");
    die "check.mjs: $got->{err}" if $got->{status} != 0;
    return split /\n/, $got->{out};
}

my %judged = (document => ['sms', $documents ne ''
    ? qw(datadog discord pagerduty) : ()], generated => [qw(datadog discord pagerduty)]);

# --- confirmations, listings, their ends, many changes, hostile values

for my $type (sort keys %value) {
    my $n = received($s);
    my $co = contact_put($type, $value{$type});
    confirm($co, 'k7m2xq');
    soon { idle() && received($s) == $n + 1 } "$type: a confirmation";
    cmd('DEL', k('r', $AC, $co));
}
contact_active($_ => $value{$_}) for sort keys %value;

my $n_hosts = 0;
sub host {
    my ($name) = @_;

    my $ht = sid('HT');
    $n_hosts++;
    die "host_add: $n_hosts" if script('host_add', [$ACCT],
        name => $name // '', type => 'rbl', family => 1, host => $ht,
        value => "192.0.2.$n_hosts")->[0] ne 'OK';
    return $ht;
}

sub check {
    my ($ht, $lists, $reason) = @_;

    my %says = (a => listed_result('RBa', details => $reason
            // 'https://a.example/q?h=192.0.2.1&x=1'),
        b => listed_result('RBb', details => $reason // 'a reason'));
    event_emit(host => $ht, results => [map {
        $lists =~ /$_/ ? $says{$_} : result("RB$_", 'clear') } 'a', 'b']);
}

sub round {
    my ($name, $want, $checks) = @_;

    my $n = received($s);
    pause_server($d);
    $checks->();
    signal_server($d, 'CONT');
    soon { wake(); idle() } "$name: reported", 30;
    is(received($s) - $n, $want, "$name: the services get $want requests");
}

my ($mx, $web) = (host('mail'), host());
round('a listing', 4, sub { check($mx, 'ab') });
round('one starts, one ends', 5, sub { check($web, 'b'); check($mx, '-') });
my $evil = "<\@1> `a` *b* \@everyone [x](https://evil.example) %%% \\ \"";
my $bad = host($evil . "\xf0\x9f\x92\xa9" x 20);
round('hostile text', 4, sub { check($bad, 'ab', $evil . "\xc3\xa4" x 900) });
my @many = map { host("host $_ " . 'n' x 200) } 1 .. 60;
round('a storm', 4, sub { check($_, 'ab', 'r' x 2000) for @many });
# PagerDuty gets these one by one: each may end an alert of its own.
round('its end', 3 + @many, sub { check($_, '-') for @many });

my @all = received($s);
is(scalar(grep { service($_->{line}) !~ /^\w+$/ } @all), 0,
    'every request belongs to a known service');
# --- valid requests are accepted, invalid ones are refused

my %first;
$first{ service($_->{line}) } //= $_ for @all;

# Changes a JSON body
sub body {
    my ($service, $change) = @_;

    local $_ = JSON::XS::decode_json($first{$service}{body});
    $change->();
    return body => JSON::XS->new->utf8->canonical->encode($_);
}

my %refused = (
    sms => [[line => 'GET'], [line => 'path'], [account => 'path'],
        [headers => { authorization => undef }],
        [headers => { authorization => 'Bearer x' }],
        [headers => { 'content-type' => 'application/json' }],
        [body => $first{sms}{body} =~ s/To=/Too=/r],
        [body => $first{sms}{body} =~ s/ValidityPeriod=\d+/ValidityPeriod=x/r]],
    datadog => [[line => 'GET'], [line => 'path'],
        [headers => { 'dd-api-key' => undef }],
        [headers => { 'content-type' => 'text/plain' }],
        [body('datadog', sub { delete $_->{title} })],
        [body('datadog', sub { $_->{alert_type} = 'bad' })],
        [body('datadog', sub { $_->{tags} = 'x' })],
        [body('datadog', sub { $_->{severity} = 'x' })]],
    discord => [[line => 'GET'], [line => 'path'],
        [body('discord', sub { $_->{embeds} = 'x' })],
        [body('discord', sub { $_->{embeds} = [({}) x 11] })],
        [body('discord', sub { $_->{embeds}[0]{title} = 'x' x 257 })],
        [body('discord', sub { $_->{content} = 'x' x 2001 })],
        [body('discord', sub { $_->{contents} = 'x' })],
        [body('discord', sub { $_->{allowed_mentions}{parse} = ['all'] })]],
    pagerduty => [[line => 'GET'], [line => 'path'],
        [headers => { 'content-type' => 'text/plain' }],
        [body('pagerduty', sub { delete $_->{routing_key} })],
        [body('pagerduty', sub { $_->{event_action} = 'shout' })],
        [body('pagerduty', sub { $_->{payload}{severity} = 'bad' })],
        [body('pagerduty', sub { delete $_->{payload}{source} })],
        [body('pagerduty', sub { $_->{payload}{text} = 'x' })]],
);
my (%right, %wrong);
for my $by (sort keys %judged) {
    for my $service (@{ $judged{$by} }) {
        my $name = "$service, by $by";
        $right{$name} = [map { [$by, $service, $_] }
            grep { service($_->{line}) eq $service } @all];
        for (@{ $refused{$service} }) {
            my ($what, $how) = @$_;
            my $line = $first{$service}{line};
            my %o = $what eq 'line' && $how eq 'GET'
                ? (line => $line =~ s/^POST/GET/r)
                : $what eq 'line' ? (line => $line =~ s{ /}{ /x/}r)
                : $what eq 'account' ? (line => $line =~ s/AC0/AC/r)
                : ($what => $how);
            push @{ $wrong{$name} }, [$by, $service, $first{$service}, %o];
        }
    }
}

# All at once: node takes seconds to read the clients.
my @got = verdicts(map { @{ $right{$_} }, @{ $wrong{$_} } } sort keys %right);
for my $name (sort keys %right) {
    my $n = @{ $right{$name} };
    is_deeply([splice @got, 0, $n], [('ok') x $n],
        "$name: the document accepts $n requests");
    cmp_ok($n, '>=', 6, "$name: the test has at least six requests");
    for my $i (0 .. $#{ $wrong{$name} }) {
        my $verdict = shift @got // 'ok';
        isnt($verdict, 'ok',
            "$name: the altered request $i is refused: $verdict");
    }
}
is(scalar @got, 0, 'each verdict belongs to a request');
stop_server($d);
done_testing();
