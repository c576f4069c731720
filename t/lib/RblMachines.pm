package RblMachines;

# Machines of a network, in namespaces, that run the commands of a manual page.
#
#     use RblMachines;                  # before the servers of RblTest
#     RblMachines::enter();             # runs this program again, see below
#     my $lan = start_machines(3);      # 10.0.0.1, 10.0.0.2, 10.0.0.3
#     my $page = page_blocks('rbl-availability.7');
#     run_section($lan, $page, 'SENTINELS', 'Servers');
#     my $out = on($lan, 2, 'redis-cli ROLE');
#
# A machine sees the files of this one, and those of `make install`.  It has its
# own processes, network and host name, and keeps the files that it writes in
# memory.  Its systemctl, apt-get, ssh and redis-cli are in t/lib/machine.
#
# enter() gives this program a network and mounts of its own, in which the
# machines and the bridge between them vanish at its end.  It skips the test
# where this is impossible.
#
#   on($lan, N, TEXT): runs lines in the shell of machine N and returns their
#       output.  The shell stays: it keeps variables and functions.  A line that
#       fails is the end of the test.
#   tries($lan, N, TEXT): the same in a shell of its own; {status, out}
#   page_blocks(PAGE): the literal displays: [{section, part, on, text}]; `on`
#       is the rest of their first line if it is "# on ...", or undef
#   run_section($lan, $page, SECTION, PART, which => N): runs the blocks of a
#       part of the page.  `which` is the machine of blocks that do not say the
#       address of one.  only => sub: chooses blocks.  at => [N...]: leaves
#       out other machines.
#   blocks_left($page): headings of blocks with `on` that were not run
#   cut_machine($lan, N), join_machine($lan, N): pulls and plugs its cable
#   kill_machine($lan, N): ends all its processes at once
#   boot_machine($lan, N, UNITS...): starts it with the disk that it had, and
#       these units
#   stop_machines($lan)

use strict;
use warnings;

use Exporter 'import';
use IPC::Open2 qw(open2);
use RblTest;
use Time::HiRes qw(time);

our @EXPORT = qw(start_machines page_blocks run_section change_password on tries
    blocks_left cut_machine join_machine kill_machine boot_machine stop_machines);

use constant MARK  => 'RBL_MACHINES';
use constant LIMIT => 40;

my $tmpfs;

sub enter {
    return if $ENV{ +MARK };
    plan(skip_all => 'network namespaces need root') if $> != 0;
    plan(skip_all => 'nginx needs the library of a sanitizer')
        if %{ { RblTest::nginx_env() } };
    for my $package (qw(redis-server redis-sentinel)) {
        my $r = run_cmd('dpkg', '--verify', $package);
        my $there = run_cmd('dpkg-query', '-W', $package)->{status} == 0;
        plan(skip_all => "$package is not as Debian has it: $r->{out}$r->{err}")
            if !$there || $r->{out} =~ m{ /etc/redis}
    }
    my $r = run_cmd('unshare', '-m', '-n', 'true');
    plan(skip_all => "no namespaces: $r->{err}") if $r->{status} != 0;
    local $ENV{ +MARK } = 1;
    exec 'unshare', '-m', '-n', $^X, map({ "-I$_" } @INC), $0, @ARGV
        or die "unshare: $!\n";
}

# Runs a command that must succeed.
sub must {
    my $r = run_cmd(@_);
    die "@_: $r->{out}$r->{err}\n" if $r->{status} != 0;
    return $r->{out};
}

# The layer of files that all machines have, and the bridge.
sub prepare {
    $tmpfs = own_dir('machines');
    must(qw(mount -t tmpfs none), $tmpfs);
    at_stop(sub { system 'umount', '-l', $tmpfs });
    my %places = (sbindir => '/usr/sbin', datadir => '/usr/share',
        mandir => '/usr/share/man', moddir => '/usr/lib/nginx/modules',
        sysusersdir => '/usr/lib/sysusers.d', unitdir => '/lib/systemd/system',
        sysconfdir => '/etc', DESTDIR => "$tmpfs/files");
    mkdir "$tmpfs/files";
    must({ env => \%places }, 'sh', repo_dir() . '/conf/install.sh',
        build_dir(), build_dir() . '/portal', 'daemon', 'module');
    # /lib is a link.
    must('cp', '-r', "$tmpfs/files/lib", "$tmpfs/files/usr/");
    must('rm', '-r', "$tmpfs/files/lib");
    must('install', '-D', '-t', "$tmpfs/files/usr/local/bin",
        grep { !/init$/ } glob(repo_dir() . '/t/lib/machine/*'));
    must(qw(ip link set lo up));
    must(qw(ip link add lan type bridge));
    must(qw(ip addr add 10.0.0.254/24 dev lan));
    must(qw(ip link set lan up));
}

sub start_machines {
    my ($n) = @_;

    prepare() if !$tmpfs;
    my $lan = { machines => {} };
    start_machine($lan, $_) for 1 .. $n;
    return $lan;
}

sub start_machine {
    my ($lan, $n) = @_;

    my $old = $lan->{machines}{$n};
    my $d = $old ? $old->{dir} : own_dir('machine');
    my $disk = "$tmpfs/" . ($d =~ m{([^/]+)$})[0];
    if (!$old) {
        mkdir "$disk$_" for '', map { "/$_" } qw(upper work root own shared);
    }
    my $script = <<"SH";
set -e
cd $disk
mount -t overlay -o lowerdir=$tmpfs/files:/,upperdir=upper,workdir=work \\
    overlay root
mount -t proc proc root/proc
mount --rbind /dev root/dev
mount -t tmpfs -o mode=755 none root/run
mount -t tmpfs none root/tmp
for dir in root var/lib/redis var/log/redis var/log/nginx \\
    etc/nginx/modules-enabled
do
    if [ ! -e own/\$dir ]; then
        mkdir -p own/\$dir
        chown --reference=/\$dir own/\$dir
        chmod --reference=/\$dir own/\$dir
    fi
    mount --bind own/\$dir root/\$dir
done
mount --bind shared root/mnt
hostname machine$n
cp @{[ repo_dir() ]}/t/lib/machine/init root/run/init
exec chroot root /usr/bin/perl /run/init
SH
    my $m = $lan->{machines}{$n} = spawn("machine$n", { dir => $d, env => {
        PATH => '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    } }, 'unshare', qw(-m -n -p -u --fork --kill-child sh -c), $script);
    @$m{qw(n shared signal)} = ($n, "$disk/shared", 'KILL');
    wait_for { $m->{init} = first_of($m) } 10, 'a machine' or die;
    must(qw(ip link add), "m$n", qw(type veth peer name eth0 netns),
        $m->{init});
    must(qw(ip link set), "m$n", qw(master lan up));
    my @in = (enter_words($m), 'ip');
    must(@in, qw(link set lo up));
    must(@in, qw(addr add), "10.0.0.$n/24", qw(dev eth0));
    must(@in, qw(link set eth0 up));
    return $m;
}

# The first process of a machine, when it runs.
sub first_of {
    my ($m) = @_;

    my ($pid) = read_file("/proc/$m->{pid}/task/$m->{pid}/children")
        =~ /^(\d+)/ or return 0;
    return read_file("/proc/$pid/cmdline") =~ m{^/usr/bin/perl\0/run/init}
        ? $pid : 0;
}

sub enter_words {
    my ($m) = @_;

    return ('nsenter', '-t', $m->{init}, qw(-m -n -p -u -r -w), 'env', '-i',
        'HOME=/root', 'LANG=C.UTF-8', 'TERM=dumb',
        'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin');
}

# --- lines -----------------------------------------------------------------

sub shell_of {
    my ($m) = @_;

    return $m->{shell} //= do {
        my $pid = open2(my $out, my $in, enter_words($m), 'bash', '-c',
            'exec bash 2>&1');
        print {$in} <<'SH';
set -eEuo pipefail
trap 'echo "LINE THAT FAILED: $BASH_COMMAND"' ERR
cd /root
# Its exit status is the verdict: these machines reach no list.
rblctl() {
    command rblctl "$@" || [[ "$1 $?" = status\ [12] ]]
}
SH
        { pid => $pid, in => $in, out => $out, n => 0 };
    };
}

sub on {
    my ($lan, $n, $text) = @_;

    my $m = $lan->{machines}{$n};
    my $s = shell_of($m);
    my $end = "END-" . ++$s->{n};
    write_file("$m->{shared}/lines", $text);
    print { $s->{in} } "source /mnt/lines </dev/null\necho; echo $end\n";
    $s->{in}->flush;
    my ($out, $until) = ('', time + LIMIT * ($ENV{RBL_PATIENCE} // 1));
    vec(my $bits = '', fileno $s->{out}, 1) = 1;
    until ($out =~ s/\n$end\n\z//) {
        my $left = $until - time;
        my $more = $left > 0 && select(my $ready = $bits, undef, undef, $left)
            > 0 && sysread $s->{out}, $out, 65536, length $out;
        BAIL($lan, "10.0.0.$n: " . ($left > 0 ? 'a line failed'
            : 'it takes too long') . ":\n$text\n--- output:\n$out") if !$more;
    }
    return $out;
}

sub BAIL {
    my ($lan, $text) = @_;

    for my $m (values %{ $lan->{machines} }) {
        diag("--- 10.0.0.$m->{n}\n", run_cmd(enter_words($m), 'sh', '-c',
            'tail -n 8 /var/log/redis/*.log /run/units/*.log '
            . '/var/log/nginx/error.log')->{out}) if alive($m);
    }
    die "$text\n";
}

sub tries {
    my ($lan, $n, $text, %opt) = @_;

    return run_cmd(\%opt, enter_words($lan->{machines}{$n}), 'bash', '-c',
        "exec 2>&1; cd /root; [ ! -e redis.password ] || export "
        . "REDISCLI_AUTH=\$(cat redis.password)\n$text");
}

# --- the page --------------------------------------------------------------

sub page_blocks {
    my ($page) = @_;

    my ($section, $part, @blocks, $block) = ('', '');
    for (split /^/, read_file(repo_dir() . "/conf/man/$page")) {
        if (/^\.Sh (.*)/) { ($section, $part) = ($1, '') }
        elsif (/^\.Ss (.*)/) { $part = $1 }
        elsif (/^\.Bd -literal/) { $block = '' }
        elsif (/^\.Ed/) {
            my ($on) = ($block // '') =~ /\A# on (.*)\n/;
            push @blocks, { section => $section, part => $part, on => $on,
                text => $block =~ s/\\e/\\/gr };
            undef $block;
        }
        elsif (defined $block) { $block .= $_ }
    }
    return \@blocks;
}

# The lines that give a user another password, in the page's order.
sub change_password {
    my ($lan, $page) = @_;

    for (['Passwords', qr/^user=/m], ['Rights', qr/ACL LOAD/],
        ['Passwords', qr/^mv |reload nginx/m], ['Passwords', qr/#\$hash #/],
        ['Rights', qr/ACL LOAD/])
    {
        my ($part, $like) = @$_;
        run_section($lan, $page, 'UPGRADING', $part,
            only => sub { $_[0]{text} =~ $like });
    }
    return;
}

sub run_section {
    my ($lan, $page, $section, $part, %opt) = @_;

    my @blocks = grep { $_->{section} eq $section && $_->{part} eq $part }
        @$page;
    @blocks = grep { $opt{only}->($_) } @blocks if $opt{only};
    die "no blocks in $section, $part" if !@blocks;
    for my $b (@blocks) {
        my $on = $b->{on} // '';
        my @n = $on eq 'each machine' ? sort keys %{ $lan->{machines} }
            : $on =~ /10\.0\.0\.(\d)/g;
        @n = ($opt{which} // die "which machine?") if !@n;
        @n = grep { my $n = $_; grep { $_ == $n } @{ $opt{at} } } @n
            if $opt{at};
        $b->{run}++;
        for my $n (@n) {
            my $begin = time;
            on($lan, $n, $b->{text});
            note(sprintf '%5.1f s: %s, %s, on 10.0.0.%d', time - $begin,
                $section, $part, $n);
        }
    }
}

sub blocks_left {
    my ($page) = @_;

    return map { "$_->{section}, $_->{part}, on $_->{on}" }
        grep { defined $_->{on} && !$_->{run} } @$page;
}

# --- faults and the end ----------------------------------------------------

sub cut_machine  { must(qw(ip link set), "m$_[1]", 'down') }
sub join_machine { must(qw(ip link set), "m$_[1]", 'up') }

sub kill_machine {
    my ($lan, $n) = @_;

    my $m = $lan->{machines}{$n};
    kill_server($m);
    if (my $s = delete $m->{shell}) {
        close $s->{$_} for qw(in out);
        waitpid $s->{pid}, 0;
    }
    wait_for { !-e "/proc/$m->{init}" } 10, 'the end of a machine';
    run_cmd(qw(ip link del), "m$n");
}

sub boot_machine {
    my ($lan, $n, @units) = @_;

    start_machine($lan, $n);
    on($lan, $n, "systemctl start @units");
    on($lan, $n, "export REDISCLI_AUTH=\$(cat /root/redis.password)");
}

sub stop_machines {
    my ($lan) = @_;

    kill_machine($lan, $_) for keys %{ $lan->{machines} };
    $lan->{machines} = {};
}

1;
