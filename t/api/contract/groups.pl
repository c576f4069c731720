# Contact groups.

my $bad = sub { "Invalid $_[0] value provided. Please try again." };
my $said = sub { qr/^Contact group $_[0] successfully\.$/ };

[
    # --- add
    ['POST contactgroup/add', { name => ' admins ' }, 200, $said->('added'),
        keep => 'g', has => { 'data.name' => 'admins',
        'data.is_default' => 0, 'data.total_hosts' => 0,
        'data.total_contacts' => 0 }],
    ['GET contactgroup/{g}', undef, 200, 'OK', has => { '#data' => 1,
        'data.0.id' => '{g}', total_contact_groups => 2 }],
    ['GET contactgroups?page=2&page_size=1', undef, 200, 'OK', has => {
        '#data' => 1, 'data.0.id' => '{g}', total_pages => 2 }],
    (map { my $call = $_; map { [$call, $_->[0], 400, $_->[1]] }
        [{ name => '' }, qr/\bname\b/],
        [{ name => 'x' x 256 }, $bad->('name')],
        [{ name => "a\x01" }, $bad->('name')],
        [{ name => 'x', is_default => '3' }, qr/\bis_default\b/],
        [{ name => 'x', is_default => '' }, qr/\bis_default\b/] }
        'POST contactgroup/add', 'POST contactgroup/update/{g}'),
    ['POST contactgroup/add', {}, 400, qr/\bname\b/],

    # --- update
    ['POST contactgroup/update/{g}', {}, 200, $said->('updated')],
    ['POST contactgroup/update/{g}', { name => 'people' }, 200,
        $said->('updated')],
    ['GET contactgroup/{g}', undef, 200, 'OK', has => {
        'data.0.name' => 'people' }],

    # --- exactly one is default
    ['POST contactgroup/update/{dg}', { is_default => 0 }, 409, undef],
    ['POST contactgroup/update/{g}', { is_default => 1 }, 200,
        $said->('updated')],
    ['GET contactgroup/{g}', undef, 200, 'OK', has => {
        'data.0.is_default' => 1, 'data.0.name' => 'people' }],
    ['GET contactgroup/{dg}', undef, 200, 'OK', has => {
        'data.0.is_default' => 0 }],
    ['POST contactgroup/update/{dg}', { is_default => 0 }, 200,
        $said->('updated')],
    ['POST contactgroup/add', { name => 'next', is_default => 1 }, 200,
        $said->('added'), keep => 'g2', has => { 'data.is_default' => 1 }],
    ['GET contactgroup/{g}', undef, 200, 'OK', has => {
        'data.0.is_default' => 0 }],

    # The default is applied to new hosts and new contacts.
    ['POST host/add', { host => '10.40.0.1', name => 'n', type => 'rbl' },
        200, undef, keep => 'h40', has => {
        'data.0.contact_group' => '{g2}' }],
    ['POST contact/add', { contact => 'g@example.test', type => 'email',
        schedule => 'every_check' }, 200, undef, keep => 'o40', has => {
        'data.contact_group' => '{g2}' }],
    ['GET contactgroup/{g2}', undef, 200, 'OK', has => {
        'data.0.total_hosts' => 1, 'data.0.total_contacts' => 1 }],

    # --- attached to a contact or a host
    ['POST contactgroup/delete/{g2}', undef, 409, undef],
    ['POST host/update/{h40}', { contact_group => '{g}' }, 200, undef],
    ['POST contactgroup/delete/{g2}', undef, 409, undef,
        name => 'a contact'],
    ['POST contactgroup/delete/{g}', undef, 409, undef, name => 'a host'],
    ['POST contact/update/{o40}', { contact_group => '{g}' }, 200, undef],
    ['POST host/delete/{h40}', undef, 200, undef],
    ['POST contactgroup/delete/{g}', undef, 409, undef, name => 'a contact'],
    ['POST contact/delete/{o40}', undef, 200, undef],
    ['POST contactgroup/delete/{g}', undef, 200, $said->('deleted')],

    # The default is deleted: another becomes it.
    ['POST contactgroup/delete/{g2}', undef, 200, $said->('deleted')],
    ['GET contactgroups', undef, 200, 'OK', has => { '#data' => 1,
        'data.0.id' => '{dg}', 'data.0.is_default' => 1,
        total_contact_groups => 1 }],
    ['POST contactgroup/delete/{dg}', undef, 409, undef],

    # --- ids
    (map { my $id = $_; ["GET contactgroup/$id", undef, 404,
        'Invalid contact group id provided.'], map {
        ["POST contactgroup/$_/$id", undef, 404,
        'Invalid contact group id provided.'] } qw(update delete) }
        '{CG}', '{xg}', 'x', '{dp}', '{g2}'),
];
