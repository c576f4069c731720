#!/usr/bin/perl

# Hosts that are listed and delisted, as each service and a reader of mail sees
# them: from the end of a check to the message.

use strict;
use warnings;
use JSON::XS ();
use RblTest;
use RblScript;
use RblDeliver;
use RblMail;

my $dir = own_dir('tokens');
write_file("$dir/$_", "$_-token\n", 0600) for qw(sms);
write_file("$dir/pushover", 'p' x 30 . "\n", 0600);

deliver_setup();
lists_of_messages();

my $exim = start_exim();
my $s = start_receiver();
my $base = "http://127.0.0.1:$s->{port}";
my $d = start_deliverd(conf => { digest_window => '400ms',
    contact_limit => 1000, smtp_url => "smtp://127.0.0.1:$exim->{port}",
    smtp_from => 'blocklists@example.net', sms_url => "$base/sms",
    sms_account => 'AC1', sms_token_file => "$dir/sms",
    sms_from => '+15005550006', pushover_url => "$base/po",
    pushover_token_file => "$dir/pushover", datadog_url => "$base/dd",
    sns_url => "$base/sns", logs_url => "$base/logs" });

my ($id, $key) = ('AKIDEXAMPLE00000',
    'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY');
contact_active(@$_) for [email => 'jo@example.net'], [sms => '+4915112345678'],
    [pushover => 'u' x 30], [datadog => 'd' x 32],
    ['aws-sns' => "arn:aws:sns:eu-west-1:123456789012:alerts,$id,$key"],
    ['aws-cloudwatch' => "arn:aws:logs:eu-west-1:123456789012:log-group:rbl,"
        . "$id,$key"];

my $evil = '<script>alert(1)</script> "mail"';
my ($mx, $web) = map { sid('HT') } 1, 2;
is(script('host_add', [$ACCT], type => 'rbl', family => 1, @$_)->[0], 'OK',
    'host_add adds a host')
    for [host => $mx, name => $evil, value => '192.0.2.1'],
        [host => $web, value => '192.0.2.2'];
my %says = (
    a => listed_result('RBa', details => 'https://a.example/q?h=192.0.2.1&x=1'),
    b => listed_result('RBb', details => "a <b>reason</b> \@channel %%% \xc3\xa4"),
);
sub check {
    my ($ht, $lists) = @_;

    event_emit(host => $ht, results => [map {
        $lists =~ /$_/ ? $says{$_} : result("RB$_", 'clear') } 'a', 'b']);
}

sub fields {
    return map { my ($k, $v) = split /=/, $_, 2;
        s/%([0-9A-F]{2})/chr hex $1/ge for $k, $v; ($k, $v) }
        split /&/, $_[0]{body};
}

check($web, 'b');
soon { idle() && mails($exim) == 1 && received($s) == 5 } 'one host', 30;
my $before = received($s);
pause_server($d);
check($mx, 'ab');
check($web, '-');
signal_server($d, 'CONT');
soon { idle() && mails($exim) == 2 && received($s) == $before + 5 } 'and two',
    30;
my $title = '1 host listed, 1 host delisted: 192.0.2.1, 192.0.2.2';

# --- the mail

my $mail = (mails($exim))[-1];
my $read = mail_check($mail);
is($read->{headers}{subject}, $title, 'the mail has the title as its subject');
is_deeply($read->{defects}, [], 'the mail has no defects');
my $html = $read->{html};
is_deeply($html->{faults}, [], 'the HTML is valid and loads and runs nothing');
is_deeply($html->{links}, ['https://a.example/off?h=192.0.2.1',
    'https://a.example/q?h=192.0.2.1&x=1'],
    'the HTML has the links of the list');
my $begin = "$title 192.0.2.1 $evil Listed on 2 blocklists";
is(substr($html->{text}, 0, length $begin), $begin,
    'the HTML starts with the title and the host');
like($html->{text}, qr/$_/, "the HTML has the text $_")
    for 'List <A> & co critical',
    'a\.example, since', '(?:high|normal) b\.example, since',
    "a <b>reason</b> \@channel %%% \xe4", 'Request removal Look it up';
if ($ENV{RBL_LETTER}) {                 # a file to look at
    open my $fh, '>:utf8', $ENV{RBL_LETTER} or die "$ENV{RBL_LETTER}: $!";
    print {$fh} $read->{parts}[1]{text};
}
like($html->{text}, qr/192\.0\.2\.2 No longer listed/,
    'the HTML names the delisted host');
my $text = $read->{parts}[0]{text};
like($text, qr/$_/m, "the plain text matches $_")
    for '^192\.0\.2\.1 \(<script>',
    'https://a\.example/off\?h=192\.0\.2\.1$', '^192\.0\.2\.2$';

# --- the other services

my %got;
for my $r ((received($s))[$before .. $before + 4]) {
    $got{ ($r->{line} =~ m{^POST /(\w+)})[0] } = $r;
}
my %f = fields($got{sms});
is($f{Body}, 'Blocklists: ' . ($title =~ s/: .*//r)
    . ": 192.0.2.1 (List <A> & co and 1 more), 192.0.2.2 delisted",
    'sms: the text has both hosts');
%f = fields($got{po});
is($f{title}, $title, 'pushover: the message has the title');
is($f{priority}, 1, 'pushover: a critical list has a high priority');
like($f{message}, qr/192\.0\.2\.1/, 'pushover: the message names the host');
my $j = $got{dd}{json};
is("$j->{title} $j->{alert_type} $j->{aggregation_key}",
    "$title error blocklists-digest",
    'datadog: the event has title, type and key');
unlike($j->{text}, qr/[^\\]<b>|\@c/, 'datadog: foreign text is escaped');
like($j->{text}, qr{\[request removal\]\(https://a\.example/off},
    'datadog: the text has the link for delisting');
%f = fields($got{sns});
is("$f{Subject} $f{'MessageAttributes.entry.3.Value.StringValue'}",
    "$title critical", 'sns: the message has the subject and the weight');
is(JSON::XS::decode_json($f{Message})->{default}, $text,
    'sns: the text is the same as that of the mail');
my @events = map { JSON::XS->new->decode($_->{message}) }
    @{ $got{logs}{json}{logEvents} };
is(join(' ', map { $_->{status} // $_->{title} } @events),
    "$title listed delisted", 'logs: the events are the message and each host');
my @aws = map { JSON::XS->new->ascii->encode({ service => $_,
    region => 'eu-west-1', id => $id, secret => $key, request => $got{$_} }) }
    qw(sns logs);
my $checked = run_cmd({ stdin => join("\n", @aws) . "\n" }, '/usr/bin/python3',
    repo_dir() . '/t/lib/aws_check.py');
is($checked->{out}, "ok\nok\n", 'botocore accepts both requests');
done_testing();
