/*
 * rblctl doctor: this machine: room on disks, files with secrets, services, and
 * copies of the store.
 */

#include "doctor.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#define DISK_FEW     (UINT64_C(512) << 20)  /* bytes that should be free */
#define DISK_NONE    (UINT64_C(64) << 20)
#define DISK_PATHS   4
#define BACKUP_OLD   36                 /* hours */
#define UNITS_TEXT   16384


/* --- disks ---------------------------------------------------------------- */

static void
disk_judge(doctor_t *d, const char *path, const struct statvfs *v)
{
    char             remedy[DOCTOR_REMEDY];
    uint64_t         free;
    unsigned         part;
    doctor_state_t   state;

    free = (uint64_t) v->f_bavail * v->f_frsize;
    part = v->f_blocks > 0 ? (unsigned) (v->f_bavail * 100 / v->f_blocks) : 100;
    state = free < DISK_NONE ? DOCTOR_BROKEN
            : free < DISK_FEW || part < 3 ? DOCTOR_DEGRADED : DOCTOR_GOOD;
    snprintf(remedy, sizeof(remedy), "make room; try: du -xh %.200s | sort -h |"
             " tail", path);

    if (state != DOCTOR_GOOD) {
        doctor_say(d, DOCTOR_DISK, state, remedy, "%s has %llu MB free (%u %%)",
                   path, (unsigned long long) (free >> 20), part);

    } else if (v->f_files > 0 && v->f_favail < v->f_files / 100) {
        doctor_say(d, DOCTOR_DISK, DOCTOR_DEGRADED, "remove files; try: df -i",
                   "%s has hardly any inode free", path);

    } else if (v->f_flag & ST_RDONLY) {
        doctor_say(d, DOCTOR_DISK, DOCTOR_DEGRADED, "mount it for writing; try:"
                   " dmesg | tail", "%s is mounted read-only", path);

    } else {
        doctor_say(d, DOCTOR_DISK, DOCTOR_GOOD, NULL, "%s has %llu MB free",
                   path, (unsigned long long) (free >> 20));
    }
}


void
doctor_disk(doctor_t *d)
{
    char            log[sizeof(d->daemon.log)];
    size_t          i, k, n;
    const char     *path[DISK_PATHS] = { "/var", log, d->store_dir,
                                         d->backups };
    struct statvfs  v[DISK_PATHS];

    /* of a log, its directory */

    snprintf(log, sizeof(log), "%s",
             d->daemon.log[0] == '/' ? d->daemon.log : "");

    if (strrchr(log, '/') != NULL) {
        *strrchr(log, '/') = '\0';
    }

    for (i = n = 0; i < DISK_PATHS; i++) {
        if (path[i][0] != '/' || statvfs(path[i], &v[n]) != 0) {
            continue;
        }

        for (k = 0; k < n && v[k].f_fsid != v[n].f_fsid; k++) {
            /* void */
        }

        if (k == n) {
            disk_judge(d, path[i], &v[n++]);
        }
    }
}


/* --- files with secrets --------------------------------------------------- */

void
doctor_secret(doctor_t *d, const char *path)
{
    char         remedy[DOCTOR_REMEDY];
    struct stat  st;

    snprintf(remedy, sizeof(remedy), "take that right away; try: chmod o="
             " %.300s", path);

    if (stat(path, &st) != 0) {
        return;                         /* its reader says that it is missing */
    }

    if (st.st_mode & (S_IROTH | S_IWOTH)) {
        doctor_say(d, DOCTOR_FILES, DOCTOR_DEGRADED, remedy, "every user can"
                   " %s %s", st.st_mode & S_IROTH ? "read" : "write", path);
    } else {
        doctor_say(d, DOCTOR_FILES, DOCTOR_GOOD, NULL, "%s", path);
    }
}


/* The files that keys "..._file" and store_tls_key name. */
static void
files_of(doctor_t *d, const char *conf)
{
    char    line[1100], key[64], value[1024];
    FILE   *f;
    size_t  n;

    f = fopen(conf, "re");

    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        if (sscanf(line, " %63[a-z_] %1023[^ \t\r\n#]", key, value) != 2) {
            continue;
        }

        n = strlen(key);

        if ((n > 5 && strcmp(key + n - 5, "_file") == 0)
            || strcmp(key, "store_tls_key") == 0)
        {
            value[strcspn(value + (value[0] == '"'), "\"")
                  + (value[0] == '"')] = '\0';
            doctor_secret(d, value + (value[0] == '"'));
        }
    }

    if (f != NULL) {
        (void) fclose(f);
    }
}


void
doctor_files(doctor_t *d)
{
    const char  *given = ctl_option(d->ctl, "password-file");

    files_of(d, d->file);
    files_of(d, CONFIG_DIR "/rblctl.conf");

    if (given != NULL) {
        doctor_secret(d, given);
    }

    doctor_say(d, DOCTOR_FILES, DOCTOR_GOOD, NULL, "no other user can read the"
               " files with passwords");
}


/* --- services ------------------------------------------------------------- */

/* "Key=value" of the block of lines at p; "": it is not there. */
static void
unit_value(const char *p, const char *end, const char *key, char value[64])
{
    size_t       n = strlen(key);
    const char  *next;

    value[0] = '\0';

    for ( /* void */ ; p < end; p = next + 1) {
        next = p + strcspn(p, "\n");

        if (strncmp(p, key, n) == 0 && p[n] == '=') {
            snprintf(value, 64, "%.*s", (int) (next - p - (long) n - 1),
                     p + n + 1);
            return;
        }

        if (*next == '\0') {
            return;
        }
    }
}


static void
unit_judge(doctor_t *d, const char *p, const char *end, int *timed)
{
    char  id[64], load[64], active[64], file[64], remedy[DOCTOR_REMEDY];
    int   timer;

    unit_value(p, end, "Id", id);
    unit_value(p, end, "LoadState", load);
    unit_value(p, end, "ActiveState", active);
    unit_value(p, end, "UnitFileState", file);

    if (strcmp(load, "loaded") != 0) {
        return;
    }

    if (strstr("systemd-timesyncd.service chrony.service ntpsec.service"
               " ntp.service openntpd.service", id) != NULL)
    {
        *timed |= strcmp(active, "active") == 0;
        return;
    }

    timer = strstr(id, "backup") != NULL;

    if (strcmp(active, "failed") == 0) {
        snprintf(remedy, sizeof(remedy), "look at its log, and start it; try:"
                 " journalctl -u %s -n 20", id);
        doctor_say(d, timer ? DOCTOR_BACKUP : DOCTOR_UNITS, timer
                   ? DOCTOR_DEGRADED : DOCTOR_BROKEN, remedy, "%s has failed",
                   id);

    } else if (strstr(id, "backup.service") != NULL) {
        return;                         /* its timer starts it */

    } else if (strcmp(file, "disabled") == 0 || strcmp(active, "inactive") == 0)
    {
        snprintf(remedy, sizeof(remedy), "start it now and with the machine;"
                 " try: systemctl enable --now %s", id);
        doctor_say(d, timer ? DOCTOR_BACKUP : DOCTOR_UNITS, DOCTOR_DEGRADED,
                   remedy, "%s is %s and %s", id, file, active);

    } else {
        doctor_say(d, timer ? DOCTOR_BACKUP : DOCTOR_UNITS, DOCTOR_GOOD, NULL,
                   "%s", id);
    }
}


void
doctor_units(doctor_t *d)
{
    int            timed = 0;
    const char    *p, *end;
    struct timex   t = { .modes = 0 };
    static char    out[UNITS_TEXT];

    static const char *const  argv[] = {
        "systemctl", "show",
        "--property=Id,LoadState,ActiveState,UnitFileState",
        "rbl-checkd.service", "nginx.service", "rbl-backup.timer",
        "rbl-backup.service", "systemd-timesyncd.service", "chrony.service",
        "ntpsec.service", "ntp.service", "openntpd.service", NULL
    };

    if (doctor_program(argv, out, sizeof(out)) != 0) {
        doctor_say(d, DOCTOR_UNITS, DOCTOR_UNKNOWN, NULL, "systemd does not run"
                   " on this machine");
        return;
    }

    for (p = out; *p != '\0'; p = end + strspn(end, "\n")) {
        end = strstr(p, "\n\n");
        end = end == NULL ? p + strlen(p) : end;
        unit_judge(d, p, end, &timed);
    }

    doctor_say(d, DOCTOR_UNITS, DOCTOR_GOOD, NULL, "systemctl show");

    /* the clock of a virtual machine may be kept by its host, so the kernel
       alone is no evidence */

    if (!timed && adjtimex(&t) == TIME_ERROR && (t.status & STA_UNSYNC)) {
        doctor_say(d, DOCTOR_CLOCK, DOCTOR_DEGRADED, "let a service do that;"
                   " try: apt-get install systemd-timesyncd && timedatectl"
                   " set-ntp true", "nothing keeps the clock here right");
    }
}


/* --- packages ------------------------------------------------------------- */

/* The module says its release nowhere, but its package does: both are made of
   one source. */
void
doctor_packages(doctor_t *d)
{
    char   out[512];
    char  *other;

    static const char *const  argv[] = {
        "dpkg-query", "--show", "--showformat=${Version}\n", "rbl-checkd",
        "libnginx-mod-rbl", NULL
    };

    if (doctor_program(argv, out, sizeof(out)) != 0) {
        return;                         /* one of them is not installed */
    }

    out[strcspn(out, "\n")] = '\0';
    other = out + strlen(out) + 1;
    other[strcspn(other, "\n")] = '\0';

    if (strcmp(out, other) != 0) {
        doctor_say(d, DOCTOR_VERSIONS, DOCTOR_DEGRADED, NULL, "rbl-checkd is"
                   " %s, libnginx-mod-rbl is %s", out, other);
    }
}


/* --- copies of the store -------------------------------------------------- */

void
doctor_backup(doctor_t *d)
{
    DIR            *dir;
    time_t          now = time(NULL), last;
    struct stat     st;
    struct dirent  *e;

    dir = opendir(d->backups);

    if (dir == NULL) {
        doctor_say(d, DOCTOR_BACKUP, DOCTOR_UNKNOWN, NULL, "there are no copies"
                   " in %s; --backups names another directory", d->backups);
        return;
    }

    for (last = 0; (e = readdir(dir)) != NULL; ) {
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
            && e->d_name[0] != '.' && st.st_mtime > last)
        {
            last = st.st_mtime;
        }
    }

    (void) closedir(dir);

    if (last == 0) {
        doctor_say(d, DOCTOR_BACKUP, DOCTOR_DEGRADED, NULL, "%s has no copy of"
                   " the store", d->backups);

    } else if (now - last > BACKUP_OLD * 3600) {
        doctor_say(d, DOCTOR_BACKUP, DOCTOR_DEGRADED, NULL, "the last copy of"
                   " the store in %s is %lld hours old", d->backups,
                   (long long) (now - last) / 3600);

    } else {
        doctor_say(d, DOCTOR_BACKUP, DOCTOR_GOOD, NULL, "%s", d->backups);
    }
}
