package RblTest::Http;

# An HTTP client that returns the exact bytes of the wire.

use strict;
use warnings;

use Exporter 'import';
use JSON::XS ();
use MIME::Base64 qw(encode_base64);
use Socket qw(INADDR_LOOPBACK PF_INET SOCK_STREAM SOL_SOCKET SO_SNDTIMEO
    pack_sockaddr_in);
use Time::HiRes qw(time);

our @EXPORT = qw(http http_raw http_head api json form_encode);

# json($text or $response): decoded, numbers and strings as they were
sub json {
    my ($what) = @_;

    my $text = ref $what ? $what->{body} : $what;
    return JSON::XS->new->utf8->allow_nonref->decode($text);
}

sub escape {
    my ($s) = @_;

    utf8::encode($s) if utf8::is_utf8($s);
    $s =~ s/([^A-Za-z0-9_.~-])/sprintf '%%%02X', ord $1/ge;
    return $s;
}

# A string is unchanged; a hash, or an array of pairs, is encoded.
sub form_encode {
    my ($form) = @_;

    return $form if !ref $form;
    my @pairs = ref $form eq 'HASH'
        ? map { ($_, $form->{$_}) } sort keys %$form : @$form;
    my @out;
    while (my ($k, $v) = splice @pairs, 0, 2) {
        push @out, escape($k) . '=' . escape($v);
    }
    return join '&', @out;
}

# The bytes of a request.  Options: auth ({sid, token} or [user, password]),
# form (string, hash, pairs) or body (bytes), type (Content-Type; undef: none),
# headers ["Name: value", ...], version ("1.1"), host.
sub http_head {
    my ($method, $path, %opt) = @_;

    my @h = ("$method $path HTTP/" . ($opt{version} // '1.1'),
        'Host: ' . ($opt{host} // 'localhost'));
    push @h, 'Connection: close' if !$opt{keep};
    if (my $a = $opt{auth}) {
        my ($user, $password) = ref $a eq 'HASH' ? @$a{qw(sid token)} : @$a;
        push @h, 'Authorization: Basic '
            . encode_base64("$user:$password", '');
    }
    my $body = defined $opt{form} ? form_encode($opt{form}) : $opt{body};
    if (defined $body) {
        my $type = exists $opt{type} ? $opt{type}
            : 'application/x-www-form-urlencoded';
        push @h, "Content-Type: $type" if defined $type;
        push @h, 'Content-Length: ' . length $body;
    } elsif ($method eq 'POST' && !$opt{no_length}) {
        push @h, 'Content-Length: 0';
    }
    push @h, @{ $opt{headers} // [] };
    return join("\r\n", @h, '', '') . ($body // '');
}

# http($server or port, method, path, options): {status, reason, headers
# (lower-case name => last value), body, head, raw, ms}; status 0: no answer.
sub http {
    my ($server, $method, $path, %opt) = @_;

    return http_raw($server, http_head($method, $path, %opt),
        head => $method eq 'HEAD', timeout => $opt{timeout});
}

# Sends bytes unchanged (a list: one write each), reads one response.
sub http_raw {
    my ($server, $bytes, %opt) = @_;

    my $port = ref $server ? $server->{port} : $server;
    my $start = time;
    my $s = tcp_connect($port);
    return { status => 0, error => "connect: $!",
        ms => (time - $start) * 1000 } if !$s;
    for my $part (ref $bytes ? @$bytes : $bytes) {
        write_all($s, $part) or last;
    }
    shutdown $s, 1 if $opt{half_close};
    my $r = read_answer($s, $opt{timeout} // 15, $opt{head});
    $r->{ms} = (time - $start) * 1000;
    return $r;
}

# A connection to a port here; undef, and $!, if it is not made in 5 seconds.
# IO::Socket::INET takes ten times as long for it.
sub tcp_connect {
    my ($port) = @_;

    socket my $s, PF_INET, SOCK_STREAM, 0 or die "socket: $!";
    setsockopt $s, SOL_SOCKET, SO_SNDTIMEO, pack 'l!2', 5, 0;
    connect $s, pack_sockaddr_in($port, INADDR_LOOPBACK) or return undef;
    setsockopt $s, SOL_SOCKET, SO_SNDTIMEO, pack 'l!2', 0, 0;
    return $s;
}

# False if the other side takes no more.
sub write_all {
    my ($s, $bytes) = @_;

    while ($bytes ne '') {
        my $n = syswrite $s, $bytes;
        return 0 if !defined $n && !$!{EINTR};
        substr $bytes, 0, $n // 0, '';
    }
    return 1;
}

sub read_answer {
    my ($s, $timeout, $head) = @_;

    my $end = time + $timeout * $RblTest::Process::PATIENCE;
    my $raw = '';
    my $r = fresh_answer();
    while (!$r->{complete}) {
        my $left = $end - time;
        if ($left <= 0) {
            $r->{error} = 'timeout';
            last;
        }
        vec(my $in = '', fileno $s, 1) = 1;
        next if select($in, undef, undef, $left) <= 0;  # or a signal came
        my $n = sysread $s, $raw, 65536, length $raw;
        go_on($r, \$raw, $head, !$n);
        last if !$n;
    }
    $r->{raw} = $raw;
    return $r;
}

sub parse_answer {
    my ($raw, $head, $eof) = @_;

    return go_on(fresh_answer(), \$raw, $head, $eof);
}

sub fresh_answer {
    return { status => 0, headers => {}, body => '', complete => 0, at => 0 };
}

# Goes on with an answer where there is more of its bytes: what was read before,
# up to {at}, is not looked at again.
sub go_on {
    my ($r, $raw, $head, $eof) = @_;

    return $r if !$r->{status} && !read_head($r, $raw);
    if ($head || $r->{status} == 304 || $r->{status} == 204) {
        $r->{complete} = 1;
    } elsif (lc($r->{headers}{'transfer-encoding'} // '') eq 'chunked') {
        unchunk($r, $raw);
    } elsif (defined(my $n = $r->{headers}{'content-length'})) {
        $r->{body} = substr $$raw, $r->{at}, $n;
        $r->{complete} = length $$raw >= $r->{at} + $n;
        $r->{rest} = substr $$raw, $r->{at} + $n if $r->{complete};
    } else {
        $r->{body} = substr $$raw, $r->{at};
        $r->{complete} = $eof;
    }
    return $r;
}

sub read_head {
    my ($r, $raw) = @_;

    my $end = index $$raw, "\r\n\r\n", $r->{at};
    return 0 if $end < 0;
    my $text = substr $$raw, $r->{at}, $end + 2 - $r->{at};
    $text =~ /\AHTTP\/1\.[01] (\d{3})(?: ([^\r\n]*))?\r\n/ or return 0;
    $r->{at} = $end + 4;
    if ($1 == 100) {
        $r->{continued} = 1;
        return read_head($r, $raw);
    }
    @$r{qw(head status reason)} = ($text, $1 + 0, $2 // '');
    for my $line (split /\r\n/, $text) {
        $r->{headers}{ lc $1 } = $2 if $line =~ /^([^:]+):\s*(.*?)\s*$/;
    }
    return 1;
}

# Takes the chunks that are there.
sub unchunk {
    my ($r, $raw) = @_;

    while ((my $end = index $$raw, "\r\n", $r->{at}) >= 0) {
        substr($$raw, $r->{at}, $end - $r->{at}) =~ /\A([0-9a-fA-F]+)/
            or last;
        my $n = hex $1;
        return $r->{complete} = 1 if $n == 0;
        last if length $$raw < $end + 2 + $n + 2;
        $r->{body} .= substr $$raw, $end + 2, $n;
        $r->{at} = $end + 2 + $n + 2;
    }
    return 0;
}

# api($nginx, $account, 'GET', '/3.0/hosts.json', form): decoded JSON body
sub api {
    my ($server, $account, $method, $path, $form) = @_;

    my $r = http($server, $method, $path, auth => $account,
        defined $form ? (form => $form) : ());
    my $v = eval { json($r) };
    return $v // die "$method $path: $r->{status}, not JSON: "
        . substr($r->{raw} // '', 0, 500) . "\n";
}

1;
