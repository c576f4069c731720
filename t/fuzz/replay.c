/*
 * Main program of a fuzz target without libFuzzer: runs it once on each file
 * given, or in a directory given.  Options of libFuzzer are ignored.  A
 * violated property aborts.
 */

#include "fuzz.h"

#include <dirent.h>
#include <sys/stat.h>


static int  replay_n;


static void
replay_file(const char *path)
{
    FILE     *f;
    long      size;
    uint8_t  *data;

    f = fopen(path, "re");
    fuzz_check(f != NULL && fseek(f, 0, SEEK_END) == 0);
    size = ftell(f);
    fuzz_check(size >= 0 && size < 1048576 && fseek(f, 0, SEEK_SET) == 0);

    /* an exact copy: a read of one byte too many is seen */

    data = malloc(size ? (size_t) size : 1);
    fuzz_check(data != NULL);
    fuzz_check(fread(data, 1, (size_t) size, f) == (size_t) size);
    fclose(f);

    fprintf(stderr, "%s\n", path);
    (void) LLVMFuzzerTestOneInput(data, (size_t) size);
    free(data);
    replay_n++;
}


static void
replay_dir(const char *dir)
{
    int              i, n;
    char             path[4096];
    struct dirent  **entry;

    n = scandir(dir, &entry, NULL, alphasort);
    fuzz_check(n >= 0);

    for (i = 0; i < n; i++) {
        if (entry[i]->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name);
            replay_file(path);
        }

        free(entry[i]);
    }

    free(entry);
}


int
main(int argc, char **argv)
{
    int          i;
    struct stat  st;

    for (i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            continue;
        }

        fuzz_check(stat(argv[i], &st) == 0);

        if (S_ISDIR(st.st_mode)) {
            replay_dir(argv[i]);
        } else {
            replay_file(argv[i]);
        }
    }

    fprintf(stderr, "%d inputs\n", replay_n);

    return 0;
}
