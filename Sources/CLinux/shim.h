#pragma once
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// Files: calls of Linux that the C library offers only under _GNU_SOURCE, or not at all. Each returns what its system call
// returns: -1 with errno set on failure.
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/// openat2(2) that stays below `folder` and passes through no symbolic link.
static inline int clinux_open_beneath(int folder, const char *path, int flags, unsigned int mode) {
    struct open_how how = {
        .flags = (unsigned int)flags,
        .mode = mode,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

/// renameat2(2) that fails with EEXIST where the new name is taken.
static inline int clinux_rename_exclusively(int from_folder, const char *from, int to_folder, const char *to) {
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, RENAME_NOREPLACE);
}

static inline int clinux_syncfs(int descriptor) {
    return (int)syscall(SYS_syncfs, descriptor);
}

/// FICLONE: makes `to` share the blocks of `from`.
static inline int clinux_clone_file(int from, int to) {
    return ioctl(to, FICLONE, from);
}

/// copy_file_range(2) at both descriptors' positions.
static inline ssize_t clinux_copy_file_range(int from, int to, size_t length) {
    return syscall(SYS_copy_file_range, from, (void *)0, to, (void *)0, length, 0u);
}

/// The f_type of the file system that holds `path`, or -1.
static inline long clinux_file_system_type(const char *path) {
    struct statfs information;
    return statfs(path, &information) == 0 ? (long)information.f_type : -1;
}

static inline unsigned int clinux_device_major(dev_t device) { return major(device); }
static inline unsigned int clinux_device_minor(dev_t device) { return minor(device); }


/// pidfd_open(2): a descriptor that is readable when the process is over.
static inline int clinux_open_process(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0u); }

/// memfd_create(2): a file in memory, gone with its last descriptor.
static inline int clinux_memory_file(const char *name) { return (int)syscall(SYS_memfd_create, name, 1u /* MFD_CLOEXEC */); }

// `struct epoll_event` is packed and holds a union; these keep both out of Swift.

static inline int clinux_epoll_control(int epoll, int operation, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline int clinux_epoll_descriptor(const struct epoll_event *event) { return event->data.fd; }

static inline uint32_t clinux_epoll_events(const struct epoll_event *event) { return event->events; }

// Variadic, so out of Swift's reach. Names the calling thread.
static inline void clinux_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

/// Gives free memory back to the system, out of the middle of malloc's arenas too. Only glibc has it.
static inline void clinux_release_free_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/// Has malloc take memory from the system in steps of so many bytes, and keep twice as much at the end of an arena.
/// Only glibc has it.
static inline void clinux_set_memory_step(int bytes) {
#ifdef __GLIBC__
    mallopt(M_TOP_PAD, bytes);
    mallopt(M_TRIM_THRESHOLD, 2 * bytes);
    // A fixed pad ends malloc's own adjustment of this one: 128 KiB, what libcurl allocates for each transfer.
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
#else
    (void)bytes;
#endif
}

// Descriptors over a socket (SCM_RIGHTS), whose control messages are laid out by macros.
#include <string.h>
#include <sys/socket.h>

/// socket(2) with arguments of 64 bits. The C library passes on what is in the upper halves of the registers, where Swift may
/// leave something; the kernel ignores it, but a seccomp filter, such as that of systemd's RestrictAddressFamilies=, does not.
static inline int clinux_socket(int family, int type, int protocol) {
    return (int)syscall(SYS_socket, (long)family, (long)type, (long)protocol);
}

/// Sends bytes, at least one, with a descriptor beside them. Returns how many were sent.
static inline ssize_t clinux_send_descriptor(int socket, int descriptor, const void *bytes, size_t count) {
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
    memset(&control, 0, sizeof control);
    struct iovec vector = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// Waits for exactly so many bytes, and stores the descriptor that came with them, or -1. Returns how many came.
static inline ssize_t clinux_receive_descriptor(int socket, int *descriptor, void *bytes, size_t count) {
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec vector = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = control.space, .msg_controllen = sizeof control.space};
    *descriptor = -1;
    ssize_t received = recvmsg(socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = received > 0 ? CMSG_FIRSTHDR(&message) : (struct cmsghdr *)0;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy(descriptor, CMSG_DATA(header), sizeof(int));
    return received;
}

/// The user at the other end of a Unix socket (SO_PEERCRED), whose structure is another one for _GNU_SOURCE; -1 on failure.
static inline int clinux_peer_user(int socket, uid_t *user) {
    struct { pid_t process; uid_t user; gid_t group; } peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -1;
    *user = peer.user;
    return 0;
}

/// How many processors this process may run on: its affinity, which containers set, not the machine's number. 0 on failure.
static inline int clinux_processor_count(void) {
    unsigned long mask[128];  // 8,192 processors, the most that Linux knows on x86-64
    long length = syscall(SYS_sched_getaffinity, getpid(), sizeof mask, mask);
    int count = 0;
    for (long i = 0; i < length / (long)sizeof *mask; i++) count += __builtin_popcountl(mask[i]);
    return count;
}
