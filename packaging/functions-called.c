/* Runs a program of one thread and prints the names of its functions that were called, in the order of their addresses: what
 * `packaging/link-in-order` puts together in the file. A breakpoint at each function is taken out when it is met.
 * Linux, x86-64 and AArch64.
 *
 *   functions-called SYMBOLS PROGRAM ARGUMENTS...      SYMBOLS: what `nm PROGRAM` says
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* A breakpoint, and how far behind it the processor stops. */
#ifdef __aarch64__
static const unsigned char BREAKPOINT[] = {0x00, 0x00, 0x20, 0xd4};
enum { BEHIND = 0 };
#define PROGRAM_COUNTER(registers) ((registers).pc)
#else
static const unsigned char BREAKPOINT[] = {0xcc};
enum { BEHIND = 1 };
#define PROGRAM_COUNTER(registers) ((registers).rip)
#endif

struct function {
    unsigned long begin;
    char *name;
    unsigned char code[sizeof BREAKPOINT];
    int called;
};

static struct function *functions;
static size_t count;

static int by_address(const void *one, const void *other) {
    unsigned long a = ((const struct function *)one)->begin, b = ((const struct function *)other)->begin;
    return (a > b) - (a < b);
}

/* Lines of `nm`: address, kind, name. Functions are of kind t, T, i, w and W. */
static void read_functions(const char *symbols) {
    static char line[1 << 16];
    size_t room = 0;
    FILE *list = fopen(symbols, "r");
    while (list && fgets(line, sizeof line, list)) {
        char kind, *name = strrchr(line, ' ');
        unsigned long begin;
        if (!name || sscanf(line, "%lx %c", &begin, &kind) != 2 || !strchr("tTiwW", kind)) continue;
        name[strcspn(name, "\n")] = 0;
        if (count == room) functions = realloc(functions, (room = room * 2 + 4096) * sizeof *functions);
        functions[count++] = (struct function){.begin = begin, .name = strdup(name + 1)};
    }
    qsort(functions, count, sizeof *functions, by_address);
}

/* The first function of several at this address; `count` where there is none. */
static size_t find(unsigned long address) {
    struct function wanted = {.begin = address};
    struct function *found = bsearch(&wanted, functions, count, sizeof *functions, by_address);
    while (found && found > functions && found[-1].begin == address) found--;
    return found ? (size_t)(found - functions) : count;
}

int main(int argc, char **argv) {
    int status;
    char path[64];
    if (argc < 3) return 2;
    read_functions(argv[1]);
    if (!count) return 2;
    pid_t child = fork();
    if (child == 0) {
        /* What it prints is not wanted here. */
        if (!freopen("/dev/null", "w", stdout)) _exit(127);
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        execv(argv[2], argv + 2);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status)) return 1;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)child);
    int memory = open(path, O_RDWR);
    for (size_t at = 0; at < count; at++) {
        struct function *function = &functions[at];
        if (at && functions[at - 1].begin == function->begin) continue;
        if (pread(memory, function->code, sizeof BREAKPOINT, function->begin) != sizeof BREAKPOINT) return 1;
        if (pwrite(memory, BREAKPOINT, sizeof BREAKPOINT, function->begin) != sizeof BREAKPOINT) return 1;
    }
    for (int signal = 0;;) {
        if (ptrace(PTRACE_CONT, child, 0, signal) < 0 || waitpid(child, &status, 0) < 0) return 1;
        if (!WIFSTOPPED(status)) break;
        signal = WSTOPSIG(status);
        if (signal != SIGTRAP) continue;
        signal = 0;
        struct user_regs_struct registers;
        struct iovec where = {&registers, sizeof registers};
        if (ptrace(PTRACE_GETREGSET, child, NT_PRSTATUS, &where) < 0) return 1;
        size_t first = find(PROGRAM_COUNTER(registers) -= BEHIND);
        if (first == count) return 1;
        for (size_t at = first; at < count && functions[at].begin == functions[first].begin; at++) functions[at].called = 1;
        if (pwrite(memory, functions[first].code, sizeof BREAKPOINT, functions[first].begin) != sizeof BREAKPOINT) return 1;
        if (ptrace(PTRACE_SETREGSET, child, NT_PRSTATUS, &where) < 0) return 1;
    }
    for (size_t at = 0; at < count; at++)
        if (functions[at].called) puts(functions[at].name);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
