// How a process gives up its powers: Landlock, seccomp and resource limits. Each returns 0, or -1 with errno set.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// O_PATH, too, is there under _GNU_SOURCE only.
#ifndef O_PATH
#define O_PATH 010000000
#endif

// close_range(2), memfd_create(2): the C library has them under _GNU_SOURCE only.
static inline int csandbox_close_from(unsigned int first) { return (int)syscall(SYS_close_range, first, ~0u, 0); }
static inline int csandbox_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1 /* MFD_CLOEXEC */); }

/// Keeps this process and its children from ever gaining powers. Landlock and seccomp want it.
static inline int csandbox_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/// Keeps other processes of the user from looking into this one, and it from leaving a core.
static inline int csandbox_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/// glibc reserves address space for each thread's arena; one for all is enough for a process of few threads.
static inline void csandbox_one_arena(void) { mallopt(M_ARENA_MAX, 1); }

// `__rlimit_resource_t` is an enum of its own to Swift.
static inline int csandbox_limit(int resource, uint64_t soft, uint64_t hard) {
    struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
    return setrlimit((__rlimit_resource_t)resource, &limit);
}

static inline int csandbox_limit_memory(uint64_t bytes) { return csandbox_limit(RLIMIT_DATA, bytes, bytes); }
static inline int csandbox_limit_file_size(uint64_t bytes) { return csandbox_limit(RLIMIT_FSIZE, bytes, bytes); }
static inline int csandbox_limit_open_files(uint64_t count) { return csandbox_limit(RLIMIT_NOFILE, count, count); }
static inline int csandbox_limit_core(void) { return csandbox_limit(RLIMIT_CORE, 0, 0); }
/// SIGXCPU ends the process when it has used so many seconds in all.
static inline int csandbox_limit_cpu(uint64_t seconds) { return csandbox_limit(RLIMIT_CPU, seconds, RLIM_INFINITY); }

/// CPU seconds that the process has used, rounded up.
static inline uint64_t csandbox_used_cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 2);
}

// Landlock, which the C library has no functions for.

/// The version of the kernel's Landlock; -1 where it has none.
static inline int csandbox_landlock_version(void) {
    return (int)syscall(SYS_landlock_create_ruleset, (void *)0, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
}

/// A ruleset that handles every access to files that the kernel knows of.
static inline int csandbox_landlock_ruleset(void) {
    int version = csandbox_landlock_version();
    if (version < 1) return -1;
    // Version 1 has the rights up to MAKE_SYM, 2 adds REFER, 3 TRUNCATE, 5 IOCTL_DEV: a bit each.
    uint64_t rights = (1u << 13) - 1;
    if (version >= 2) rights |= 1u << 13;
    if (version >= 3) rights |= 1u << 14;
    if (version >= 5) rights |= 1u << 15;
    struct { uint64_t handled_access_fs; } attributes = {rights};
    return (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
}

/// Lets files and folders below a path be read. One that is missing is none to read.
static inline int csandbox_landlock_allow_reading(int ruleset, const char *path) {
    int folder = open(path, O_PATH | O_CLOEXEC);
    if (folder < 0) return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
    struct stat information;
    int is_folder = fstat(folder, &information) == 0 && S_ISDIR(information.st_mode);
    struct landlock_path_beneath_attr rule = {
        .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | (is_folder ? LANDLOCK_ACCESS_FS_READ_DIR : 0),
        .parent_fd = folder,
    };
    int result = (int)syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    int code = errno;
    close(folder);
    errno = code;
    return result;
}

/// Binds the calling thread, and those that it starts, to a ruleset.
static inline int csandbox_landlock_restrict(int ruleset) {
    return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}

// seccomp.

#if defined(__x86_64__)
#define CSANDBOX_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CSANDBOX_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the system calls of this architecture are not known here"
#endif

#define CSANDBOX_ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), \
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define CSANDBOX_REFUSE(code) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (code))

/// Leaves all threads of the process the system calls that decoding needs: memory, threads, reading, clocks, and the pair
/// of sockets that is open already. Every other fails with EPERM: no socket is made, no program started, no other process
/// touched.
static inline int csandbox_filter_system_calls(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CSANDBOX_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        // By how often they are called.
        CSANDBOX_ALLOW(futex), CSANDBOX_ALLOW(read), CSANDBOX_ALLOW(lseek), CSANDBOX_ALLOW(mmap),
        CSANDBOX_ALLOW(munmap), CSANDBOX_ALLOW(madvise), CSANDBOX_ALLOW(brk), CSANDBOX_ALLOW(mprotect),
        CSANDBOX_ALLOW(mremap), CSANDBOX_ALLOW(newfstatat), CSANDBOX_ALLOW(fstat), CSANDBOX_ALLOW(pread64),
        CSANDBOX_ALLOW(write), CSANDBOX_ALLOW(writev), CSANDBOX_ALLOW(readv), CSANDBOX_ALLOW(pwrite64),
        CSANDBOX_ALLOW(sendto), CSANDBOX_ALLOW(sendmsg), CSANDBOX_ALLOW(recvfrom), CSANDBOX_ALLOW(recvmsg),
        CSANDBOX_ALLOW(openat), CSANDBOX_ALLOW(close), CSANDBOX_ALLOW(faccessat), CSANDBOX_ALLOW(faccessat2),
        CSANDBOX_ALLOW(readlinkat), CSANDBOX_ALLOW(getdents64), CSANDBOX_ALLOW(statx), CSANDBOX_ALLOW(statfs),
        CSANDBOX_ALLOW(fstatfs), CSANDBOX_ALLOW(getcwd), CSANDBOX_ALLOW(fcntl), CSANDBOX_ALLOW(fadvise64),
        CSANDBOX_ALLOW(dup), CSANDBOX_ALLOW(memfd_create), CSANDBOX_ALLOW(ftruncate), CSANDBOX_ALLOW(eventfd2),
        CSANDBOX_ALLOW(pipe2), CSANDBOX_ALLOW(ppoll), CSANDBOX_ALLOW(exit), CSANDBOX_ALLOW(exit_group),
        CSANDBOX_ALLOW(rt_sigaction), CSANDBOX_ALLOW(rt_sigprocmask), CSANDBOX_ALLOW(rt_sigreturn),
        CSANDBOX_ALLOW(sigaltstack), CSANDBOX_ALLOW(restart_syscall), CSANDBOX_ALLOW(set_robust_list),
        CSANDBOX_ALLOW(rseq), CSANDBOX_ALLOW(sched_yield), CSANDBOX_ALLOW(sched_getaffinity),
        CSANDBOX_ALLOW(sched_getparam), CSANDBOX_ALLOW(sched_getscheduler), CSANDBOX_ALLOW(membarrier),
        CSANDBOX_ALLOW(getrandom), CSANDBOX_ALLOW(getpid), CSANDBOX_ALLOW(gettid), CSANDBOX_ALLOW(getuid),
        CSANDBOX_ALLOW(geteuid), CSANDBOX_ALLOW(getgid), CSANDBOX_ALLOW(getegid), CSANDBOX_ALLOW(uname),
        CSANDBOX_ALLOW(sysinfo), CSANDBOX_ALLOW(getrusage), CSANDBOX_ALLOW(prlimit64), CSANDBOX_ALLOW(times),
        CSANDBOX_ALLOW(clock_gettime), CSANDBOX_ALLOW(clock_getres), CSANDBOX_ALLOW(clock_nanosleep),
        CSANDBOX_ALLOW(nanosleep), CSANDBOX_ALLOW(gettimeofday), CSANDBOX_ALLOW(get_mempolicy),
        CSANDBOX_ALLOW(set_mempolicy), CSANDBOX_ALLOW(mincore), CSANDBOX_ALLOW(prctl),
#if defined(__x86_64__)
        // Older forms of calls above.
        CSANDBOX_ALLOW(open), CSANDBOX_ALLOW(stat), CSANDBOX_ALLOW(lstat), CSANDBOX_ALLOW(access),
        CSANDBOX_ALLOW(readlink), CSANDBOX_ALLOW(poll), CSANDBOX_ALLOW(time), CSANDBOX_ALLOW(arch_prctl),
        CSANDBOX_ALLOW(getrlimit), CSANDBOX_ALLOW(setrlimit),
#endif
        // The C library falls back to clone(2), whose flags can be looked at.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        CSANDBOX_REFUSE(ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        // CLONE_THREAD
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x00010000, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        CSANDBOX_REFUSE(EPERM),
        // abort(3) signals its own thread; no other process is signalled.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)getpid(), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        CSANDBOX_REFUSE(EPERM),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}
