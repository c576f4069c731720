/* The forms of a mail: headers, bodies and dates. */

#include "base/buf.h"
#include "deliver/message/mime.h"

#include "tap.h"


static void
header(const char *text, const char *want, const char *name)
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    mime_header(&buf.out, "Subject", rbl_str(text));
    is_str(rbl_buf_str(&buf), want, name);
    rbl_buf_free(&buf);
}


static void
test_headers(void)
{
    header("Hello", "Subject: Hello\r\n", "a word");
    header("a  b", "Subject: a  b\r\n", "spaces are kept");
    header("one two three four five six seven eight nine ten eleven twelve "
           "13 14 15 16",
           "Subject: one two three four five six seven eight nine ten eleven "
           "twelve 13\r\n 14 15 16\r\n", "folded at a space");
    header("M\xc3\xbcller", "Subject: =?UTF-8?B?TcO8bGxlcg==?=\r\n",
           "other letters");
    header("a\r\nBcc: b@c.example", "Subject: "
           "=?UTF-8?B?YSAgQmNjOiBiQGMuZXhhbXBsZQ==?=\r\n", "CR LF");
    header("=?UTF-8?B?eA==?=", "Subject: "
           "=?UTF-8?B?PT9VVEYtOD9CP2VBPT0/PQ==?=\r\n",
           "text like an encoded word");
    header("\xff\xc3", "Subject: =?UTF-8?B?77+977+9?=\r\n", "broken UTF-8");
    header(" x", "Subject: =?UTF-8?B?IHg=?=\r\n", "a space in front");
    header("", "Subject: \r\n", "nothing");
    header("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
           "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
           "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4",
           "Subject: =?UTF-8?B?w6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOkw6TDpMOk"
           "w6Q=?=\r\n =?UTF-8?B?w6TDpA==?=\r\n",
           "words hold whole characters");
}


static void
body(const char *text, const char *want, const char *name)
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    mime_quoted_printable(&buf.out, rbl_str(text));
    is_str(rbl_buf_str(&buf), want, name);
    rbl_buf_free(&buf);
}


#define X10  "xxxxxxxxxx"
#define X70  X10 X10 X10 X10 X10 X10 X10

static void
test_bodies(void)
{
    body("", "", "no text");
    body("a\nb\n", "a\r\nb\r\n", "lines");
    body("a", "a\r\n", "the last line gets an end");
    body("a \nb\t\nc ", "a=20\r\nb=09\r\nc=20\r\n", "space at an end");
    body("a=b", "a=3Db\r\n", "=");
    body("\xc3\xa4\r\n", "=C3=A4=0D\r\n", "other octets");
    body("\n.\n\n", "\r\n.\r\n\r\n", "a dot");
    body(X70 "12345", X70 "12345\r\n", "75 fit");
    body(X70 "123456", X70 "12345=\r\n6\r\n", "76 are broken");
    body(X70 "123=", X70 "123=\r\n=3D\r\n", "not inside of an octet");
}


static void
test_parts(void)
{
    rbl_buf_t  buf;

    rbl_buf_init(&buf);
    mime_parts_begin(&buf.out, RBL_STR("EV1"));
    mime_part(&buf.out, RBL_STR("EV1"), "text/plain",
              RBL_STR("--=_EV1\n--=_EV1--"));
    mime_part(&buf.out, RBL_STR("EV1"), "text/html", RBL_STR(""));
    mime_parts_end(&buf.out, RBL_STR("EV1"));
    is_str(rbl_buf_str(&buf),
           "Content-Type: multipart/alternative;\r\n boundary=\"=_EV1\"\r\n"
           "\r\n--=_EV1\r\nContent-Type: text/plain; charset=utf-8\r\n"
           "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
           "--=3D_EV1\r\n--=3D_EV1--\r\n"
           "\r\n--=_EV1\r\nContent-Type: text/html; charset=utf-8\r\n"
           "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
           "\r\n--=_EV1--\r\n", "no part can end itself");
    rbl_buf_free(&buf);
}


static void
test_dates(void)
{
    char  buf[MIME_DATE_LEN];

    is_str(mime_date(buf, INT64_C(1795167000000)),
           "Fri, 20 Nov 2026 09:30:00 +0000", "a date");
    is_str(mime_date(buf, 0), "Thu, 1 Jan 1970 00:00:00 +0000", "the first");
    is_str(mime_date(buf, -1), "Thu, 1 Jan 1970 00:00:00 +0000", "before it");
    is_str(mime_date(buf, INT64_MAX), "Thu, 1 Jan 1970 00:00:00 +0000",
           "far ahead");
}


int
main(void)
{
    test_headers();
    test_bodies();
    test_parts();
    test_dates();

    return tap_done();
}
