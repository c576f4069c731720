package RblWhole;

# The whole system: the world of RblCheckd.pm, with nginx, a daemon, and a
# contact that was added and confirmed over HTTP.
#
#     my $w = whole_system(zones => { $zone => { data => ... } },
#         conf => { digest_window => '2s' });
#
# With direct => 1 the daemon queries the server of the lists without a resolver.
# $w also has nginx, hook (the contact's receiver) and contact (its id).

use strict;
use warnings;

use Exporter 'import';
use RblCheckd 'world';
use RblTest;

our @EXPORT = qw(whole_system get post told checked);

my $w;

sub whole_system {
    my (%o) = @_;

    # Without a test point the end of a listing takes a day.
    $w = world(zones => { map { $_ => { control => 'ip', %{ $o{zones}{$_} } } }
        keys %{ $o{zones} } });
    for my $zone ($o{direct} ? sort keys %{ $o{zones} } : ()) {
        is(rblctl($w->{redis}, 'lists', 'override', $zone, '--server',
            "127.0.0.1\@$w->{dns}{port}")->{status}, 0,
            "the list $zone has a server");
    }
    $w->{nginx} = start_nginx(store => $w->{redis});
    start_checkd(store => $w->{redis}, resolver => $w->{dns}, conf => {
        $o{direct} ? (lookup => 'direct') : (), dns_timeout => '500ms',
        check_timeout => '3s', deliver_http => 'on',
        deliver_allow => '127.0.0.0/8', %{ $o{conf} // {} } });

    $w->{hook} = start_receiver();
    $w->{contact} = post('/3.0/contact/add.json', { type => 'endpoint',
        contact => $w->{hook}{url}, schedule => 'start_and_end' })->{data}{id};
    wait_for { received($w->{hook}) == 1 } 15, 'the code';
    is(post("/3.0/contact/confirm/$w->{contact}.json",
        { authcode => (told())[0]{authcode} })->{status_code}, 200,
        'the contact is confirmed');
    return $w;
}

sub get { return api($w->{nginx}, $w->{acct}, 'GET', @_) }
sub post { return api($w->{nginx}, $w->{acct}, 'POST', @_) }

# Messages to the contact.
sub told { return map { $_->{json} } received($w->{hook}) }

# Checks these hosts.
sub checked {
    my (@hosts) = @_;

    my @pp = map { post('/3.0/check/start.json', { host => $_ })
        ->{data}{id} } @hosts;
    wait_for { !grep { get("/3.0/check/status/$_.json")->{data}{status}
        !~ /^(?:completed|failed)$/ } @pp } 15, 'the end of the checks';
}

1;
