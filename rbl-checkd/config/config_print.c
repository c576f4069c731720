/*
 * The table of keys as a commented file.
 */

#include "config_int.h"

#include <stdio.h>

#define WIDTH  79


/* Wraps words, each line after "# ". */

static void
print_comment(FILE *f, const char *text)
{
    size_t  col, n;

    for (col = 0; *text != '\0'; text += n) {
        n = strspn(text, " ");
        n += strcspn(text + n, " ");

        if (col != 0 && col + n > WIDTH) {
            fputc('\n', f);
            text += strspn(text, " ");
            n = strcspn(text, " ");
            col = 0;
        }

        col += (size_t) fprintf(f, "%s%.*s", col == 0 ? "# " : "", (int) n,
                                text);
    }

    fputc('\n', f);
}


void
config_print_defaults(void *file)
{
    FILE                *f = file;
    char                 allowed[CONFIG_ERR_MAX], line[CONFIG_ERR_MAX + 16];
    size_t               i;
    const config_key_t  *k;

    fputs("# Configuration of rbl-checkd; rblctl reads it too.\n"
          "#\n"
          "# Each line is \"key value\".  \"#\" begins a comment.  A value may"
          " be in\n"
          "# double quotes.  Each line that is commented out shows the default,"
          " or an\n"
          "# example for a key without a default.  rbl-checkd -t checks this"
          " file.\n", f);

    for (i = 0; i < config_n_keys; i++) {
        k = &config_keys[i];
        config_allowed(allowed, sizeof(allowed), k);
        snprintf(line, sizeof(line), "Allowed: %s.", allowed);

        fputc('\n', f);
        print_comment(f, k->text);
        print_comment(f, line);
        fprintf(f, "#%s %s%s\n", k->name, k->def[0] ? k->def : k->example,
                k->def[0] ? "" : "    # no default");
    }
}
