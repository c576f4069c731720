/*
 * Values of contacts: what each type accepts, the stored form, and the part
 * that may be shown.
 */

#include "rbl_contact.h"
#include "tap.h"

#include <stdlib.h>


#define N(a)     (sizeof(a) / sizeof((a)[0]))

#define KEY30    "uQiRzpo4DXghDmr9QzzfQu27cmVRsG"
#define KEY32    "0123456789abcdef0123456789abcdef"
#define TOKEN    "XXXXXXXXXXXXXXXXXXXXXXXX"
#define SLACK    "https://hooks.slack.com/services/"
#define DISCORD  "https://discord.com/api/webhooks/"
#define SNS      "arn:aws:sns:eu-west-1:123456789012:"
#define LOGS     "arn:aws:logs:eu-west-1:123456789012:log-group:"
#define AKID     "AKIAIOSFODNN7EXAMPLE"
#define SECRET   "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
#define KEYS     "," AKID "," SECRET
#define L10      "abcdefghij"
#define L50      L10 L10 L10 L10 L10
#define L63      L50 L10 "abc"
#define L250     L50 L50 L50 L50 L50
#define D4       L50 "." L50 "." L50 "." L10 L10 "abcdefgh.example"


/*
 * want NULL: refused; "=": unchanged.  shown NULL: the whole value; otherwise
 * the visible part, since the rest is secret.
 */

typedef struct {
    const char  *text, *want, *shown;
} row_t;

static const row_t  email[] = {
    { "ops@example.com", "=", NULL },
    { "Ops.Team+rbl@example.com", "=", NULL },
    { "a@b.example", "=", NULL },
    { "o'brien@example.com", "=", NULL },
    { "!#$%&'*+-/=?^_`{|}~@example.com", "=", NULL },
    { "ops@EXAMPLE.Com", "ops@example.com", NULL },
    { "ops@example.com.", "ops@example.com", NULL },
    { "ops@b\xc3\xbc" "cher.example", "ops@xn--bcher-kva.example", NULL },
    { "ops@xn--bcher-kva.example", "=", NULL },
    { "ops@mail-1.a.b.c.example", "=", NULL },
    { L63 "a@example.com", "=", NULL },
    { L63 "ab@example.com", NULL, NULL },
    { L63 "a@" D4, "=", NULL },
    { L63 "a@" "a" D4, NULL, NULL },
    { "", NULL, NULL },
    { "@", NULL, NULL },
    { "ops", NULL, NULL },
    { "ops@", NULL, NULL },
    { "@example.com", NULL, NULL },
    { "ops@localhost", NULL, NULL },
    { "ops@192.0.2.1", NULL, NULL },
    { "ops@[192.0.2.1]", NULL, NULL },
    { "ops@exa_mple.com", NULL, NULL },
    { "ops@-example.com", NULL, NULL },
    { "ops@example..com", NULL, NULL },
    { "ops@@example.com", NULL, NULL },
    { "a@b@example.com", NULL, NULL },
    { ".ops@example.com", NULL, NULL },
    { "ops.@example.com", NULL, NULL },
    { "o..ps@example.com", NULL, NULL },
    { "\"o ps\"@example.com", NULL, NULL },
    { "o ps@example.com", NULL, NULL },
    { "ops @example.com", NULL, NULL },
    { "ops@ example.com", NULL, NULL },
    { "Ops <ops@example.com>", NULL, NULL },
    { "<ops@example.com>", NULL, NULL },
    { "mailto:ops@example.com", NULL, NULL },
    { "ops@example.com,dev@example.com", NULL, NULL },
    { "ops@example.com dev@example.com", NULL, NULL },
    { "ops@example.com;dev@example.com", NULL, NULL },
    { "\xc3\xb6ps@example.com", NULL, NULL },
    { "ops\r\nBcc: x@example.com", NULL, NULL },
    { "ops\r\n@example.com", NULL, NULL },
    { "ops@example.com\r\nRCPT TO:<x@y.example>", NULL, NULL },
    { "ops(comment)@example.com", NULL, NULL },
    { "ops\\@example.com", NULL, NULL },
};

static const row_t  sms[] = {
    { "+15551234567", "=", NULL },
    { "+442071838750", "=", NULL },
    { "+6834000", "=", NULL },
    { "+123456789012345", "=", NULL },
    { "+1234567890123456", NULL, NULL },
    { "+683400", NULL, NULL },
    { "15551234567", NULL, NULL },
    { "0015551234567", NULL, NULL },
    { "+05551234567", NULL, NULL },
    { "+1 555 123 4567", NULL, NULL },
    { "+1-555-123-4567", NULL, NULL },
    { "+1(555)1234567", NULL, NULL },
    { "++15551234567", NULL, NULL },
    { "+1555123456a", NULL, NULL },
    { "+\xd9\xa1\xd9\xa2\xd9\xa3\xd9\xa4", NULL, NULL },
    { "+", NULL, NULL },
    { "", NULL, NULL },
};

static const row_t  endpoint[] = {
    { "https://example.com/", "=", NULL },
    { "https://example.com", "=", NULL },
    { "http://example.com/hook", "=", NULL },
    { "HTTPS://Example.COM:8443/Hook", "=", NULL },
    { "https://192.0.2.1/hook", "=", NULL },
    { "https://[2001:db8::1]:8443/hook", "=", NULL },
    { "https://example.com/hook?key=secret", "=",
      "https://example.com/hook?" },
    { "https://example.com?a=1&b=2", "=", "https://example.com?" },
    { "https://example.com/?", "=", NULL },
    { "https://user:pw@example.com/", "https://example.com/ user:pw",
      "https://example.com/" },
    { "http://user:pw@example.com:8080/hook?key=secret",
      "http://example.com:8080/hook?key=secret user:pw",
      "http://example.com:8080/hook?" },
    { "https://user:@example.com", "https://example.com user:",
      "https://example.com" },
    { "https://user@[2001:db8::1]/", "https://[2001:db8::1]/ user",
      "https://[2001:db8::1]/" },
    { "https://u%40x:p%3a%20%C3%A9:!@example.com/",
      "https://example.com/ u%40x:p%3a%20%C3%A9:!", "https://example.com/" },
    { "https://example.com/@", "=", NULL },
    { "https://example.com/?a=u:p@b", "=", "https://example.com/?" },
    { "https://:pw@example.com/", NULL, NULL },
    { "https://@example.com/", NULL, NULL },
    { "https://u%3ax:pw@example.com/", NULL, NULL },
    { "https://user:p w@example.com/", NULL, NULL },
    { "https://user:p@w@example.com/", NULL, NULL },
    { "https://user:p%0aw@example.com/", NULL, NULL },
    { "https://user:p%00w@example.com/", NULL, NULL },
    { "https://user:p%ffw@example.com/", NULL, NULL },
    { "https://user:p%zz@example.com/", NULL, NULL },
    { "https://user:p%2@example.com/", NULL, NULL },
    { "https://user:pw@", NULL, NULL },
    { "https://user:pw@/hook", NULL, NULL },
    { "https://user:pw@127.1/", NULL, NULL },
    { "https:/user:pw@example.com/", NULL, NULL },
    { "ftp://user:pw@example.com/", NULL, NULL },
    { "https://example.com/ user:pw", NULL, NULL },
    { "https://example.com/#top", NULL, NULL },
    { "https://example.com:0/", NULL, NULL },
    { "https://example.com:65536/", NULL, NULL },
    { "https://", NULL, NULL },
    { "https:///hook", NULL, NULL },
    { "ftp://example.com/", NULL, NULL },
    { "file:///etc/passwd", NULL, NULL },
    { "javascript:alert(1)", NULL, NULL },
    { "//example.com/", NULL, NULL },
    { "example.com/hook", NULL, NULL },
    { "https://exa mple.com/", NULL, NULL },
    { "https://example.com/a b", NULL, NULL },
    { "https://example.com/%zz", NULL, NULL },
    { "https://127.1/", NULL, NULL },
    { "https://0x7f000001/", NULL, NULL },
    { "https://example.com/\r\nX: y", NULL, NULL },
    { "", NULL, NULL },
};

static const row_t  pushover[] = {
    { KEY30, "=", "" },
    { "gznej3rKEVAvPUxu9vvNnqpmZpokzF", "=", "" },
    { KEY30 "a", NULL, NULL },
    { "uQiRzpo4DXghDmr9QzzfQu27cmVRs", NULL, NULL },
    { "uQiRzpo4DXghDmr9QzzfQu27cmVRs-", NULL, NULL },
    { "uQiRzpo4DXghDmr9QzzfQu27cmVRs ", NULL, NULL },
    { "", NULL, NULL },
};

static const row_t  pagerduty[] = {
    { KEY32, "=", "" },
    { "R0123456789ABCDEFGHIJKLMNOPQRSTU", "=", "" },
    { KEY32 "0", NULL, NULL },
    { "0123456789abcdef0123456789abcde", NULL, NULL },
    { "0123456789abcdef0123456789abcde\xc3\xa9", NULL, NULL },
    { "0123456789abcdef_123456789abcdef", NULL, NULL },
    { "", NULL, NULL },
};

static const row_t  slack[] = {
    { SLACK "T00000000/B00000000/" TOKEN, "=",
      SLACK "T00000000/B00000000/" },
    { "https://hooks.slack-gov.com/services/T0/B0/abc", "=",
      "https://hooks.slack-gov.com/services/T0/B0/" },
    { "https://HOOKS.slack.com:443/services/T0/B0/abc", "=",
      "https://HOOKS.slack.com:443/services/T0/B0/" },
    { "https://chat.example/hooks/secret", "=",
      "https://chat.example/hooks/" },
    { "http://chat.example:8065/hooks/a/secret", "=",
      "http://chat.example:8065/hooks/a/" },
    { "https://CHAT.example/hooks/secret", "=",
      "https://CHAT.example/hooks/" },
    { "https://chat.example/hooks/", NULL, NULL },
    { "https://chat.example", NULL, NULL },
    { "https://chat.example/hooks/a?b=c", NULL, NULL },
    { "https://chat.example.evil.example/hooks/a", NULL, NULL },
    { "http://hooks.slack.com/services/T0/B0/abc", NULL, NULL },
    { "https://hooks.slack.com:8443/services/T0/B0/abc", NULL, NULL },
    { "https://hooks.slack.com.evil.example/services/T0/B0/abc", NULL, NULL },
    { "https://evil.example/services/T0/B0/abc", NULL, NULL },
    { "https://evil.example/hooks.slack.com/services/T0/B0/abc", NULL, NULL },
    { "https://hooks.slack.com@evil.example/services/T0/B0/abc", NULL, NULL },
    { "https://hooks.slack.com./services/T0/B0/abc", NULL, NULL },
    { "https://slack.com/services/T0/B0/abc", NULL, NULL },
    { "https://hooks.slack.com/triggers/T0/12345/abc", "=",
      "https://hooks.slack.com/triggers/T0/12345/" },
    { "https://hooks.slack.com/workflows/T0/A0/12345/abc", "=",
      "https://hooks.slack.com/workflows/T0/A0/12345/" },
    { "https://hooks.slack.com/triggers/T0/12345", NULL, NULL },
    { "https://hooks.slack.com/triggers/T0/12345/abc/", NULL, NULL },
    { "https://hooks.slack.com/triggers/T0/12345/abc/d", NULL, NULL },
    { "https://hooks.slack.com/workflows/T0/A0/12345/abc/d", NULL, NULL },
    { "https://hooks.slack.com/triggers/T0/12345/abc?x=y", NULL, NULL },
    { "https://hooks.slack.com/other/T0/12345/abc", NULL, NULL },
    { SLACK "T0/B0", NULL, NULL },
    { SLACK "T0/B0/", NULL, NULL },
    { SLACK "T0/B0/abc/", NULL, NULL },
    { SLACK "T0/B0/abc/d", NULL, NULL },
    { SLACK "T0//abc", NULL, NULL },
    { SLACK "T0/../abc", NULL, NULL },
    { SLACK "T0/B0/a%62c", NULL, NULL },
    { SLACK "T0/B0/abc?x=y", NULL, NULL },
    { SLACK "T0/B0/abc?", NULL, NULL },
    { "https://hooks.slack.com/workflows/T0/B0/abc", NULL, NULL },
    { "https://hooks.slack.com/", NULL, NULL },
    { "hooks.slack.com/services/T0/B0/abc", NULL, NULL },
    { DISCORD "1/abc", NULL, NULL },
    { "", NULL, NULL },
};

static const row_t  datadog[] = {
    { KEY32, "=", "" },
    { "datadoghq.eu," KEY32, "=", "datadoghq.eu," },
    { "US5.datadoghq.com, " KEY32, "us5.datadoghq.com," KEY32,
      "us5.datadoghq.com," },
    { " ddog-gov.com ," KEY32, "ddog-gov.com," KEY32, "ddog-gov.com," },
    { "datadoghq.com," KEY32, "=", "datadoghq.com," },
    { "evil.example," KEY32, NULL, NULL },
    { "datadoghq.com.evil.example," KEY32, NULL, NULL },
    { "datadoghq.com:443," KEY32, NULL, NULL },
    { "datadoghq.com," KEY32 "," KEY32, NULL, NULL },
    { "datadoghq.com,", NULL, NULL },
    { "," KEY32, NULL, NULL },
    { KEY32 ",datadoghq.com", NULL, NULL },
    { "a-label-that-is-longer-than-any-site.datadoghq.com," KEY32, NULL,
      NULL },
    { KEY32 "a", NULL, NULL },
    { "0123456789abcdef", NULL, NULL },
    { "", NULL, NULL },
};

static const row_t  discord[] = {
    { DISCORD "123456789012345678/ab_C-d", "=",
      DISCORD "123456789012345678/" },
    { "https://discordapp.com/api/webhooks/1/abc", "=",
      "https://discordapp.com/api/webhooks/1/" },
    { "https://canary.discord.com/api/v10/webhooks/1/abc", "=",
      "https://canary.discord.com/api/v10/webhooks/1/" },
    { "https://ptb.discord.com/api/v9/webhooks/1/abc", "=",
      "https://ptb.discord.com/api/v9/webhooks/1/" },
    { "https://cdn.discord.com/api/webhooks/1/abc", NULL, NULL },
    { "https://discord.com.evil.example/api/webhooks/1/abc", NULL, NULL },
    { "http://discord.com/api/webhooks/1/abc", NULL, NULL },
    { "https://discord.com/api/vx/webhooks/1/abc", NULL, NULL },
    { "https://discord.com/api/v/webhooks/1/abc", NULL, NULL },
    { "https://discord.com/webhooks/1/abc", NULL, NULL },
    { DISCORD "x/abc", NULL, NULL },
    { DISCORD "1", NULL, NULL },
    { DISCORD "1/", NULL, NULL },
    { DISCORD "/abc", NULL, NULL },
    { DISCORD "1/abc/", NULL, NULL },
    { DISCORD "1/abc/slack", NULL, NULL },
    { DISCORD "1/a.c", NULL, NULL },
    { DISCORD "1/abc?thread_id=1234567890123456789", "=", DISCORD "1/" },
    { "https://canary.discord.com/api/v10/webhooks/1/a?thread_id=2", "=",
      "https://canary.discord.com/api/v10/webhooks/1/" },
    { DISCORD "1/abc?thread_id=", NULL, NULL },
    { DISCORD "1/abc?thread_id=x", NULL, NULL },
    { DISCORD "1/abc?thread_id=123456789012345678901", NULL, NULL },
    { DISCORD "1/abc?thread_id=1&wait=true", NULL, NULL },
    { DISCORD "1/abc?wait=true&thread_id=1", NULL, NULL },
    { DISCORD "1/abc?thread_id=1?", NULL, NULL },
    { DISCORD "1/abc?thread_id=1/2", NULL, NULL },
    { DISCORD "1/?thread_id=1", NULL, NULL },
    { DISCORD "1/abc?", NULL, NULL },
    { DISCORD "1/abc?wait=true", NULL, NULL },
    { DISCORD "123456789012345678901/abc", NULL, NULL },
    { SLACK "T0/B0/abc", NULL, NULL },
    { "", NULL, NULL },
};

static const row_t  telegram[] = {
    { "123456789", "=", NULL },
    { "1", "=", NULL },
    { "-1001234567890", "=", NULL },
    { "4503599627370495", "=", NULL },
    { "-4503599627370495", "=", NULL },
    { "@durov", "=", NULL },
    { "@My_Channel_2", "=", NULL },
    { "@abcd", "=", NULL },
    { "-1001234567890:77", "=", NULL },
    { "@My_Channel_2:1", "=", NULL },
    { "1:2147483647", "=", NULL },
    { "-100123:0", NULL, NULL },
    { "-100123:-1", NULL, NULL },
    { "-100123:01", NULL, NULL },
    { "-100123:2147483648", NULL, NULL },
    { "-100123:", NULL, NULL },
    { "-100123:7:7", NULL, NULL },
    { "-100123: 7", NULL, NULL },
    { ":7", NULL, NULL },
    { "@:7", NULL, NULL },
    { "4503599627370496", NULL, NULL },
    { "99999999999999999999999", NULL, NULL },
    { "0", NULL, NULL },
    { "-0", NULL, NULL },
    { "-", NULL, NULL },
    { "--1", NULL, NULL },
    { "+1", NULL, NULL },
    { "007", NULL, NULL },
    { "1.5", NULL, NULL },
    { "@", NULL, NULL },
    { "@abc", NULL, NULL },
    { "@1abc", NULL, NULL },
    { "@_abc", NULL, NULL },
    { "@ab-cd", NULL, NULL },
    { "@ab cd", NULL, NULL },
    { "@" L10 L10 L10 "abc", NULL, NULL },
    { "durov", NULL, NULL },
    { "https://t.me/durov", NULL, NULL },
    { "", NULL, NULL },
};

static const row_t  sns[] = {
    { SNS "alerts" KEYS, "=", SNS "alerts," AKID "," },
    { SNS "Al_er-ts.fifo" KEYS, "=", SNS "Al_er-ts.fifo," AKID "," },
    { " " SNS "a , " AKID " , " SECRET, SNS "a" KEYS, SNS "a," AKID "," },
    { "arn:aws-cn:sns:cn-north-1:123456789012:a" KEYS, "=",
      "arn:aws-cn:sns:cn-north-1:123456789012:a," AKID "," },
    { "arn:aws-us-gov:sns:us-gov-west-1:123456789012:a" KEYS, "=",
      "arn:aws-us-gov:sns:us-gov-west-1:123456789012:a," AKID "," },
    { "arn:aws:sns:ap-southeast-12:123456789012:a" KEYS, "=",
      "arn:aws:sns:ap-southeast-12:123456789012:a," AKID "," },
    { SNS L250 "abcdef" KEYS, "=", SNS L250 "abcdef," AKID "," },
    { SNS L250 "abcdefg" KEYS, NULL, NULL },
    { SNS "alerts", NULL, NULL },
    { SNS "alerts," AKID, NULL, NULL },
    { SNS "alerts," AKID ",", NULL, NULL },
    { SNS "alerts,," SECRET, NULL, NULL },
    { SNS "alerts" KEYS ",x", NULL, NULL },
    { SNS "alerts" KEYS "x", NULL, NULL },
    { SNS "alerts,ASIAIOSFODNN7EXAMPLE," SECRET, NULL, NULL },
    { SNS "alerts,AKIA," SECRET, NULL, NULL },
    { SNS "alerts,AKIAIOSFODNN7:XAMPLE," SECRET, NULL, NULL },
    { SNS "alerts," AKID ",wJalrXUtnFEMI K7MDENG/bPxRfiCYEXAMPLEKEY", NULL,
      NULL },
    { SNS "" KEYS, NULL, NULL },
    { SNS ".fifo" KEYS, NULL, NULL },
    { SNS "a.b" KEYS, NULL, NULL },
    { SNS "a:b" KEYS, NULL, NULL },
    { SNS "a b" KEYS, NULL, NULL },
    { "arn:aws:sqs:eu-west-1:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns::123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns:eu-west-1:12345678901:a" KEYS, NULL, NULL },
    { "arn:aws:sns:eu-west-1::a" KEYS, NULL, NULL },
    { "arn:aws:sns:eu-west:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns:eu-1:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns:-eu-1:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns:eu--west-1:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns:eu-west-1-:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns:eu-west-123:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns:EU-west-1:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns:evil.example/-1:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws:sns:cn-north-1:123456789012:a" KEYS, NULL, NULL },
    { "arn:aws-cn:sns:eu-west-1:123456789012:a" KEYS, NULL, NULL },
    { "arn:evil:sns:eu-west-1:123456789012:a" KEYS, NULL, NULL },
    { "ARN:aws:sns:eu-west-1:123456789012:a" KEYS, NULL, NULL },
    { LOGS "a" KEYS, NULL, NULL },
    { "", NULL, NULL },
    { ",,", NULL, NULL },
};

static const row_t  cloudwatch[] = {
    { LOGS "rbl" KEYS, "=", LOGS "rbl," AKID "," },
    { LOGS "/aws/rbl-1_2.3#4" KEYS, "=", LOGS "/aws/rbl-1_2.3#4," AKID "," },
    { LOGS "rbl:*" KEYS, LOGS "rbl" KEYS, LOGS "rbl," AKID "," },
    { LOGS L250 L250 L10 "ab" KEYS, "=",
      LOGS L250 L250 L10 "ab," AKID "," },
    { LOGS L250 L250 L10 "abc" KEYS, NULL, NULL },
    { LOGS "" KEYS, NULL, NULL },
    { LOGS ":*" KEYS, NULL, NULL },
    { LOGS "rbl:log-stream:x" KEYS, NULL, NULL },
    { LOGS "rbl:*:*" KEYS, NULL, NULL },
    { LOGS "r bl" KEYS, NULL, NULL },
    { "arn:aws:logs:eu-west-1:123456789012:rbl" KEYS, NULL, NULL },
    { "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:x" KEYS, NULL, NULL },
    { LOGS "rbl", NULL, NULL },
    { SNS "a" KEYS, NULL, NULL },
    { "", NULL, NULL },
};

#define ROWS(t)  t, N(t)

/* Values of the types. */

static const struct {
    const char    *name;
    const row_t   *row;
    size_t         n;
} types[RBL_CONTACT_TYPES] = {
    [RBL_CONTACT_EMAIL] = { "email", ROWS(email) },
    [RBL_CONTACT_SMS] = { "sms", ROWS(sms) },
    [RBL_CONTACT_ENDPOINT] = { "endpoint", ROWS(endpoint) },
    [RBL_CONTACT_PUSHOVER] = { "pushover", ROWS(pushover) },
    [RBL_CONTACT_PAGERDUTY] = { "pagerduty", ROWS(pagerduty) },
    [RBL_CONTACT_SLACK] = { "slack", ROWS(slack) },
    [RBL_CONTACT_DATADOG] = { "datadog", ROWS(datadog) },
    [RBL_CONTACT_DISCORD] = { "discord", ROWS(discord) },
    [RBL_CONTACT_TELEGRAM] = { "telegram", ROWS(telegram) },
    [RBL_CONTACT_SNS] = { "aws-sns", ROWS(sns) },
    [RBL_CONTACT_CLOUDWATCH] = { "aws-cloudwatch", ROWS(cloudwatch) },
};


/* The text in a block of exactly its size. */

static rbl_str_t
exact(const char *z)
{
    char       *p;
    rbl_str_t   s = { NULL, strlen(z) };

    p = malloc(s.n ? s.n : 1);
    memcpy(p, z, s.n);
    s.p = p;

    return s;
}


static void
test_row(rbl_contact_type_t type, const row_t *row)
{
    int          good;
    char         buf[RBL_CONTACT_MAX];
    rbl_str_t    text, out, host, shown;
    const char  *want;

    host = RBL_STR("chat.example");
    text = exact(row->text);
    good = rbl_contact_parse(buf, &out, type, text, &host, 1) == RBL_OK;

    if (row->want == NULL) {
        ok(!good, "%s: not %s", types[type].name, row->text);

    } else if (ok(good, "%s: %s", types[type].name, row->text)) {
        want = strcmp(row->want, "=") ? row->want : row->text;
        is_str(out, want, "in the stored form");
        ok(out.p == buf && buf[out.n] == '\0', "in its place");

        shown = rbl_contact_shown(rbl_str(types[type].name), out, 1);
        is_str(shown, row->shown ? row->shown : want, "in the shown form");
    }

    free((char *) (uintptr_t) text.p);
}


static void
test_names(void)
{
    size_t              i;
    const char         *name;
    rbl_contact_type_t  type;
    static const char  *bad[] = {
        "", "Email", "email ", "mail", "aws_sns", "aws", "phone", "webhook"
    };
    static const char  *schedule[] = {
        "every_check", "start_and_end", "while_listed"
    };

    for (i = 0; i < RBL_CONTACT_TYPES; i++) {
        name = rbl_contact_type_name((rbl_contact_type_t) i);
        ok(types[i].name == NULL || strcmp(types[i].name, name) == 0,
           "the name %s", name);
        ok(rbl_contact_type(&type, rbl_str(name)) == RBL_OK && type == i,
           "the type %s", name);
        ok(strstr(rbl_contact_expected(type), " expected"),
           "its expected values");
    }

    for (i = 0; i < N(bad); i++) {
        ok(rbl_contact_type(&type, rbl_str(bad[i])) != RBL_OK,
           "no type: \"%s\"", bad[i]);
        ok(!rbl_contact_schedule_ok(rbl_str(bad[i])), "nor a schedule");
    }

    for (i = 0; i < N(schedule); i++) {
        ok(rbl_contact_schedule_ok(rbl_str(schedule[i])), "%s", schedule[i]);
    }
}


/* Invalid records show no part of a secret. */

static void
test_unknown(void)
{
    is_str(rbl_contact_shown(RBL_STR("other"), RBL_STR("secret"), 1), "",
           "an unknown type");
    is_str(rbl_contact_shown(RBL_STR(""), RBL_STR(""), 1), "", "nothing");
    is_str(rbl_contact_shown(RBL_STR("slack"), RBL_STR("secret"), 1), "",
           "a webhook that is no URL");
    is_str(rbl_contact_shown(RBL_STR("endpoint"),
                             RBL_STR("https://user:pw@example.com/"), 1), "",
           "a URL with a password");
    is_str(rbl_contact_shown(RBL_STR("aws-sns"), RBL_STR("secret"), 1), "",
           "keys without an ARN");
    is_str(rbl_contact_shown(RBL_STR("datadog"), RBL_STR(""), 1), "", "no key");
}


/* The path may be a secret, too: not all readers see it. */

static void
test_path(void)
{
    size_t                   i;
    static const char *const urls[][3] = {
        { "https://a.example/x/y?z=1", "https://a.example/",
          "https://a.example/x/y?" },
        { "https://a.example:8443/x", "https://a.example:8443/",
          "https://a.example:8443/x" },
        { "https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/",
          "https://[2001:db8::1]:8443/x" },
        { "https://a.example?z=/1", "https://a.example?",
          "https://a.example?" },
        { "https://a.example/", "https://a.example/", "https://a.example/" },
        { "http://a.example", "http://a.example", "http://a.example" },
        { "https://u:p@a.example/x", "", "" },
        { "x", "", "" }
    };

    for (i = 0; i < N(urls); i++) {
        is_str(rbl_url_shown(rbl_str(urls[i][0]), 0), urls[i][1],
               "scheme and host of a URL");
        is_str(rbl_url_shown(rbl_str(urls[i][0]), 1), urls[i][2],
               "a URL without its query");
    }

    is_str(rbl_contact_shown(RBL_STR("endpoint"),
                             RBL_STR("https://a.example/x"), 0),
           "https://a.example/", "an endpoint without its path");
    is_str(rbl_contact_shown(RBL_STR("email"), RBL_STR("a@a.example"), 0),
           "a@a.example", "other contacts have no path");
}


int
main(void)
{
    size_t              i;
    rbl_contact_type_t  type;

    for (type = 0; type < RBL_CONTACT_TYPES; type++) {
        for (i = 0; i < types[type].n; i++) {
            test_row(type, &types[type].row[i]);
        }
    }

    test_names();
    test_unknown();
    test_path();

    return tap_done();
}
