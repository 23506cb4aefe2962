// Stands between a program and the C library (LD_PRELOAD), counts the system calls that change files, and lets one of them
// end the process or fail. The tests set, in the environment:
//
//   FAULTY_CALLS    what is counted, words with commas: write sync rename create open remove make cut time link
//   FAULTY_NUMBER   the call that is hit, from 1; none where it is 0
//   FAULTY_ACTION   kill: the process is gone before the call; tear: a write does its first half before that;
//                   a number: the call fails with it as errno;
//                   locked: nothing fails, and calls count only where the thread holds a lock of the program's own
//   FAULTY_LASTS    not empty: from that call on all fail, as on a full disk
//   FAULTY_REPORT   a file whose first 8 bytes count the calls and whose others name the one that was hit; with `locked` a
//                   line for each call: its name, its file, and the addresses in the program that led to it
//
// Only calls on regular files and folders count: not those on sockets, pipes and terminals, nor opening what is in /proc,
// which libdispatch does from time to time to see whether its threads are busy.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdint.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE, SYNC, RENAME, CREATE, OPEN, REMOVE, MAKE, CUT, TIME, LINK, KINDS };
static const char *const kind_names[KINDS] = {
    "write", "sync", "rename", "create", "open", "remove", "make", "cut", "time", "link",
};

enum action { KILL = -1, TEAR = -2, LOCKED = -3 };

struct report {
    atomic_ulong count;
    char hit[65528];
};

static unsigned counted;
static unsigned long number;
static int action;
static int lasts;
static struct report nowhere;
static struct report *report = &nowhere;

// Where the program itself is, without its libraries.
static uintptr_t program_base, program_start, program_end;
static _Thread_local int locks_held;
static _Thread_local int is_noting;

// The C library's own function of that name.
#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// The first object is the program.
static int find_program(struct dl_phdr_info *object, size_t size, void *nothing) {
    (void)size, (void)nothing;
    program_base = object->dlpi_addr;
    program_start = UINTPTR_MAX;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        uintptr_t start = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD) continue;
        if (start < program_start) program_start = start;
        if (start + segment->p_memsz > program_end) program_end = start + segment->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void configure(void) {
    const char *words = getenv("FAULTY_CALLS");
    const char *at = getenv("FAULTY_NUMBER");
    const char *what = getenv("FAULTY_ACTION");
    const char *path = getenv("FAULTY_REPORT");
    if (!words || !at || !what || !path) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || syscall(SYS_ftruncate, file, sizeof *report) != 0) return;
    void *memory = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return;
    report = memory;
    memset(memory, 0, sizeof *report);
    close(file);
    number = strtoul(at, NULL, 10);
    lasts = getenv("FAULTY_LASTS") && *getenv("FAULTY_LASTS");
    action = strcmp(what, "kill") == 0     ? KILL
             : strcmp(what, "tear") == 0   ? TEAR
             : strcmp(what, "locked") == 0 ? LOCKED
                                           : atoi(what);
    if (action == LOCKED) {
        dl_iterate_phdr(find_program, NULL);
        // The first call loads the unwinder, which takes locks and memory.
        void *frame;
        backtrace(&frame, 1);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        if (strstr(words, kind_names[kind])) counted |= 1u << kind;
    }
}

static void end_process(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static int is_in_program(const void *address) {
    return (uintptr_t)address >= program_start && (uintptr_t)address < program_end;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    NEXT(pthread_mutex_lock);
    int result = next(mutex);
    if (result == 0 && action == LOCKED && is_in_program(__builtin_return_address(0))) locks_held++;
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    NEXT(pthread_mutex_unlock);
    if (action == LOCKED && is_in_program(__builtin_return_address(0))) locks_held--;
    return next(mutex);
}

static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;

// Adds a line for a call that a thread makes with a lock held.
static void note_locked(const char *name, const char *target, const char *path) {
    if (locks_held <= 0 || is_noting) return;
    is_noting = 1;
    int before = errno;
    pthread_mutex_lock(&noting);
    atomic_fetch_add(&report->count, 1);
    size_t used = strlen(report->hit);
    used += (size_t)snprintf(report->hit + used, sizeof report->hit - used, "%s %s %s", name, target, path ? path : "");
    void *frames[48];
    int count = backtrace(frames, 48);
    for (int index = 0; index < count && used + 32 < sizeof report->hit; index++) {
        if (!is_in_program(frames[index])) continue;
        used += (size_t)snprintf(
            report->hit + used, sizeof report->hit - used, " 0x%lx", (uintptr_t)frames[index] - program_base);
    }
    if (used + 2 < sizeof report->hit) report->hit[used] = '\n';
    pthread_mutex_unlock(&noting);
    errno = before;
    is_noting = 0;
}

// The file that a descriptor is of, for people.
static void name_file(int descriptor, char target[2048]) {
    char link[64];
    target[0] = 0;
    if (descriptor < 0) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, target, 2047);
    if (length > 0) target[length] = 0;
}

// Counts a call. Returns 0 where it is to go on, TEAR, or the errno that it fails with.
static int meet(enum kind kind, const char *name, int descriptor, const char *path) {
    if (!(counted & 1u << kind) || (path && strncmp(path, "/proc/", 6) == 0)) return 0;
    char target[2048];
    if (action == LOCKED) {
        if (locks_held > 0) {
            name_file(descriptor, target);
            note_locked(name, target, path);
        }
        return 0;
    }
    unsigned long count = atomic_fetch_add(&report->count, 1) + 1;
    if (number == 0 || count < number || (count > number && !lasts)) return 0;
    if (count == number) {
        int before = errno;
        name_file(descriptor, target);
        snprintf(report->hit, sizeof report->hit, "%s %s %s", name, target, path ? path : "");
        errno = before;
    }
    if (action == KILL) end_process();
    return action;
}

static int is_file(int descriptor) {
    struct stat status;
    int before = errno;
    int result = fstat(descriptor, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
    errno = before;
    return result;
}

#define REFUSE(kind, descriptor, path) \
    do { \
        int fault = meet(kind, __func__, descriptor, path); \
        if (fault == TEAR) end_process(); \
        if (fault) { \
            errno = fault; \
            return -1; \
        } \
    } while (0)

#define WRITE_OR_TEAR(half, whole) \
    do { \
        if (is_file(file)) { \
            int fault = meet(WRITE, __func__, file, NULL); \
            if (fault == TEAR) { \
                (void)!(half); \
                end_process(); \
            } \
            if (fault) { \
                errno = fault; \
                return -1; \
            } \
        } \
        return whole; \
    } while (0)

ssize_t write(int file, const void *bytes, size_t size) {
    NEXT(write);
    WRITE_OR_TEAR(next(file, bytes, size / 2), next(file, bytes, size));
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    NEXT(pwrite);
    WRITE_OR_TEAR(next(file, bytes, size / 2, offset), next(file, bytes, size, offset));
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    NEXT(pwrite64);
    WRITE_OR_TEAR(next(file, bytes, size / 2, offset), next(file, bytes, size, offset));
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    NEXT(writev);
    WRITE_OR_TEAR(next(file, parts, count / 2), next(file, parts, count));
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    NEXT(pwritev);
    WRITE_OR_TEAR(next(file, parts, count / 2, offset), next(file, parts, count, offset));
}

int fsync(int file) {
    NEXT(fsync);
    REFUSE(SYNC, file, NULL);
    return next(file);
}

int fdatasync(int file) {
    NEXT(fdatasync);
    REFUSE(SYNC, file, NULL);
    return next(file);
}

int syncfs(int file) {
    NEXT(syncfs);
    REFUSE(SYNC, file, NULL);
    return next(file);
}

int rename(const char *from, const char *to) {
    NEXT(rename);
    REFUSE(RENAME, -1, to);
    return next(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    NEXT(renameat);
    REFUSE(RENAME, to_folder, to);
    return next(from_folder, from, to_folder, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    NEXT(renameat2);
    REFUSE(RENAME, to_folder, to);
    return next(from_folder, from, to_folder, to, flags);
}

int unlink(const char *path) {
    NEXT(unlink);
    REFUSE(REMOVE, -1, path);
    return next(path);
}

int unlinkat(int folder, const char *path, int flags) {
    NEXT(unlinkat);
    REFUSE(REMOVE, folder, path);
    return next(folder, path, flags);
}

int mkdir(const char *path, mode_t mode) {
    NEXT(mkdir);
    REFUSE(MAKE, -1, path);
    return next(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
    NEXT(mkdirat);
    REFUSE(MAKE, folder, path);
    return next(folder, path, mode);
}

int ftruncate(int file, off_t size) {
    NEXT(ftruncate);
    REFUSE(CUT, file, NULL);
    return next(file, size);
}

int ftruncate64(int file, off64_t size) {
    NEXT(ftruncate64);
    REFUSE(CUT, file, NULL);
    return next(file, size);
}

int futimens(int file, const struct timespec times[2]) {
    NEXT(futimens);
    REFUSE(TIME, file, NULL);
    return next(file, times);
}

int link(const char *from, const char *to) {
    NEXT(link);
    REFUSE(LINK, -1, to);
    return next(from, to);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
    NEXT(linkat);
    REFUSE(LINK, to_folder, to);
    return next(from_folder, from, to_folder, to, flags);
}

#define MODE_OF_OPEN() \
    mode_t mode = 0; \
    if (flags & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    } \
    enum kind kind = flags & O_CREAT ? CREATE : OPEN

int open(const char *path, int flags, ...) {
    NEXT(open);
    MODE_OF_OPEN();
    REFUSE(kind, -1, path);
    return next(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    NEXT(open64);
    MODE_OF_OPEN();
    REFUSE(kind, -1, path);
    return next(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    NEXT(openat);
    MODE_OF_OPEN();
    REFUSE(kind, folder, path);
    return next(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    NEXT(openat64);
    MODE_OF_OPEN();
    REFUSE(kind, folder, path);
    return next(folder, path, flags, mode);
}

int ioctl(int file, unsigned long request, ...) {
    NEXT(ioctl);
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    if (request == FICLONE) REFUSE(LINK, file, NULL);
    return next(file, request, argument);
}

// What the C library has no function for, or not in every version.
long syscall(long call, ...) {
    NEXT(syscall);
    va_list rest;
    va_start(rest, call);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long);
    long d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    switch (call) {
    case SYS_renameat2: REFUSE(RENAME, (int)c, (const char *)d); break;
    case SYS_syncfs: REFUSE(SYNC, (int)a, NULL); break;
    case SYS_openat2: REFUSE(OPEN, (int)a, (const char *)b); break;
    case SYS_copy_file_range: REFUSE(WRITE, (int)c, NULL); break;
    }
    return next(call, a, b, c, d, e, f);
}
