/* The yardstick of benches/compare: the system calls a durable file queue cannot do without, and nothing else.
   Linked statically.

   limit init DIR                   pending/ and working/
   limit one DIR                    one job from standard input: temp, rename, fsync, fsync of the directory
   limit many DIR N                 N jobs, a file each: all written, then each synced, then the directory
   limit bundle DIR N               N jobs in files of 100
   limit drain DIR                  claims by rename, reads, unlinks; the removals synced once in 100 files
   limit append DIR FILE K          claims K, adds each to the section it names, rewrites FILE durably once a K
   limit fill DIR N ID-FORMAT FILE  N files with FILE's content in DIR/, not synced; ID-FORMAT takes the number
   limit list DIR                   the names in a directory, read and counted
   limit run FILE WORDS...          runs a command once: nanoseconds, peak KiB and exit code go to FILE
   limit private WORDS...           runs a command twice at once, its input a file, and prints the private memory of the
                                    second at its exit, KiB: what one more of it costs (Linux)
   limit spawn ROUNDS J SPECS       runs the commands of SPECS (name, standard input, words, by tabs) interleaved, J at a
                                    time (0: one after another): name, nanoseconds, peak KiB, exit code; with J the last
                                    line of a command is the time of all */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;
static void fail(const char *what) { perror(what); exit(1); }
#define OK(call) ({ long r_ = (long)(call); if (r_ < 0) fail(#call); r_; })

static char job[1 << 20];
static size_t job_len;
static void read_job(void) {
    long got;
    while ((got = OK(read(0, job + job_len, sizeof job - job_len))) > 0) job_len += got;
    if (job_len && job[job_len - 1] == '\n') job_len--;
}

static void name_of(char *name) {
    static unsigned count;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    sprintf(name, "%010lld%09ld-%d-%u.json", (long long)now.tv_sec, now.tv_nsec, getpid(), count++);
}

/* A file under its name, not synced; its descriptor. */
static int put(int dir, const char *bytes, size_t len) {
    char name[128], temp[136];
    name_of(name);
    sprintf(temp, ".%s", name);
    int file = OK(openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (write(file, bytes, len) != (ssize_t)len) fail("write");
    OK(renameat(dir, temp, dir, name));
    return file;
}

static void many(int dir, long count) {
    int *files = malloc(count * sizeof *files);
    for (long i = 0; i < count; i++) {
        files[i] = put(dir, job, job_len);
        OK(sync_file_range(files[i], 0, 0, SYNC_FILE_RANGE_WRITE));
    }
    for (long i = 0; i < count; i++) OK(fsync(files[i]));
    OK(fsync(dir));
}

static void bundle(int dir, long count) {
    char *all = malloc(100 * (job_len + 1));
    for (; count > 0; count -= 100) {
        size_t len = 0;
        for (long i = 0; i < 100 && i < count; i++) {
            memcpy(all + len, job, job_len);
            all[len + job_len] = '\n';
            len += job_len + 1;
        }
        int file = put(dir, all, len);
        OK(fsync(file));
        OK(fsync(dir));
        close(file);
    }
}

static int by_name(const void *a, const void *b) { return strcmp(*(char **)a, *(char **)b); }
static char **names(int dir, long *count) {
    static char **found, buffer[1 << 18];
    static long room;
    *count = 0;
    OK(lseek(dir, 0, SEEK_SET));
    for (long got; (got = OK(syscall(SYS_getdents64, dir, buffer, sizeof buffer))) > 0;)
        for (long at = 0; at < got;) {
            struct { uint64_t inode; int64_t offset; unsigned short len; unsigned char type; char name[]; } *entry = (void *)(buffer + at);
            at += entry->len;
            if (entry->name[0] == '.') continue;
            if (*count == room) found = realloc(found, (room = room ? room * 2 : 1024) * sizeof *found);
            found[(*count)++] = strdup(entry->name);
        }
    qsort(found, *count, sizeof *found, by_name);
    return found;
}

static long slurp(int dir, const char *name, char **bytes) {
    static char room[1 << 20];
    int file = OK(openat(dir, name, O_RDONLY | O_CLOEXEC));
    long len = OK(read(file, room, sizeof room - 1));
    close(file);
    room[len] = 0;
    *bytes = room;
    return len;
}

static void drain(int pending, int working) {
    long count, done = 0;
    char **all = names(pending, &count), *bytes;
    for (long i = 0; i < count; i++) {
        if (renameat(pending, all[i], working, all[i])) continue;
        long len = slurp(working, all[i], &bytes), lines = 0;
        for (char *at = bytes; (at = memchr(at, '\n', bytes + len - at)); at++) lines++;
        OK(unlinkat(working, all[i], 0));
        done += lines > 1 ? lines : 1;
        if (i % 100 == 99) OK(fsync(working));
    }
    OK(fsync(working));
    printf("%ld\n", done);
}

/* A field of a flat job of our own: no escapes. */
static char *field(char *text, const char *name, size_t *len) {
    char wanted[64];
    sprintf(wanted, "\"%s\"", name);
    char *at = strstr(text, wanted);
    if (!at) { fprintf(stderr, "no %s in the job\n", name); exit(1); }
    at = strchr(at + strlen(wanted), '"') + 1;
    *len = strchr(at, '"') - at;
    return at;
}

typedef struct { size_t head, head_len, end, added_len; char *added; } Section;
static void append(int pending, int working, const char *path, long together) {
    char temp[4096], parent[4096], *bytes;
    snprintf(temp, sizeof temp, "%s.temp", path);
    snprintf(parent, sizeof parent, "%s", path);
    *strrchr(parent, '/') = 0;
    int dir = OK(open(parent, O_RDONLY | O_DIRECTORY));
    long count, done = 0;
    char **all = names(pending, &count);
    for (long from = 0; from < count; from += together) {
        long to = from + together < count ? from + together : count;
        struct stat facts;
        int file = OK(open(path, O_RDONLY | O_CLOEXEC));
        OK(fstat(file, &facts));
        size_t len = facts.st_size, sections = 0, room = 64;
        char *text = malloc(len + 1);
        if (read(file, text, len) != (ssize_t)len) fail("read");
        close(file);
        text[len] = 0;
        Section *section = calloc(room, sizeof *section);
        for (char *at = text; at < text + len;) {
            char *end = memchr(at, '\n', text + len - at);
            if (!end) end = text + len;
            if (*at == '#') {
                if (sections) section[sections - 1].end = at - text;
                if (sections == room) section = realloc(section, (room *= 2) * sizeof *section);
                char *head = at;
                while (*head == '#' || *head == ' ') head++;
                section[sections++] = (Section){head - text, end - head, len, 0, NULL};
            }
            at = end + 1;
        }
        for (long i = from; i < to; i++) {
            OK(renameat(pending, all[i], working, all[i]));
            slurp(working, all[i], &bytes);
            size_t head_len, added_len;
            char *head = field(bytes, "heading", &head_len), *added = field(bytes, "content", &added_len);
            for (size_t s = 0; s < sections; s++) {
                if (section[s].head_len != head_len || memcmp(text + section[s].head, head, head_len)) continue;
                section[s].added = realloc(section[s].added, section[s].added_len + added_len + 1);
                memcpy(section[s].added + section[s].added_len, added, added_len);
                section[s].added[section[s].added_len + added_len] = '\n';
                section[s].added_len += added_len + 1;
                break;
            }
        }
        FILE *out = fopen(temp, "w");
        if (!out) fail(temp);
        size_t at = 0;
        for (size_t s = 0; s < sections; s++) {
            if (!section[s].added_len) continue;
            fwrite(text + at, 1, section[s].end - at, out);
            fwrite(section[s].added, 1, section[s].added_len, out);
            at = section[s].end;
        }
        fwrite(text + at, 1, len - at, out);
        if (fflush(out)) fail("write");
        OK(fsync(fileno(out)));
        OK(rename(temp, path));
        OK(fsync(dir));
        fclose(out);
        for (long i = from; i < to; i++, done++) OK(unlinkat(working, all[i], 0));
        for (size_t s = 0; s < sections; s++) free(section[s].added);
        free(section);
        free(text);
    }
    OK(fsync(working));
    printf("%ld\n", done);
}

static void fill(const char *dir, long count, const char *format, const char *path) {
    char name[4096], whole[8192];
    int file = OK(open(path, O_RDONLY));
    job_len = OK(read(file, job, sizeof job));
    close(file);
    for (long i = 0; i < count; i++) {
        snprintf(name, sizeof name, format, i);
        snprintf(whole, sizeof whole, "%s/%s", dir, name);
        file = OK(open(whole, O_WRONLY | O_CREAT | O_EXCL, 0600));
        if (write(file, job, job_len) != (ssize_t)job_len) fail("write");
        close(file);
    }
}

typedef struct { char *name, *input, *words[64]; } Command;
static Command commands[64];
static int commands_len;
static uint64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static pid_t start(Command *command) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, command->input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    pid_t child;
    if ((errno = posix_spawn(&child, command->words[0], &files, NULL, command->words, environ))) fail(command->words[0]);
    posix_spawn_file_actions_destroy(&files);
    return child;
}
static void tell(Command *command, uint64_t took, struct rusage *used, int status) {
    printf("%s\t%llu\t%ld\t%d\n", command->name, (unsigned long long)took, used->ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}
static void spawn(int rounds, int together, const char *specs) {
    FILE *file = fopen(specs, "r");
    if (!file) fail(specs);
    char *line = NULL;
    size_t room = 0;
    for (ssize_t len; (len = getline(&line, &room, file)) > 0;) {
        line[len - 1] = 0;
        char *rest = strdup(line), *word;
        Command *command = &commands[commands_len++];
        command->name = strsep(&rest, "\t");
        command->input = strsep(&rest, "\t");
        for (int i = 0; (word = strsep(&rest, "\t")); i++) command->words[i] = word;
    }
    struct rusage used;
    int status;
    if (!together) {
        uint64_t seed = 88172645463325252ull;
        int order[64];
        for (int i = 0; i < commands_len; i++) order[i] = i;
        for (int round = 0; round < rounds; round++) {
            /* Another order each round, the same in every run. */
            for (int i = commands_len - 1; i > 0; i--) {
                seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
                int other = seed % (i + 1), kept = order[i];
                order[i] = order[other], order[other] = kept;
            }
            for (int i = 0; i < commands_len; i++) {
                uint64_t begun = now();
                pid_t child = start(&commands[order[i]]);
                while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {}
                tell(&commands[order[i]], now() - begun, &used, status);
            }
        }
        return;
    }
    for (int i = 0; i < commands_len; i++) {
        int started = 0, ended = 0;
        uint64_t begun = now();
        while (ended < rounds) {
            for (; started - ended < together && started < rounds; started++) start(&commands[i]);
            OK(wait4(-1, &status, 0, &used));
            ended++;
            if (status) tell(&commands[i], 0, &used, status);
        }
        memset(&used, 0, sizeof used);
        tell(&commands[i], now() - begun, &used, 0);
    }
}

static int once(const char *path, char **words) {
    struct rusage used;
    int status;
    pid_t child;
    uint64_t begun = now();
    if ((errno = posix_spawn(&child, words[0], NULL, NULL, words, environ))) fail(words[0]);
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {}
    uint64_t took = now() - begun;
    FILE *file = fopen(path, "w");
    if (!file) fail(path);
    fprintf(file, "%llu %ld %d\n", (unsigned long long)took, used.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    return fclose(file);
}

/* Private_Clean and Private_Dirty of a process that stands at its exit, KiB. */
static long private_of(pid_t child) {
    char path[64], line[256];
    long sum = 0, kib;
    sprintf(path, "/proc/%d/smaps_rollup", child);
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Clean: %ld", &kib) == 1 || sscanf(line, "Private_Dirty: %ld", &kib) == 1) sum += kib;
    fclose(file);
    return sum;
}

/* A traced child, stopped where it ends: all that it mapped is still there. */
static pid_t run_to_its_exit(char **words) {
    int status, pass = 0;
    pid_t child = OK(fork());
    if (!child) {
        OK(lseek(0, 0, SEEK_SET));
        OK(dup2(2, 1));
        OK(ptrace(PTRACE_TRACEME, 0, 0, 0));
        execvp(words[0], words);
        fail(words[0]);
    }
    OK(waitpid(child, &status, 0));
    OK(ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL));
    while (status >> 8 != (SIGTRAP | PTRACE_EVENT_EXIT << 8)) {
        OK(ptrace(PTRACE_CONT, child, 0, pass));
        OK(waitpid(child, &status, 0));
        if (!WIFSTOPPED(status)) exit(1);
        pass = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    }
    return child;
}

/* The program's own pages count as private while only one process has them: so of two, the second is measured. */
static void private(char **words) {
    run_to_its_exit(words);
    printf("%ld\n", private_of(run_to_its_exit(words)));
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    const char *verb = argv[1];
    if (!strcmp(verb, "run")) return once(argv[2], argv + 3);
    if (!strcmp(verb, "private")) return private(argv + 2), 0;
    if (!strcmp(verb, "spawn")) return spawn(atoi(argv[2]), atoi(argv[3]), argv[4]), 0;
    if (!strcmp(verb, "fill")) return fill(argv[2], atol(argv[3]), argv[4], argv[5]), 0;
    if (!strcmp(verb, "init")) {
        OK(mkdir(argv[2], 0700));
        OK(chdir(argv[2]));
        OK(mkdir("pending", 0700));
        OK(mkdir("working", 0700));
        return 0;
    }
    int dir = OK(open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    long count;
    if (!strcmp(verb, "list")) return names(dir, &count), printf("%ld\n", count), 0;
    int pending = OK(openat(dir, "pending", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!strcmp(verb, "one")) {
        read_job();
        int file = put(pending, job, job_len);
        OK(fsync(file));
        OK(fsync(pending));
        return 0;
    }
    if (!strcmp(verb, "many")) return read_job(), many(pending, atol(argv[3])), 0;
    if (!strcmp(verb, "bundle")) return read_job(), bundle(pending, atol(argv[3])), 0;
    int working = OK(openat(dir, "working", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!strcmp(verb, "drain")) return drain(pending, working), 0;
    if (!strcmp(verb, "append")) return append(pending, working, argv[3], atol(argv[4])), 0;
    return 2;
}
