package RblMail;

# Mail servers: Debian's exim, on a private port in a private directory, and a
# scriptable server for faults.

use strict;
use warnings;

use Exporter 'import';
use IO::Select;
use IO::Socket::INET;
use JSON::XS ();
use POSIX ();

use RblTest;

our @EXPORT = qw(start_exim mails mail_body mail_check start_fake_smtp
    answer_smtp smtp_seen);

# start_exim(tls => {cert, key}, implicit => 1, user => [name, password], login
# => 1: AUTH LOGIN instead of PLAIN): {port, mails}.  It accepts mail for
# @example.net and writes it to files; "later@" gets 451 and "nobody@" 550.
sub start_exim {
    my (%opt) = @_;

    my $d = own_dir('exim');
    my ($uid, $gid) = (getpwnam 'Debian-exim')[2, 3];
    for my $name ('spool', 'log', 'mail') {
        mkdir "$d/$name", 0750 or die "mkdir $d/$name: $!";
        chown $uid, $gid, "$d/$name";
    }
    my $port = free_port();
    write_file("$d/conf", exim_conf($d, $port, %opt));
    my $s = spawn('exim', { dir => $d, log => "$d/exim.log" },
        '/usr/sbin/exim4', '-C', "$d/conf", '-bdf', '-oP', "$d/pid");
    @$s{qw(port mails)} = ($port, "$d/mail/new");
    return started($s, sub { greets($port, $opt{implicit}) });
}

# Without a certificate exim makes one after it listens, which takes one to
# three seconds, so a connection is not sufficient.
sub greets {
    my ($port, $implicit) = @_;

    my $s = RblTest::Servers::tcp_open($port) or return 0;
    return 1 if $implicit;
    my $line = IO::Select->new($s)->can_read(10) ? readline $s : undef;
    return ($line // '') =~ /^220 /;
}

sub exim_conf {
    my ($d, $port, %opt) = @_;

    my ($tls, $on_connect, $auth, $who) = ('tls_advertise_hosts =', '', '', '');
    if ($opt{tls}) {
        for my $file ('cert', 'key') {
            write_file("$d/$file.pem", read_file($opt{tls}{$file}));
        }
        $tls = "tls_advertise_hosts = *\ntls_certificate = $d/cert.pem\n"
            . "tls_privatekey = $d/key.pem";
        $on_connect = "tls_on_connect_ports = $port" if $opt{implicit};
    }
    if ($opt{user}) {
        my ($name, $password) = @{ $opt{user} };
        my ($how, $prompts, $user, $pass) = $opt{login}
            ? ('LOGIN', 'Username:: : Password::', '$auth1', '$auth2')
            : ('PLAIN', ':', '$auth2', '$auth3');
        $auth = <<"CONF";
user:
  driver = plaintext
  public_name = $how
  server_prompts = $prompts
  server_advertise_condition = \${if def:tls_in_cipher}
  server_condition = \${if and{{eq{$user}{$name}}{eq{$pass}{$password}}}}
  server_set_id = $user
CONF
        $who = "  deny message = authentication is needed\n"
            . "       !authenticated = *\n";
    }
    return <<"CONF";
primary_hostname = mx.example.net
spool_directory = $d/spool
log_file_path = $d/log/%slog
log_selector = +smtp_protocol_error +smtp_syntax_error +received_recipients
local_interfaces = 127.0.0.1
daemon_smtp_ports = $port
$on_connect
$tls
acl_smtp_rcpt = rcpt
smtp_accept_queue_per_connection = 0
host_lookup =
rfc1413_query_timeout = 0s
keep_environment =
deliver_drop_privilege = true
local_from_check = false
never_users =
begin acl
rcpt:
$who  defer message = come back later
        local_parts = later
  deny message = there is no such user
       local_parts = nobody
  accept domains = example.net
  deny message = relaying is not permitted
begin routers
all:
  driver = accept
  transport = file
begin transports
file:
  driver = appendfile
  directory = $d/mail
  maildir_format
  return_path_add
  envelope_to_add
begin authenticators
$auth
CONF
}

# Files of a maildir have names such as 1795315223.M12345P678.host: seconds and
# microseconds, without leading zeros.
sub by_time {
    my ($p, $q) = map { [m{/(\d+)\.M(\d+)P}] } $a, $b;
    return $p->[0] <=> $q->[0] || $p->[1] <=> $q->[1];
}

# The received mails, oldest first, as [{name in lower case => value}, body,
# raw]; unfolded.
sub mails {
    my ($server) = @_;

    my @mails;
    for my $file (sort by_time glob "$server->{mails}/*") {
        my $raw = read_file($file);
        my ($head, $body) = split /\n\n/, $raw, 2;
        (my $unfolded = $head) =~ s/\n(?=[ \t])//g;
        my %h = map { /^([^:]+):\s*(.*)$/ ? (lc $1, $2) : () }
            split /\n/, $unfolded;
        push @mails, [\%h, $body, $raw];
    }
    return @mails;
}

# The plain text, which is the first part
sub mail_body {
    my ($mail) = @_;

    require MIME::QuotedPrint;
    my ($boundary) = $mail->[0]{'content-type'} =~ /boundary="([^"]+)"/;
    my (undef, $part) = split /^--\Q$boundary\E(?:--)?\n/m, $mail->[1];
    (my $text = (split /\n\n/, $part, 2)[1]) =~ s/\n\z//;
    return MIME::QuotedPrint::decode_qp($text);
}

# The mail as Python's email package reads it: see t/lib/mail_check.py
sub mail_check {
    my ($mail) = @_;

    my $r = run_cmd({ stdin => $mail->[2] }, '/usr/bin/python3',
        repo_dir() . '/t/lib/mail_check.py');
    die "mail_check.py: $r->{err}" if $r->{status} != 0;
    return JSON::XS::decode_json($r->{out});
}

# A server with scripted replies: {greet, ehlo, mail, rcpt, data, end, quit},
# each a text with its code, or "hang", "cut" or "flood".  It logs {step, line,
# time}, and each whole message as step "message".
sub start_fake_smtp {
    my (%answer) = @_;

    my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 16,
        ReuseAddr => 1) or die "fake SMTP: $!";
    my $self = { port => $listen->sockport,
        file => sprintf('%s/smtp-%d', temp_dir(), $listen->sockport) };
    answer_smtp($self, %answer);
    write_file("$self->{file}.log", '');
    my $pid = fork // die "fork: $!";
    if ($pid == 0) {
        setpgrp 0, 0;
        $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
        $SIG{CHLD} = $SIG{PIPE} = 'IGNORE';
        while (1) {
            my $c = $listen->accept or next;
            my $child = fork // next;
            next if $child;
            alarm 60;
            $c->autoflush(1);
            fake_session($self, $c);
            POSIX::_exit(0);
        }
    }
    setpgrp $pid, $pid;
    close $listen;
    at_stop(sub { kill 'TERM', -$pid; waitpid $pid, 0 });
    return $self;
}

sub answer_smtp {
    my ($self, %answer) = @_;

    write_file("$self->{file}.answer",
        JSON::XS->new->latin1->encode(\%answer));
}

# Sends the reply of a step, and returns it; false if the session is over.
sub fake_answer {
    my ($self, $c, $step, $default) = @_;

    my $answer = JSON::XS->new->latin1->decode(
        read_file("$self->{file}.answer"));
    my $text = $answer->{$step} // $default;
    return 0 if $text eq 'cut';
    sleep 60 if $text eq 'hang';
    while ($text eq 'flood') {
        print {$c} '250-' . 'x' x 500 . "\r\n" or return 0;
    }
    return 0 if $text eq 'long' && !print {$c} '250 ' . 'x' x 200_000 . "\r\n";
    return print({$c} "$text\r\n") && $text;
}

sub fake_note {
    my ($self, $step, $line) = @_;

    open my $fh, '>>', "$self->{file}.log" or return;
    syswrite $fh, JSON::XS->new->latin1->encode({ step => $step,
        line => $line }) . "\n";
}

sub fake_session {
    my ($self, $c) = @_;

    fake_note($self, 'connect', '');
    fake_answer($self, $c, 'greet', '220 fake') or return;
    while (defined(my $line = <$c>)) {
        my $step = lc(($line =~ /^(\w+)/)[0] // '');
        fake_note($self, $step, $line);
        my $default = $step eq 'data' ? '354 go on'
            : $step eq 'quit' ? '221 bye' : '250 fine';
        my $said = fake_answer($self, $c, $step, $default) or return;
        next if $step ne 'data' || $said !~ /^3/;
        my $message = '';
        while (defined($line = <$c>)) {
            last if $line eq ".\r\n";
            $message .= $line;
        }
        fake_note($self, 'message', $message);
        fake_answer($self, $c, 'end', '250 taken') or return;
    }
}

# Its log: [{step, line}]
sub smtp_seen {
    my ($self, $step) = @_;

    return grep { !$step || $_->{step} eq $step }
        map { JSON::XS->new->latin1->decode($_) }
        split /\n/, read_file("$self->{file}.log");
}

1;
