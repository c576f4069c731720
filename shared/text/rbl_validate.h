/*
 * Validation of all values that come from outside.  Results are canonical: they
 * are stored, compared and queried in this form.
 */

#ifndef RBL_VALIDATE_H_INCLUDED
#define RBL_VALIDATE_H_INCLUDED

#include "rbl_common.h"

#define RBL_DOMAIN_MAX  253             /* octets, without the trailing dot */
#define RBL_LABEL_MAX   255             /* characters of a display name */
#define RBL_VALUE_MAX   256             /* fits any canonical value with NUL */

typedef struct {
    rbl_family_t   family;              /* IPV4 or IPV6 */
    unsigned char  b[16];               /* network order; IPv4 in b[0..3] */
} rbl_addr_t;

typedef struct {
    rbl_addr_t  addr;                   /* first address */
    unsigned    bits;                   /* prefix length */
} rbl_subnet_t;

/* True for valid UTF-8 without NUL and control characters (C0, DEL, C1). */
int rbl_text_ok(rbl_str_t s);

/* Returns the text without leading and trailing white space. */
rbl_str_t rbl_trim(rbl_str_t s);

/* Returns the number of code points of valid UTF-8. */
size_t rbl_utf8_count(rbl_str_t s);

/* Parses the inet_pton form; folds IPv4-mapped IPv6 to IPv4.  No zone index. */
rbl_err_t rbl_addr_parse(rbl_addr_t *a, rbl_str_t text);

/* Writes the inet_ntop form; returns buf as a string. */
rbl_str_t rbl_addr_text(char buf[RBL_VALUE_MAX], const rbl_addr_t *a);

/*
 * Parses "address/bits".  RBL_EINVAL: not a subnet (no slash, bad number,
 * mapped IPv6).  RBL_EHOSTBITS: host bits are set; *net is the subnet with
 * these bits cleared.
 */
rbl_err_t rbl_subnet_parse(rbl_subnet_t *net, rbl_str_t text);
rbl_str_t rbl_subnet_text(char buf[RBL_VALUE_MAX], const rbl_subnet_t *net);

/*
 * Parses a network that an application may be used from: "address/bits", one
 * address, or "unix:" for the clients of a unix socket.  *net is its stored
 * form, in buf or constant.  Errors as rbl_subnet_parse.
 */
#define RBL_NETWORKS_MAX  64            /* of an application */

rbl_err_t rbl_network_parse(char buf[RBL_VALUE_MAX], rbl_str_t *net,
    rbl_str_t text);

/* Returns the number of addresses; UINT64_MAX if it does not fit. */
uint64_t rbl_subnet_size(const rbl_subnet_t *net);

/* Returns the i-th address of the subnet. */
rbl_addr_t rbl_subnet_addr(const rbl_subnet_t *net, uint64_t i);

/*
 * True for an address that no host has on the Internet: private, loopback,
 * link-local, multicast, unspecified, broadcast, or shared by a carrier's NAT.
 */
int rbl_addr_local(const rbl_addr_t *a);

/* True if the subnet contains the address. */
int rbl_subnet_has(const rbl_subnet_t *net, const rbl_addr_t *a);

/*
 * Parses a domain name into A-labels: IDNA2008/UTS 46 (libidn2,
 * non-transitional), lower case, no trailing dot, at least two labels, LDH
 * labels plus underscore, none empty, over 63 bytes or with a hyphen at either
 * end, at most RBL_DOMAIN_MAX bytes, and not a numeric address (the last label
 * must have a character that is not a digit).  A name of A-labels that are
 * Punycode is taken as it is.
 */
rbl_err_t rbl_domain_parse(char buf[RBL_VALUE_MAX], rbl_str_t *out,
    rbl_str_t text);

/*
 * True if the last label of a parsed domain can be one of the public DNS:
 * letters, or an A-label.
 */
int rbl_domain_top_ok(rbl_str_t domain);

/*
 * True if the text looks like a range of addresses in a form that is no subnet:
 * two addresses, or an address and a number, with a hyphen between them, or an
 * IPv4 address with a range, an asterisk or an x in place of a number.
 */
int rbl_range_like(rbl_str_t text);

/* Parses an integer of decimal digits in min..max, without other characters. */
rbl_err_t rbl_int_parse(int64_t *v, rbl_str_t text, int64_t min, int64_t max);

/* Parses "0", "1", "true" or "false". */
rbl_err_t rbl_flag_parse(int *v, rbl_str_t text);

/*
 * An absolute http or https URL: no userinfo, no fragment, no control
 * characters or spaces, host not empty, port 1-65535, at most 2,048 bytes.
 * Views of the text.
 */
typedef struct {
    int        tls;
    rbl_str_t  host;                    /* IPv6 literals without brackets */
    unsigned   port;                    /* the scheme's default if not given */
    rbl_str_t  path;                    /* path and query; "/" if empty */
} rbl_url_t;

rbl_err_t rbl_url_parse(rbl_url_t *url, rbl_str_t text);

/*
 * Returns the start of a URL that a reader may see: scheme and host, and with
 * `path` the path.  No reader sees the query.  A text that is no URL is secret.
 */
rbl_str_t rbl_url_shown(rbl_str_t text, int path);

#endif /* RBL_VALIDATE_H_INCLUDED */
