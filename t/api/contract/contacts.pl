# Contacts.

my $bad = sub { qr/^Invalid $_[0] value provided\./ };
my $said = sub { qr/^Contact $_[0] successfully\.$/ };
my %often = (schedule => 'every_check');
my $hook = 'https://hooks.slack.com/services/T000/B000/secretsecret';
my $discord = 'https://discord.com/api/webhooks/123456789/secret-secret';
my $arn = 'arn:aws:sns:eu-west-1:123456789012:topic';
my $logs = 'arn:aws:logs:eu-west-1:123456789012:log-group:rbl';
my $key = 'AKIAIOSFODNN7EXAMPLE';
my $secret = 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY12';

# Valid and invalid values of each type.
my @types = (
    ['email', ['a@example.test', 'a.b+c@mail.example.test'],
        ['', 'a', 'a@', '@a.test', 'a@b@c.test', 'a b@c.test',
            "a\@c.test\nb", 'a@c.test,b@c.test']],
    ['sms', ['+491700000000'], ['491700000000', '+', '+12', '+49 170 1',
        '+1234567890123456', '+0123456789']],
    ['endpoint', ['https://example.test/hook?x=1', 'http://example.test/'],
        ['ftp://a.test/', 'example.test', 'https://', 'http://:p@a.test/']],
    ['pushover', ['uQiRzpo4DXghDmr9QzzfQu27cmVRsG'], ['short',
        'uQiRzpo4DXghDmr9QzzfQu27cmVRs!']],
    ['pagerduty', ['0123456789abcdef0123456789abcdef'],
        ['0123456789abcdef', '0123456789abcdef0123456789abcde!']],
    ['slack', [$hook], ['https://example.test/services/T/B/x',
        'http://hooks.slack.com/services/T/B/x', 'x']],
    ['datadog', ['0123456789abcdef0123456789abcdef',
        'datadoghq.eu,0123456789abcdef0123456789abcdef'], ['x',
        'datadoghq.eu,']],
    ['discord', [$discord], ['https://example.test/api/webhooks/1/x', 'x']],
    ['telegram', ['123456789', '-1001234567890', '@channel_name'],
        ['channel', '@', '12 34']],
    ['aws-sns', ["$arn,$key,$secret"], [$arn, "$arn,$key",
        "x,$key,$secret"]],
    ['aws-cloudwatch', ["$logs,$key,$secret"], [$logs, "x,$key,$secret"]],
);

# The code sent to the endpoint, as `code`.
my $code = sub {
    my ($p, $name) = @_;
    my $c;
    RblTest::wait_for(sub {
        ($c) = map { $_->{json}{authcode} // () } reverse
            grep { ($_->{json}{event_type} // '') eq 'contact.confirm'
            && $_->{line} =~ m{/hook\?$p->{pass}-$name } }
            RblTest::received($p->{receiver});
    }, 15, "the code for $name");
    RblTest::like($c // '', qr/^[a-hjkmnp-z2-9]{6}$/,
        "[$p->{pass}] a code of six characters");
    $p->{kept}{code} = { id => $c // 'none' };
    return;
};

[
    # --- add, each type
    (map { my ($type, $good, $wrong) = @$_;
        (map { ['POST contact/add', { contact => $_, type => $type, %often },
            200, $said->('added'), keep => 'o', has => {
            'data.type' => $type, 'data.status' => 'pending',
            'data.schedule' => 'every_check',
            'data.contact_group' => '{dg}', ($type =~ /^(?:email|sms)$/
                ? ('data.contact' => $_) : /secret|wJal/
                ? ('data.contact' => qr/^(?!.*(?:secret|wJal)).*\*\*\*\*/s)
                : ()) }],
        ['POST contact/delete/{o}', undef, 200, $said->('deleted')] } @$good),
        (map { ['POST contact/add', { contact => $_, type => $type, %often },
            400, $_ eq '' ? qr/\bcontact\b/ : $bad->('contact')] } @$wrong)
    } @types),
    (map { ['POST contact/add', $_->[0], 400, $_->[1]] }
        [{}, qr/\b(?:contact|type|schedule)\b/],
        [{ type => 'email', %often }, qr/\bcontact\b/],
        [{ contact => 'a@a.test', %often }, qr/\btype\b/],
        [{ contact => 'a@a.test', type => 'email' }, qr/\bschedule\b/],
        [{ contact => 'a@a.test', type => 'fax', %often }, $bad->('type')],
        [{ contact => 'a@a.test', type => 'email', schedule => 'x' },
            $bad->('schedule')],
        (map { [{ contact => 'a@a.test', type => 'email', %often,
            contact_group => $_ }, $bad->('contact_group')] }
            '{CG}', '{xg}', 'x', '{dg},{CG}', '{dp}')),

    # --- pending
    ['POST contact/add', { contact => ' admin@example.test ',
        type => 'email', schedule => 'start_and_end',
        contact_group => '' }, 200, $said->('added'), keep => 'm', has => {
        'data.contact' => 'admin@example.test',
        'data.schedule' => 'start_and_end', 'data.status' => 'pending',
        'data.contact_group' => '{dg}' }],
    ['GET contact/{m}', undef, 200, 'OK', has => { '#data' => 1,
        total_contacts => 1, 'data.0.id' => '{m}',
        'data.0.status' => 'pending' }],
    ['GET contacts', undef, 200, 'OK', has => { '#data' => 1,
        total_contacts => 1, 'data.0.id' => '{m}' }],
    ['POST contact/pause/{m}', undef, 409, undef],
    ['POST contact/resume/{m}', undef, 409, undef],
    ['POST contact/confirm/{m}', {}, 400, qr/\bauthcode\b/],
    ['POST contact/confirm/{m}', { authcode => '' }, 400, qr/\bauthcode\b/],
    ['POST contact/resend/{m}', undef, 200,
        'Confirmation sent successfully.', name => 'add does not count'],
    ['POST contact/resend/{m}', undef, 429, undef, headers => {
        'retry-after' => qr/^[1-9]\d?$/ }],
    (map { ['POST contact/confirm/{m}', { authcode => "aaaaa$_" }, 400,
        'Invalid authcode value provided. Please try again.'] } 2 .. 6),
    ['POST contact/confirm/{m}', { authcode => 'aaaaa7' }, 409, undef,
        name => 'five wrong tries'],

    # --- update
    ['POST contactgroup/add', { name => 'more' }, 200, undef, keep => 'gm'],
    ['POST contact/update/{m}', { schedule => 'while_listed',
        contact_group => '{gm},{dg}' }, 200, $said->('updated')],
    ['GET contact/{m}', undef, 200, 'OK', has => {
        'data.0.schedule' => 'while_listed',
        'data.0.contact_group' => qr/^CG\w+,CG\w+$/ }],
    ['POST contact/update/{m}', { type => 'sms', contact => '+491700' }, 200,
        $said->('updated'), name => 'not modifiable: ignored'],
    ['POST contact/update/{m}', {}, 200, $said->('updated')],
    ['GET contact/{m}', undef, 200, 'OK', has => { 'data.0.type' => 'email',
        'data.0.contact' => 'admin@example.test' }],
    (map { ['POST contact/update/{m}', $_->[0], 400, $_->[1]] }
        [{ schedule => '' }, qr/\bschedule\b/],
        [{ schedule => 'x' }, $bad->('schedule')],
        [{ contact_group => '' }, qr/\bcontact_group\b/],
        map { [{ contact_group => $_ }, $bad->('contact_group')] }
            '{CG}', '{xg}', 'x', '{dg},x'),
    ['POST contact/delete/{m}', undef, 200, $said->('deleted')],
    ['POST contactgroup/delete/{gm}', undef, 200, undef],

    # --- confirmed
    sub { my ($p) = @_; ['POST contact/add', {
        contact => "{receiver}?$p->{pass}-one", type => 'endpoint', %often },
        200, $said->('added'), keep => 'o' ] },
    sub { $code->($_[0], 'one') },
    ['POST contact/confirm/{o}', { authcode => 'aaaaaa' }, 400,
        'Invalid authcode value provided. Please try again.'],
    ['POST contact/confirm/{o}', { authcode => '{code}' }, 200,
        $said->('confirmed')],
    ['GET contact/{o}', undef, 200, 'OK', has => {
        'data.0.status' => 'active' }],
    ['POST contact/confirm/{o}', { authcode => '{code}' }, 409, undef],
    ['POST contact/resend/{o}', undef, 409, undef],
    ['POST contact/pause/{o}', undef, 200, $said->('paused')],
    ['GET contact/{o}', undef, 200, 'OK', has => {
        'data.0.status' => 'paused' }],
    ['POST contact/resume/{o}', undef, 200, $said->('resumed')],
    ['GET contact/{o}', undef, 200, 'OK', has => {
        'data.0.status' => 'active' }],
    ['POST contact/delete/{o}', undef, 200, $said->('deleted')],
    ['GET contacts', undef, 200, 'OK', has => { total_contacts => 0 }],

    # --- ids
    (map { my $id = $_; ["GET contact/$id", undef, 404,
        'Invalid contact id provided.'], map { ["POST contact/$_/$id",
        $_ eq 'confirm' ? { authcode => 'aaaaaa' } : undef, 404,
        'Invalid contact id provided.'] }
        qw(update pause resume resend confirm delete) }
        '{CO}', '{xo}', 'x', '{dp}', '{o}'),
];
