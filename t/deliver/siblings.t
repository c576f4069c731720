#!/usr/bin/perl

# Addresses of a range that are newly on the same lists, or no longer on them,
# are one line of a message: with the subnet, how many they are of how many, and
# the list; in mails, chats, and in what endpoints get.

use strict;
use warnings;

use RblTest;
use RblScript;
use RblDeliver;
use RblMail;

deliver_setup();
lists_of_messages();
my $file = own_dir('token') . '/telegram';
write_file($file, '123456:' . 'A' x 35 . "\n", 0600);
my $exim = start_exim();
my $s = start_receiver();
start_deliverd(conf => { digest_window => '700ms', contact_limit => 1000,
    smtp_url => "smtp://127.0.0.1:$exim->{port}",
    smtp_from => 'blocklists@example.net',
    telegram_url => "http://127.0.0.1:$s->{port}/tg",
    telegram_token_file => $file });
contact_active(telegram => '-1001234567890');
contact_active(email => 'jo@example.net');
contact_active(endpoint => "http://127.0.0.1:$s->{port}/own");

my @kid = map { sid('HT') } 0 .. 15;
is(script('host_add', [$ACCT], name => 'net', type => 'ip_range', family => 1,
    range => sid('HT'), net => '192.0.2.0/28', host => \@kid,
    value => [map { "192.0.2.$_" } 0 .. 15])->[0], 'OK', 'a range is added');
my $other = sid('HT');
script('host_add', [$ACCT], type => 'rbl', family => 1, host => $other,
    name => 'mx', value => '198.51.100.1');

sub messages { return map { $_->{json} } grep { $_->{line} =~ m{ /own } }
    received($s) }
sub listed {
    my ($lists, @hosts) = @_;
    event_emit(host => $_, results => [map { my $l = "RB$_";
        $lists =~ /$_/ ? listed_result($l) : result($l, 'clear') } 'a', 'b'])
        for @hosts;
}

listed('a', @kid[1 .. 9]);
soon { idle() && messages() == 1 && mails($exim) == 1 } 'one message', 30;
my ($m) = messages();
is($m->{title}, '9 hosts listed: 192.0.2.0/28 by List <A> & co',
    'the title has the subnet and the list');
is(scalar(() = $m->{message} =~ m{192\.0\.2\.0/28: 9 of 16 by List <A> & co\n}g),
    1, 'the text has one line for all of them');
like($m->{message}, qr/^  192\.0\.2\.1, 192\.0\.2\.2, .*192\.0\.2\.9$/m,
    'the line is followed by the addresses');
is(scalar(() = $m->{message} =~ /is on 1 list/g), 0,
    'none of them has a line of its own');
is(scalar(() = $m->{message} =~ /Delisting:/g), 1,
    'the list has its links once');
is_deeply([map { "$_->{host} $_->{range} $_->{range_hosts}" }
    @{ $m->{hosts} }[0, 8]], ['192.0.2.1 192.0.2.0/28 16',
    '192.0.2.9 192.0.2.0/28 16'], 'programs get each host with its range');
my $read = mail_check((mails($exim))[-1]);
is_deeply($read->{html}{faults}, [], 'the HTML of the mail is valid');
like($read->{html}{text}, qr{192\.0\.2\.0/28: 9 of 16 by List <A> & co},
    'the mail has the line');
is(scalar(() = $read->{html}{text} =~ /Listed on/g), 0,
    'no host has a box of its own in the mail');

my ($chat) = grep { $_->{line} =~ m{ /tg} } received($s);
like($chat->{json}{text}, qr{192\.0\.2\.0/28: 9 of 16 by List},
    'a chat has the line');
is(scalar(() = $chat->{json}{text} =~ /is listed|is on/g), 0,
    'no host has a line of its own in a chat');

# Others beside them: of another range or none, on other lists.
listed('ab', @kid[10 .. 12]);
listed('b', $kid[13], $kid[14]);
listed('a', $other);
soon { idle() && messages() == 2 } 'the second message', 30;
$m = (messages())[-1];
like($m->{message}, qr{192\.0\.2\.0/28: 3 of 16 by List <A> & co and 1 more\n},
    'three that are on two lists are one line');
is(scalar(() = $m->{message} =~ /is on 1 list/g), 3,
    'two of a range, and a host of none, have lines of their own');
like($m->{title}, qr/^6 hosts listed: /, 'all are counted');

# Those that are no longer listed.
my $mails = () = mails($exim);
listed('', @kid[1 .. 9]);
soon { idle() && messages() == 3 && mails($exim) > $mails } 'the end', 30;
$m = (messages())[-1];
is($m->{title}, '9 hosts delisted: 192.0.2.0/28',
    'the title of the end has the subnet');
my $entry = join '\n', '', '192\.0\.2\.0/28: 9 of 16 no longer listed by List '
    . '<A> & co', '  192\.0\.2\.1, .*192\.0\.2\.9',
    '  - List <A> & co \S+, listed for (?:up to )?\d+ s', '';
like($m->{message}, qr/$entry/,
    'the text has one entry for all of them, with how long it was');
is(scalar(() = $m->{message} =~ /listed for/g), 1,
    'none of them has an end of its own');
is_deeply([map { "$_->{host} $_->{range} $_->{range_hosts}" }
    @{ $m->{hosts} }[0, 8]], ['192.0.2.1 192.0.2.0/28 16',
    '192.0.2.9 192.0.2.0/28 16'], 'programs get each host with its range');
$read = mail_check((mails($exim))[-1]);
is_deeply($read->{html}{faults}, [], 'the HTML of that mail is valid');
is(scalar(() = $read->{html}{text} =~ /No longer listed/g), 1,
    'the mail has one box for all of them');
($chat) = reverse grep { $_->{line} =~ m{ /tg} } received($s);
like($chat->{json}{text}, qr{192\.0\.2\.0/28: 9 of 16 no longer listed by List},
    'a chat has the line of the end');
is(scalar(() = $chat->{json}{text} =~ /listed for/g), 1,
    'a chat says once how long it was');

# A list that is muted within the group of the contacts is not in the line.
my @more = map { sid('HT') } 0 .. 7;
script('host_add', [$ACCT], name => 'more', type => 'ip_range', family => 1,
    range => sid('HT'), net => '203.0.113.0/29', host => \@more,
    value => [map { "203.0.113.$_" } 0 .. 7]);
my $mu = sid('MU');
is(script('mute_add', [$ACCT], mute => $mu, target => 'RBb',
    group => chosen($ACCT)->[2], ends => (time + 3600) * 1000, reason => 'why',
    longest => 86_400_000)->[0], 'OK', 'a list is muted within the group');
listed('ab', @more[1 .. 3]);
soon { idle() && messages() == 4 } 'the fourth message', 30;
like((messages())[-1]{message},
    qr{203\.0\.113\.0/29: 3 of 8 by List <A> & co\n},
    'three on two lists are one line with the list that is not muted');
unlike((messages())[-1]{message}, qr/List B/, 'the muted list is not told');
script('mute_end', [$ACCT], mute => $mu);
soon { idle() && messages() == 5 } 'the fifth message', 30;
like((messages())[-1]{message},
    qr{203\.0\.113\.0/29: 3 of 8 by List B and 1 more\n},
    'the list is told of all of them in a line when the mute is over');

done_testing();
