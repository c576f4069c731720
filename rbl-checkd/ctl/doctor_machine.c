/*
 * rblctl doctor: this machine: room on disks, files with secrets, services, and
 * copies of the store.
 */

#include "doctor.h"

#include "base/clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <unistd.h>

#define DISK_FEW     (UINT64_C(512) << 20)  /* bytes that should be free */
#define DISK_NONE    (UINT64_C(64) << 20)
#define DISK_PATHS   4
#define BACKUP_OLD   36                 /* hours */
#define CLOCK_DAY    86400
#define UNITS_TEXT   16384
#define BACKUP_REMEDY                                                         \
    "make a copy, and look why the last ones failed; try: systemctl start"    \
    " rbl-backup && journalctl -u rbl-backup"


/* --- programs and files --------------------------------------------------- */

int
doctor_program(const char *const *argv, char *out, size_t size)
{
    int                         fd[2], error, status = 0;
    char                        path[4096];
    size_t                      n;
    pid_t                       pid;
    ssize_t                     got = 1;
    posix_spawn_file_actions_t  files;

    const char  *before = getenv("PATH");

    out[0] = '\0';
    snprintf(path, sizeof(path), "%s:/usr/sbin:/sbin",
             before == NULL ? "/usr/bin:/bin" : before);

    if (pipe2(fd, O_CLOEXEC) != 0 || setenv("PATH", path, 1) != 0
        || setenv("LC_ALL", "C", 1) != 0)
    {
        return -1;
    }

    /* no shell is between, so names of files need no quotes */

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, fd[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, fd[1], STDERR_FILENO);
    error = posix_spawnp(&pid, argv[0], &files, NULL, (char **) argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(fd[1]);

    for (n = 0; error == 0 && got > 0 && n < size - 1; n += (size_t) got) {
        got = read(fd[0], out + n, size - 1 - n);
        got = got < 0 ? 0 : got;
    }

    out[n] = '\0';
    close(fd[0]);

    return error != 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)
           ? -1 : WEXITSTATUS(status);
}


int
doctor_setting(FILE *f, char key[DOCTOR_KEY], char value[DOCTOR_VALUE])
{
    char  line[DOCTOR_KEY + DOCTOR_VALUE];

    while (fgets(line, sizeof(line), f) != NULL) {
        if (sscanf(line, " %63[a-zA-Z_-]%*[ \t\"]%1023[^\" \t\r\n]", key,
                   value)
            == 2)
        {
            return 1;
        }
    }

    return 0;
}


/* --- disks ---------------------------------------------------------------- */

static void
disk_judge(doctor_t *d, const char *path, const struct statvfs *v)
{
    uint64_t  free = (uint64_t) v->f_bavail * v->f_frsize;
    unsigned  part;

    part = v->f_blocks > 0 ? (unsigned) (v->f_bavail * 100 / v->f_blocks) : 100;

    if (free < DISK_FEW || part < 3) {
        doctor_say(d, "disk", free < DISK_NONE ? BROKEN : DEGRADED,
                   doctor_text("make room; try: du -xh %.200s | sort -h | tail",
                               path),
                   "%s has %" PRIu64 " MB free (%u %%)", path, free >> 20,
                   part);

    } else if (v->f_files > 0 && v->f_favail < v->f_files / 100) {
        doctor_say(d, "disk", DEGRADED, "remove files; try: df -i", "%s has"
                   " hardly any inode free", path);

    } else if (v->f_flag & ST_RDONLY) {
        doctor_say(d, "disk", DEGRADED, "mount it for writing; try: dmesg |"
                   " tail", "%s is mounted read-only", path);
    }
}


const char *
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

    return NULL;
}


/* --- files with secrets --------------------------------------------------- */

void
doctor_secret(doctor_t *d, const char *path)
{
    struct stat  st;

    /* of a missing one its reader says so */

    if (stat(path, &st) == 0 && (st.st_mode & (S_IROTH | S_IWOTH))) {
        doctor_say(d, "files", DEGRADED, doctor_text("take that right away;"
                   " try: chmod o= %.300s", path), "every user can %s %s",
                   st.st_mode & S_IROTH ? "read" : "write", path);
    }
}


/* The files that keys "..._file" and store_tls_key name. */
static void
files_of(doctor_t *d, const char *conf)
{
    char    key[DOCTOR_KEY], value[DOCTOR_VALUE];
    FILE   *f = fopen(conf, "re");
    size_t  n;

    while (f != NULL && doctor_setting(f, key, value)) {
        n = strlen(key);

        if ((n > 5 && strcmp(key + n - 5, "_file") == 0)
            || strcmp(key, "store_tls_key") == 0)
        {
            doctor_secret(d, value);
        }
    }

    if (f != NULL) {
        (void) fclose(f);
    }
}


const char *
doctor_files(doctor_t *d)
{
    const char  *given = ctl_option(d->ctl, "password-file");

    files_of(d, d->file);
    files_of(d, CONFIG_DIR "/rblctl.conf");

    if (given != NULL) {
        doctor_secret(d, given);
    }

    return NULL;
}


/* --- services ------------------------------------------------------------- */

/* A unit, as systemctl shows it. */
typedef struct {
    char  id[64], load[64], active[64], file[64];
} unit_t;


/* Of a service that keeps the clock right: is it active? */
static int
unit_judge(doctor_t *d, const unit_t *u)
{
    int          copy = strstr(u->id, "backup") != NULL;
    const char  *row = copy ? "backup" : "units";

    if (strcmp(u->load, "loaded") != 0) {
        return 0;
    }

    if (strstr("systemd-timesyncd.service chrony.service ntpsec.service"
               " ntp.service openntpd.service", u->id) != NULL)
    {
        return strcmp(u->active, "active") == 0;
    }

    if (strcmp(u->active, "failed") == 0) {
        doctor_say(d, row, copy ? DEGRADED : BROKEN,
                   doctor_text("look at its log, and start it; try: journalctl"
                               " -u %s -n 20", u->id), "%s has failed", u->id);

    } else if (strcmp(u->id, "rbl-backup.service") != 0     /* timer starts */
               && (strcmp(u->file, "disabled") == 0
                   || strcmp(u->active, "inactive") == 0))
    {
        doctor_say(d, row, DEGRADED, doctor_text("start it now and with the"
                   " machine; try: systemctl enable --now %s", u->id),
                   "%s is %s and %s", u->id, u->file, u->active);
    }

    return 0;
}


/* Services, and what keeps the clock right. */
const char *
doctor_units(doctor_t *d)
{
    int           timed = 0;
    char         *line, *next;
    unit_t        u = { .id = "" };
    struct stat   st;
    struct timex  t = { .modes = 0 };
    static char   out[UNITS_TEXT];

    static const char *const  argv[] = {
        "systemctl", "show",
        "--property=Id,LoadState,ActiveState,UnitFileState",
        "rbl-checkd.service", "nginx.service", "rbl-backup.timer",
        "rbl-backup.service", "systemd-timesyncd.service", "chrony.service",
        "ntpsec.service", "ntp.service", "openntpd.service", NULL
    };

    /* rblctl was made in the past */

    if (stat("/proc/self/exe", &st) == 0
        && clock_date() / 1000 + CLOCK_DAY < st.st_mtime)
    {
        doctor_say(d, "clock", BROKEN, DOCTOR_SET_CLOCK, "the clock here"
                   " is before the time when rblctl was made");
    }

    if (doctor_program(argv, out, sizeof(out)) != 0) {
        doctor_fill(d, "clock", GOOD, "");
        return "systemd does not run on this machine";
    }

    for (line = out; line != NULL; line = next) {
        next = strchr(line, '\n');

        if (next != NULL) {
            *next++ = '\0';
        }

        (void) sscanf(line, "Id=%63s", u.id);
        (void) sscanf(line, "LoadState=%63s", u.load);
        (void) sscanf(line, "ActiveState=%63s", u.active);
        (void) sscanf(line, "UnitFileState=%63s", u.file);

        if (line[0] == '\0') {          /* the end of a unit */
            timed |= unit_judge(d, &u);
            memset(&u, 0, sizeof(u));
        }
    }

    /* the clock of a virtual machine may be kept by its host, so the kernel
       alone is no evidence */

    if (!timed && adjtimex(&t) == TIME_ERROR && (t.status & STA_UNSYNC)) {
        doctor_say(d, "clock", DEGRADED, "let a service do that; try: apt-get"
                   " install systemd-timesyncd && timedatectl set-ntp true",
                   "nothing keeps the clock here right");
    }

    return NULL;
}


/* --- packages ------------------------------------------------------------- */

/* The module says its release nowhere, but its package does: both are made of
   one source. */
const char *
doctor_packages(doctor_t *d)
{
    char  out[512], daemon[128], module[128];

    static const char *const  argv[] = {
        "dpkg-query", "--show", "--showformat=${Version}\n", "rbl-checkd",
        "libnginx-mod-rbl", NULL
    };

    if (doctor_program(argv, out, sizeof(out)) == 0
        && sscanf(out, "%127s %127s", daemon, module) == 2
        && strcmp(daemon, module) != 0)
    {
        doctor_say(d, "versions", DEGRADED, DOCTOR_UPGRADE, "rbl-checkd is %s,"
                   " libnginx-mod-rbl is %s", daemon, module);
    }

    return NULL;
}


/* --- copies of the store -------------------------------------------------- */

const char *
doctor_backup(doctor_t *d)
{
    DIR            *dir;
    time_t          last = 0;
    int64_t         hours;
    struct stat     st;
    struct dirent  *e;

    dir = opendir(d->backups);

    if (dir == NULL) {
        return doctor_text("there are no copies in %s; --backups names another"
                           " directory", d->backups);
    }

    while ((e = readdir(dir)) != NULL) {
        if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
            && e->d_name[0] != '.' && st.st_mtime > last)
        {
            last = st.st_mtime;
        }
    }

    (void) closedir(dir);
    hours = (clock_date() / 1000 - last) / 3600;

    if (last == 0) {
        doctor_say(d, "backup", DEGRADED, BACKUP_REMEDY, "%s has no copy of"
                   " the store", d->backups);

    } else if (hours >= BACKUP_OLD) {
        doctor_say(d, "backup", DEGRADED, BACKUP_REMEDY, "the last copy of"
                   " the store in %s is %" PRId64 " hours old", d->backups,
                   hours);
    }

    return NULL;
}
