/*
 * Passkeys: client data, authenticator data, public keys as they are stored.
 *
 * CBOR (RFC 8949) is read in its canonical form only, as CTAP requires: the
 * shortest lengths, no indefinite ones, the members of a key in order.  Nothing
 * is nested deeper than the two levels that exist.
 */

#include "rbl_passkey_int.h"

#include <jansson.h>


#define PASSKEY_HEAD    37              /* octets of data without credential */
#define PASSKEY_AAGUID  16
#define PASSKEY_RSA_MIN 256

typedef enum {                          /* major types */
    CBOR_UNSIGNED = 0,
    CBOR_NEGATIVE,
    CBOR_BYTES,
    CBOR_TEXT,
    CBOR_ARRAY,
    CBOR_MAP
} cbor_major_t;


void
passkey_init(passkey_cbor_t *c, rbl_str_t s)
{
    c->p = (const unsigned char *) s.p;
    c->end = c->p + s.n;
    c->failed = 0;
}


/* Returns the number of a head of that type; 0 if it fails. */

static uint32_t
cbor_head(passkey_cbor_t *c, cbor_major_t major)
{
    int       size;
    uint32_t  n, least;

    if (c->failed || c->p == c->end || *c->p >> 5 != (int) major) {
        c->failed = 1;
        return 0;
    }

    n = *c->p++ & 31;

    if (n < 24) {
        return n;
    }

    if (n > 26 || c->end - c->p < 1 << (n - 24)) {
        c->failed = 1;
        return 0;
    }

    least = n == 24 ? 24 : n == 25 ? 0x100 : 0x10000;
    size = 1 << (n - 24);

    for (n = 0; size > 0; size--) {
        n = n << 8 | *c->p++;
    }

    c->failed |= n < least;

    return c->failed ? 0 : n;
}


static rbl_str_t
cbor_string(passkey_cbor_t *c, cbor_major_t major)
{
    uint32_t   n;
    rbl_str_t  s;

    n = cbor_head(c, major);
    s.p = (const char *) c->p;
    s.n = n;

    if (c->failed || n > (size_t) (c->end - c->p)) {
        c->failed = 1;
        s.n = 0;
        return s;
    }

    c->p += n;

    return s;
}


static int64_t
cbor_int(passkey_cbor_t *c)
{
    if (c->p < c->end && *c->p >> 5 == CBOR_NEGATIVE) {
        return -1 - (int64_t) cbor_head(c, CBOR_NEGATIVE);
    }

    return cbor_head(c, CBOR_UNSIGNED);
}


/* The members of a key have numbers for names. */

static int64_t
cbor_member_int(passkey_cbor_t *c, int64_t name)
{
    c->failed |= cbor_int(c) != name;

    return cbor_int(c);
}


static rbl_str_t
cbor_member_bytes(passkey_cbor_t *c, int64_t name, size_t min, size_t max)
{
    rbl_str_t  s;

    c->failed |= cbor_int(c) != name;
    s = cbor_string(c, CBOR_BYTES);
    c->failed |= s.n < min || s.n > max;

    return s;
}


/* An even exponent, 0 and 1 are none (RFC 8017, 3.1). */

static int
passkey_exponent_ok(rbl_str_t e)
{
    return e.n > 0 && (e.p[e.n - 1] & 1) != 0
           && (e.n > 1 || e.p[0] != 1) && e.p[0] != 0;
}


/* Reads a COSE_Key (RFC 9052, 7; RFC 9053, 7; RFC 8230, 4). */

void
passkey_cose(passkey_key_t *key, passkey_cbor_t *c)
{
    int64_t   type;
    uint32_t  n;

    n = cbor_head(c, CBOR_MAP);
    type = cbor_member_int(c, 1);
    key->algorithm = cbor_member_int(c, 3);

    switch (key->algorithm) {

    case RBL_PASSKEY_ES256:
        c->failed |= n != 5 || type != 2 || cbor_member_int(c, -1) != 1;
        key->x = cbor_member_bytes(c, -2, PASSKEY_COORD, PASSKEY_COORD);
        key->y = cbor_member_bytes(c, -3, PASSKEY_COORD, PASSKEY_COORD);
        return;

    case RBL_PASSKEY_EDDSA:
        c->failed |= n != 4 || type != 1 || cbor_member_int(c, -1) != 6;
        key->x = cbor_member_bytes(c, -2, PASSKEY_COORD, PASSKEY_COORD);
        return;

    case RBL_PASSKEY_RS256:
        c->failed |= n != 4 || type != 3;
        key->x = cbor_member_bytes(c, -1, PASSKEY_RSA_MIN, PASSKEY_RSA_MAX);
        key->y = cbor_member_bytes(c, -2, 1, PASSKEY_EXP_MAX);
        c->failed |= !passkey_exponent_ok(key->y);
        return;

    default:
        c->failed = 1;
    }
}


static int
passkey_digit(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '-' ? 62 : c == '_' ? 63 : -1;
}


/* The bits that are left over have to be 0: each value has one text. */

rbl_err_t
rbl_passkey_text(unsigned char *out, size_t size, size_t *n, rbl_str_t text)
{
    int       digit;
    size_t    i;
    unsigned  bits, v;

    if (text.n % 4 == 1 || text.n / 4 * 3 + (text.n % 4 ? text.n % 4 - 1 : 0)
                           > size)
    {
        return RBL_EINVAL;
    }

    *n = 0;

    for (i = 0, bits = 0, v = 0; i < text.n; i++) {
        digit = passkey_digit(text.p[i]);

        if (digit < 0) {
            return RBL_EINVAL;
        }

        v = (v << 6 | (unsigned) digit) & 0xffff;
        bits += 6;

        if (bits >= 8) {
            bits -= 8;
            out[(*n)++] = (unsigned char) (v >> bits);
        }
    }

    return (v & ((1u << bits) - 1)) == 0 ? RBL_OK : RBL_EINVAL;
}


static rbl_str_t
passkey_member(const json_t *object, const char *name)
{
    rbl_str_t      s = { NULL, 0 };
    const json_t  *v;

    v = json_object_get(object, name);

    if (json_is_string(v)) {
        s.p = json_string_value(v);
        s.n = json_string_length(v);
    }

    return s;
}


rbl_err_t
rbl_passkey_client(unsigned char challenge[RBL_PASSKEY_CHALLENGE],
    rbl_str_t json, const char *type, rbl_str_t origin)
{
    size_t         n;
    json_t        *root;
    rbl_str_t      text;
    rbl_err_t      err;
    json_error_t   error;
    const json_t  *cross, *top;

    if (json.n == 0 || json.n > RBL_PASSKEY_DATA_MAX) {
        return RBL_EINVAL;
    }

    root = json_loadb(json.p, json.n, JSON_REJECT_DUPLICATES, &error);
    cross = json_object_get(root, "crossOrigin");
    top = json_object_get(root, "topOrigin");
    text = passkey_member(root, "challenge");

    err = root != NULL && rbl_str_is(passkey_member(root, "type"), type)
          && rbl_str_eq(passkey_member(root, "origin"), origin)
          && (cross == NULL || json_is_false(cross))
          && (top == NULL || rbl_str_eq(passkey_member(root, "topOrigin"),
                                        origin))
          && text.n > 0
          && rbl_passkey_text(challenge, RBL_PASSKEY_CHALLENGE, &n, text)
             == RBL_OK
          && n == RBL_PASSKEY_CHALLENGE ? RBL_OK : RBL_EINVAL;

    json_decref(root);

    return err;
}


static void
passkey_credential(rbl_passkey_auth_t *auth, passkey_cbor_t *c)
{
    passkey_key_t         key;
    const unsigned char  *p;

    if (c->end - c->p < PASSKEY_AAGUID + 2) {
        c->failed = 1;
        return;
    }

    p = c->p + PASSKEY_AAGUID;
    auth->credential.n = (size_t) p[0] << 8 | p[1];
    auth->credential.p = (const char *) p + 2;
    p += 2;

    if (auth->credential.n == 0 || auth->credential.n > RBL_PASSKEY_ID_MAX
        || auth->credential.n > (size_t) (c->end - p))
    {
        c->failed = 1;
        return;
    }

    c->p = p + auth->credential.n;
    auth->key.p = (const char *) c->p;
    passkey_cose(&key, c);
    auth->key.n = (size_t) ((const char *) c->p - auth->key.p);
}


/* Extensions, which nothing here asks for, are not read. */

rbl_err_t
rbl_passkey_auth(rbl_passkey_auth_t *auth, rbl_str_t data)
{
    passkey_cbor_t        c;
    const unsigned char  *p;

    memset(auth, 0, sizeof(*auth));

    if (data.n < PASSKEY_HEAD || data.n > RBL_PASSKEY_DATA_MAX) {
        return RBL_EINVAL;
    }

    passkey_init(&c, data);
    p = c.p + 32;
    auth->rp.p = data.p;
    auth->rp.n = 32;
    auth->flags = p[0];
    auth->counter = (uint32_t) p[1] << 24 | (uint32_t) p[2] << 16
                    | (uint32_t) p[3] << 8 | p[4];
    c.p += PASSKEY_HEAD;

    if (auth->flags & RBL_PASSKEY_ATTESTED) {
        passkey_credential(auth, &c);
    }

    return !c.failed
           && (auth->flags & RBL_PASSKEY_EXTENDED
               ? c.p < c.end && *c.p >> 5 == CBOR_MAP : c.p == c.end)
           ? RBL_OK : RBL_EINVAL;
}


rbl_err_t
rbl_passkey_attested(rbl_passkey_auth_t *auth, rbl_str_t object)
{
    uint32_t        n, i;
    unsigned        seen;
    rbl_str_t       name, data;
    passkey_cbor_t  c;

    memset(auth, 0, sizeof(*auth));

    if (object.n == 0 || object.n > RBL_PASSKEY_DATA_MAX) {
        return RBL_EINVAL;
    }

    seen = 0;
    data = RBL_STR("");
    passkey_init(&c, object);
    n = cbor_head(&c, CBOR_MAP);
    c.failed |= n != 3;

    for (i = 0; i < n && !c.failed; i++) {
        name = cbor_string(&c, CBOR_TEXT);

        if (rbl_str_is(name, "fmt")) {
            seen |= 1;
            c.failed |= !rbl_str_is(cbor_string(&c, CBOR_TEXT), "none");

        } else if (rbl_str_is(name, "attStmt")) {
            seen |= 2;
            c.failed |= cbor_head(&c, CBOR_MAP) != 0;

        } else if (rbl_str_is(name, "authData")) {
            seen |= 4;
            data = cbor_string(&c, CBOR_BYTES);

        } else {
            c.failed = 1;
        }
    }

    return !c.failed && seen == 7 && c.p == c.end
           && rbl_passkey_auth(auth, data) == RBL_OK
           && auth->flags & RBL_PASSKEY_ATTESTED ? RBL_OK : RBL_EINVAL;
}
