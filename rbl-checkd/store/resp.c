#include "resp.h"


static void
resp_line(rbl_out_t *out, char type, size_t n)
{
    rbl_out_char(out, type);
    rbl_out_int(out, (int64_t) n);
    rbl_out_bytes(out, "\r\n", 2);
}


void
resp_array(rbl_out_t *out, size_t n)
{
    resp_line(out, '*', n);
}


void
resp_bulk(rbl_out_t *out, rbl_str_t s)
{
    resp_line(out, '$', s.n);
    rbl_out_str(out, s);
    rbl_out_bytes(out, "\r\n", 2);
}


rbl_str_t
resp_end(rbl_out_t *out, const char *begin)
{
    rbl_str_t  command = { begin, (size_t) (out->pos - begin) };

    rbl_out_char(out, '\0');

    return command;
}
