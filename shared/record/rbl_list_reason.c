/*
 * Table of the reasons for the state of a list.
 */

#include "rbl_list_reason.h"

const rbl_list_reason_text_t  rbl_list_reasons[RBL_LIST_REASON__N] = {
    [RBL_LIST_NO_REASON] = { "", "" },
    [RBL_LIST_PASSES] = { "passes", "its test points pass" },
    [RBL_LIST_RESPONDS] = { "responds",
        "it responds, and has no test points" },
    [RBL_LIST_NO_SERVERS] = { "no_servers",
        "it has no name servers that may be queried" },
    [RBL_LIST_NO_ZONE] = { "no_zone", "its zone does not exist" },
    [RBL_LIST_SEARCH_REFUSED] = { "search_refused",
        "its name servers cannot be found: the resolver refuses" },
    [RBL_LIST_SEARCH_TIMEOUT] = { "search_timeout",
        "its name servers cannot be found: the resolver does not respond in"
        " time" },
    [RBL_LIST_SEARCH_NETWORK] = { "search_network",
        "its name servers cannot be found: the resolver cannot be reached" },
    [RBL_LIST_SEARCH_FAILED] = { "search_failed",
        "its name servers cannot be found: the resolver fails" },
    [RBL_LIST_UNFOUND] = { "unfound", "its name servers cannot be found" },
    [RBL_LIST_TIMEOUT] = { "timeout", "no response in time" },
    [RBL_LIST_NO_RESPONSE] = { "no_response", "no response" },
    [RBL_LIST_SERVFAIL] = { "servfail", "servfail" },
    [RBL_LIST_NETWORK] = { "network", "it cannot be reached" },
    [RBL_LIST_TCP] = { "tcp", "no complete response over TCP" },
    [RBL_LIST_BAD_RESPONSE] = { "bad_response", "no valid response" },
    [RBL_LIST_NOT_SENT] = { "not_sent", "it cannot be queried" },
    [RBL_LIST_MUTE] = { "mute",
        "its queries time out while others get responses" },
    [RBL_LIST_REFUSES] = { "refuses", "it refuses" },
    [RBL_LIST_ERROR_CODE] = { "error_code", "it responds with an error code" },
    [RBL_LIST_RETIRED] = { "retired",
        "retired: it responds with test networks" },
    [RBL_LIST_OUTSIDE] = { "outside", "it responds outside 127/8" },
    [RBL_LIST_WILDCARD] = { "wildcard",
        "it lists names that no list should have" },
    [RBL_LIST_SAMPLE] = { "sample",
        "it is wildcarding: it lists a sample of names that no list should"
        " have" },
    [RBL_LIST_POINT_EMPTY] = { "point_empty",
        "its positive test point is empty" },
    [RBL_LIST_POINT_GONE] = { "point_gone",
        "its positive test point no longer exists" },
    [RBL_LIST_NO_FAMILY] = { "no_family", "no test point of this family" },
    [RBL_LIST_DNS] = { "dns", "DNS does not work at the daemon" }
};


rbl_list_reason_t
rbl_list_reason(rbl_str_t name)
{
    unsigned  i;

    for (i = 1; i < RBL_LIST_REASON__N; i++) {
        if (rbl_str_is(name, rbl_list_reasons[i].name)) {
            return (rbl_list_reason_t) i;
        }
    }

    return RBL_LIST_NO_REASON;
}
