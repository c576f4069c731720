/*
 * Types of values that are paths: a directory, a file, or a file whose first
 * line is a secret; no message shows any part of that.
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


static int
unreadable(config_setting_t *s, const char *what)
{
    return config_wrong(s, "the %s cannot be read: %s", what, strerror(errno));
}


static int
take_line(config_setting_t *s, FILE *f)
{
    int     rc;
    char    line[512];
    size_t  n;

    n = fread(line, 1, sizeof(line) - 1, f);
    line[n] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    rc = config_copy(s, line);
    explicit_bzero(line, sizeof(line));

    return rc;
}


static int
set_content(config_setting_t *s, const char *path, int owner_only)
{
    int           rc;
    FILE         *f;
    struct stat   st;

    f = fopen(path, "re");

    if (f == NULL || fstat(fileno(f), &st) != 0) {
        rc = unreadable(s, "file");

    } else if (owner_only && (st.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        rc = config_wrong(s, "others than its owner can use the file; chmod "
                          "600 makes it private");
    } else {
        rc = take_line(s, f);
    }

    if (f != NULL) {
        fclose(f);
    }

    return rc;
}


int
config_set_file(config_setting_t *s)
{
    int            own;
    char           credential[CREDENTIAL];
    const char    *path;
    config_path_t  kind = s->key->path;

    own = kind != CONFIG_READABLE && find_credential(credential, s->value);
    path = own ? credential : s->value;

    if (kind == CONFIG_PASSWORD || kind == CONFIG_SECRET) {
        return set_content(s, path, kind == CONFIG_SECRET && !own);
    }

    return access(path, R_OK) == 0 ? config_copy(s, path)
                                   : unreadable(s, "file");
}


int
config_set_directory(config_setting_t *s)
{
    struct stat  st;

    /* the default directory may be missing: that is an error only where it is
       used */

    if (strcmp(s->value, s->key->def) == 0) {
        return config_copy(s, s->value);
    }

    if (stat(s->value, &st) != 0) {
        return unreadable(s, "directory");
    }

    return S_ISDIR(st.st_mode) ? config_copy(s, s->value) : -1;
}
