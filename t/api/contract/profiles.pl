# Monitoring profiles.

my $bad = sub { "Invalid $_[0] value provided. Please try again." };
my $said = sub { qr/^Profile $_[0] successfully\.$/ };

[
    # --- add
    ['POST rblprofile/add', { name => " all \t" }, 200, $said->('added'),
        keep => 'p', has => { 'data.name' => 'all', 'data.is_default' => 0,
        'data.uses_defaults' => 1, '#data.entries' => 3,
        'data.total_entries' => 3, 'data.status' => 'active' }],
    ['POST rblprofile/add', { name => 'none', entries => '' }, 200,
        $said->('added'), keep => 'p0', has => { '#data.entries' => 0,
        'data.total_entries' => 0, 'data.uses_defaults' => 0 }],
    ['POST rblprofile/add', { name => 'two', entries => '{r0},{r2}',
        is_default => 0 }, 200, $said->('added'), keep => 'p2', has => {
        '#data.entries' => 2, 'data.entries.0' => '{r0}',
        'data.entries.1' => '{r2}', 'data.uses_defaults' => 0 }],
    (map { ['POST rblprofile/add', $_->[1], 200, $said->('added'),
        name => $_->[0], keep => 'px', has => { '#data.entries' => 2 }],
        ['POST rblprofile/delete/{px}', undef, 200, $said->('deleted')] }
        ['repeated', [name => 'x', entries => '{r0}', entries => '{r1}']],
        ['brackets', [name => 'x', 'entries[]' => '{r0}',
            'entries[]' => '{r1}']],
        ['numbered', [name => 'x', 'entries[0]' => '{r0}',
            'entries[1]' => '{r1}']],
        ['a list twice is there once', [name => 'x',
            entries => '{r0},{r1},{r0}']]),
    ['GET rblprofile/{p2}', undef, 200, 'OK', has => { '#data' => 1,
        'data.0.id' => '{p2}', 'data.0.name' => 'two',
        'data.0.total_entries' => 2, total_rbl_profiles => 4 }],
    ['GET rblprofiles?page=2&page_size=3', undef, 200, 'OK', has => {
        '#data' => 1, page => 2, page_size => 3, total_pages => 2,
        total_rbl_profiles => 4, 'data.0.id' => '{p2}' }],

    # --- refused
    (map { ['POST rblprofile/add', $_->[0], 400, $_->[1]] }
        [{}, qr/\bname\b/], [{ name => '' }, qr/\bname\b/],
        [{ name => 'x' x 256 }, $bad->('name')],
        [{ name => "a\0" }, $bad->('name')],
        [{ name => 'x', is_default => 2 }, qr/\bis_default\b/],
        [{ name => 'x', is_default => '' }, qr/\bis_default\b/],
        [{ name => 'x', is_default => 'yes' }, qr/\bis_default\b/]),
    (map { my $e = $_; map { [$_, { name => 'x', entries => $e }, 400,
        $bad->('entries')] } 'POST rblprofile/add',
        'POST rblprofile/update/{p}' }
        '{RB}', '{xc}', 'x', '{dp}', '{r0},{RB}', '{r0},{r1}0'),
    (map { ['POST rblprofile/update/{p}', $_->[0], 400, $_->[1]] }
        [{ name => '' }, qr/\bname\b/], [{ name => 'x' x 256 }, qr/name/],
        [{ is_default => 'x' }, qr/\bis_default\b/]),
    ['GET rblprofile/{p}', undef, 200, 'OK', has => {
        'data.0.name' => 'all', 'data.0.uses_defaults' => 1 }],

    # --- update
    ['POST rblprofile/update/{p}', {}, 200, $said->('updated')],
    ['POST rblprofile/update/{p}', { name => 'one', entries => '{r1}' }, 200,
        $said->('updated')],
    ['GET rblprofile/{p}', undef, 200, 'OK', has => { 'data.0.name' => 'one',
        '#data.0.entries' => 1, 'data.0.entries.0' => '{r1}',
        'data.0.uses_defaults' => 0 }],
    ['POST rblprofile/update/{p}', { entries => '' }, 200,
        $said->('updated')],
    ['GET rblprofile/{p}', undef, 200, 'OK', has => { 'data.0.name' => 'one',
        '#data.0.entries' => 0 }],

    # --- exactly one is default
    ['POST rblprofile/update/{dp}', { is_default => 0 }, 409, undef],
    ['POST rblprofile/update/{p2}', { is_default => 1 }, 200,
        $said->('updated')],
    ['GET rblprofile/{p2}', undef, 200, 'OK', has => {
        'data.0.is_default' => 1 }],
    ['GET rblprofile/{dp}', undef, 200, 'OK', has => {
        'data.0.is_default' => 0 }],
    ['POST rblprofile/update/{dp}', { is_default => 'false' }, 200,
        $said->('updated'), name => 'it is none'],
    ['POST host/add', { host => '10.30.0.1', name => 'n', type => 'rbl' },
        200, undef, keep => 'h30', has => {
        'data.0.rbl_profile' => '{p2}' }, name => 'applied to new hosts'],
    ['POST rblprofile/add', { name => 'new', is_default => 'true' }, 200,
        $said->('added'), keep => 'p3', has => { 'data.is_default' => 1 }],
    ['GET rblprofile/{p2}', undef, 200, 'OK', has => {
        'data.0.is_default' => 0 }],

    # --- attached to a host
    ['POST rblprofile/delete/{p2}', undef, 409, undef],
    ['POST host/update/{h30}', { rbl_profile => '{p}' }, 200, undef],
    ['POST rblprofile/delete/{p2}', undef, 200, $said->('deleted')],
    ['POST rblprofile/delete/{p}', undef, 409, undef],
    ['POST host/delete/{h30}', undef, 200, undef],
    ['POST rblprofile/delete/{p}', undef, 200, $said->('deleted')],

    # The default is deleted: another becomes it.
    ['POST rblprofile/delete/{p3}', undef, 200, $said->('deleted')],
    sub {
        my ($p) = @_;
        my $r = RblTest::http($p->{nginx}, 'GET', '/3.0/rblprofiles',
            auth => $p->{acct}{''});
        my @default = eval { grep { $_->{is_default} }
            @{ RblTest::json($r)->{data} } };
        RblTest::is(scalar @default, 1, "[$p->{pass}] one is default again");
        # later tables want to know which
        return ['POST rblprofile/update/{dp}', { is_default => 1 }, 200,
            undef], ['GET rblprofile/{dp}', undef, 200, 'OK', has => {
            'data.0.is_default' => 1 }];
    },

    # --- ids
    (map { my $id = $_; ["GET rblprofile/$id", undef, 404,
        'Invalid profile id provided.'], map { ["POST rblprofile/$_/$id",
        undef, 404, 'Invalid profile id provided.'] } qw(update delete) }
        '{RP}', '{xp}', 'x', '{r0}', '{p3}'),
    ['POST rblprofile/delete/{p0}', undef, 200, $said->('deleted')],
];
