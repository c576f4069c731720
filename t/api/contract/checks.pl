# Checks.

my $bad = sub { "Invalid $_[0] value provided. Please try again." };

[
    ['POST host/add', { host => '192.0.2.20', name => 'n', type => 'rbl' },
        200, undef, keep => 'c'],
    ['POST check/start', { host => '{c}' }, 200, 'OK', keep => 'k', has => {
        'data.id' => qr/^PP[0-9a-f]{64}$/, 'data.host' => '192.0.2.20',
        'data.status' => qr/^(?:queued|running)$/, 'data.total_count' => 1,
        'data.rbls' => undef }],
    ['GET check/status/{k}', undef, 200, 'OK', until => 1, has => {
        'data.id' => '{k}', 'data.host_id' => '{c}',
        'data.status' => 'completed', 'data.listed' => 'false',
        'data.checked_count' => 1, 'data.total_count' => 1,
        'data.unknown_count' => 0, 'data.listed_count' => 0,
        'data.started' => qr/ UTC$/, 'data.completed' => qr/ UTC$/,
        'data.details' => undef }],
    ['POST check/start', { host => '192.0.2.10', details => 1 }, 200, 'OK',
        keep => 'k', has => { '#data.rbls' => 1,
        'data.rbls.0.host' => 'dnsbl.test', 'data.rbls.0.type' => 'rbl',
        'data.rbls.0.custom' => 0, 'data.rbls.0.id' => '{r0}' }],
    ['GET check/status/{k}?details=1', undef, 200, 'OK', until => 1, has => {
        'data.host_id' => '', 'data.status' => 'completed',
        'data.listed' => 'true', 'data.listed_count' => 1,
        '#data.details' => 1, 'data.details.0.status' => 'listed',
        'data.details.0.codes.0' => '127.0.0.2',
        'data.details.0.host' => 'dnsbl.test', 'data.details.0.error' => '',
        'data.details.0.reason' => 'listed, see <192.0.2.10>' }],
    ['GET check/status/{k}?details=0', undef, 200, 'OK', has => {
        'data.details' => undef }],
    ['GET check/status?id={k}&details=true', undef, 200, 'OK', has => {
        '#data.details' => 1 }],
    ['POST check/start', { host => 'Bad.EXAMPLE.', details => 'true' }, 200,
        'OK', keep => 'k', has => { 'data.host' => 'bad.example',
        '#data.rbls' => 2 }, name => 'rbl (domain) and uribl lists'],
    ['GET check/status/{k}', undef, 200, 'OK', until => 1, has => {
        'data.listed' => 'true', 'data.listed_count' => 2 }],
    ['GET hosts?page_size=1', undef, 200, 'OK', has => {
        total_listed => 0 }, name => 'one-offs make no host'],

    # a callback
    ['POST check/start', { host => '192.0.2.10', callback => '{receiver}' },
        200, 'OK', keep => 'k'],
    sub {
        my ($p) = @_;
        my ($r, $id) = ($p->{receiver}, $p->{kept}{k}{id});
        my $e;
        RblTest::wait_for(sub {
            ($e) = grep { ($_->{json}{check_sid} // '') eq $id }
                RblTest::received($r);
        }, 15, 'the callback');
        RblTest::is($e->{json}{event_type}, 'rbl.host.check.completed',
            "[$p->{pass}] the callback");
        return;
    },

    # a paused host can be checked, a range not
    ['POST host/pause/{c}', undef, 200, undef],
    ['POST check/start', { host => '{c}' }, 200, 'OK'],
    ['POST host/delete/{c}', undef, 200, undef],

    # refused
    ['POST check/start', {}, 400, qr/\bhost\b/],
    (map { ['POST check/start', { host => $_ }, 400, $bad->('host')] }
        '{HT}', '{xh}', '{c}', 'HT1', 'localhost', '10.0.0.0/24', '{dp}'),
    (map { ['POST check/start', { host => '10.0.0.1', callback => $_ }, 400,
        $bad->('callback')] } 'x', 'ftp://a.test/', 'http://u:p@a.test/'),
    (map { ['POST check/start', { host => '10.0.0.1', details => $_ }, 400,
        qr/\bdetails\b/], ["GET check/status/{PP}?details=$_", undef, 400,
        qr/\bdetails\b/] } '2', 'x', '-1', '01'),
    (map { ["GET check/status/$_", undef, 404, 'Invalid check id provided.'],
        ["GET check/status?id=$_", undef, 404, 'Invalid check id provided.'] }
        '{PP}', '{xk}', 'x', '{h}'),
    ['GET check/status', undef, 400, qr/\bid\b/],
    ['GET check/status?id=', undef, 400, qr/\bid\b/],
];
