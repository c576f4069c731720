/*
 * Passwords in files: the first line is the password; no message shows any part
 * of it.
 */

#include "config_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>


#define CREDENTIAL  512                 /* bytes of a path */


/*
 * A credential of the service manager (LoadCredential=) replaces the file of
 * the same name, so that the file may belong to root alone.
 */

static int
find_credential(char own[CREDENTIAL], const char *path)
{
    const char  *dir, *name;

    dir = getenv("CREDENTIALS_DIRECTORY");
    name = strrchr(path, '/');

    return dir != NULL && name != NULL
           && snprintf(own, CREDENTIAL, "%s%s", dir, name) < CREDENTIAL
           && access(own, R_OK) == 0;
}


static FILE *
open_credential(const char *path)
{
    char  own[CREDENTIAL];

    return find_credential(own, path) ? fopen(own, "re") : NULL;
}


int
config_set_private(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    char  own[CREDENTIAL];

    return config_set_path(conf, key, find_credential(own, value) ? own : value,
                           err, size);
}


static int
take_secret(config_t *conf, const config_key_t *key, FILE *f)
{
    int     rc;
    char    line[512];
    size_t  n;

    n = fread(line, 1, sizeof(line) - 1, f);
    fclose(f);

    line[n] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    rc = config_copy(conf, key, line);
    explicit_bzero(line, sizeof(line));

    return rc;
}


int
config_set_password(config_t *conf, const config_key_t *key,
    const char *value, char *err, size_t size)
{
    FILE  *f;

    f = open_credential(value);

    if (f == NULL) {
        f = fopen(value, "re");
    }

    if (f == NULL) {
        snprintf(err, size, "the file cannot be read: %s", strerror(errno));
        return -1;
    }

    return take_secret(conf, key, f);
}


/* The same, but only the owner may be able to read the file. */

int
config_set_secret(config_t *conf, const config_key_t *key, const char *value,
    char *err, size_t size)
{
    FILE         *f;
    struct stat   st;

    f = open_credential(value);

    if (f != NULL) {
        return take_secret(conf, key, f);
    }

    f = fopen(value, "re");

    if (f == NULL || fstat(fileno(f), &st) != 0) {
        snprintf(err, size, "the file cannot be read: %s", strerror(errno));

    } else if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        snprintf(err, size, "others than its owner can use the file; chmod "
                 "600 makes it private");

    } else {
        return take_secret(conf, key, f);
    }

    if (f != NULL) {
        fclose(f);
    }

    return -1;
}
