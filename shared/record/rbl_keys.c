/*
 * Key names of the store.  A key is written into the caller's rbl_key_t.  A key
 * that does not fit becomes empty, never the name of another key.
 */

#include "rbl_keys.h"

#include "rbl_hex.h"
#include "rbl_out.h"

#define RBL_KEY_HASH  16                /* octets of a digest in a name */


static rbl_out_t
rbl_key_begin(rbl_key_t *key, const rbl_keyspace_t *ks)
{
    rbl_out_t  out = { key->s, key->s + sizeof(key->s) - 1, NULL, 0 };

    rbl_out_z(&out, ks->prefix);

    return out;
}


static rbl_str_t
rbl_key_done(rbl_key_t *key, const rbl_out_t *out)
{
    key->n = out->failed ? 0 : (size_t) (out->pos - key->s);
    key->s[key->n] = '\0';

    return (rbl_str_t) { key->s, key->n };
}


static int
rbl_prefix_char_ok(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
           || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}


rbl_err_t
rbl_keyspace_init(rbl_keyspace_t *ks, rbl_str_t prefix)
{
    size_t  i;

    memset(ks, 0, sizeof(*ks));

    if (prefix.n == 0 || prefix.n > RBL_PREFIX_MAX) {
        return RBL_EINVAL;
    }

    for (i = 0; i < prefix.n; i++) {
        if (!rbl_prefix_char_ok(prefix.p[i])) {
            return RBL_EINVAL;
        }
    }

    memcpy(ks->prefix, prefix.p, prefix.n);
    rbl_tags_make(ks->copies, RBL_META_COPIES);

    return RBL_OK;
}


rbl_err_t
rbl_keyspace_set_partitions(rbl_keyspace_t *ks, int64_t n)
{
    if (n < 1 || n > RBL_PARTITIONS_MAX || (n & (n - 1)) != 0) {
        return RBL_EINVAL;
    }

    if (ks->partitions != (unsigned) n) {
        ks->partitions = (unsigned) n;
        rbl_tags_make(ks->tags, ks->partitions);
    }

    return RBL_OK;
}


unsigned
rbl_partition(const rbl_keyspace_t *ks, rbl_str_t account)
{
    int       digit;
    size_t    i;
    unsigned  v;

    if (account.n < 6 || ks->partitions == 0) {
        return 0;
    }

    v = 0;

    for (i = 2; i < 6; i++) {
        digit = rbl_hex_value(account.p[i]);

        if (digit < 0) {
            return 0;
        }

        v = v * 16 + (unsigned) digit;
    }

    return v & (ks->partitions - 1);
}


rbl_str_t
rbl_key(rbl_key_t *key, const rbl_keyspace_t *ks, unsigned p,
    const char *name, rbl_str_t a, rbl_str_t b)
{
    rbl_out_t  out = rbl_key_begin(key, ks);

    if (p >= ks->partitions) {
        out.failed = 1;
        return rbl_key_done(key, &out);
    }

    rbl_out_bytes(&out, ":{", 2);
    rbl_out_bytes(&out, ks->tags[p], RBL_TAG_LEN);
    rbl_out_bytes(&out, "}:", 2);
    rbl_out_z(&out, name);

    if (a.n > 0) {
        rbl_out_char(&out, ':');
        rbl_out_str(&out, a);
    }

    if (b.n > 0) {
        rbl_out_char(&out, ':');
        rbl_out_str(&out, b);
    }

    return rbl_key_done(key, &out);
}


rbl_str_t
rbl_account_key(rbl_key_t *key, const rbl_keyspace_t *ks, const char *name,
    rbl_str_t account, rbl_str_t b)
{
    return rbl_key(key, ks, rbl_partition(ks, account), name, account, b);
}


rbl_str_t
rbl_hash_key(rbl_key_t *key, const rbl_keyspace_t *ks, const char *name,
    const unsigned char digest[32])
{
    char       hex[2 * RBL_KEY_HASH];
    unsigned   p;
    rbl_str_t  hash = { hex, sizeof(hex) };

    rbl_hex(hex, digest, RBL_KEY_HASH);
    p = (unsigned) digest[0] << 8 | digest[1];

    return rbl_key(key, ks, ks->partitions ? p & (ks->partitions - 1) : 0,
                   name, hash, RBL_STR(""));
}


rbl_err_t
rbl_tag_partition(unsigned *p, const rbl_keyspace_t *ks, rbl_str_t tag)
{
    if (tag.n != RBL_TAG_LEN || ks->partitions == 0) {
        return RBL_EINVAL;
    }

    *p = rbl_slot(tag) / (RBL_SLOTS / ks->partitions);

    return memcmp(ks->tags[*p], tag.p, RBL_TAG_LEN) == 0 ? RBL_OK
           : RBL_EINVAL;
}


static rbl_str_t
rbl_key_global(rbl_key_t *key, const rbl_keyspace_t *ks, const char *name)
{
    rbl_out_t  out = rbl_key_begin(key, ks);

    rbl_out_char(&out, ':');
    rbl_out_z(&out, name);

    return rbl_key_done(key, &out);
}


rbl_str_t
rbl_meta_key(rbl_key_t *key, const rbl_keyspace_t *ks)
{
    return rbl_key_global(key, ks, "meta");
}


rbl_str_t
rbl_meta_copy_key(rbl_key_t *key, const rbl_keyspace_t *ks, unsigned i)
{
    char  name[] = "{...}:meta";

    memcpy(name + 1, ks->copies[i], RBL_TAG_LEN);

    return rbl_key_global(key, ks, name);
}


rbl_str_t
rbl_news_channel(rbl_key_t *key, const rbl_keyspace_t *ks)
{
    return rbl_key_global(key, ks, "news");
}
