# Checks the objects that the tables left, and deletes the last host.

[
    ['GET rblprofiles', undef, 200, 'OK', has => { total_rbl_profiles => 1,
        'data.0.id' => '{dp}', 'data.0.is_default' => 1 }],
    ['GET contactgroups', undef, 200, 'OK', has => {
        total_contact_groups => 1, 'data.0.id' => '{dg}',
        'data.0.total_contacts' => 0 }],
    ['GET rbls', undef, 200, 'OK', has => { total_rbls => 3 }],
    ['POST host/delete/{h}', undef, 200, 'Host deleted successfully.'],
    ['GET host/{h}', undef, 404, 'Invalid host id provided.'],
    ['POST host/add', { host => '10.10.10.10', name => 'again',
        type => 'rbl' }, 200, undef, name => 'it may be added again'],
];
