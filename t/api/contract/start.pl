# The objects of a new account, and the ids that the other tables use: dp and dg
# are the default profile and group, r0 .. r2 the system lists; xp, xg, xc, xo
# and xh are a profile, a group, a list, a contact and a host of another
# account.

my %empty = (page => 1, page_size => 20, '#data' => 0);

[
    ['GET hosts', undef, 200, 'OK', has => { %empty, total_hosts => 0,
        oldest_due => 0, total_listed => 0, version => '3.6', status_code => 200 }],
    ['GET listings', undef, 200, 'OK', has => { %empty, total_hosts => 0,
        total_listed => 0 }],
    ['GET listings.nagios', undef, 200, 'OK - 0 hosts listed!'],
    ['GET listings.zabbix', undef, 200, '0'],
    ['GET contacts', undef, 200, 'OK', has => { %empty,
        total_contacts => 0 }],

    ['GET rblprofiles', undef, 200, 'OK', keep => 'dp', has => {
        total_rbl_profiles => 1, page => 1, page_size => 20,
        total_pages => 1, '#data' => 1, 'data.0.is_default' => 1,
        'data.0.status' => 'active', '#data.0.entries' => 3,
        'data.0.total_entries' => 3, 'data.0.uses_defaults' => 1 }],
    ['GET rblprofile/{dp}', undef, 200, 'OK', has => { page => 1,
        total_pages => 1, total_rbl_profiles => 1, '#data' => 1,
        'data.0.id' => '{dp}', 'data.0.is_default' => 1 }],
    ['GET contactgroups', undef, 200, 'OK', keep => 'dg', has => {
        total_contact_groups => 1, '#data' => 1, 'data.0.is_default' => 1,
        'data.0.total_hosts' => 0, 'data.0.total_contacts' => 0 }],
    ['GET contactgroup/{dg}', undef, 200, 'OK', has => {
        total_contact_groups => 1, '#data' => 1, 'data.0.id' => '{dg}' }],
    ['GET rbls', undef, 200, 'OK', keep => 'r', has => { total_rbls => 3,
        '#data' => 3, 'data.0.host' => 'dnsbl.test', 'data.0.type' => 'rbl',
        'data.0.custom' => 0, 'data.0.status' => 'active',
        'data.0.name' => 'Dnsbl', 'data.0.families.0' => 'ipv4',
        'data.0.website' => 'https://dnsbl.test/',
        'data.1.host' => 'uribl.test', 'data.1.type' => 'uribl',
        'data.2.host' => 'domains.test' }],
    ['GET rbl/{r1}', undef, 200, 'OK', has => { total_rbls => 3,
        '#data' => 1, 'data.0.id' => '{r1}', 'data.0.custom' => 0 }],
    ['GET acls', undef, 200, 'OK', until => 1, has => {
        total_acls => qr/^[1-9]\d*$/, 'data.0.ip' => qr/[.:]/,
        'data.0.host' => qr/./ }],

    # At least one must always exist.
    ['POST rblprofile/delete/{dp}', undef, 409, qr/last/i],
    ['POST contactgroup/delete/{dg}', undef, 409, qr/last/i],

    # Objects of another account.
    ['POST rblprofile/add', { name => 'x' }, 200, undef, as => 'other',
        keep => 'xp'],
    ['POST contactgroup/add', { name => 'x' }, 200, undef, as => 'other',
        keep => 'xg'],
    ['POST rbl/add', { type => 'rbl', host => 'x.list.test' }, 200, undef,
        as => 'other', keep => 'xc'],
    ['POST host/add', { host => '10.0.0.1', name => 'x', type => 'rbl' }, 200,
        undef, as => 'other', keep => 'xh'],
    ['POST contact/add', { contact => 'x@example.test', type => 'email',
        schedule => 'every_check' }, 200, undef, as => 'other',
        keep => 'xo'],
    ['POST check/start', { host => '192.0.2.99' }, 200, undef,
        as => 'other', keep => 'xk'],
];
