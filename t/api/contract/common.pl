# Rules of every call: paging, credentials, the plan, methods, bodies.

my @lists = qw(hosts listings rblprofiles rbls contacts contactgroups);
my %kind = (host => 'HT', rblprofile => 'RP', rbl => 'RB', contact => 'CO',
    contactgroup => 'CG', check => 'PP');

# Every call, with an unknown id.
my @calls = map { my $d = $_;
    my ($path) = $d->{at} =~ m{^/3\.0/(.*)\.\{format\}$};
    my ($family) = $path =~ /^(\w+?)s?(?:\/|$)/;
    $path =~ s/\{id\}/{$kind{$family}}/;
    [$d->{method}, $path, $family, $d];
} grep { $_->{at} eq $_->{of} } RblJudge::described();

my $app = sub { ['POST host/add', undef, $_[0], $_[1],
    raw => { body => $_[2], type => $_[3] }, name => $_[4]] };

my $form = 'application/x-www-form-urlencoded';
my $long = 'host=10.50.0.3&name=n&type=rbl&x=' . 'x' x 70_000;

[
    # --- paging
    (map { my $list = $_;
        ["GET $list?page=1&page_size=7", undef, 200, 'OK', has => {
            page => 1, page_size => 7 }],
        ["GET $list", undef, 200, 'OK', has => { page => 1,
            page_size => 20 }],
        ["GET $list?page_size=1000", undef, 200, 'OK', has => {
            page_size => 1000 }],
        ["GET $list?page_size=1001", undef, 200, 'OK', has => {
            page_size => 1000 }],
        ["GET $list?page=999999", undef, 200, 'OK', has => {
            page => 999999, '#data' => 0 }],
        (map { my $field = $_; map { ["GET $list?$field=$_", undef, 400,
            "Invalid $field value provided. Please try again."] }
            '0', '-1', '1.5', 'x', '', '%2B1', '1%00', '0x1' }
            qw(page page_size)),
    } @lists),

    # --- credentials
    (map { my ($method, $path) = @$_;
        (map { ["$method $path", undef, 401, 'Invalid credentials.',
            as => $_, headers => { 'www-authenticate' =>
            qr/^Basic realm="[^"]+"$/ }] } 'nobody', 'wrong') } @calls),
    ['GET listings.nagios', undef, 401, 'UNKNOWN - Invalid credentials.',
        as => 'nobody'],
    ['GET listings.zabbix', undef, 401, '-1', as => 'wrong'],
    sub { my $a = $_[0]{acct}{''};
        ['GET hosts', undef, 200, 'OK', name => 'the SID in upper case',
            raw => { auth => ['AC' . uc substr($a->{sid}, 2),
                $a->{token}] }],
        ['GET hosts', undef, 401, 'Invalid credentials.',
            name => 'the token in upper case',
            raw => { auth => [$a->{sid}, uc $a->{token}] }] },

    # --- the plan comes before the id
    (map { my ($method, $path, $family) = @$_;
        ["$method $path", undef, 403, undef, as => 'free'],
        ["$method " . $path =~ s/\{\w+\}/x/r, undef, 403, undef,
            as => 'free'] }
        grep { $_->[2] =~ /^rbl/ } @calls),
    (map { ["GET $_", undef, 200, 'OK', as => 'free'] }
        qw(hosts listings contacts contactgroups acls)),

    # --- methods
    (map { my ($method, $path) = @$_;
        my $allow = $method eq 'GET' ? 'GET, HEAD' : 'POST';
        # "host/add" is not the host "add"
        map { ["$_ $path", undef, 405, undef, headers => {
            allow => $allow }] } grep { $_ ne $method }
            qw(GET POST PUT DELETE) } @calls),

    # --- bodies
    $app->(200, 'Host added successfully.',
        '{"host":"10.50.0.1","name":"j","type":"rbl"}', 'application/json',
        'a JSON object'),
    $app->(200, 'Host added successfully.',
        'host=10.50.0.2&name=a+b%20c&type=rbl', undef, 'no type'),
    $app->(200, 'Host added successfully.', substr($long, 0, 65_536), $form,
        '65536 bytes'),
    $app->(413, undef, substr($long, 0, 65_537), $form, 'one byte more'),
    $app->(400, undef, '["x"]', 'application/json', 'no object'),
    $app->(415, undef, 'x', 'text/plain', 'another type'),
    $app->(400, 'Invalid host value provided. Please try again.',
        'host=1&host=x&name=n&type=rbl', undef, 'the last counts'),
    (map { my ($method, $path) = @$_; ["POST $path", undef, 415, undef,
        raw => { body => 'x', type => 'text/plain' }] }
        grep { $_->[0] eq 'POST' } @calls),

    # --- unknown paths
    (map { ["GET $_", undef, 404, undef] } 'x', 'hosts/x', 'host/x/y',
        'acl', 'rblprofiles/x', 'rbls/x', 'contacts/x', 'host/pause/x/y'),

    # --- a suspended account
    sub {
        my ($p) = @_;
        my $r = RblTest::rblctl($p->{redis}, 'account', 'suspend',
            $p->{acct}{other}{sid});
        RblTest::is($r->{status}, 0, "[$p->{pass}] account suspend");
        return;
    },
    (map { ["$_->[0] $_->[1]", undef, 403, undef, as => 'other'] } @calls),
];
