#!/usr/bin/perl

# Contacts: reads, add, update, states.  No response and no log contains a
# confirmation code.

use strict;
use warnings;

use Digest::SHA qw(sha256);
use RblApi;

my $t = api_setup(level => 'debug', api => 'rbl_slack_hosts CHAT.example;');
my $redis = $t->{redis};
my $ac = $t->{acct}{sid};
my $default = record('chosen', redis($redis, 'GET',
    redis_key('chosen', $ac)))->{group};
my $foreign = record('chosen', redis($redis, 'GET',
    redis_key('chosen', $t->{other}{sid})))->{group};
my $key32 = '0123456789abcdef' x 2;
my @answers;

sub ask {
    my $r = call($t, @_);
    push @answers, $r->{raw};
    return $r;
}
sub contact { return json(ask('GET', "contact/$_[0].json"))->{data}[0] }
sub write_to {
    my ($verb, $id, @form) = @_;
    return ask('POST', "contact/$verb/$id.json", @form ? (form => [@form]) : ());
}
my $added = 0;
sub add {
    my (%form) = @_;
    my $r = ask('POST', 'contact/add.json', form => { contact => 'ops'
        . ++$added . '@example.com', type => 'email', schedule => 'every_check', %form });
    return accepted($r, 'add')->{data};
}
sub stored { return record('contact', redis($redis, 'GET',
    redis_key('r', $ac, $_[0]))) }
sub set {
    my ($id, %field) = @_;
    my $c = stored($id);
    redis($redis, 'SET', redis_key('r', $ac, $id), record_pack('contact', %$c,
        value => \$c->{value}, digest => \$c->{digest}, %field));
}
# The last confirmation for a contact.
my %codes;
sub event {
    my ($id) = @_;
    my $p = partition_of($ac);
    my ($last) = grep { $_->{contact} eq $id } map { record('event', $_->[1][5]) }
        @{ redis($redis, 'XREVRANGE', "rbl:{$p}:outbox", '+', '-') };
    $codes{ $last->{code} } = 1 if $last;
    return $last;
}
sub code { return event($_[0])->{code} }

# --- no contacts -----------------------------------------------------------

my $v = accepted(ask('GET', 'contacts.json'),
    'contacts of an empty account are served');
is_deeply([@$v{qw(page total_pages page_size total_contacts)}], [1, 0, 20, 0],
    'an empty account has the counters of an empty list');
is_deeply($v->{data}, [], 'an empty account has no contacts');

# --- add -------------------------------------------------------------------

my $r = ask('POST', 'contact/add.json', form => [contact => ' ops@Example.com ',
    type => 'email', schedule => 'start_and_end']);
$v = accepted($r, 'add');
is($v->{status_message}, 'Contact added successfully.',
    'contact/add says that the contact is added');
my @fields = qw(id contact type schedule status contact_group);
is_deeply([$r->{body} =~ /"(\w+)":/g], [qw(status_code status_message version
    data), @fields], 'contact/add returns all fields in their sequence');
my $c = $v->{data};
like($c->{id}, qr/^CO[0-9a-f]{32}$/, 'the new contact has an id');
is_deeply([@$c{@fields[1 .. 5]}], ['ops@example.com', 'email',
    'start_and_end', 'pending', $default],
    'the new contact is pending in the default group');
$r = ask('GET', "contact/$c->{id}.json");
$v = accepted($r, 'contact/{id} is served');
is_deeply($v->{data}, [$c], 'contact/{id} returns the contact that was added');
is_deeply([$r->{body} =~ /"(\w+)":/g], [qw(status_code status_message version
    page total_pages page_size total_contacts data), @fields],
    'contact/{id} returns all fields in their sequence');
is_deeply([@$v{qw(page total_pages page_size total_contacts)}], [1, 1, 20, 1],
    'contact/{id} counts one contact');
is_deeply(contact('CO' . uc substr $c->{id}, 2), $c,
    'an id in upper case finds the contact');
$r = ask('GET', 'contacts.xml');
xml_ok($r->{body}, 'XML is well-formed');
like($r->{body}, qr{<total_contacts>1</total_contacts><data><item>
    <id>$c->{id}</id><contact>ops\@example\.com</contact><type>email</type>
    <schedule>start_and_end</schedule><status>pending</status>}x,
    'the XML response has the same contact');
$r = ask('POST', 'contact/add.xml', form => [contact => '+15551234567',
    type => 'sms', schedule => 'while_listed']);
xml_ok($r->{body}, 'contact/add.xml returns valid XML');
like($r->{body}, qr{<data><id>(CO\w{32})</id><contact>\+15551234567</contact>},
    'contact/add.xml returns the new contact');

my $e = event($c->{id});
is_deeply([@$e{qw(type contact hooks)}], ['contact.confirm', $c->{id}, 0],
    'a confirmation is in the outbox');
like($e->{id}, qr/^EV[0-9a-f]{32}$/, 'the confirmation has an id');
like($e->{code}, qr/^[a-hj-kmnp-z2-9]{6}$/, 'the confirmation has a code');
is(stored($c->{id})->{digest}, sha256($c->{id} . $e->{code}),
    'the record has the digest of the code');

# the visible and the secret part of each type

my $url = 'https://hooks.slack.com/services/T00/B00/';
my $aws = 'AKIAIOSFODNN7EXAMPLE';
my $secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
my $arn = 'arn:aws:sns:eu-west-1:123456789012:alerts';
my $logs = 'arn:aws:logs:eu-west-1:123456789012:log-group:/rbl';
my @types = (
    ['email', "a.b+c\@b\xc3\xbccher.example", 'a.b+c@xn--bcher-kva.example'],
    ['sms', '+442071838750', '+442071838750'],
    ['endpoint', 'https://a.example/hook', 'https://a.example/****'],
    ['endpoint', 'https://a.example/hook?key=geheim',
        'https://a.example/****', 'geheim'],
    ['endpoint', 'https://u:geheim@a.example/hook', 'https://a.example/****',
        'geheim'],
    ['endpoint', 'https://geheim@a.example/hook?key=x',
        'https://a.example/****', 'geheim'],
    ['pushover', 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG', '****', 'uQiRzpo4DX'],
    ['pagerduty', $key32, '****', $key32],
    ['slack', "${url}GeheimGeheim", "${url}****", 'GeheimGeheim'],
    ['slack', 'http://chat.example/hooks/geheim',
        'http://chat.example/hooks/****', 'geheim'],
    ['datadog', $key32, '****', $key32],
    ['datadog', "datadoghq.eu, $key32", 'datadoghq.eu,****', $key32],
    ['discord', 'https://discord.com/api/webhooks/12/Geheim-Geheim',
        'https://discord.com/api/webhooks/12/****', 'Geheim-Geheim'],
    ['telegram', '-1001234567890', '-1001234567890'],
    ['discord', 'https://discord.com/api/webhooks/12/Geheim?thread_id=3',
        'https://discord.com/api/webhooks/12/****', 'Geheim'],
    ['slack', 'https://hooks.slack.com/triggers/T00/123/Geheim',
        'https://hooks.slack.com/triggers/T00/123/****', 'Geheim'],
    ['telegram', '@channel', '@channel'],
    ['telegram', '-1001234567890:77', '-1001234567890:77'],
    ['aws-sns', "$arn,$aws,$secret", "$arn,$aws,****", $secret],
    ['aws-cloudwatch', "$logs:*,$aws,$secret", "$logs,$aws,****", $secret],
);
for (@types) {
    my ($type, $value, $shown, $hidden) = @$_;
    $r = ask('POST', 'contact/add.json', form => [contact => $value,
        type => $type, schedule => 'every_check']);
    my $new = accepted($r, "add: $type")->{data};
    is($new->{contact}, $shown,
        "contact/add shows the $type contact as $shown");
    my $got = ask('GET', "contact/$new->{id}.json");
    is(json($got)->{data}[0]{contact}, $shown,
        "contact/{id} shows the $type contact as $shown");
    next if !$hidden;
    unlike("$r->{raw}$got->{raw}", qr/\Q$hidden\E/,
        "the responses do not have the secret of the $type contact");
    like(stored($new->{id})->{value}, qr/\Q$hidden\E/,
        "the store has the secret of the $type contact");
}
my $all = ask('GET', 'contacts.json')->{body};
unlike($all, qr/\Q$_\E/, "the list does not have $_")
    for map { $_->[3] // () } @types;

# refusals

unchanged {
    my @good = (contact => 'a@b.example', type => 'email',
        schedule => 'every_check');
    for my $i (0, 2, 4) {
        my @form = @good;
        splice @form, $i, 2;
        refused(ask('POST', 'contact/add.json', form => [@form, @$_]), 400,
            qr/^No $good[$i] value provided\. Please try again\.$/,
            "a contact without $good[$i] is "
            . "refused") for [], [$good[$i] => ''], [$good[$i] => '  '];
    }
    for my $field (qw(type schedule)) {
        for my $bad ('x', 'E-mail', 'Email', 'EMAIL', 'every check', "\0",
            'aws_sns', 'email,sms', "em\xffail")
        {
            refused(ask('POST', 'contact/add.json', form => [@good,
                $field => $bad]), 400,
                qr/^Invalid $field value provided\. Please try again\.$/,
                "$field " . unpack 'H*', $bad);
        }
    }
    for (['email', 'ops', 'An e-mail address is expected.'],
        ['email', 'a@b.example,c@d.example', 'An e-mail address is expected.'],
        ['sms', '5551234567', 'plus sign first.'],
        ['endpoint', 'ftp://a.example/', 'An http or https URL is expected.'],
        ['endpoint', 'https://:p@a.example/', 'https URL is expected.'],
        ['pushover', 'short', '30 letters and digits is expected.'],
        ['pagerduty', 'short', '32 letters and digits is expected.'],
        ['slack', 'https://a.example/x/geheim', 'incoming webhook is expected.'],
        ['discord', $url . 'x', 'URL of a webhook is expected.'],
        ['discord', 'https://chat.example/x', 'URL of a webhook is expected.'],
        ['datadog', "evil.example,$key32", 'a comma and the key.'],
        ['telegram', 'name', 'the number of a topic may follow.'],
        ['telegram', '-100:x', 'the number of a topic may follow.'],
        ['aws-sns', $arn, 'with commas between them.'],
        ['aws-cloudwatch', "$arn,$aws,$secret", 'with commas between them.'])
    {
        my ($type, $value, $text) = @$_;
        $r = ask('POST', 'contact/add.json', form => [@good, type => $type,
            contact => $value]);
        refused($r, 400, qr/^Invalid\ contact\ value\ provided\.\ Please\ try
            \ again\.\ .*\Q$text\E$/x, "the $type contact $value is refused");
        unlike($r->{raw}, qr/geheim|wJalr/, 'the value is not repeated');
    }
    for my $bad ("a\@b.example\0", "a\r\nBcc: x\@b.example", "\xff\@b.example") {
        refused(ask('POST', 'contact/add.json', form => [@good,
            contact => $bad]), 400, qr/^Invalid contact value provided\./,
            'contact ' . unpack 'H*', $bad);
    }
    for my $bad ('x', $foreign, sid_of('CG'), "$default,$foreign", "$default,",
        ",$default", $c->{id})
    {
        refused(ask('POST', 'contact/add.json', form => [@good,
            contact_group => $bad]), 400,
            qr/^Invalid contact_group value provided\. Please try again\.$/,
            "a contact with contact_group $bad is refused");
    }
} $t, 'bad adds';

# groups

my @cg = map { json(call($t, 'POST', 'contactgroup/add.json',
    form => [name => $_]))->{data}{id} } 'a', 'b';
is(add(contact_group => '')->{contact_group}, $default,
    'an empty group is the default one');
is(add(contact_group => "$cg[1], $cg[0],$cg[1]")->{contact_group},
    "$cg[1],$cg[0]", 'the contact is in several groups, each once');
for my $form ("contact_group=$cg[0]&contact_group=$cg[1]",
    "contact_group[]=$cg[0]&contact_group[]=$cg[1]",
    "contact_group[0]=$cg[0]&contact_group[1]=$cg[1]",
    "contact_group=$cg[0]%2C$cg[1]")
{
    $v = accepted(ask('POST', 'contact/add/.json', form => 'contact=a' . ++$added
        . "\@b.example&type=email&schedule=every_check&$form"),
        "contact/add accepts $form");
    is($v->{data}{contact_group}, "$cg[0],$cg[1]",
        'the contact is in both groups');
}

# --- ids and methods -------------------------------------------------------

my $theirs = do {
    local $t->{acct} = $t->{other};
    add();
};
unchanged {
    for my $verb ('', map { "$_/" } qw(update pause resume resend confirm
        delete))
    {
        my %text;
        for my $id (sid_of('CO'), $theirs->{id}, 'CO1', 'x', "$c->{id}0",
            $default, '%ff', '%01')
        {
            $r = ask($verb ? 'POST' : 'GET', "contact/$verb$id.json",
                $verb eq 'confirm/' ? (form => 'authcode=aaaaaa') : ());
            refused($r, 404, qr/^Invalid contact id provided\.$/,
                "contact/$verb$id is not found");
            $text{$r->{body}}++;
        }
        is(scalar keys %text, 1,
            "all refusals of contact/$verb have the same text");
        next if !$verb;
        refused(ask('POST', "contact/$verb.json", $verb eq 'confirm/'
            ? (form => 'authcode=a') : ()), 404,
            qr/^Invalid contact id provided\.$/,
            "contact/$verb without an id is refused");
        for my $method (qw(GET HEAD PUT DELETE)) {
            $r = call($t, $method, "contact/$verb$c->{id}.json");
            is("$r->{status} $r->{headers}{allow}", '405 POST',
                "$method contact/$verb is refused with 405");
        }
    }
    is(call($t, 'GET', 'contact/add.json')->{status}, 405,
        'GET contact/add is refused with 405');
    is(call($t, 'POST', $_)->{status}, 405, "POST $_ is refused with 405")
        for 'contacts.json', "contact/$c->{id}.json";
} $t, 'ids and methods';

# --- update ----------------------------------------------------------------

$v = accepted(write_to('update', $c->{id}, schedule => 'while_listed'),
    'schedule');
is($v->{status_message}, 'Contact updated successfully.',
    'contact/update says that the contact is updated');
is_deeply([sort keys %$v], [qw(status_code status_message version)],
    'contact/update returns no data');
is(contact($c->{id})->{schedule}, 'while_listed',
    'contact/update changes the schedule');
is(contact($c->{id})->{contact_group}, $default,
    'an update of the schedule keeps the group');
accepted(write_to('update', $c->{id}, contact_group => "$cg[0],$cg[1]",
    contact => 'x@y.example', type => 'sms'), 'groups; the rest is unknown');
is_deeply(contact($c->{id}), { %$c, schedule => 'while_listed',
    contact_group => "$cg[0],$cg[1]" }, 'only fields that can be changed');
unchanged {
    for my $bad ('', 'x', 'every_check,while_listed') {
        refused(write_to('update', $c->{id}, schedule => $bad), 400,
            qr/^Invalid schedule value/,
            "an update with schedule '$bad' is refused");
    }
    for my $bad ('', ',', 'x', $foreign, "$cg[0],$foreign", "$cg[0],") {
        refused(write_to('update', $c->{id}, contact_group => $bad,
            schedule => 'every_check'), 400,
            qr/^Invalid contact_group value/,
            "an update with contact_group '$bad' is refused");
    }
    refused(write_to('update', 'x', schedule => ''), 400, qr/schedule/,
        'a bad field comes before an id');
    accepted(write_to('update', $c->{id}),
        'an update without fields is accepted');
} $t, 'bad updates';

# --- pending ---------------------------------------------------------------

unchanged {
    refused(write_to($_, $c->{id}), 409, qr/not confirmed yet/, "$_ of a "
        . 'pending one') for qw(pause resume);
    refused(write_to('confirm', $c->{id}, @$_), 400,
        qr/^No authcode value provided\. Please try again\.$/,
        'a confirmation without a code is refused')
        for [], [authcode => ''], [authcode => ' '];
    refused(write_to('confirm', $c->{id}, authcode => "a\0"), 400,
        qr/^Invalid authcode value provided/, 'a NUL is no code');
} $t, 'pending';

# --- confirm ---------------------------------------------------------------

my $wrong = qr/^Invalid authcode value provided\. Please try again\.$/;
for my $bad ('wrong', '000000', 'x' x 1000, code($c->{id}) . 'x') {
    refused(write_to('confirm', $c->{id}, authcode => $bad), 400, $wrong,
        'wrong: ' . substr $bad, 0, 7);
}
is(stored($c->{id})->{tries}, 4, 'each wrong code is counted');
is(contact($c->{id})->{status}, 'pending',
    'wrong codes leave the contact pending');
$v = accepted(write_to('confirm', $c->{id}, authcode =>
    ' ' . uc(code($c->{id})) . "\n"),
        'the code in capitals with blanks is accepted');
is($v->{status_message}, 'Contact confirmed successfully.',
    'contact/confirm says that the contact is confirmed');
is(contact($c->{id})->{status}, 'active', 'a confirmed contact is active');
unchanged {
    refused(write_to('confirm', $c->{id}, authcode => $_), 409,
        qr/confirmed already/,
        'a confirmed contact cannot be confirmed '
        . 'again') for code($c->{id}), 'wrong';
    refused(write_to('resend', $c->{id}), 409, qr/confirmed already/,
        'a confirmed contact gets no new code');
} $t, 'confirmed';

# --- pause, resume ---------------------------------------------------------

for (['pause', 'paused'], ['pause', 'paused'], ['resume', 'active'],
    ['resume', 'active'])
{
    my ($verb, $status) = @$_;
    $v = accepted(write_to($verb, $c->{id}),
        "contact/$verb is accepted");
    is($v->{status_message}, "Contact ${verb}d successfully.",
        "contact/$verb says that the contact is ${verb}d");
    is(contact($c->{id})->{status}, $status,
        "the contact is $status after $verb");
}
accepted(write_to('pause', $c->{id}), 'an active contact can be paused');
unchanged {
    refused(write_to('confirm', $c->{id}, authcode => 'a'), 409,
        qr/confirmed already/, 'a paused one is confirmed');
    refused(write_to('resend', $c->{id}), 409, qr/confirmed already/,
        'a paused contact gets no new code');
} $t, 'paused';

# --- five wrong codes, and a new one ----------------------------------------

my $d = add(contact => 'd@example.com');
my $old = code($d->{id});
refused(write_to('confirm', $d->{id}, authcode => "wrong$_"), 400, $wrong,
    "wrong code number $_ is refused") for 1 .. 5;
unchanged {
    refused(write_to('confirm', $d->{id}, authcode => $_), 409,
        qr/^Too many wrong codes\./,
        'a contact with too many wrong codes is locked') for $old, 'wrong';
} $t, 'locked';
$v = accepted(write_to('resend', $d->{id}),
    'a resend just after the add is accepted');
is($v->{status_message}, 'Confirmation sent successfully.',
    'contact/resend says that the confirmation is sent');
my $new = code($d->{id});
isnt($new, $old, 'contact/resend makes a new code');
unchanged {
    $r = write_to('resend', $d->{id});
    refused($r, 429, qr/less than a minute/,
        'a second resend within a minute is refused');
    like($r->{headers}{'retry-after'}, qr/^(?:5[0-9]|60)$/,
        'the refused resend has a Retry-After of a minute');
} $t, 'too soon';
refused(write_to('confirm', $d->{id}, authcode => $old), 400, $wrong,
    'the old code is not valid');
set($d->{id}, sent => stored($d->{id})->{sent} - 60_000);
accepted(write_to('resend', $d->{id}), 'a resend is accepted after a minute');
set($d->{id}, until => 1);
refused(write_to('confirm', $d->{id}, authcode => code($d->{id})), 400, $wrong,
    'an expired code is refused');
set($d->{id}, sent => 0);
accepted(write_to('resend', $d->{id}),
    'a contact with an expired code gets another one');
accepted(write_to('confirm', $d->{id}, authcode => code($d->{id})),
    'a code confirms the contact before it expires');

# --- delete ----------------------------------------------------------------

my $total = json(ask('GET', 'contacts.json'))->{total_contacts};
$v = accepted(write_to('delete', $c->{id}), 'delete');
is($v->{status_message}, 'Contact deleted successfully.',
    'contact/delete says that the contact is deleted');
refused(ask('GET', "contact/$c->{id}.json"), 404, qr/contact id/,
    'a deleted contact is not found');
refused(write_to('delete', $c->{id}), 404, qr/contact id/,
    'a contact cannot be deleted twice');
is(json(ask('GET', 'contacts.json'))->{total_contacts}, $total - 1,
    'the list counts one contact less');

# --- pages -----------------------------------------------------------------

for my $again (0, 1) {
    my @seen;
    my $n = $total - 1;
    my $pages = int(($n + 4) / 5);
    for my $page (1 .. $pages) {
        $v = accepted(ask('GET', "contacts.json?page_size=5&page=$page"),
            "page $page of contacts is served");
        is_deeply([@$v{qw(page total_pages page_size total_contacts)}],
            [$page, $pages, 5, $n], "page $page has the right counters");
        push @seen, map { $_->{id} } @{ $v->{data} };
    }
    is_deeply(\@seen, redis($redis, 'ZRANGE', redis_key('contacts', $ac), 0,
        -1), 'the pages have all contacts sorted by creation');
}
is_deeply(json(ask('GET', 'contacts.json?page=99'))->{data}, [],
    'a page past the end is empty');
refused(ask('GET', "contacts.json?$_"), 400, qr/page/,
    "contacts.json?$_ is refused")
    for 'page=0', 'page_size=x';

# --- adding an address again gives no more codes ------------------------------

my $outbox = 'rbl:{' . partition_of($ac) . '}:outbox';
my $once;
$once = add(contact => 'victim@example.com') for 1 .. 5;
my $codes = redis($redis, 'XLEN', $outbox);
for my $try (1 .. 3) {
    $r = ask('POST', 'contact/add.json', form => [contact =>
        'victim@example.com', type => 'email', schedule => 'every_check']);
    refused($r, 429, qr/within the hour/,
        "attempt $try to add the address again is refused");
    like($r->{headers}{'retry-after'}, qr/^3[56]\d\d$/,
        'the refused add has a Retry-After of an hour');
    accepted(write_to('delete', $once->{id}),
        'the contact can be deleted') if $try == 1;
}
is(redis($redis, 'XLEN', $outbox), $codes,
    'the refused adds send no confirmation');

# --- the plan's limit --------------------------------------------------------

my $few = make_account($redis, name => 'Few');
my $acct = record('account', redis($redis, 'GET',
    redis_key('acct', $few->{sid})));
redis($redis, 'SET', redis_key('acct', $few->{sid}), record_pack('account',
    %$acct, max_contacts => 1));
forget($t, $few->{sid});
{
    local $t->{acct} = $few;
    add();
    refused(ask('POST', 'contact/add.json', form => { contact => 'a@b.example',
        type => 'email', schedule => 'every_check' }), 409,
        qr/^The plan allows at most 1 contacts\.$/,
        "a contact beyond the plan's limit is refused");

    # and the account's limit

    redis($redis, 'SET', redis_key('acct', $few->{sid}), record_pack('account',
        %$acct, max_contacts => 0));
    forget($t, $few->{sid});
    redis($redis, 'ZADD', redis_key('contacts', $few->{sid}), map { ($_,
        sprintf 'CO%032x', $_) } 2 .. 1000);
    refused(ask('POST', 'contact/add.json', form => { contact => 'a@b.example',
        type => 'email', schedule => 'every_check' }), 409,
        qr/^An account may have at most 1000 contacts\.$/,
        "a contact beyond the account's limit is refused");

    # and more memberships in groups

    redis($redis, 'ZREMRANGEBYSCORE', redis_key('contacts', $few->{sid}), 2,
        1000);
    redis($redis, 'HSET', redis_key('refs', $few->{sid}), 'c', 10_000);
    refused(ask('POST', 'contact/add.json', form => { contact => 'a@b.example',
        type => 'email', schedule => 'every_check' }), 409,
        qr/^The contacts of an account .* at most 10000 contact groups together/,
        'a contact beyond the limit of memberships is refused');
}

# --- no codes in responses and logs ------------------------------------------

cmp_ok(scalar keys %codes, '>', 4, 'codes were sent');
my $log = read_file($t->{nginx}{error_log}) . join '', map { read_file($_) }
    glob "$t->{nginx}{dir}/*.log $t->{nginx}{dir}/logs/*";
cmp_ok(length $log, '>', 0, 'there are logs');
for my $code (keys %codes) {
    is(scalar(grep { /\Q$code\E/i } @answers), 0, 'a code is in no answer');
    unlike($log, qr/\Q$code\E/i, 'a code is in no log');
}

# every letter is used, and no other character; in one of 4,000 runs 60 codes
# lack one

my ($letters, %letter) = ('23456789abcdefghjkmnpqrstuvwxyz');
for (1 .. 600) {
    $letter{$_}++ for split //, code(add()->{id});
    last if $_ >= 60 && keys %letter >= length $letters;
}
is(join('', sort keys %letter), $letters,
    'codes use all allowed letters and no other');

done_testing();
