#!/usr/bin/perl

# PagerDuty, Slack, Discord and Telegram: messages about hosts, from the end of
# a check to the request, from the start of a listing to its end or to the
# deletion of the host.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

my $token = '123456:AAbot-token_x';
my $file = own_dir('token') . '/telegram';
write_file($file, "$token\n", 0600);

deliver_setup();
lists_of_messages();

my $s = start_receiver(body => '{"ok":true}');
my $slack = start_receiver(body => 'ok');
my $base = "http://127.0.0.1:$s->{port}";
my $d = start_deliverd(conf => { digest_window => '400ms',
    contact_limit => 1000, pagerduty_url => "$base/pd",
    telegram_url => "$base/tg", telegram_token_file => $file });
my $key = '0123456789abcdef' x 2;
my %co = map { $_->[0] => contact_active(@$_) }
    [pagerduty => $key], [telegram => '-1001234567890'],
    [slack => "http://127.0.0.1:$slack->{port}/services/T0/B0/hush-s"],
    [discord => "$base/api/webhooks/1/hush-d"];

my ($value, $n_hosts, %host) = ('', 0);
sub host {
    my ($name) = @_;

    my $ht = sid('HT');
    $host{$ht} = '192.0.2.' . ++$n_hosts;
    die 'host_add' if script('host_add', [$ACCT], name => $name // '',
        type => 'rbl', family => 1, host => $ht,
        value => $host{$ht})->[0] ne 'OK';
    return $ht;
}

my $reason = '<!channel> *b* `c` @everyone & <b>';
sub check {
    my ($ht, $lists) = @_;

    my %says = (a => listed_result('RBa', details =>
            'https://a.example/q?h=192.0.2.1&x=1'),
        b => listed_result('RBb', details => $reason));
    event_emit(host => $ht, results => [map {
        $lists =~ /$_/ ? $says{$_} : result("RB$_", 'clear') } 'a', 'b']);
}

# Messages of one window: {type => [JSON ...]}
my %seen = map { $_->{port} => 0 } $s, $slack;
sub told {
    my ($name, $changes) = @_;

    pause_server($d);
    $changes->();
    signal_server($d, 'CONT');
    soon { wake(); idle() } "$name: reported", 30;
    my %got;
    for my $at ($s, $slack) {
        my @all = received($at);
        for my $r (@all[$seen{ $at->{port} } .. $#all]) {
            my ($type) = $r->{line} =~ m{^POST /(pd|tg|api|services)/}
                or die $r->{line};
            push @{ $got{$type} }, $r->{json};
        }
        $seen{ $at->{port} } = @all;
    }
    return \%got;
}

sub all_text {
    my ($v) = @_;

    return ref $v eq 'HASH' ? join '|', map { all_text($v->{$_}) } sort keys %$v
        : ref $v eq 'ARRAY' ? join '|', map { all_text($_) } @$v : $v // '';
}

my ($mx, $web) = (host('mail & <out>'), host());

# --- two hosts are listed

my $got = told('two listings', sub { check($mx, 'ab'); check($web, 'b') });
is(join(' ', map { "$_ " . @{ $got->{$_} } } sort keys %$got),
    'api 1 pd 2 services 1 tg 1',
    'each service gets one message, PagerDuty one for each host');
my %alert = map { $_->{dedup_key} => $_ } @{ $got->{pd} };
my ($one, $two) = @alert{ "rbl-$mx", "rbl-$web" };
is("$_->{event_action} $_->{routing_key}", "trigger $key",
    'pagerduty: each request triggers an alert')
    for $one, $two;
is($one->{payload}{summary}, "$host{$mx} (mail & <out>) is listed on 2 lists: "
    . 'a.example, b.example',
    'pagerduty: the summary names the host and its lists');
is("$one->{payload}{severity} $two->{payload}{severity}", 'critical warning',
    'pagerduty: the severity follows the weight of the listings');
is($one->{payload}{source}, $host{$mx}, 'pagerduty: the source is the host');
is_deeply($one->{links}, [{ href => 'https://a.example/off?h=192.0.2.1',
    text => 'Delisting at a.example' }],
    'pagerduty: the alert has the link for delisting');
is($two->{payload}{custom_details}{lists}[0]{reason}, $reason,
    'pagerduty: the reason is unchanged');

my $text = all_text($got->{services}[0]{blocks});
is($got->{services}[0]{text}, "2 hosts listed: $host{$mx}, $host{$web}",
    'slack: the title counts the listed hosts');
like($text, qr/$_/, 'slack: the text has hosts, lists and links')
    for "\Q$host{$mx}\E",
    "\Q$host{$web}\E", 'mail &amp; &lt;out&gt;',
    'https://a\.example/off\?h=192\.0\.2\.1';
unlike($text, qr/<!channel>|<b>/, 'slack: foreign text is escaped');

my $j = $got->{api}[0];
is_deeply($j->{allowed_mentions}, { parse => [] },
    'discord: the message allows no mentions');
is(scalar @{ $j->{embeds} }, 2, 'discord: each host has an embed');
$text = all_text($j->{embeds});
like($text, qr/$_/, 'discord: the text has hosts, lists and links')
    for "\Q$host{$mx}\E",
    "\Q$host{$web}\E", 'https://a\.example/off\?h=192\.0\.2\.1';
isnt($j->{embeds}[0]{color}, $j->{embeds}[1]{color},
    'discord: the color follows the weight of the listings');

$j = $got->{tg}[0];
is("$j->{chat_id} $j->{parse_mode}", '-1001234567890 HTML',
    'telegram: the message has the chat and is HTML');
like($j->{text}, qr/$_/, 'telegram: the text has hosts, lists and links')
    for "\Q$host{$mx}\E",
    "\Q$host{$web}\E", 'mail &amp; &lt;out&gt;',
    'https://a\.example/off\?h=192\.0\.2\.1';
unlike($j->{text}, qr/<!channel>/, 'telegram: foreign text is escaped');

# --- one listing ends, the other host is deleted

$got = told('two ends', sub {
    check($mx, '-');
    is(script('host_delete', [$ACCT], host => $web, keep => 60_000)->[0], 'OK',
        'host_delete deletes the second host');
});
is(join(' ', map { "$_ " . @{ $got->{$_} } } sort keys %$got),
    'api 1 pd 2 services 1 tg 1', 'each service gets a message of the ends');
is_deeply([sort map { "$_->{event_action} $_->{dedup_key}" } @{ $got->{pd} }],
    [sort map { "resolve rbl-$_" } $mx, $web],
    'pagerduty: both alerts are resolved, by the keys of their triggers');
ok(!exists $_->{payload}, 'pagerduty: a request that resolves has no payload')
    for @{ $got->{pd} };
my $title = '1 host delisted, 1 host no longer reported';
for ([slack => $got->{services}[0]], [discord => $got->{api}[0]],
    [telegram => $got->{tg}[0]])
{
    my ($type, $message) = @$_;
    $text = all_text($message);
    like($text, qr/\Q$_\E/, "$type: the message has the text $_")
        for $title, $host{$mx}, $host{$web};
    like($text, qr/no longer listed/i,
        "$type: the message says that one host is delisted");
    like($text, qr/no longer reported/i,
        "$type: the message says that one host is not reported");
}

# --- many changes give one message

my @many = map { host() } 1 .. 30;
$got = told('a storm', sub { check($_, 'a') for @many });
is(join(' ', map { "$_ " . @{ $got->{$_} } } sort keys %$got),
    'api 1 pd 1 services 1 tg 1', 'each service gets one message of 30 hosts');
is($got->{pd}[0]{payload}{custom_details}{listed}, 30,
    'pagerduty: the alert counts 30 hosts');
for (values %$got) {
    like(all_text($_), qr/30 hosts listed/,
        'the message counts 30 listed hosts') for $_->[0];
}
unlike(read_file($d->{log}), qr/hush-|\Q$token\E|$key/,
    'the log has no secret');
stop_server($d);
done_testing();
