#!/usr/bin/perl

# Messages to contacts, verbatim: histories of hosts x schedules x windows,
# against the daemon's delivery and real endpoints.

use strict;
use warnings;
use RblTest;
use RblScript;
use RblDeliver;

my $redis = deliver_setup();
script('lists_put', [k('lists')], records => [packed([1, 'RBa', 'rbl',
    'a.example', 'List A', 'https://a.example/', 3, 0, 'active', '',
    ['127.0.0.2=spam source'], 'https://a.example/q?h=%s',
    'https://a.example/off?h=%s', 'critical', 'ip', 'block', 'ip']),
    packed([1, 'RBb', 'rbl', 'b.example', 'List B', '', 3, 0, 'active', '', [],
    '', '', 'normal', 'ip', 'block', 'ip'])]);

my %conf = (digest_window => '400ms', contact_limit => 1000);
my $d = start_deliverd(conf => \%conf);
my %hook = map { $_ => start_receiver() }
    qw(every_check start_and_end while_listed);
my %co = map { $_ => contact_active('endpoint', $hook{$_}{url},
    schedule => $_) } keys %hook;

my %says = (
    a => listed_result('RBa', details => 'https://a.example/q?h=192.0.2.1'),
    b => listed_result('RBb', details => "a \"reason\" <of> b \xc3\xa4"),
);
my %value;
my $n_hosts = 0;
sub host {
    my (%o) = @_;

    my $ht = sid('HT');
    my $value = $o{value} // '192.0.2.' . ++$n_hosts;
    is(script('host_add', [$ACCT], name => $o{name} // '', type => 'rbl',
        family => 1, host => $ht, value => $value)->[0], 'OK',
        "host_add adds the host $value");
    $value{$ht} = $value;
    return $ht;
}

# "a", "ab", "b", "-": the lists with a listing
sub check {
    my ($ht, $lists) = @_;

    event_emit(host => $ht, results => [map {
        $lists =~ /$_/ ? $says{$_} : result("RB$_", 'clear') } 'a', 'b']);
}

# Checks within one window, however long they take
sub together(&) {
    pause_server($d);
    $_[0]->();
    signal_server($d, 'CONT');
}

sub told {
    my ($hook) = @_;

    return map { $_->{json} } received($hook);
}
my %seen;
sub fresh {
    my ($schedule) = @_;

    my @all = told($hook{$schedule});
    my @new = @all[($seen{$schedule} // 0) .. $#all];
    $seen{$schedule} = @all;
    return @new;
}

# --- a whole message ---------------------------------------------------------

my $time = qr/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/;
my $mx = host(name => 'mail "out"');
my $web = host();
check($web, 'b');
soon { idle() } 'reported';
fresh($_) for keys %hook;
together {
    check($mx, 'ab');
    check($web, '-');
};
soon { idle() } 'reported again';
my ($m) = fresh('start_and_end');
my ($r) = (received($hook{start_and_end}))[-1];
is($r->{headers}{'webhook-id'}, $m->{event_sid},
    'the header webhook-id is the SID of the event');
like($m->{event_sid}, qr/^EV[0-9a-f]{32}$/, 'the SID of the event is valid');
my ($since) = $r->{body} =~ /"since":"($time)"/;
ok($since, 'the message says since when the host is listed');
$r->{body} =~ s/\Q$m->{event_sid}\E/EV/;
$r->{body} =~ s/\Q$since\E/TIME/g;
$r->{body} =~ s/"since":"(?:TIME|$time)","until":"(?:TIME|$time)"/"since":"T1","until":"T2"/;
$r->{body} =~ s/(listed for |"period":")\d+ (?:s|min)/$1N s/g;
$r->{body} =~ s/\Q$mx\E/HTMX/g;
$r->{body} =~ s/\Q$web\E/HTWEB/g;
is($r->{body}, '{"event_sid":"EV","event_type":"contact.trigger",'
    . '"title":"1 host listed, 1 host delisted: 192.0.2.1, 192.0.2.2",'
    . '"message":"'
    . 'Listed:\n\n192.0.2.1 (mail \"out\") is on 2 lists, listed since TIME:\n'
    . '  - List A (a.example), critical, since TIME\n'
    . '    Reason: spam source\n'
    . '    Look-up: https://a.example/q?h=192.0.2.1\n'
    . '    Delisting: https://a.example/off?h=192.0.2.1\n'
    . '  - List B (b.example), normal, since TIME\n'
    . "    Reason: a \\\"reason\\\" <of> b \xc3\xa4\\n"
    . '\nNo longer listed:\n\n192.0.2.2\n'
    . '  - List B (b.example), listed for N s\n","url":"",'
    . '"hosts":[{"id":"HTMX","host":"192.0.2.1","name":"mail \"out\"",'
    . '"status":"listed","first_listed":"TIME","listed_count":2,"listings":['
    . '{"id":"RBa","host":"a.example","name":"List A",'
    . '"website":"","details":"https://a.example/q?h=192.0.2.1",'
    . '"reason":"spam source","delisting":"https://a.example/off?h=192.0.2.1",'
    . '"weight":"critical","since":"TIME","new":1},'
    . '{"id":"RBb","host":"b.example","name":"List B","website":"",'
    . "\"details\":\"a \\\"reason\\\" <of> b \xc3\xa4\","
    . "\"reason\":\"a \\\"reason\\\" <of> b \xc3\xa4\",\"delisting\":\"\","
    . '"weight":"normal","since":"TIME","new":1}]},'
    . '{"id":"HTWEB","host":"192.0.2.2","name":"","status":"delisted",'
    . '"first_listed":"","listed_count":0,"listings":[],'
    . '"ended":[{"id":"RBb","host":"b.example","name":"List B",'
    . '"since":"T1","until":"T2","period":"N s"}]}],'
    . '"listed":1,"delisted":1,"weight":"critical","clear":0,'
    . '"unreported":0}',
    'the body of the message is as documented');
check($mx, '-');
soon { idle() } 'the end is reported';
fresh($_) for keys %hook;

# --- histories x schedules x windows -------------------------------------------

# Each window: checks "host:lists"; then the messages to every_check,
# start_and_end and while_listed, "title | host status lists ..." or nothing.
my @table = (
    ['one host that stays clear', [['A:-'],
        '1 host not listed | A clear', '', ''], [['A:-', 'A:-'],
        '1 host not listed | A clear', '', '']],
    ['a host from start to end', [['A:a'], ('1 host listed | A listed a') x 3],
        [['A:a'], '1 host listed | A listed a', '',
            '1 host listed | A listed a'],
        [['A:-'], ('1 host delisted | A delisted') x 2, ''],
        [['A:-'], '1 host not listed | A clear', '', '']],
    ['the same in one window', [['A:a', 'A:a', 'A:-'],
        '1 host not listed | A clear', '', ''],
        [['A:-'], '1 host not listed | A clear', '', '']],
    ['a further list', [['A:b'], ('1 host listed | A listed b') x 3],
        [['A:ab'], ('1 host listed | A listed a b') x 3],
        [['A:a'], '1 host listed | A listed a', '',
            '1 host listed | A listed a'],
        [['A:-'], ('1 host delisted | A delisted') x 2, '']],
    ['both lists in one window', [['A:b', 'A:ab', 'A:ab'],
        ('1 host listed | A listed a b') x 3],
        [['A:-'], ('1 host delisted | A delisted') x 2, '']],
    ['off and on', [['A:a'], ('1 host listed | A listed a') x 3],
        [['A:-', 'A:b'], ('1 host listed | A listed b') x 3],
        [['A:-', 'A:b', 'A:-'], ('1 host delisted | A delisted') x 2, '']],
    ['three hosts together', [['A:a', 'B:ab', 'C:-'],
        ('2 hosts listed | A listed a, B listed a b, C clear',
        ('2 hosts listed | A listed a, B listed a b') x 2)],
        [['C:b', 'A:-', 'B:a'], '2 hosts listed, 1 host delisted | '
            . 'C listed b, B listed a, A delisted',
            '1 host listed, 1 host delisted | C listed b, A delisted',
            '2 hosts listed | C listed b, B listed a'],
        [['A:-', 'B:-', 'C:-'],
            '2 hosts delisted | B delisted, C delisted, A clear',
            '2 hosts delisted | B delisted, C delisted', '']],
);

sub told_as {
    my ($message, $names) = @_;

    return join ' | ', $message->{title} =~ s/: .*//r, join ', ', map {
        my $h = $_;
        join ' ', $names->{ $h->{id} }, $h->{status},
            sort map { substr $_->{host}, 0, 1 } @{ $h->{listings} };
    } @{ $message->{hosts} };
}

my @order = qw(every_check start_and_end while_listed);
for my $row (@table) {
    my ($name, @windows) = @$row;
    my %ht = map { $_ => host() } 'A' .. 'C';
    my %names = reverse %ht;
    my $i = 0;
    for my $w (@windows) {
        my ($checks, @want) = @$w;
        together {
            for (@$checks) {
                my ($h, $lists) = split /:/;
                check($ht{$h}, $lists);
            }
        };
        wait_for { idle() } 20, 'the end of a window';
        $i++;
        is_deeply([map { [map { told_as($_, \%names) } fresh($_)] } @order],
            [map { $_ ? [$_] : [] } @want], "$name, window $i: @$checks");
    }
}

# --- hosts that are deleted while listed -------------------------------------------

my ($lost, $kept) = (host(name => 'old "mail"'), host());
together { check($_, 'a') for $lost, $kept };
soon { idle() } 'two are listed';
fresh($_) for keys %hook;
is(script('host_delete', [$ACCT], host => $lost, keep => 60_000)->[0], 'OK',
    'host_delete deletes a listed host');
check($kept, '-');
soon { idle() } 'the deletion is reported';
for my $schedule (qw(every_check start_and_end)) {
    my @told = fresh($schedule);
    my %of = map { $_->{id} => $_ } map { @{ $_->{hosts} } } @told;
    is(join(' ', map { $of{$_}{status} } $lost, $kept), 'unreported delisted',
        "$schedule: the deleted host is unreported, the other delisted");
    is_deeply([@{ $of{$lost} }{qw(host name first_listed listed_count)}],
        [$value{$lost}, 'old "mail"', '', 0],
        "$schedule: the deleted host has its name");
    my $n = 0;
    $n += $_->{unreported} for @told;
    is($n, 1, "$schedule: the message counts one unreported host");
    like($_->{message}, qr/^Was listed, .* longer reported:\n\n\Q$value{$lost} (old/m,
        "$schedule: the text names the deleted host")
        for grep { $_->{unreported} } @told;
    like($_->{title}, qr/1 host no longer reported: /,
        "$schedule: the title counts the deleted host")
        for grep { $_->{unreported} } @told;
}
is(scalar(my @silent = fresh('while_listed')), 0,
    'while_listed gets no message of an end');

# --- many changes: one message, bounded, with exact numbers ----------------------

cmd('ZREM', k('contacts', $AC), $co{$_}) for qw(every_check while_listed);
contacts_hear($AC);
my @storm = map { sid('HT') } 1 .. 700;
for my $i (0 .. $#storm) {
    script('host_add', [$ACCT], type => 'rbl', family => 1, host => $storm[$i],
        value => '10.1.' . int($i / 250) . '.' . $i % 250);
}
together { check($_, 'ab') for @storm };
soon { wake(); idle() } 'a storm', 30;
my @m = fresh('start_and_end');
is(join(' | ', map { $_->{title} =~ s/: .*//r } @m), '700 hosts listed',
    '700 listings give one message');
is($m[0]{listed}, 700, 'the message counts all 700 hosts');
is(scalar @{ $m[0]{hosts} }, 50, 'the message has 50 of the hosts');
is($m[0]{hosts}[0]{id}, $storm[0], 'the message starts with the first host');
like($m[0]{message}, qr/^and \d+ hosts more$/m,
    'the text counts the hosts that it leaves out');
ok(length $m[0]{message} < 20_000, 'the text has less than 20,000 characters');
ok(length((received($hook{start_and_end}))[-1]{body}) < 400_000,
    'the body has less than 400,000 bytes');
my ($unnamed) = grep { my $ht = $_; !grep { $_->{id} eq $ht }
    @{ $m[0]{hosts} } } @storm;
check($unnamed, '-');
soon { wake(); idle() } 'a host of the storm is no longer listed';
is(join(' | ', map { ($_->{title} =~ s/: .*//r) . " $_->{hosts}[0]{id}" } fresh('start_and_end')),
    "1 host delisted $unnamed",
    'the end is reported of a host that the message only counted');

# --- order: one after the other; past changes are not reported -------------------

my ($slow, $gone) = (host(), host());
answer_with($hook{start_and_end}, status => [503, 503, 200]);
check($slow, 'a');
sub tried {
    my @open = keys %{ deliveries() };
    return @open == 1 && (delivery($open[0])->{attempt} // 0) == $_[0]
        ? $open[0] : undef;
}
my $first;
soon { $first = tried(1) } 'a message that is not accepted';
check($gone, 'a');
check($slow, '-');
cmd('ZADD', k('digests'), 'XX', 0, "$AC:$co{start_and_end}");
check($gone, '-');
due_now($first);
soon { tried(2) } 'nothing overtakes it';
is(scalar keys %{ deliveries() }, 1, 'a later message waits for the first');
due_now($first);
soon { idle() } 'then it is accepted';
@m = fresh('start_and_end');
my %names = ($slow => 'slow', $gone => 'gone');
is_deeply([map { told_as($_, \%names) } @m], [('1 host listed | slow listed a')
    x 3, '1 host delisted | slow delisted'],
    'messages are in order, and an ended listing is not reported');
is($m[0]{event_sid}, $m[2]{event_sid},
    'repeats of a message have the same SID');
isnt($m[2]{event_sid}, $m[3]{event_sid}, 'the next message has another SID');

# --- a contact that is paused, resumed, deleted -------------------------------------

answer_with($hook{start_and_end}, status => 503);
check($slow, 'a');
soon { $first = tried(1) } 'a message is in flight';
is(script('contact_status', [$ACCT], contact => $co{start_and_end},
    status => 'paused')->[0], 'OK', 'contact_status pauses the contact');
answer_with($hook{start_and_end}, status => 200);
fresh('start_and_end');
due_now($first);
soon { idle() } 'it ends';
check($gone, 'a');
is(script('contact_status', [$ACCT], contact => $co{start_and_end},
    status => 'active')->[0], 'OK', 'contact_status resumes the contact');
check($slow, '-');
soon { idle() } 'reported again';
is_deeply([map { told_as($_, \%names) } fresh('start_and_end')], [],
    'changes during the pause are not reported');
is(scalar dead_letters(), 0, 'the account has no dead letter');
answer_with($hook{start_and_end}, status => 410);
check($slow, 'a');
soon { idle() } 'a contact that answers 410';
is((dead_letters())[-1]{to}, $co{start_and_end},
    'the response 410 leaves a dead letter');
is(record('contact', cmd('GET', k('r', $AC, $co{start_and_end})))->{status},
    'paused', 'the response 410 pauses the contact');

ok(stop_server($d, 5), 'the daemon ends on TERM');
unlike(read_file($d->{log}), qr/\[error\]|127\.0\.0\.1:$hook{every_check}{port}/,
    'the log has no error and no URL');
done_testing();
