/*
 * Passkeys: authenticator data, attestations, keys and signatures, with keys
 * that OpenSSL makes here; right ones, and wrong ones in each part.
 */

#include "rbl_passkey.h"
#include "tap.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>


#define ORIGIN   "https://portal.example"
#define RP       "portal.example"
#define B64      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"  /* 0 to 31 */

typedef struct {
    unsigned char  b[2048];
    size_t         n;
} bytes_t;

typedef struct {
    const char  *name;
    int64_t      algorithm;
    EVP_PKEY    *pkey;
    bytes_t      cose, data, object, signature;
} vector_t;


static rbl_str_t
str(const bytes_t *b)
{
    return (rbl_str_t) { (const char *) b->b, b->n };
}


static void
put(bytes_t *b, const void *p, size_t n)
{
    memcpy(b->b + b->n, p, n);
    b->n += n;
}


static void
put_u8(bytes_t *b, unsigned v)
{
    b->b[b->n++] = (unsigned char) v;
}


/* A head of CBOR in its shortest form. */

static void
head(bytes_t *b, unsigned major, unsigned n)
{
    if (n < 24) {
        put_u8(b, major << 5 | n);

    } else if (n < 256) {
        put_u8(b, major << 5 | 24);
        put_u8(b, n);

    } else {
        put_u8(b, major << 5 | 25);
        put_u8(b, n >> 8);
        put_u8(b, n & 255);
    }
}


static void
put_int(bytes_t *b, int v)
{
    head(b, v < 0, (unsigned) (v < 0 ? -1 - v : v));
}


static void
put_bytes(bytes_t *b, const void *p, size_t n)
{
    head(b, 2, (unsigned) n);
    put(b, p, n);
}


static void
put_text(bytes_t *b, const char *s)
{
    head(b, 3, (unsigned) strlen(s));
    put(b, s, strlen(s));
}


static void
member_int(bytes_t *b, int name, int v)
{
    put_int(b, name);
    put_int(b, v);
}


static void
member_bytes(bytes_t *b, int name, const void *p, size_t n)
{
    put_int(b, name);
    put_bytes(b, p, n);
}


static void
make_ec(vector_t *v)
{
    unsigned char  *point;

    v->pkey = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
    ok(EVP_PKEY_get1_encoded_public_key(v->pkey, &point) == 65, "a point");
    head(&v->cose, 5, 5);
    member_int(&v->cose, 1, 2);
    member_int(&v->cose, 3, RBL_PASSKEY_ES256);
    member_int(&v->cose, -1, 1);
    member_bytes(&v->cose, -2, point + 1, 32);
    member_bytes(&v->cose, -3, point + 33, 32);
    OPENSSL_free(point);
}


static void
make_ed(vector_t *v)
{
    size_t         n;
    unsigned char  key[32];

    n = sizeof(key);
    v->pkey = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    ok(EVP_PKEY_get_raw_public_key(v->pkey, key, &n) == 1 && n == 32, "a key");
    head(&v->cose, 5, 4);
    member_int(&v->cose, 1, 1);
    member_int(&v->cose, 3, RBL_PASSKEY_EDDSA);
    member_int(&v->cose, -1, 6);
    member_bytes(&v->cose, -2, key, sizeof(key));
}


static void
rsa_cose(bytes_t *cose, const EVP_PKEY *pkey, const char *e, size_t n_e)
{
    int            n;
    BIGNUM        *modulus;
    unsigned char  raw[512];

    modulus = NULL;
    EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &modulus);
    n = BN_bn2bin(modulus, raw);
    BN_free(modulus);

    head(cose, 5, 4);
    member_int(cose, 1, 3);
    member_int(cose, 3, RBL_PASSKEY_RS256);
    member_bytes(cose, -1, raw, (size_t) n);
    member_bytes(cose, -2, e, n_e);
}


static void
make_rsa(vector_t *v)
{
    v->pkey = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t) 2048);
    rsa_cose(&v->cose, v->pkey, "\1\0\1", 3);
}


static void
auth_data(bytes_t *b, unsigned flags, unsigned counter)
{
    unsigned char  rp[32];

    SHA256((const unsigned char *) RP, strlen(RP), rp);
    put(b, rp, sizeof(rp));
    put_u8(b, flags);
    put_u8(b, counter >> 24);
    put_u8(b, counter >> 16 & 255);
    put_u8(b, counter >> 8 & 255);
    put_u8(b, counter & 255);
}


static void
attested(bytes_t *b, unsigned flags, size_t id, const bytes_t *cose)
{
    size_t  i;

    auth_data(b, flags, 7);

    for (i = 0; i < 16; i++) {
        put_u8(b, 0);
    }

    put_u8(b, (unsigned) id >> 8);
    put_u8(b, (unsigned) id & 255);

    for (i = 0; i < id; i++) {
        put_u8(b, (unsigned) i & 255);
    }

    put(b, cose->b, cose->n);
}


static void
object(bytes_t *b, const char *fmt, const bytes_t *data)
{
    head(b, 5, 3);
    put_text(b, "fmt");
    put_text(b, fmt);
    put_text(b, "attStmt");
    head(b, 5, 0);
    put_text(b, "authData");
    put_bytes(b, data->b, data->n);
}


static const char  client[] =
    "{\"type\":\"webauthn.get\",\"challenge\":\"" B64 "\",\"origin\":\""
    ORIGIN "\",\"crossOrigin\":false}";


static void
sign(vector_t *v)
{
    bytes_t      text;
    EVP_MD_CTX  *ctx;

    text = v->data;
    SHA256((const unsigned char *) client, strlen(client), text.b + text.n);
    text.n += 32;

    ctx = EVP_MD_CTX_new();
    v->signature.n = sizeof(v->signature.b);
    ok(EVP_DigestSignInit(ctx, NULL, v->algorithm == RBL_PASSKEY_EDDSA
                          ? NULL : EVP_sha256(), NULL, v->pkey) == 1
       && EVP_DigestSign(ctx, v->signature.b, &v->signature.n, text.b, text.n)
          == 1, "%s: a signature", v->name);
    EVP_MD_CTX_free(ctx);
}


/* Each octet of a part matters. */

static void
flips(vector_t *v, bytes_t *part, size_t from, const char *name)
{
    size_t  i, wrong;

    for (i = from, wrong = 0; i < part->n; i++) {
        part->b[i] ^= 1;
        wrong += rbl_passkey_verify(str(&v->cose), str(&v->data),
                                    rbl_str(client), str(&v->signature))
                 == RBL_EINVAL;
        part->b[i] ^= 1;
    }

    ok(wrong == part->n - from, "%s: no signature with another octet in %s",
       v->name, name);
}


static void
test_vector(vector_t *v, vector_t *other)
{
    int64_t              algorithm;
    bytes_t              data = { .n = 0 };
    rbl_passkey_auth_t   auth;

    attested(&data, 0x45, 20, &v->cose);
    object(&v->object, "none", &data);
    ok(rbl_passkey_attested(&auth, str(&v->object)) == RBL_OK,
       "%s: an attestation", v->name);
    ok(auth.flags == 0x45 && auth.counter == 7 && auth.credential.n == 20
       && auth.credential.p[19] == 19 && rbl_str_eq(auth.key, str(&v->cose)),
       "%s: is read", v->name);
    ok(rbl_passkey_key(&algorithm, auth.key) == RBL_OK
       && algorithm == v->algorithm, "%s: its key", v->name);

    auth_data(&v->data, 0x05, 8);
    ok(rbl_passkey_auth(&auth, str(&v->data)) == RBL_OK && auth.counter == 8
       && auth.credential.n == 0, "%s: data without a key", v->name);
    sign(v);
    ok(rbl_passkey_verify(str(&v->cose), str(&v->data), rbl_str(client),
                          str(&v->signature)) == RBL_OK,
       "%s: its signature", v->name);
    flips(v, &v->data, 0, "the data");
    flips(v, &v->signature, 0, "the signature");
    ok(rbl_passkey_verify(str(&v->cose), str(&v->data), RBL_STR("{}"),
                          str(&v->signature)) == RBL_EINVAL,
       "%s: other client data", v->name);
    ok(rbl_passkey_verify(str(&other->cose), str(&v->data), rbl_str(client),
                          str(&v->signature)) == RBL_EINVAL,
       "%s: another key", v->name);
    ok(rbl_passkey_verify(str(&v->cose), str(&v->data), rbl_str(client),
                          RBL_STR("")) == RBL_EINVAL,
       "%s: no signature", v->name);
}


/* Every shorter text is refused, and one that is longer. */

static void
test_lengths(const vector_t *v)
{
    size_t               i, wrong;
    int64_t              algorithm;
    bytes_t              b;
    rbl_str_t            s;
    rbl_passkey_auth_t   auth;

    s = str(&v->object);

    for (i = 0, wrong = 0; i < v->object.n; i++) {
        s.n = i;
        wrong += rbl_passkey_attested(&auth, s) == RBL_EINVAL;
    }

    ok(wrong == v->object.n, "%s: no part of an attestation", v->name);

    s = str(&v->cose);

    for (i = 0, wrong = 0; i < v->cose.n; i++) {
        s.n = i;
        wrong += rbl_passkey_key(&algorithm, s) == RBL_EINVAL;
    }

    ok(wrong == v->cose.n, "%s: no part of a key", v->name);

    b = v->object;
    put_u8(&b, 0);
    ok(rbl_passkey_attested(&auth, str(&b)) == RBL_EINVAL, "%s: one octet more",
       v->name);
    b = v->cose;
    put_u8(&b, 0);
    ok(rbl_passkey_key(&algorithm, str(&b)) == RBL_EINVAL,
       "%s: a key with one octet more", v->name);
}


static void
refused_object(const char *name, const bytes_t *b)
{
    rbl_passkey_auth_t  auth;

    ok(rbl_passkey_attested(&auth, str(b)) == RBL_EINVAL, "%s", name);
}


static void
test_objects(const vector_t *v)
{
    bytes_t              b, data;
    rbl_passkey_auth_t   auth;

    data.n = b.n = 0;
    attested(&data, 0x45, 20, &v->cose);
    object(&b, "packed", &data);
    refused_object("another attestation", &b);

    data.n = b.n = 0;
    attested(&data, 0x05, 20, &v->cose);
    object(&b, "none", &data);
    refused_object("octets behind data without a credential", &b);

    data.n = b.n = 0;
    auth_data(&data, 0x05, 1);
    object(&b, "none", &data);
    refused_object("no credential", &b);

    data.n = b.n = 0;
    attested(&data, 0x45, 0, &v->cose);
    object(&b, "none", &data);
    refused_object("a credential without an id", &b);

    data.n = b.n = 0;
    attested(&data, 0x45, RBL_PASSKEY_ID_MAX, &v->cose);
    object(&b, "none", &data);
    ok(rbl_passkey_attested(&auth, str(&b)) == RBL_OK, "the longest id");

    data.n = b.n = 0;
    attested(&data, 0x45, RBL_PASSKEY_ID_MAX + 1, &v->cose);
    object(&b, "none", &data);
    refused_object("a longer id", &b);

    data.n = b.n = 0;
    attested(&data, 0xc5, 20, &v->cose);
    object(&b, "none", &data);
    refused_object("extensions that are missing", &b);
    head(&data, 5, 0);
    b.n = 0;
    object(&b, "none", &data);
    ok(rbl_passkey_attested(&auth, str(&b)) == RBL_OK, "extensions");

    data.n = b.n = 0;
    attested(&data, 0x45, 20, &v->cose);
    head(&b, 5, 4);
    object(&b, "none", &data);
    refused_object("a map in a map", &b);

    b.n = 0;
    head(&b, 5, 3);
    put_text(&b, "fmt");
    put_text(&b, "none");
    put_text(&b, "fmt");
    put_text(&b, "none");
    put_text(&b, "authData");
    put_bytes(&b, data.b, data.n);
    refused_object("a member twice", &b);

    b.n = 0;
    head(&b, 5, 3);
    put_text(&b, "authData");
    put_bytes(&b, data.b, data.n);
    put_text(&b, "attStmt");
    head(&b, 5, 0);
    put_text(&b, "fmt");
    put_text(&b, "none");
    ok(rbl_passkey_attested(&auth, str(&b)) == RBL_OK, "another order");

    b.n = 0;
    head(&b, 5, 3);
    put_text(&b, "fmt");
    put_text(&b, "none");
    put_text(&b, "attStmt");
    head(&b, 5, 1);
    put_text(&b, "authData");
    put_bytes(&b, data.b, data.n);
    refused_object("a statement", &b);
}


static void
refused_key(const char *name, const bytes_t *b)
{
    int64_t  algorithm;

    ok(rbl_passkey_key(&algorithm, str(b)) == RBL_EINVAL, "%s", name);
}


static void
test_exponents(void)
{
    size_t    i;
    bytes_t   b;
    EVP_PKEY *pkey;
    static const struct { const char *e; size_t n; } bad[] = {
        { "\0", 1 }, { "\1", 1 }, { "\2", 1 }, { "\1\0\0", 3 },
        { "\0\0\3", 3 }
    };

    pkey = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t) 2048);

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        b.n = 0;
        rsa_cose(&b, pkey, bad[i].e, bad[i].n);
        refused_key("an exponent that is none", &b);
    }

    EVP_PKEY_free(pkey);
}


static void
test_keys(const vector_t *ec, const vector_t *ed)
{
    bytes_t    b;
    EVP_PKEY  *small;

    b = ec->cose;
    b.b[b.n - 1] ^= 1;
    refused_key("no point of the curve", &b);

    b = ec->cose;
    b.b[2] = 3;
    refused_key("another type of key", &b);

    b = ec->cose;
    b.b[6] = 2;
    refused_key("another curve", &b);

    b = ec->cose;
    b.b[0] = 0xa4;
    refused_key("another number of members", &b);

    b.n = 0;
    put_u8(&b, 0xb8);
    put_u8(&b, 5);
    put(&b, ec->cose.b + 1, ec->cose.n - 1);
    refused_key("a length that could be shorter", &b);

    b = ed->cose;
    b.b[4] = 0x26;
    refused_key("another algorithm for the key", &b);

    b.n = 0;
    head(&b, 5, 4);
    member_int(&b, 1, 3);
    member_int(&b, 3, -37);
    refused_key("an unknown algorithm", &b);

    small = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", (size_t) 1024);
    b.n = 0;
    rsa_cose(&b, small, "\1\0\1", 3);
    EVP_PKEY_free(small);
    refused_key("a modulus of 1024 bits", &b);
    test_exponents();

    b.n = 0;
    refused_key("none", &b);
    put_u8(&b, 0xbf);
    refused_key("a map without a length", &b);
}


int
main(void)
{
    size_t  i;

    static vector_t  v[] = {
        { .name = "ES256", .algorithm = RBL_PASSKEY_ES256 },
        { .name = "EdDSA", .algorithm = RBL_PASSKEY_EDDSA },
        { .name = "RS256", .algorithm = RBL_PASSKEY_RS256 },
    };

    make_ec(&v[0]);
    make_ed(&v[1]);
    make_rsa(&v[2]);

    for (i = 0; i < 3; i++) {
        test_vector(&v[i], &v[(i + 1) % 3]);
        test_lengths(&v[i]);
    }

    flips(&v[1], &v[1].cose, 10, "an Ed25519 key");
    test_objects(&v[0]);
    test_keys(&v[0], &v[1]);

    for (i = 0; i < 3; i++) {
        EVP_PKEY_free(v[i].pkey);
    }

    return tap_done();
}
