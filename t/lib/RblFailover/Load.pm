package RblFailover::Load;

# A process that sends requests to nginx from many connections at once, and
# records what was answered to each.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);
use JSON::XS ();
use Time::HiRes qw(time);

use RblLines ();
use RblTest::Http;
use RblTest::Process;

our @EXPORT = qw(start_load stop_load load_so_far start_register);

use constant PAUSE => 0.05;             # s of a client after a 503

my $loads = 0;

sub start_load {
    my ($nginx, %opt) = @_;

    my %conf = (clients => 10, ops => { add => 2, update => 5, read => 3 },
        rate => 0, keep => 1, limit => 10 * $RblTest::Process::PATIENCE,
        octet => 10 + ++$loads,
        port => $nginx->{port}, %opt);
    my $d = own_dir('load');
    write_file("$d/conf", JSON::XS->new->utf8->encode(\%conf));
    my $lib = abs_path(dirname(__FILE__) . '/..');
    my $s = spawn('load', { dir => $d }, $^X, "-I$lib",
        '-MRblFailover::Load', '-e', 'RblFailover::Load::run(shift)', $d);
    return started($s, sub { -s "$d/records" });
}

# One host of each account; each of its clients writes and reads its name.
sub start_register {
    my ($nginx, %opt) = @_;

    my @accounts = @{ $opt{accounts} };
    my @hosts = map {
        my $r = http($nginx, 'POST', '/3.0/host/add.json', auth => $_,
            form => { host => '198.51.100.3', name => 'first', type => 'rbl' });
        $r->{status} == 200 or die "register: $r->{raw}";
        json($r)->{data}[0]{id};
    } @accounts;
    my $clients = ($opt{clients} // 5) * @accounts;
    return start_load($nginx, ops => { update => 1, read => 1 }, %opt,
        clients => $clients, hosts => \@hosts);
}

# All records, in order of their start.
sub stop_load {
    my ($s) = @_;

    write_file("$s->{dir}/stop", '');
    wait_for { !alive($s) } 30, 'the end of the load';
    die 'the load has failed: ' . read_file($s->{log}) if $s->{status};
    return load_so_far($s);
}

sub load_so_far {
    my ($s) = @_;

    my $json = JSON::XS->new->utf8;
    my $text = read_file("$s->{dir}/records");
    return [sort { $a->{start} <=> $b->{start} } map { $json->decode($_) }
        $text =~ /^(.+)\n/mg];
}


# --- its process -----------------------------------------------------------

my ($conf, $records, @shares);

sub run {
    my ($d) = @_;

    local $SIG{PIPE} = 'IGNORE';
    $conf = JSON::XS->new->utf8->decode(read_file("$d/conf"));
    @shares = map { ($_) x $conf->{ops}{$_} } sort keys %{ $conf->{ops} };
    open $records, '>', "$d/records" or die "records: $!";
    $records->autoflush;
    print {$records} "\n";
    my $n = $conf->{clients};
    my $apart = $conf->{rate} ? $n / $conf->{rate} : 0;
    my @clients = map { client($_, time + $apart * $_ / $n) } 0 .. $n - 1;
    my $stop;
    while (1) {
        $stop ||= -e "$d/stop";
        for my $c (grep { !$_->{asked} && $_->{next} <= time } @clients) {
            send_next($c) if !$stop;
        }
        my @busy = grep { $_->{asked} } @clients;
        last if $stop && !@busy;
        for my $c (readable(@busy)) {
            my $a = RblLines::heard($c->{line}) or next;
            heard($c, $a, $apart);
        }
    }
}

sub client {
    my ($i, $next) = @_;

    my $account = $i % @{ $conf->{accounts} };
    my $host = $conf->{hosts} && { id => $conf->{hosts}[$account],
        host => '198.51.100.3' };
    return { index => $i, account => $account, next => $next, n => 0,
        hosts => [$host // ()], line => {} };
}

sub readable {
    my @busy = @_;

    my $in = '';
    vec($in, fileno $_->{line}{socket}, 1) = 1 for @busy;
    select $in, undef, undef, @busy ? 0.005 : 0.002;
    my $now = time;
    return grep {
        my $line = $_->{line};
        $line->{late} = 1 if $now > $_->{asked}{start} + $conf->{limit};
        $line->{late} || vec $in, fileno $line->{socket}, 1;
    } @busy;
}

sub send_next {
    my ($c) = @_;

    my $op = $shares[rand @shares];
    $op = 'add' if !@{ $c->{hosts} };
    my $n = ++$c->{n};
    my %r = (op => $op, account => $c->{account}, client => $c->{index});
    my $account = $conf->{accounts}[$c->{account}];
    my ($method, $path, $form) = ('POST');
    if ($op eq 'add') {
        @r{qw(host name)} = (sprintf('%d.%d.%d.%d', $conf->{octet},
            $c->{index}, $n >> 8, $n & 255), "n$c->{index}.$n");
        $path = 'host/add.json';
        $form = { host => $r{host}, name => $r{name}, type => 'rbl' };
    } else {
        my $host = $c->{hosts}[rand @{ $c->{hosts} }];
        @r{qw(id host)} = @$host{qw(id host)};
        if ($op eq 'update') {
            $r{name} = "u$c->{index}.$n";
            $path = "host/update/$r{id}.json";
            $form = { name => $r{name} };
        } elsif ($op eq 'check') {
            delete $r{id};
            $path = 'check/start.json';
            $form = { host => $r{host} };
        } else {
            ($method, $path) = ('GET', "host/$r{id}.json");
        }
    }
    my $bytes = http_head($method, "/3.0/$path", auth => $account,
        keep => $conf->{keep}, $form ? (form => $form) : ());
    $r{start} = time;
    RblLines::ask($conf, $c->{line}, { bytes => $bytes });
    $c->{asked} = \%r;
}

sub heard {
    my ($c, $answer, $apart) = @_;

    my ($r, $line) = (delete $c->{asked}, $c->{line});
    $r->{end} = time;
    $r->{status} = $answer->{complete} ? $answer->{status} : 0;
    my $v = eval { json($answer) } // {};
    $r->{said} = said($r, $v);
    $r->{said} = 'broken' if $r->{status} == 503
        && ($answer->{headers}{'retry-after'} // '') !~ /^[1-9]\d*$/;
    if ($r->{op} eq 'add' && $r->{said} eq 'done') {
        $r->{id} = $v->{data}[0]{id};
        push @{ $c->{hosts} }, { id => $r->{id}, host => $r->{host} }
            if defined $r->{id};
    } elsif ($r->{op} eq 'check' && $r->{said} eq 'done') {
        $r->{id} = $v->{data}{id};
    } elsif ($r->{op} eq 'read' && $r->{said} eq 'done') {
        $r->{name} = $v->{data}[0]{name};
    }
    $r->{message} = substr $answer->{raw} // '', -300
        if $r->{said} =~ /^(?:broken|refused)$/;
    print {$records} JSON::XS->new->utf8->encode($r), "\n";
    RblLines::drop($line) if !$conf->{keep} || $answer->{ended}
        || !$answer->{complete}
        || lc($answer->{headers}{connection} // '') eq 'close';
    $c->{next} = $apart ? $r->{start} + $apart : 0;
    $c->{next} = time + PAUSE
        if $r->{said} ne 'done' && $c->{next} < time + PAUSE;
}

# The outcome of a change by its response (ngx_rbl_request.c).
sub said {
    my ($r, $v) = @_;

    my $text = $v->{status_message} // '';
    return 'done' if $r->{status} == 200 && ($v->{status_code} // 0) == 200;
    return 'unchanged' if $r->{status} =~ /^(?:429|503)$/
        && $text =~ /Nothing was changed/;
    return 'broken' if $r->{status} == 0 || $r->{status} >= 500
        && $r->{status} != 503;
    return 'refused' if $r->{status} != 503;
    return $text =~ /The change was made/ ? 'done'
        : $text =~ /outcome is unknown|will be finished/ ? 'unknown'
        : 'broken';
}

1;
