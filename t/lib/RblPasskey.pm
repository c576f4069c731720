package RblPasskey;

# Passkeys of an authenticator that tests can bend: what it would answer to
# navigator.credentials.create and get.
#
#     my $key = passkey_new(alg => 'ES256');
#     passkey_made($key, $challenge)      # fields of passkey/add
#     passkey_signed($key, $challenge)    # fields of session/passkey

use strict;
use warnings;

use Digest::SHA qw(sha256);
use Exporter 'import';
use MIME::Base64 qw(encode_base64url decode_base64url);

use RblTest;

our @EXPORT = (qw(passkey_new passkey_made passkey_signed encode_base64url
    decode_base64url));

my %kind = (ES256 => -7, EdDSA => -8, RS256 => -257);
my $n = 0;

sub openssl {
    my (@args) = @_;

    my $r = run_cmd({}, 'openssl', @args);
    die "openssl: $r->{err}" if $r->{status} != 0;
    return $r->{out};
}

sub head {
    my ($major, $v) = @_;

    return $v < 24 ? pack 'C', $major << 5 | $v
        : $v < 256 ? pack 'CC', $major << 5 | 24, $v
        : pack 'Cn', $major << 5 | 25, $v;
}
sub int_of { my ($v) = @_; return $v < 0 ? head(1, -1 - $v) : head(0, $v) }
sub bytes_of { my ($s) = @_; return head(2, length $s) . $s }
sub text_of { my ($s) = @_; return head(3, length $s) . $s }

# alg: ES256, EdDSA or RS256.  {alg, file, id, cose, counter}
sub passkey_new {
    my (%opt) = @_;

    my $alg = $opt{alg} // 'ES256';
    my $file = temp_dir() . '/passkey' . ++$n . '.pem';
    my @how = $alg eq 'ES256'
        ? ('EC', '-pkeyopt', 'ec_paramgen_curve:P-256')
        : $alg eq 'EdDSA' ? ('ED25519') : ('RSA');
    openssl('genpkey', '-out', $file, '-algorithm', @how);
    my $der = openssl('pkey', '-in', $file, '-pubout', '-outform', 'DER');
    my $cose = int_of(3) . int_of($kind{$alg});
    if ($alg eq 'ES256') {
        $cose = head(5, 5) . int_of(1) . int_of(2) . $cose . int_of(-1)
            . int_of(1) . int_of(-2) . bytes_of(substr $der, -64, 32)
            . int_of(-3) . bytes_of(substr $der, -32);
    } elsif ($alg eq 'EdDSA') {
        $cose = head(5, 4) . int_of(1) . int_of(1) . $cose . int_of(-1)
            . int_of(6) . int_of(-2) . bytes_of(substr $der, -32);
    } else {
        my ($hex) = openssl('rsa', '-in', $file, '-noout', '-modulus')
            =~ /=([0-9A-F]+)/;
        $cose = head(5, 4) . int_of(1) . int_of(3) . $cose . int_of(-1)
            . bytes_of(pack 'H*', $hex) . int_of(-2) . bytes_of("\1\0\1");
    }
    open my $random, '<', '/dev/urandom' or die;
    read $random, my $id, 20;
    return { alg => $alg, file => $file, id => $id, cose => $cose,
        counter => 0 };
}

sub client_data {
    my ($type, $challenge, %o) = @_;

    return $o{client} // sprintf '{"type":"%s","challenge":"%s","origin":"%s",'
        . '"crossOrigin":%s}', $o{type} // $type, $challenge,
        $o{origin} // 'http://localhost', $o{cross} // 'false';
}

sub auth_data {
    my ($key, $flags, %o) = @_;

    return sha256($o{rp} // 'localhost') . pack('CN', $o{flags} // $flags,
        $o{counter} // $key->{counter});
}

# Options bend a part: type, challenge, origin, cross, client, rp, flags,
# counter, fmt, cose, id, attestation.
sub passkey_made {
    my ($key, $challenge, %o) = @_;

    my $id = $o{id} // $key->{id};
    my $data = auth_data($key, 0x45, %o) . "\0" x 16 . pack('n', length $id)
        . $id . ($o{cose} // $key->{cose});
    my $object = $o{attestation} // (head(5, 3) . text_of('fmt')
        . text_of($o{fmt} // 'none') . text_of('attStmt') . head(5, 0)
        . text_of('authData') . bytes_of($data));
    return (client_data => encode_base64url(client_data('webauthn.create',
        $challenge, %o)), attestation => encode_base64url($object));
}

# The same; also sign: another key, user: the handle.
sub passkey_signed {
    my ($key, $challenge, %o) = @_;

    my $client = client_data('webauthn.get', $challenge, %o);
    my $data = $o{data} // auth_data($key, 0x05, %o);
    my $by = $o{sign} // $key;
    my $in = temp_dir() . '/signed';
    write_file($in, $data . sha256($client));
    my $signature = $by->{alg} eq 'EdDSA'
        ? openssl('pkeyutl', '-sign', '-inkey', $by->{file}, '-rawin', '-in',
            $in)
        : openssl('dgst', '-sha256', '-sign', $by->{file}, $in);
    return (credential => encode_base64url($o{id} // $key->{id}),
        client_data => encode_base64url($client),
        authenticator_data => encode_base64url($data),
        signature => encode_base64url($o{signature} // $signature),
        user => $o{user} // $key->{user});
}

1;
