# Hosts and listings.

my @rbl = (name => 'n', type => 'rbl');
my $bad = sub { "Invalid $_[0] value provided. Please try again." };

[
    # --- add: every kind of value
    ['POST host/add', { host => '10.10.10.10', name => "  mail \t",
        type => 'rbl' }, 200, 'Host added successfully.', keep => 'h',
        has => { '#data' => 1, 'data.0.host' => '10.10.10.10',
        'data.0.name' => 'mail', 'data.0.type' => 'rbl',
        'data.0.parent' => '', 'data.0.status' => 'active',
        'data.0.rbl_profile' => '{dp}', 'data.0.contact_group' => '{dg}',
        'data.0.listed' => '0', 'data.0.listed_count' => '0',
        '#data.0.listed_details' => 0, 'data.0.first_listed' => '',
        'data.0.listed_period' => '' }],
    ['GET host/{h}', undef, 200, 'OK', has => { page => 1, '#data' => 1,
        total_hosts => 1, total_pages => 1, 'data.0.id' => '{h}' }],
    ['POST host/add', { host => '10.10.10.10', @rbl }, 409,
        'The account has this host already.'],
    (map { ['POST host/add', { host => $_->[0], name => 'n',
        type => $_->[1] }, 200, 'Host added successfully.', has => {
            'data.0.host' => $_->[2], 'data.0.type' => $_->[1] }] }
        ['2001:DB8::0:1', 'rbl', '2001:db8::1'],
        ['::ffff:10.1.0.1', 'rbl', '10.1.0.1'],
        ['127.0.0.1', 'rbl', '127.0.0.1'],
        ['10.1.0.2/32', 'rbl', '10.1.0.2'],
        ['2001:db8::2/128', 'rbl', '2001:db8::2'],
        ['Mail.Example.TEST.', 'rbl', 'mail.example.test'],
        ["b\xc3\xbccher.example", 'rbl', 'xn--bcher-kva.example'],
        ['_dmarc.example.test', 'rbl', '_dmarc.example.test'],
        ['mail.example.test', 'uribl', 'mail.example.test']),
    ['POST host/add', { host => '10.2.0.0/30', @rbl }, 200,
        'Hosts added successfully.', has => { '#data' => 4,
        'data.3.host' => '10.2.0.3', 'data.3.parent' => '' }],
    ['POST host/add', { host => '10.2.0.0/29', @rbl }, 200,
        'Hosts added successfully.', has => { '#data' => 4,
        'data.0.host' => '10.2.0.4' }, name => 'those that are new'],
    ['POST host/add', { host => '10.2.0.0/29', @rbl }, 409,
        'The account has this host already.', name => 'none is new'],

    # --- add: refusals
    (map { ['POST host/add', $_->[0], 400, $_->[1]] }
        [{}, qr/\bhost\b/],
        [{ @rbl }, qr/\bhost\b/],
        [{ host => '', @rbl }, qr/\bhost\b/],
        [{ host => '10.3.0.1', type => 'rbl' }, qr/\bname\b/],
        [{ host => '10.3.0.1', type => 'rbl', name => ' ' }, qr/\bname\b/],
        [{ host => '10.3.0.1', name => 'n' }, qr/\btype\b/],
        [{ host => '10.3.0.1', name => 'n', type => 'x' }, $bad->('type')],
        [{ host => '10.3.0.1', name => 'n', type => 'RBL' }, $bad->('type')],
        [{ host => '10.3.0.1', name => 'x' x 256, type => 'rbl' },
            $bad->('name')],
        [{ host => '10.3.0', @rbl }, $bad->('host')],
        [{ host => 'localhost', @rbl }, $bad->('host')],
        [{ host => '10.3.0.1', name => 'n', type => 'uribl' },
            $bad->('host')],
        [{ host => '10.3.0.0/24', name => 'n', type => 'uribl' },
            $bad->('host')],
        [{ host => '10.3.0.1', name => 'n', type => 'ip_range' },
            qr/host.*subnet/],
        [{ host => '10.3.0.1/32', name => 'n', type => 'ip_range' },
            qr/host.*subnet/],
        [{ host => '10.3.0.1/24', @rbl }, qr{host.*10\.3\.0\.0/24}],
        [{ host => '10.0.0.0/21', @rbl }, qr/host.*1024/],
        [{ host => '2001:db8::/117', @rbl }, qr/host.*1024/],
        [{ host => '10.0.0.0/21', name => 'n', type => 'ip_range' },
            qr/host.*1024/],
        [{ host => "10.3.0.1\0", @rbl }, $bad->('host')],
        [{ host => '10.3.0.1', name => "a\x01", type => 'rbl' },
            $bad->('name')]),
    # unknown, malformed, of another account: one text
    (map { my ($field, @ids) = @$_; map { ['POST host/add', {
        host => '10.3.0.1', @rbl, $field => $_ }, 400, $bad->($field)],
        ['POST host/update/{h}', { $field => $_ }, 400, $bad->($field)] }
        @ids }
        ['rbl_profile', '{RP}', '{xp}', 'x', '{h}'],
        ['contact_group', '{CG}', '{xg}', 'x', '{h}']),
    ['POST host/add', { host => '10.3.0.2', @rbl, rbl_profile => '',
        contact_group => '' }, 200, 'Host added successfully.',
        name => 'empty is as absent', has => {
        'data.0.rbl_profile' => '{dp}', 'data.0.contact_group' => '{dg}' }],
    ['GET host/{h}', undef, 200, 'OK'],

    # --- a range
    ['POST host/add', { host => '10.4.0.1', @rbl }, 200, undef],
    ['POST host/add', { host => '10.4.0.0/30', name => 'net',
        type => 'ip_range' }, 200, 'Hosts added successfully.', keep => 'n',
        has => { '#data' => 4, 'data.0.type' => 'ip_range',
        'data.0.host' => '10.4.0.0/30', 'data.0.parent' => '',
        'data.1.type' => 'rbl', 'data.1.host' => '10.4.0.0',
        'data.1.name' => 'net 10.4.0.0', 'data.2.host' => '10.4.0.2' },
        name => 'an address that is there already is skipped'],
    ['GET host/{n1}', undef, 200, 'OK', has => { 'data.0.parent' => '{n}' }],
    ['POST host/add', { host => '10.4.0.0/30', name => 'net',
        type => 'ip_range' }, 409, 'The account has this host already.'],
    ['POST contactgroup/add', { name => 'of the range' }, 200, undef,
        keep => 'ng'],
    ['POST host/update/{n}', { name => 'lan', contact_group => '{ng}' }, 200,
        'Host updated successfully.'],
    ['GET host/{n2}', undef, 200, 'OK', has => {
        'data.0.name' => 'lan 10.4.0.2', 'data.0.contact_group' => '{ng}' }],
    ['POST host/pause/{n}', undef, 200, 'Host paused successfully.'],
    ['GET host/{n2}', undef, 200, 'OK', has => {
        'data.0.status' => 'paused' }],
    ['POST host/resume/{n}', undef, 200, 'Host resumed successfully.'],
    ['GET host/{n2}', undef, 200, 'OK', has => {
        'data.0.status' => 'active' }],
    ['POST host/delete/{n}', undef, 200, 'Host deleted successfully.'],
    ['GET host/{n2}', undef, 404, 'Invalid host id provided.'],
    ['POST contactgroup/delete/{ng}', undef, 200, undef,
        name => 'no host uses it'],
    ['POST host/add', { host => '10.64.0.0/22', name => 'big',
        type => 'ip_range' }, 200, 'Hosts added successfully.', keep => 'b',
        has => { '#data' => 1025 }, only => 'json'],
    ['POST host/delete/{b}', undef, 200, undef, only => 'json'],

    # --- update
    ['POST host/update/{h}', { name => " new \xe2\x82\xac name " }, 200,
        'Host updated successfully.'],
    ['GET host/{h}', undef, 200, 'OK', has => {
        'data.0.name' => "new \x{20ac} name" }],
    ['POST host/update/{h}', {}, 200, 'Host updated successfully.',
        name => 'nothing given'],
    ['POST contactgroup/add', { name => 'second' }, 200, undef,
        keep => 'g2'],
    ['POST host/update/{h}', { contact_group => '{dg},{g2}' }, 200, undef],
    ['GET host/{h}', undef, 200, 'OK', has => {
        'data.0.contact_group' => '{dg},{g2}' }],
    ['POST host/update/{h}', [map { ("contact_group[$_]",
        ('{g2}', '{dg}')[$_]) } 0, 1], 200, undef],
    ['GET host/{h}', undef, 200, 'OK', has => {
        'data.0.contact_group' => qr/^CG\w+,CG\w+$/ }],
    ['POST host/update/{h}', { host => '10.9.9.9', type => 'uribl' }, 200,
        undef, name => 'not modifiable: ignored'],
    ['GET host/{h}', undef, 200, 'OK', has => {
        'data.0.host' => '10.10.10.10', 'data.0.type' => 'rbl' }],
    (map { ['POST host/update/{h}', { $_ => '' }, 400, qr/\b$_\b/,
        name => "an empty $_"] } qw(name rbl_profile contact_group)),
    ['POST host/update/{h}', { contact_group => '{dg}' }, 200, undef],
    ['POST contactgroup/delete/{g2}', undef, 200, undef],

    # --- pause, resume, delete
    ['POST host/pause/{h}', undef, 200, 'Host paused successfully.'],
    ['GET host/{h}', undef, 200, 'OK', has => {
        'data.0.status' => 'paused' }],
    ['POST host/resume/{h}', undef, 200, 'Host resumed successfully.'],
    ['GET host/{h}', undef, 200, 'OK', has => {
        'data.0.status' => 'active' }],

    # --- listings
    ['POST host/add', { host => '192.0.2.10', @rbl }, 200, undef,
        keep => 'l'],
    ['GET host/{l}', undef, 200, 'OK', until => 1, has => {
        'data.0.listed' => '1', 'data.0.listed_count' => '1',
        'data.0.listed_period' => qr/^0 days 00:00:\d\d$/,
        'data.0.first_listed' => qr/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
        'data.0.listed_details.0.host' => 'dnsbl.test',
        'data.0.listed_details.0.website' => 'https://dnsbl.test/',
        'data.0.listed_details.0.details' => 'listed, see <192.0.2.10>',
        total_listed => 1 }],
    ['GET listings', undef, 200, 'OK', has => { total_listed => 1,
        total_pages => 1, '#data' => 1, 'data.0.id' => '{l}' }],
    ['GET listings.nagios', undef, 200,
        qr/^CRITICAL - 1 host listed!, \d+ hosts cannot be checked$/],
    ['GET listings.zabbix', undef, 200, '1'],
    ['POST host/pause/{l}', undef, 200, undef],
    ['GET host/{l}', undef, 200, 'OK', has => { 'data.0.listed' => '1',
        'data.0.status' => 'paused', total_listed => 0 },
        name => 'a paused host keeps its state'],
    ['GET listings', undef, 200, 'OK', has => { total_listed => 0,
        '#data' => 0 }],
    ['POST host/resume/{l}', undef, 200, undef],
    ['GET listings', undef, 200, 'OK', until => 1, has => {
        total_listed => 1, '#data' => 1 }],

    # A range is listed when one of its addresses is; listings show the address.
    ['POST host/add', { host => '192.0.2.16/30', name => 'r',
        type => 'ip_range' }, 200, undef, keep => 'lr'],
    ['GET host/{lr}', undef, 200, 'OK', until => 1, has => {
        'data.0.listed' => '1', 'data.0.listed_count' => '1' }],
    ['GET listings', undef, 200, 'OK', has => { total_listed => 2,
        '#data' => 2, 'data.1.host' => '192.0.2.17' }],
    ['GET listings.nagios', undef, 200,
        qr/^CRITICAL - 2 hosts listed!, \d+ hosts cannot be checked$/],
    ['POST host/delete/{lr}', undef, 200, undef],
    ['POST host/delete/{l}', undef, 200, 'Host deleted successfully.'],
    ['GET listings', undef, 200, 'OK', has => { total_listed => 0,
        oldest_due => 0 }],

    # A host to which no list applies is not clear.
    ['POST host/add', { host => '2001:db8::77', @rbl }, 200, undef,
        keep => 'u', has => { 'data.0.covered' => '1' }],
    ['GET host/{u}', undef, 200, 'OK', until => 1, has => {
        'data.0.covered' => '0', 'data.0.reason' => 'no list applies',
        'data.0.last_checked' => '',
        'data.0.listed' => '0', oldest_due => undef }],
    ['GET listings.nagios', undef, 200,
        qr/^OK - 0 hosts listed!, \d+ hosts cannot be checked$/],
    ['GET listings.zabbix', undef, 200, '0'],
    ['POST check/start', { host => '{u}' }, 200, 'OK', keep => 'k'],
    ['GET check/status/{k}?details=1', undef, 200, 'OK', until => 1, has => {
        'data.status' => 'failed', 'data.covered' => 0,
        'data.details_kept' => 1, '#data.details' => 0,
        'data.message' => 'No blocklist applies to this host.' }],
    ['POST host/delete/{u}', undef, 200, undef],

    # --- ids
    (map { my $id = $_; ['GET host/' . $id, undef, 404,
        'Invalid host id provided.'], map { ["POST host/$_/$id", undef, 404,
        'Invalid host id provided.'] } qw(update pause resume delete) }
        '{HT}', '{xh}', 'x', '{dp}', '{h}0', '{l}'),
    ['POST host/update/{xh}', { name => 'mine' }, 404,
        'Invalid host id provided.'],
    sub { ['GET host/HT' . uc substr($_[0]{kept}{h}{id}, 2), undef, 200, 'OK',
        name => 'upper case', has => { 'data.0.id' => '{h}' }] },
];
