/* Replies of Redis for unit tests. */

#ifndef RESP_H_INCLUDED
#define RESP_H_INCLUDED

#include <hiredis/hiredis.h>


/* Parses RESP in which "|" stands for CR LF. */

static redisReply *
resp_parse(const char *text)
{
    void         *reply;
    char          buf[4096];
    size_t        n;
    redisReader  *reader;

    for (n = 0; *text != '\0'; text++) {
        if (*text == '|') {
            buf[n++] = '\r';
            buf[n++] = '\n';

        } else {
            buf[n++] = *text;
        }
    }

    reader = redisReaderCreate();
    (void) redisReaderFeed(reader, buf, n);
    reply = NULL;
    (void) redisReaderGetReply(reader, &reply);
    redisReaderFree(reader);

    return reply;
}

#endif /* RESP_H_INCLUDED */
