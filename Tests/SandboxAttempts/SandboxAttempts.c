#define _GNU_SOURCE
#include "SandboxAttempts.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(const char *name, long result) {
    char line[256];
    const char *reason = result == -1 ? strerrorname_np(errno) : NULL;
    int length = snprintf(line, sizeof line, result == -1 ? "refused %s %s\n" : "possible%.0s %s\n", reason ? reason : "", name);
    if (write(1, line, (size_t)length) < 0) _exit(2);
}

#define TRY(name, expression) do { errno = 0; tell(name, (long)(expression)); } while (0)

static long map(size_t length, int protection, int flags, int file) {
    void *memory = mmap(NULL, length, protection, flags, file, 0);
    if (memory == MAP_FAILED) return -1;
    if (protection & PROT_WRITE && length <= 64 << 20) memset(memory, 1, length);
    munmap(memory, length);
    return 0;
}

/// Memory that is held all at once, in pieces.
static long hold(size_t limit, int flags) {
    const size_t piece = 16 << 20;
    void *pieces[128];
    size_t count = 0;
    while (count * piece < limit) {
        pieces[count] = mmap(NULL, piece, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (pieces[count] == MAP_FAILED) break;
        count++;
    }
    int code = errno;
    for (size_t i = 0; i < count; i++) munmap(pieces[i], piece);
    errno = code;
    return count * piece < limit ? -1 : 0;
}

static long raise_hard_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
    limit.rlim_max += 1;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

/// A process of its own; the new one is over at once.
static long new_process(unsigned long flags) {
    long process = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
    if (process == 0) _exit(0);
    return process;
}

void sandbox_try_signal(pid_t other) { TRY("kill", kill(other, 0)); }

void sandbox_try_all(pid_t other, const char *file, const char *folder, int scratch) {
    char new_file[4096], other_name[4096];
    snprintf(new_file, sizeof new_file, "%s/new", folder);
    snprintf(other_name, sizeof other_name, "%s/other", folder);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGIO, SIG_IGN);

    // Other processes.
    struct rlimit limit = {.rlim_cur = 3, .rlim_max = 3};
    TRY("prlimit of another process", syscall(SYS_prlimit64, other, RLIMIT_NOFILE, &limit, NULL));
    TRY("prlimit of another process, to read", syscall(SYS_prlimit64, other, RLIMIT_NOFILE, NULL, &limit));
    sandbox_try_signal(other);
    TRY("tgkill", syscall(SYS_tgkill, other, other, 0));
    TRY("tkill", syscall(SYS_tkill, other, 0));
    siginfo_t information = {.si_signo = SIGUSR1, .si_code = SI_QUEUE};
    TRY("rt_sigqueueinfo", syscall(SYS_rt_sigqueueinfo, other, 0, &information));
    TRY("pidfd_open", syscall(SYS_pidfd_open, other, 0));
    TRY("process_vm_readv", syscall(SYS_process_vm_readv, other, NULL, 0, NULL, 0, 0));
    TRY("setpriority", setpriority(PRIO_PROCESS, (id_t)other, 10));
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(0, &processors);
    TRY("sched_setaffinity", sched_setaffinity(other, sizeof processors, &processors));
    TRY("ptrace", ptrace(PTRACE_SEIZE, other, NULL, NULL));

    // Signals that the kernel sends on a descriptor's behalf.
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) _exit(3);
    TRY("fcntl F_SETOWN", fcntl(ends[0], F_SETOWN, other));
    struct f_owner_ex owner = {.type = F_OWNER_PID, .pid = other};
    TRY("fcntl F_SETOWN_EX", fcntl(ends[0], F_SETOWN_EX, &owner));
    TRY("fcntl F_SETSIG", fcntl(ends[0], F_SETSIG, SIGUSR1));
    TRY("fcntl F_SETFL O_ASYNC", fcntl(ends[0], F_SETFL, O_NONBLOCK | O_ASYNC));
    int on = 1;
    TRY("ioctl FIOASYNC", ioctl(ends[0], FIOASYNC, &on));
    TRY("ioctl FIOSETOWN", ioctl(ends[0], 0x8901 /* FIOSETOWN */, &other));
    TRY("fcntl F_NOTIFY", fcntl(open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), F_NOTIFY, DN_ACCESS));
    TRY("fcntl F_SETLEASE", fcntl(open(file, O_RDONLY | O_CLOEXEC), F_SETLEASE, F_RDLCK));
    TRY("fcntl F_SETPIPE_SZ", fcntl(ends[0], F_SETPIPE_SZ, 1 << 20));

    // Memory beyond the limits.
    TRY("shared memory", map(1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1));
    TRY("shared memory that is only read", map(1 << 20, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1));
    TRY("shared memory, validated", map(1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_ANONYMOUS, -1));
    TRY("memory that grows down", map(1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1));
    TRY("a file in memory", syscall(SYS_memfd_create, "other", 0));
    TRY("System V shared memory", syscall(SYS_shmget, 0, 1 << 20, 01600));
// A sanitizer needs so much itself, and the sandbox leaves it that.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    TRY("600 MiB of private memory", hold(600u << 20, MAP_PRIVATE | MAP_ANONYMOUS));
    TRY("4 GiB of address space", map((size_t)4 << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1));
#endif
    if (scratch >= 0) {
        TRY("a file in memory of 100 MiB", ftruncate(scratch, 100 << 20));
        if (ftruncate(scratch, 1 << 20) != 0) _exit(3);
        TRY("a file in memory, shared", map(1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, scratch));
    }
    TRY("a higher limit", raise_hard_limit());

    // Files.
    TRY("open O_RDONLY O_TRUNC", syscall(SYS_openat, AT_FDCWD, file, O_RDONLY | O_TRUNC));
#ifdef SYS_open
    TRY("the older open O_RDONLY O_TRUNC", syscall(SYS_open, file, O_RDONLY | O_TRUNC));
#endif
    TRY("open O_WRONLY", open(file, O_WRONLY));
    TRY("open O_RDWR", open(file, O_RDWR));
    TRY("open O_CREAT", open(new_file, O_RDONLY | O_CREAT, 0600));
    TRY("open O_TMPFILE", open(folder, O_RDWR | O_TMPFILE, 0600));
    TRY("open of what is not to be read", open("/etc/passwd", O_RDONLY));
    struct open_how how = {.flags = O_RDONLY};
    TRY("openat2", syscall(SYS_openat2, AT_FDCWD, file, &how, sizeof how));
    TRY("truncate", truncate(file, 0));
    TRY("chmod", chmod(file, 0600));
    TRY("utimensat", utimensat(AT_FDCWD, file, NULL, 0));
    TRY("setxattr", syscall(SYS_setxattr, file, "user.a", "", 0, 0));
    TRY("link", link(file, new_file));
    TRY("rename", rename(file, other_name));
    TRY("unlink", unlink(file));
    TRY("mkdir", mkdir(new_file, 0700));

    // New powers.
    TRY("socket", socket(AF_INET, SOCK_STREAM, 0));
    TRY("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    TRY("a dumpable process", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct capabilities[_LINUX_CAPABILITY_U32S_3];
    memset(capabilities, 0, sizeof capabilities);
    TRY("capset", syscall(SYS_capset, &header, capabilities));
    TRY("unshare", unshare(CLONE_FS));
    TRY("io_uring_setup", syscall(SYS_io_uring_setup, 1, NULL));
    TRY("fork", new_process(0));
    TRY("vfork", new_process(CLONE_VM | CLONE_VFORK));
    TRY("a new user namespace", new_process(CLONE_NEWUSER));
    char *words[] = {"true", NULL};
    TRY("execve", execve("/bin/true", words, words + 1));
}
