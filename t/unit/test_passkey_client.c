/*
 * Passkeys: client data and texts in base64url, right and wrong.
 */

#include "rbl_passkey.h"
#include "tap.h"


#define ORIGIN   "https://portal.example"
#define B64      "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"  /* 0 to 31 */

#define CLIENT(type, challenge, origin, more)                                 \
    "{\"type\":\"" type "\",\"challenge\":\"" challenge "\",\"origin\":\""     \
    origin "\"" more "}"

static const struct {
    const char  *name, *json;
    int          right;
} clients[] = {
    { "as browsers write it",
      CLIENT("webauthn.get", B64, ORIGIN, ",\"crossOrigin\":false"), 1 },
    { "an older browser's", CLIENT("webauthn.get", B64, ORIGIN, ""), 1 },
    { "with more members", CLIENT("webauthn.get", B64, ORIGIN,
      ",\"other_keys_can_be_added_here\":\"x\""), 1 },
    { "of another page", CLIENT("webauthn.get", B64, ORIGIN,
      ",\"crossOrigin\":true"), 0 },
    { "of any page", CLIENT("webauthn.get", B64, ORIGIN,
      ",\"crossOrigin\":\"false\""), 0 },
    { "of the topmost page", CLIENT("webauthn.get", B64, ORIGIN,
      ",\"topOrigin\":\"" ORIGIN "\""), 1 },
    { "inside a page of another origin", CLIENT("webauthn.get", B64, ORIGIN,
      ",\"crossOrigin\":false,\"topOrigin\":\"https://evil.example\""), 0 },
    { "inside a page of an origin that is no text", CLIENT("webauthn.get", B64,
      ORIGIN, ",\"topOrigin\":null"), 0 },
    { "inside a page of no origin", CLIENT("webauthn.get", B64, ORIGIN,
      ",\"topOrigin\":\"\""), 0 },
    { "of another page, although the topmost is the same",
      CLIENT("webauthn.get", B64, ORIGIN,
      ",\"crossOrigin\":true,\"topOrigin\":\"" ORIGIN "\""), 0 },
    { "of another type", CLIENT("webauthn.create", B64, ORIGIN, ""), 0 },
    { "of another origin",
      CLIENT("webauthn.get", B64, "https://portal.example.evil", ""), 0 },
    { "of another scheme",
      CLIENT("webauthn.get", B64, "http://portal.example", ""), 0 },
    { "of another port",
      CLIENT("webauthn.get", B64, ORIGIN ":444", ""), 0 },
    { "a short challenge", CLIENT("webauthn.get", "AAEC", ORIGIN, ""), 0 },
    { "a long challenge", CLIENT("webauthn.get", B64 "AAAA", ORIGIN, ""), 0 },
    { "no challenge", CLIENT("webauthn.get", "", ORIGIN, ""), 0 },
    { "a member twice", CLIENT("webauthn.get", B64, ORIGIN,
      ",\"type\":\"webauthn.get\""), 0 },
    { "a NUL", CLIENT("webauthn.get\\u0000", B64, ORIGIN, ""), 0 },
    { "an array", "[\"webauthn.get\"]", 0 },
    { "no JSON", "webauthn.get", 0 },
    { "nothing", "", 0 },
};


static void
test_clients(void)
{
    size_t         i, k;
    rbl_err_t      err;
    unsigned char  challenge[RBL_PASSKEY_CHALLENGE];

    for (i = 0; i < sizeof(clients) / sizeof(clients[0]); i++) {
        memset(challenge, 0xff, sizeof(challenge));
        err = rbl_passkey_client(challenge, rbl_str(clients[i].json),
                                 "webauthn.get", RBL_STR(ORIGIN));
        ok(err == (clients[i].right ? RBL_OK : RBL_EINVAL),
           "client data: %s", clients[i].name);

        for (k = 0; clients[i].right && k < sizeof(challenge)
                    && challenge[k] == k; k++)
        {
            /* void */
        }

        ok(!clients[i].right || k == sizeof(challenge), "its challenge");
    }
}


static const struct {
    const char  *text;
    int          n;                     /* -1: refused */
} texts[] = {
    { "", 0 }, { "AA", 1 }, { "AAA", 2 }, { "AAAA", 3 }, { "AAAAAA", 4 },
    { "_-_-", 3 }, { "A", -1 }, { "AAAAA", -1 }, { "AB", -1 }, { "AAB", -1 },
    { "AA==", -1 }, { "+/AA", -1 }, { "AA A", -1 }, { "AA\xc3\xa4", -1 },
    { "AAAAAAA", -1 },
};


static void
test_texts(void)
{
    size_t         i, n;
    rbl_err_t      err;
    unsigned char  out[4];

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        err = rbl_passkey_text(out, sizeof(out), &n, rbl_str(texts[i].text));
        ok(texts[i].n < 0 ? err == RBL_EINVAL
           : err == RBL_OK && n == (size_t) texts[i].n, "base64url: \"%s\"",
           texts[i].text);
    }
}


int
main(void)
{
    test_clients();
    test_texts();

    return tap_done();
}
