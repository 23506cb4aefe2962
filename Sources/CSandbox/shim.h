// How a process drops its privileges: Landlock, seccomp and resource limits. Each returns 0, or -1 with errno set.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <linux/capability.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Some flags, too, are there under _GNU_SOURCE only.
#ifndef O_PATH
#define O_PATH 010000000
#endif
#ifndef O_NOATIME
#define O_NOATIME 01000000
#endif

// close_range(2), memfd_create(2): the C library has them under _GNU_SOURCE only.
static inline int csandbox_close_from(unsigned int first) { return (int)syscall(SYS_close_range, first, ~0u, 0); }
static inline int csandbox_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1 /* MFD_CLOEXEC */); }

/// Keeps this process and its children from ever gaining powers. Landlock and seccomp want it.
static inline int csandbox_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/// Keeps other processes of the user from looking into this one, and it from leaving a core.
static inline int csandbox_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/// Drops every capability: of the process, of what it may inherit, and of what a program could give it again. Without
/// CAP_SETPCAP the last can't be dropped, and is of no use.
static inline int csandbox_no_capabilities(void) {
    for (unsigned long number = 0; prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0; number++) {}
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return -1;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof none);
    return (int)syscall(SYS_capset, &header, none);
}

/// glibc reserves address space for each thread's arena; one for all is enough for a process of few threads.
static inline void csandbox_one_arena(void) { mallopt(M_ARENA_MAX, 1); }

// `__rlimit_resource_t` is an enum of its own to Swift.
static inline int csandbox_limit(int resource, uint64_t soft, uint64_t hard) {
    struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
    return setrlimit((__rlimit_resource_t)resource, &limit);
}

static inline int csandbox_limit_memory(uint64_t bytes) { return csandbox_limit(RLIMIT_DATA, bytes, bytes); }
/// All that is mapped: libraries, files, and what `csandbox_limit_memory` does not count.
static inline int csandbox_limit_address_space(uint64_t bytes) { return csandbox_limit(RLIMIT_AS, bytes, bytes); }
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

/// A ruleset that handles every access to files, TCP and, where the kernel can, signals to processes outside.
///
/// `newest` is the latest version of Landlock to use: an older kernel's can be tried on a newer one.
static inline int csandbox_landlock_ruleset(int newest) {
    int version = csandbox_landlock_version();
    if (version > newest) version = newest;
    if (version < 1) return -1;
    // As in linux/landlock.h, of which the system's may be older than the kernel.
    struct { uint64_t handled_access_fs, handled_access_net, scoped; } attributes = {0, 0, 0};
    // Version 1 has the rights up to MAKE_SYM, 2 adds REFER, 3 TRUNCATE, 5 IOCTL_DEV: a bit each.
    attributes.handled_access_fs = (1u << 13) - 1;
    if (version >= 2) attributes.handled_access_fs |= 1u << 13;
    if (version >= 3) attributes.handled_access_fs |= 1u << 14;
    if (version >= 5) attributes.handled_access_fs |= 1u << 15;
    // BIND_TCP and CONNECT_TCP; ABSTRACT_UNIX_SOCKET and SIGNAL.
    if (version >= 4) attributes.handled_access_net = 3;
    if (version >= 6) attributes.scoped = 3;
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    return (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
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

// The kernel's O_LARGEFILE, which F_GETFL tells of every file; the C library's is 0.
#if defined(__x86_64__)
#define CSANDBOX_ARCHITECTURE AUDIT_ARCH_X86_64
#define CSANDBOX_LARGE_FILE 0100000
#elif defined(__aarch64__)
#define CSANDBOX_ARCHITECTURE AUDIT_ARCH_AARCH64
#define CSANDBOX_LARGE_FILE 0400000
#else
#error "the system calls of this architecture are not known here"
#endif

#define CSANDBOX_LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define CSANDBOX_REFUSE(code) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (code))
#define CSANDBOX_PASS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/// A call with any arguments.
#define CSANDBOX_ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), CSANDBOX_PASS
/// Skips so many steps unless it is the call. What is skipped ends with a decision.
#define CSANDBOX_CALL(name, steps) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, steps)
/// Allows the call where the argument that is loaded has this value.
#define CSANDBOX_PASS_IF(value) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, 1), CSANDBOX_PASS
/// A call whose argument may have no other bits than these. The kernel reads all of the arguments looked at as 32 bits, or
/// has no meaning for the others, and both architectures have those first.
#define CSANDBOX_ALLOW_FLAGS(name, number, flags) \
    CSANDBOX_CALL(name, 4), CSANDBOX_LOAD(args[number]), \
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, ~(uint32_t)(flags), 1, 0), CSANDBOX_PASS, CSANDBOX_REFUSE(EPERM)
/// A call whose argument must have this value.
#define CSANDBOX_ALLOW_VALUE(name, number, value) \
    CSANDBOX_CALL(name, 4), CSANDBOX_LOAD(args[number]), CSANDBOX_PASS_IF(value), CSANDBOX_REFUSE(EPERM)

/// To read only, and nothing by which the file changes or signals come of it: neither O_TRUNC, which Landlock knows from
/// its third version on, nor O_ASYNC.
#define CSANDBOX_OPEN_FLAGS \
    (O_CLOEXEC | O_NONBLOCK | O_DIRECTORY | O_NOFOLLOW | O_NOCTTY | O_NOATIME | CSANDBOX_LARGE_FILE)
/// Memory that counts as the process's own. MAP_GROWSDOWN counts as its stack, huge pages as nobody's.
#define CSANDBOX_MAP_FLAGS \
    (MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_NORESERVE | MAP_STACK \
        | MAP_DENYWRITE | MAP_EXECUTABLE | MAP_POPULATE)

/// Leaves all threads of the process the system calls that decoding needs: memory of its own, threads, reading, clocks, and
/// the pair of sockets that is open already. Every other fails with EPERM: no socket is made, no program started, no other
/// process touched, nothing shared.
static inline int csandbox_filter_system_calls(void) {
    struct sock_filter filter[] = {
        CSANDBOX_LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CSANDBOX_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        CSANDBOX_LOAD(nr),
        // By how often they are called.
        CSANDBOX_ALLOW(futex), CSANDBOX_ALLOW(read), CSANDBOX_ALLOW(lseek),
        // What is shared takes memory that no limit counts, but where a file is read so.
        CSANDBOX_CALL(mmap, 9), CSANDBOX_LOAD(args[3]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, ~(uint32_t)CSANDBOX_MAP_FLAGS, 1, 0), CSANDBOX_PASS,
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MAP_SHARED, 1, 0), CSANDBOX_REFUSE(EPERM),
        CSANDBOX_LOAD(args[2]), CSANDBOX_PASS_IF(PROT_READ), CSANDBOX_REFUSE(EPERM),
        CSANDBOX_ALLOW(munmap), CSANDBOX_ALLOW(madvise), CSANDBOX_ALLOW(brk), CSANDBOX_ALLOW(mprotect),
        CSANDBOX_ALLOW(mremap), CSANDBOX_ALLOW(newfstatat), CSANDBOX_ALLOW(fstat), CSANDBOX_ALLOW(pread64),
        CSANDBOX_ALLOW(write), CSANDBOX_ALLOW(writev), CSANDBOX_ALLOW(readv), CSANDBOX_ALLOW(pwrite64),
        CSANDBOX_ALLOW(sendto), CSANDBOX_ALLOW(sendmsg), CSANDBOX_ALLOW(recvfrom), CSANDBOX_ALLOW(recvmsg),
        CSANDBOX_ALLOW_FLAGS(openat, 2, CSANDBOX_OPEN_FLAGS), CSANDBOX_ALLOW(close), CSANDBOX_ALLOW(faccessat),
        CSANDBOX_ALLOW(faccessat2), CSANDBOX_ALLOW(readlinkat), CSANDBOX_ALLOW(getdents64), CSANDBOX_ALLOW(statx),
        CSANDBOX_ALLOW(statfs), CSANDBOX_ALLOW(fstatfs), CSANDBOX_ALLOW(getcwd), CSANDBOX_ALLOW(fadvise64),
        // F_SETFL sets no more than O_NONBLOCK: O_ASYNC and F_SETOWN would signal other processes.
        CSANDBOX_CALL(fcntl, 16), CSANDBOX_LOAD(args[1]), CSANDBOX_PASS_IF(F_DUPFD), CSANDBOX_PASS_IF(F_DUPFD_CLOEXEC),
        CSANDBOX_PASS_IF(F_GETFD), CSANDBOX_PASS_IF(F_SETFD), CSANDBOX_PASS_IF(F_GETFL),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_SETFL, 0, 3), CSANDBOX_LOAD(args[2]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, ~(uint32_t)(O_ACCMODE | O_NONBLOCK | CSANDBOX_LARGE_FILE), 1, 0),
        CSANDBOX_PASS, CSANDBOX_REFUSE(EPERM),
        CSANDBOX_ALLOW(dup), CSANDBOX_ALLOW(ftruncate), CSANDBOX_ALLOW(eventfd2),
        CSANDBOX_ALLOW_FLAGS(pipe2, 1, O_CLOEXEC | O_NONBLOCK), CSANDBOX_ALLOW(ppoll), CSANDBOX_ALLOW(exit),
        CSANDBOX_ALLOW(exit_group), CSANDBOX_ALLOW(rt_sigaction), CSANDBOX_ALLOW(rt_sigprocmask),
        CSANDBOX_ALLOW(rt_sigreturn), CSANDBOX_ALLOW(sigaltstack), CSANDBOX_ALLOW(restart_syscall),
        CSANDBOX_ALLOW(set_robust_list), CSANDBOX_ALLOW(rseq), CSANDBOX_ALLOW(sched_yield),
        CSANDBOX_ALLOW(sched_getaffinity), CSANDBOX_ALLOW(sched_getparam), CSANDBOX_ALLOW(sched_getscheduler),
        CSANDBOX_ALLOW(membarrier), CSANDBOX_ALLOW(getrandom), CSANDBOX_ALLOW(getpid), CSANDBOX_ALLOW(gettid),
        CSANDBOX_ALLOW(getuid), CSANDBOX_ALLOW(geteuid), CSANDBOX_ALLOW(getgid), CSANDBOX_ALLOW(getegid),
        CSANDBOX_ALLOW(uname), CSANDBOX_ALLOW(sysinfo), CSANDBOX_ALLOW(getrusage),
        // Of this process, not of another one.
        CSANDBOX_ALLOW_VALUE(prlimit64, 0, 0), CSANDBOX_ALLOW(times), CSANDBOX_ALLOW(clock_gettime),
        CSANDBOX_ALLOW(clock_getres), CSANDBOX_ALLOW(clock_nanosleep), CSANDBOX_ALLOW(nanosleep),
        CSANDBOX_ALLOW(gettimeofday), CSANDBOX_ALLOW(get_mempolicy), CSANDBOX_ALLOW(set_mempolicy),
        CSANDBOX_ALLOW(mincore),
        // Names of threads and of memory.
        CSANDBOX_CALL(prctl, 8), CSANDBOX_LOAD(args[0]), CSANDBOX_PASS_IF(PR_SET_NAME), CSANDBOX_PASS_IF(PR_GET_NAME),
        CSANDBOX_PASS_IF(0x53564d41 /* PR_SET_VMA */), CSANDBOX_REFUSE(EPERM),
#if defined(__x86_64__)
        // Older forms of calls above.
        CSANDBOX_ALLOW_FLAGS(open, 1, CSANDBOX_OPEN_FLAGS), CSANDBOX_ALLOW(stat), CSANDBOX_ALLOW(lstat),
        CSANDBOX_ALLOW(access), CSANDBOX_ALLOW(readlink), CSANDBOX_ALLOW(poll), CSANDBOX_ALLOW(time),
        CSANDBOX_ALLOW(arch_prctl), CSANDBOX_ALLOW(getrlimit), CSANDBOX_ALLOW(setrlimit),
#endif
        // The C library falls back to clone(2), whose flags can be looked at.
        CSANDBOX_CALL(clone3, 1), CSANDBOX_REFUSE(ENOSYS),
        CSANDBOX_CALL(clone, 4), CSANDBOX_LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x00010000 /* CLONE_THREAD */, 0, 1), CSANDBOX_PASS, CSANDBOX_REFUSE(EPERM),
        // abort(3) signals its own thread; no other process is signalled.
        CSANDBOX_ALLOW_VALUE(tgkill, 0, getpid()),
        CSANDBOX_REFUSE(EPERM),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}
