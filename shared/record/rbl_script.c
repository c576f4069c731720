/*
 * Decodes replies of scripts by the forms that generate.pl generates from their
 * heads.
 */

#include <string.h>

#include "rbl_script.h"


static void
put_field(char *to, unsigned type, const redisReply *r)
{
    int64_t            number;
    rbl_str_t          text;
    const redisReply  *array;

    switch (type) {

    case RBL_REPLY_INT:
        number = rbl_reply_int(r, 0);
        memcpy(to, &number, sizeof(number));
        break;

    case RBL_REPLY_ARRAY:
        array = r != NULL && r->type == REDIS_REPLY_ARRAY ? r : NULL;
        memcpy(to, &array, sizeof(array));
        break;

    default:
        text = rbl_reply_str(r);
        memcpy(to, &text, sizeof(text));
    }
}


/* Returns the number of the word at the start of a reply; 0: unknown. */

static unsigned
word_of(const rbl_reply_form_t *form, const redisReply *reply)
{
    unsigned   i;
    rbl_str_t  said;

    said = rbl_reply_word(reply);

    for (i = 0; form->words[i] != NULL; i++) {
        if (rbl_str_is(said, form->words[i])) {
            return i + 1;
        }
    }

    return 0;
}


void
rbl_reply_decode(void *to, const rbl_reply_form_t *form,
    const redisReply *reply)
{
    unsigned                  word;
    const rbl_reply_field_t  *f;

    memset(to, 0, form->size);
    word = 1;                           /* for a row, which has no word */

    if (form->words != NULL) {
        word = word_of(form, reply);
        memcpy(to, &word, sizeof(word));    /* an enum, and the first member */
    }

    for (f = form->fields; f->word != 0; f++) {
        if (f->word == word) {
            put_field((char *) to + f->offset, f->type,
                      rbl_reply_at(reply, f->at));
        }
    }
}
