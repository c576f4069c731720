#!/usr/bin/perl

# The card of a listing in a mail: cause, what to look at, when to ask, a text to
# send; once for each cause, whole cards for the first listings only.

use strict;
use warnings;

use RblTest;
use RblScript;
use RblDeliver;
use RblMail;

deliver_setup();

my @zones = map { "c$_" } 1 .. 7;
script('lists_put', [k('lists')], records => [map {
    packed([1, "RB$_", 'rbl', "$_.example", "List <$_>", "https://$_.example/",
        3, 0, 'active', '', ['127.0.0.2=spam <source>'],
        "https://$_.example/q?h=%s", "https://$_.example/off?h=%s", 'critical',
        'ip', 'block', 'ip', '', 0, 0, 0, '', '', '',
        [[['127.0.0.9'], 'none', 'site', '', '', 0, 0, '', '', ''],
        [[], 'form', $_ eq 'c1' ? 'trap' : 'complaint',
            "https://$_.example/form?h=%s&b=1", "off\@$_.example", 48, 24,
            "a <note> of $_", 'https://source.example/', '2026-11-30']]])
    } @zones]);

my $exim = start_exim();
my $d = start_deliverd(conf => { digest_window => '300ms',
    contact_limit => 1000, smtp_url => "smtp://127.0.0.1:$exim->{port}",
    smtp_from => 'blocklists@example.net' });
contact_active(email => 'jo@example.net');

my $mx = sid('HT');
is(script('host_add', [$ACCT], type => 'rbl', family => 1, host => $mx,
    name => '<i>mx', value => '192.0.2.1')->[0], 'OK', 'host_add adds a host');
event_emit(host => $mx, results => [map {
    listed_result("RB$_", codes => ['127.0.0.2']) } @zones]);
soon { idle() && mails($exim) == 1 } 'the mail', 30;

my $read = mail_check((mails($exim))[-1]);
is_deeply($read->{defects}, [], 'the mail has no defects');
my ($text, $html) = ($read->{parts}[0]{text}, $read->{html});
is_deeply($html->{faults}, [], 'the HTML is valid and loads and runs nothing');

for my $part (['plain text', $text], ['HTML', $html->{text}]) {
    my ($name, $words) = @$part;
    $words =~ s/\s+/ /g;

    for my $want (qr/Usual cause: mail to spam traps/,
        qr/Look in the mail log before the listing for the sender with the/,
        qr/Delete recipients that were bought/, qr/It ends: by a form/,
        qr/Ask once, when the cause has ended\./, qr/48 hours after/,
        qr/Note: a <note> of c1/, qr/Write to: off\@c1\.example/,
        qr/Please remove 192\.0\.2\.1 \(<i>mx\) from List <c1>\./,
        qr/Entry: 127\.0\.0\.2 \(spam <source>\)/,
        qr/Contact: \[name, address of mail\]/)
    {
        like($words, $want, "the $name has $want");
    }

    my $count = sub { my $n = () = $words =~ /$_[0]/g; return $n };
    is($count->('Find the mailing that was reported'), 1,
        "the $name says once what to look at for a cause");
    is($count->('Please remove'), 5,
        "the $name has a text to send for the first listings");
    is($count->('Usual cause:'), 7,
        "the $name has the cause of each listing");
}
is(scalar(grep { $_ eq 'https://c1.example/form?h=192.0.2.1&b=1' }
    @{ $html->{links} }), 1, 'the button has the form with the address');
if ($ENV{RBL_LETTER}) {                 # a file to look at
    open my $fh, '>:utf8', $ENV{RBL_LETTER} or die "$ENV{RBL_LETTER}: $!";
    print {$fh} $read->{parts}[1]{text};
}

done_testing();
