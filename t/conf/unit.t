#!/usr/bin/perl

# The units as `make install` places them: systemd-analyze reports no fault and
# little exposure.  Other installed files are where the programs look for them.

use strict;
use warnings;
use RblTest;

my $root = temp_dir() . '/root';
my %places = (sbindir => '/usr/sbin', datadir => '/usr/share',
    mandir => '/usr/share/man', moddir => '/usr/lib/nginx/modules',
    sysusersdir => '/usr/lib/sysusers.d', unitdir => '/lib/systemd/system',
    sysconfdir => '/etc');

sub install {
    my ($to, %other) = @_;

    return run_cmd({ env => { DESTDIR => $to, %places, %other } }, 'sh',
        repo_dir() . '/conf/install.sh', build_dir(), build_dir() . '/portal', 'daemon',
        'module');
}

my $r = install($root);
is("$r->{status} $r->{err}", '0 ', 'make install exits with 0')
    or BAIL_OUT('no files');
my @files = $r->{out} =~ /^  PUT  (\S+)$/mg;
is(scalar(grep { !-e "$root$_" } @files), 0,
    'make install places every file that it names');
for my $file (qw(/usr/sbin/rbl-checkd /usr/sbin/rblctl
    /usr/lib/nginx/modules/ngx_rbl_module.so /usr/share/man/man8/rblctl.8
    /usr/share/man/man5/ngx_rbl.5 /usr/share/man/man7/rbl-operations.7
    /etc/rbl-checkd/rbl-checkd.conf /usr/share/rbl-checkd/redis-rbl.acl
    /usr/share/ngx_rbl/portal/index.html /usr/share/ngx_rbl/nginx-portal.conf
    /usr/share/rbl-checkd/lists.json /etc/rbl-checkd/plans.json
    /usr/share/rbl-checkd/setup.sh /usr/share/rbl-checkd/backup.sh
    /usr/share/ngx_rbl/sites.sh /lib/systemd/system/rbl-backup.timer
    /usr/share/doc/rbl-checkd/examples/gateway.py
    /etc/logrotate.d/rbl-checkd))
{
    ok(-s "$root$file", "make install places $file");
}
is(run_cmd("$root/usr/sbin/rbl-checkd", '-t', '-c',
    "$root/etc/rbl-checkd/rbl-checkd.conf")->{status}, 0,
    'the installed configuration is valid');

is(run_cmd("$root/usr/sbin/rblctl", 'plan', 'list', '--file',
    "$root/etc/rbl-checkd/plans.json")->{status}, 0,
    'the installed file of plans is valid');

write_file("$root/etc/rbl-checkd/rbl-checkd.conf", "log syslog\n");
install($root);
is(read_file("$root/etc/rbl-checkd/rbl-checkd.conf"), "log syslog\n",
    'a second installation keeps the configuration');

# Another prefix: every path follows.

$r = install("$root-local", sbindir => '/opt/rbl/sbin',
    datadir => '/opt/rbl/share', sysconfdir => '/opt/rbl/etc',
    unitdir => '/opt/rbl/units');
is($r->{status}, 0, 'make install accepts another prefix');
my $unit = read_file("$root-local/opt/rbl/units/rbl-checkd.service");
like($unit, qr{^ExecStart=/opt/rbl/sbin/rbl-checkd -c /opt/rbl/etc/rbl-checkd/}m,
    'the unit starts the program of the prefix');
unlike($unit, qr{/usr/sbin/rbl|/etc/rbl-checkd/(?<!/opt/rbl/etc/rbl-checkd/)},
    'the unit names no path outside the prefix');
like($unit, qr/^RestrictAddressFamilies=.*\bAF_NETLINK\b/m,
    'the daemon may read which addresses are its own');

# Several daemons: the same unit, another configuration.

my $many = read_file("$root/lib/systemd/system/rbl-checkd@.service");
$unit = read_file("$root/lib/systemd/system/rbl-checkd.service");
is(scalar(() = $many =~ m{ -c /etc/rbl-checkd/%i\.conf$}mg), 3,
    'the unit of several daemons names the file of each');
$many =~ s/%i\.conf/rbl-checkd.conf/g;
$many =~ s/ \(%i\)$//m;
is($many, $unit, 'the unit of several daemons is the same otherwise');

SKIP: {
    skip 'systemd-analyze is not here', 4
        if run_cmd('sh', '-c', 'command -v systemd-analyze')->{status};

    # systemd-analyze needs the programs where the unit expects them.
    my @units = map { "$root/lib/systemd/system/$_" }
        qw(rbl-checkd.service rbl-checkd@x.service rbl-unbound.service
        rbl-backup.service rbl-backup.timer);
    write_file("$root/lib/systemd/system/rbl-checkd\@x.service",
        read_file("$root/lib/systemd/system/rbl-checkd@.service"));
    for my $file (@units) {
        my $text = read_file($file);
        $text =~ s{(?<==)\+?\K/usr/sbin/(?=rbl)}{$root/usr/sbin/}g;
        $text =~ s{/usr/sbin/unbound(?:-checkconf)?}{/bin/true}g;
        write_file($file, $text);
        my $r = run_cmd({ env => { SYSTEMD_LOG_LEVEL => 'notice' } },
            'systemd-analyze', 'verify', '--man=no', $file);
        my $said = join "\n", grep { m{\Q$root\E|rbl-} }
            split /\n/, $r->{out} . $r->{err};
        is($said, '', "systemd-analyze verify: $file");
    }

    $r = run_cmd('systemd-analyze', 'security', '--offline=true', '--no-pager',
        "$root/lib/systemd/system/rbl-checkd.service");
    my ($score) = $r->{out} =~ /exposure level for \S+: ([\d.]+)/;
    cmp_ok($score // 10, '<', 1.5,
        'systemd-analyze reports an exposure below 1.5');
    my ($told) = read_file(repo_dir() . '/conf/man/rbl-operations.7')
        =~ /Ql systemd-analyze security\n[^0-9]*([\d.]+\d)/;
    is($told, $score, 'rbl-operations(7) has the same number');
}

# The unit's user is created, and owns the rotated files.

my ($user) = $unit =~ /^User=(\S+)$/m;
like(read_file("$root/usr/lib/sysusers.d/rbl-checkd.conf"), qr/^u $user /m,
    'the user of the unit is created');
like(read_file("$root/etc/logrotate.d/rbl-checkd"), qr/^    su $user $user$/m,
    'logrotate uses the user of the unit');

done_testing();
