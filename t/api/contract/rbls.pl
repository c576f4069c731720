# RBLs.

my $bad = sub { "Invalid $_[0] value provided. Please try again." };
my $said = sub { qr/^RBL $_[0] successfully\.$/ };

[
    # --- a system list cannot be changed
    (map { ["POST rbl/$_/{r0}", undef, 403, undef] }
        qw(update pause resume delete)),
    ['POST rbl/update/{r0}', { type => 'rbl', host => 'a.list.test' }, 403,
        undef],
    ['GET rbl/{r0}', undef, 200, 'OK', has => { 'data.0.status' => 'active',
        'data.0.host' => 'dnsbl.test' }],

    # --- add
    ['POST rbl/add', { type => 'rbl', host => ' My.List.TEST. ' }, 200,
        $said->('added'), keep => 'c1', has => { 'data.type' => 'rbl',
        'data.host' => 'my.list.test', 'data.custom' => 1,
        'data.status' => 'active' }],
    ['POST rbl/add', { type => 'uribl', host => 'uri.list.test' }, 200,
        $said->('added'), keep => 'c2', has => { 'data.type' => 'uribl',
        'data.custom' => 1, 'data.families.0' => 'domain' }],
    ['GET rbl/{c1}', undef, 200, 'OK', has => { '#data' => 1,
        'data.0.id' => '{c1}', 'data.0.custom' => 1, total_rbls => 5 }],
    ['GET rbls', undef, 200, 'OK', has => { total_rbls => 5, '#data' => 5,
        'data.0.id' => '{r0}', 'data.2.custom' => 0,
        'data.3.id' => '{c1}', 'data.4.id' => '{c2}' },
        name => 'system lists first'],
    ['GET rbls?page=2&page_size=2', undef, 200, 'OK', has => { '#data' => 2,
        total_pages => 3, 'data.0.id' => '{r2}', 'data.1.id' => '{c1}' },
        name => 'a page of both'],
    ['GET rbls?page=3&page_size=2', undef, 200, 'OK', has => { '#data' => 1,
        'data.0.id' => '{c2}' }],
    ['GET rbls?page=4&page_size=2', undef, 200, 'OK', has => { '#data' => 0,
        total_rbls => 5 }],
    ['POST rbl/add', { type => 'rbl', host => 'my.list.test' }, 409,
        undef],
    (map { ['POST rbl/add', $_->[0], 400, $_->[1]] }
        [{}, qr/\b(?:type|host)\b/],
        [{ host => 'b.list.test' }, qr/\btype\b/],
        [{ type => 'rbl' }, qr/\bhost\b/],
        [{ type => 'rbl', host => '' }, qr/\bhost\b/],
        [{ type => 'ip_range', host => 'b.list.test' }, $bad->('type')],
        [{ type => 'x', host => 'b.list.test' }, $bad->('type')],
        [{ type => 'RBL', host => 'b.list.test' }, $bad->('type')],
        map { [{ type => 'rbl', host => $_ }, $bad->('host')] }
            'localhost', '10.0.0.1', 'a..b', 'http://a.test/', "a.test\0",
            'x' x 300, '2001:db8::1', 'a.test/24'),

    # --- update, pause, resume
    ['POST rbl/update/{c1}', {}, 200, $said->('updated')],
    ['POST rbl/update/{c1}', { host => 'other.list.test' }, 200,
        $said->('updated')],
    ['POST rbl/update/{c2}', { type => 'rbl' }, 200, $said->('updated')],
    ['GET rbl/{c1}', undef, 200, 'OK', has => {
        'data.0.host' => 'other.list.test', 'data.0.type' => 'rbl' }],
    ['GET rbl/{c2}', undef, 200, 'OK', has => { 'data.0.type' => 'rbl',
        'data.0.host' => 'uri.list.test' }],
    ['POST rbl/update/{c2}', { host => 'other.list.test' }, 409, undef],
    (map { ['POST rbl/update/{c1}', $_->[0], 400, $_->[1]] }
        [{ type => 'x' }, $bad->('type')], [{ type => '' }, qr/\btype\b/],
        [{ host => '' }, qr/\bhost\b/], [{ host => 'x' }, $bad->('host')]),
    ['POST rbl/pause/{c1}', undef, 200, $said->('paused')],
    ['GET rbl/{c1}', undef, 200, 'OK', has => {
        'data.0.status' => 'paused' }],
    ['POST rbl/resume/{c1}', undef, 200, $said->('resumed')],
    ['GET rbl/{c1}', undef, 200, 'OK', has => {
        'data.0.status' => 'active' }],

    # --- custom lists in profiles
    ['POST rblprofile/add', { name => 'mine', entries => '{c1},{r0}' }, 200,
        undef, keep => 'pc', has => { '#data.entries' => 2,
        'data.entries.0' => '{c1}' }],
    ['POST rbl/delete/{c1}', undef, 200, $said->('deleted')],
    ['GET rblprofile/{pc}', undef, 200, 'OK', has => {
        '#data.0.entries' => 1, 'data.0.entries.0' => '{r0}',
        'data.0.total_entries' => 1 },
        name => 'a deleted list leaves the profiles'],
    ['POST rblprofile/delete/{pc}', undef, 200, undef],
    ['POST rbl/add', { type => 'rbl', host => 'other.list.test' }, 200,
        $said->('added'), keep => 'c3', name => 'its name is free'],
    ['POST rbl/delete/{c3}', undef, 200, $said->('deleted')],
    ['POST rbl/delete/{c2}', undef, 200, $said->('deleted')],
    ['GET rbls', undef, 200, 'OK', has => { total_rbls => 3 }],

    # --- ids
    (map { my $id = $_; ["GET rbl/$id", undef, 404,
        'Invalid rbl id provided.'], map { ["POST rbl/$_/$id", undef, 404,
        'Invalid rbl id provided.'] } qw(update pause resume delete) }
        '{RB}', '{xc}', 'x', '{dp}', '{c1}'),
];
