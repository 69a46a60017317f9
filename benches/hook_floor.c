/* The system calls of a hook and nothing else: what no implementation can be faster than. Compiled static by hook.rs.
   hook_floor end HOME SESSION | hook_floor start HOME SESSION DOCUMENT...   (the event on standard input) */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char buffer[1 << 20];
static void slurp(const char *path) {
    int fd = open(path, O_RDONLY);
    if (fd >= 0) { while (read(fd, buffer, sizeof buffer) > 0) {} close(fd); }
}
static void append(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (fd >= 0) { if (write(fd, text, strlen(text)) < 0) _exit(1); close(fd); }
}
static void sync_dir(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    if (fd >= 0) { fsync(fd); close(fd); }
}
int main(int argc, char **argv) {
    static const char *dirs[] = {"", "tmp", "pending", "deferred", "processing", "staging", "staging/failed",
        "staging/review", "done", "sessions", "keys", "history", "journal", "locks", "disabled"};
    char path[4096], session[4096], to[8192];
    struct stat facts;
    if (argc < 4 || read(0, buffer, sizeof buffer) < 0) return 1;
    for (unsigned i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        snprintf(path, sizeof path, "%s/%s", argv[2], dirs[i]);
        stat(path, &facts);
    }
    snprintf(path, sizeof path, "%s/config.yaml", argv[2]);
    slurp(path);
    snprintf(session, sizeof session, "%s/sessions/%s", argv[2], argv[3]);
    snprintf(path, sizeof path, "%s/locks/session-00", argv[2]);
    int lock = open(path, O_RDWR | O_CREAT, 0600);
    flock(lock, LOCK_EX);
    if (!strcmp(argv[1], "end")) {
        DIR *dir = opendir(session);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            if (!strstr(entry->d_name, ".json") || strstr(entry->d_name, ".jsonl")) continue;
            snprintf(path, sizeof path, "%s/%s", session, entry->d_name);
            snprintf(to, sizeof to, "%s/pending/%s", argv[2], entry->d_name);
            renameat2(AT_FDCWD, path, AT_FDCWD, to, 1);
        }
        snprintf(path, sizeof path, "%s/pending", argv[2]);
        sync_dir(path);
        sync_dir(session);
        snprintf(path, sizeof path, "%s/sessions/ended.jsonl", argv[2]);
        append(path, "{\"ended\":true}\n");
    } else {
        for (int i = 4; i < argc; i++) slurp(argv[i]);
        mkdir(session, 0700);
        snprintf(path, sizeof path, "%s/context.md", session);
        append(path, "a context\n");
    }
    snprintf(path, sizeof path, "%s/log.jsonl", session);
    slurp(path);
    append(path, "{\"what\":\"this\"}\n");
    return write(1, "{}", 2) != 2;
}
