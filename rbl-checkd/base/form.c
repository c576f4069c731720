#include "form.h"


void
form_add(rbl_buf_t *form, const char *name, rbl_str_t value)
{
    if (rbl_buf_str(form).n > 0) {
        rbl_out_char(&form->out, '&');
    }

    rbl_out_percent(&form->out, rbl_str(name));
    rbl_out_char(&form->out, '=');
    rbl_out_percent(&form->out, value);
}
