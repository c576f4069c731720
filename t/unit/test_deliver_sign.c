/*
 * Signatures against known vectors: the example of the Standard Webhooks
 * specification, and values made with another implementation of HMAC.
 */

#include "base/sign.h"

#include "tap.h"


static void
check(const char *name, rbl_str_t secret, rbl_str_t id, int64_t t,
    rbl_str_t body, const char *own, const char *standard)
{
    sign_t  sign;

    memset(&sign, 'x', sizeof(sign));
    ok(sign_make(&sign, secret, RBL_STR(""), id, t, body) == RBL_OK, "%s",
       name);

    if (own != NULL) {
        is_str(rbl_str(sign.own), own, "X-Webhook-Signature");
    }

    if (standard != NULL) {
        is_str(rbl_str(sign.standard), standard, "webhook-signature");
    }
}


int
main(void)
{
    sign_t       sign;
    static char  many_k[200], many_x[3000];

    memset(many_k, 'k', sizeof(many_k));
    memset(many_x, 'x', sizeof(many_x));

    check("the example of the specification",
          RBL_STR("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
          RBL_STR("msg_p5jXN8AQM9LWM0D4loKWxJek"), 1614265330,
          RBL_STR("{\"test\": 2432232314}"),
          "t=1614265330,v1=2e37df5d4a028c51a7f3133d64ae1e300d2c2c900f1b1d49"
          "d4369ad2530f8964",
          "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");

    check("a plain secret is its own key", RBL_STR("plain secret"),
          RBL_STR("EV1"), 0, RBL_STR(""),
          "t=0,v1=7d905746ac745cb39d920d7bcee3aaf29718aa89136519660f620da5"
          "d4b4b3c2",
          "v1,Bfv03v0bCILBN04GRenL5l/0nFoMPD4U2Hm8+Banfp8=");

    check("base64 with padding, a body with NUL", RBL_STR("whsec_AAECAw=="),
          RBL_STR("EV1"), 5, RBL_STR("a\0b"),
          "t=5,v1=9189db5ca66840f146b9db4bb394ab353780dcd1de64a7740e24077c"
          "2b2bcbc0",
          "v1,c2VTWipM21awmemQCYcpaaspcpPnE21xeYm69PH2UFU=");

    check("a secret without base64 is used unchanged",
          RBL_STR("whsec_not base64"), RBL_STR("EV1"), 5, RBL_STR("x"), NULL,
          "v1,5BQvX5q4c7tiMZuImdpxcoFrYZKm7DL8oTOh/lRUs+c=");

    check("a key longer than a block, a long body",
          (rbl_str_t) { many_k, sizeof(many_k) }, RBL_STR("EV1"), 7,
          (rbl_str_t) { many_x, sizeof(many_x) },
          "t=7,v1=958915b672e51070e5f1c8214af0dffeeda6dd39ed00cd9bbdc28a6c"
          "a25e6949", NULL);

    check("\"whsec_\" alone", RBL_STR("whsec_"), RBL_STR("EV1"), 5,
          RBL_STR("x"), NULL, NULL);
    check("padding alone", RBL_STR("whsec_===="), RBL_STR("EV1"), 5,
          RBL_STR("x"), NULL, NULL);

    memset(&sign, 'x', sizeof(sign));
    ok(sign_make(&sign, RBL_STR("whsec_AAECAw=="), RBL_STR("plain secret"),
                 RBL_STR("EV1"), 1795167000, RBL_STR("{\"a\":1}")) == RBL_OK,
       "two secrets");
    is_str(rbl_str(sign.own),
           "t=1795167000"
           ",v1=c4e5911fd8ec92da4aa33e15cb74bbdb"
           "3564b052cb809a60d71c7bd49400b485"
           ",v1=5c8b421eab006551dbfa804fcbb4ef75"
           "7f2c4198acfb64048b5209a4e375953a", "both in X-Webhook-Signature");
    is_str(rbl_str(sign.standard),
           "v1,H5AgrhRa27ZYAGvIPKgvUo5QqDbnYaEke0ZYaYAYPcs="
           " v1,kTp1RvGp+f1DT3QP84xV6e7bR8znnXHwKP5K8UrrRRo=",
           "both in webhook-signature");

    return tap_done();
}
