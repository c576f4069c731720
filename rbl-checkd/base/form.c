#include "form.h"


void
form_encode(rbl_out_t *out, rbl_str_t value)
{
    size_t         i;
    unsigned char  c;

    static const char  hex[] = "0123456789ABCDEF";
    static const char  plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ-._~"
                                 "abcdefghijklmnopqrstuvwxyz0123456789";

    for (i = 0; i < value.n; i++) {
        c = (unsigned char) value.p[i];

        if (c != '\0' && strchr(plain, c) != NULL) {
            rbl_out_char(out, (char) c);
            continue;
        }

        rbl_out_char(out, '%');
        rbl_out_char(out, hex[c >> 4]);
        rbl_out_char(out, hex[c & 15]);
    }
}


void
form_add(rbl_buf_t *form, const char *name, rbl_str_t value)
{
    if (rbl_buf_str(form).n > 0) {
        rbl_out_char(&form->out, '&');
    }

    form_encode(&form->out, rbl_str(name));
    rbl_out_char(&form->out, '=');
    form_encode(&form->out, value);
}
