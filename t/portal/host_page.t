#!/usr/bin/perl

# A host in a browser: what to do, when lists listed it, the lists that gave no
# answer by reason, who is notified; in English and German.

use strict;
use warnings;

use Test::More;

use RblBrowser;

my $t = browser_setup(lists => 1);
my $ac = $t->{acct}{sid};
my ($now, $hour) = (time * 1000, 3_600_000);
my $id = add_host($t, '192.0.2.25', name => 'mx-out-25')->{id};
my @lists = map { $_->{id} } @{ json(portal($t, sign_in($t), 'GET',
    "host/lists/$id.json"))->{data}{lists} };
my ($heavy, $light, $gone, $slow, $slower, $asked) = @lists[0 .. 5];
sub zone { return record('list', redis($t->{redis}, 'GET',
    "rbl:{0}:r:SYS:$_[0]"))->{zone} }

# Two listings, a light one before a heavy one; three lists gave no answer.
my ($answers, $coverage) = host_answers($now - 60_000, [$slow, 3, 60],
    [$slower, 3, 60], [$asked, 1, 60],
    map { [$_] } $heavy, $light, $gone, @lists[6 .. $#lists]);
redis($t->{redis}, 'SET', redis_key('coverage', $ac), $coverage);
list_host($t, $id, since => $now - 4 * $hour);
my $key = redis_key('r', $ac, $id);
my $host = record('host', redis($t->{redis}, 'GET', $key));
redis($t->{redis}, 'SET', $key, record_pack('host', %$host,
    name => \$host->{name}, value => \$host->{value}, %$answers,
    listed_count => 2, details => [
        [$light, zone($light), '', 'why <b>', ['127.0.0.2'],
            $now - 2 * $hour, $now, 0, 0, 2],
        [$heavy, zone($heavy), '', 'another reason', ['127.0.0.2'],
            $now - 4 * $hour, $now, 0, 0, 4]]));
sub change {
    my ($ago, $list, $status) = @_;

    redis($t->{redis}, 'XADD', redis_key('hist', $ac, $id),
        $now - $ago * $hour . '-0', 'c', sid_of('PP'), 't',
        mp_pack([[\$list, \zone($list), \$status, \'127.0.0.2']]));
}
change(@$_) for [1000, $gone, 'listed'], [923, $gone, 'clear'],
    [4, $heavy, 'listed'], [2, $light, 'listed'];
forget($t, $ac);

# A group with two contacts, one of them active, and one without any.
my ($default) = map { $_->{id} }
    @{ json(call($t, 'GET', 'contactgroups.json'))->{data} };
my $empty = json(call($t, 'POST', 'contactgroup/add.json',
    form => { name => 'Office' }))->{data}{id};
my @contacts = map { json(call($t, 'POST', 'contact/add.json', form => {
    type => 'email', contact => "$_\@example.test", contact_group => $default,
    schedule => 'start_and_end' }))->{data}{id} } qw(noc sleeps);
my $contact = redis_key('r', $ac, $contacts[0]);
my $record = record('contact', redis($t->{redis}, 'GET', $contact));
redis($t->{redis}, 'SET', $contact, record_pack('contact', %$record,
    value => \$record->{value}, status => 'active', weight => 3));
accepted(call($t, 'POST', "host/update/$id.json", form => {
    contact_group => "$default,$empty" }), 'a host in two groups');
rblctl($t->{redis}, 'fsck', '--repair');

accepted(portal($t, sign_in($t), 'POST', 'mute/add.json', fields => {
    target => $light, group => $empty, until => '2h', reason => 'a <b>move' }),
    'a list is muted within a group of the host');
accepted(portal($t, sign_in($t), 'POST', 'mute/add.json', fields => {
    target => $heavy, group => json(call($t, 'POST', 'contactgroup/add.json',
        form => { name => 'Other' }))->{data}{id}, until => '2h',
    reason => 'none of it' }), 'another one within another group');

my $n = @lists;
browser_run($t, 'host', host => $id, heavy => $heavy, light => $light, who => [
    { link => add_user($t)->{link}, locale => 'en-GB',
        muted => ['Muted until ', '(group Office): a <b>move'],
        alerts => ["noc\@example.test high and critical",
            'Office nobody: it has no contact'],
        answered => $n - 3 . " of $n lists answered",
        silent => ['2 without an answer: The list did not answer in time.',
            '1 without an answer: The list answers with an error code'],
        clear => $n - 5 . ' lists are clear', weights => 'critical,normal',
        after => 'after 3 days 5 hours', day => '24 hours' },
    { link => add_user($t, role => 'viewer')->{link}, locale => 'de-DE',
        muted => ['Stumm bis ', '(Gruppe Office): a <b>move'],
        alerts => ["noc\@example.test hoch und kritisch",
            'Office niemand: sie hat keinen Kontakt'],
        answered => $n - 3 . " von $n Listen haben geantwortet",
        silent => ['2 ohne Antwort: Die Liste antwortete nicht rechtzeitig.',
            '1 ohne Antwort: Die Liste antwortet mit einem Fehlercode'],
        clear => $n - 5 . ' Listen sind frei', weights => 'kritisch,normal',
        after => 'Dauer 3 Tage 5 Stunden', day => '24 Stunden' }]);

done_testing();
