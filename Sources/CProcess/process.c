#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int cprocess_pipe(int ends[2]) { return (int)syscall(SYS_pipe2, ends, O_CLOEXEC); }

void cprocess_set_nonblocking(int descriptor) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

// Ends all descendants of the calling process, which adopts those that have lost their parents (PR_SET_CHILD_SUBREAPER), and
// waits for them. Safe in the child of a process with several threads.
static void end_descendants(void) {
    for (;;) {
        char names[4096];
        int file = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
        ssize_t count = file < 0 ? 0 : read(file, names, sizeof names);
        if (file >= 0) close(file);
        pid_t number = 0;
        for (ssize_t i = 0; i < count; i++) {
            if (names[i] >= '0' && names[i] <= '9') {
                number = 10 * number + names[i] - '0';
            } else {
                if (number > 0) kill(number, SIGKILL);
                number = 0;
            }
        }
        if (waitpid(-1, NULL, 0) < 0 && errno != EINTR) return;
    }
}

// What a program runs under: a process that ends it, and all that it has started, when the thread that started it is gone
// (SIGHUP, by prctl(2), PR_SET_PDEATHSIG). SIGTERM is passed on to the program. Ends as the program did.
_Noreturn static void guard_program(pid_t program) {
    // Nobody waits for the end of a pipe because of this process.
    syscall(SYS_close_range, 0u, ~0u, 0u);
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGHUP);
    for (;;) {
        int status;
        pid_t ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
            if (ended != program) continue;
            end_descendants();
            if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
            // A core of this process would tell nothing.
            prctl(PR_SET_DUMPABLE, 0);
            sigset_t none;
            sigemptyset(&none);
            sigprocmask(SIG_SETMASK, &none, NULL);
            kill(getpid(), WTERMSIG(status));
            _exit(128 + WTERMSIG(status));
        }
        int number = sigwaitinfo(&awaited, NULL);
        if (number == SIGTERM) kill(-program, SIGTERM);
        if (number == SIGHUP) {
            kill(-program, SIGKILL);
            end_descendants();
            _exit(128 + SIGKILL);
        }
    }
}

pid_t cprocess_spawn_guarded(
    const char *program, char *const words[], char *const environment[], const char *folder, int input, int output,
    int errors) {
    int report[2];
    if (cprocess_pipe(report) < 0) return -1;
    pid_t parent = getpid();
    pid_t guard = fork();
    if (guard == 0) {
        // From here on only calls that are safe in the child of a process with several threads.
        sigset_t all, none;
        sigfillset(&all);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &all, NULL);
        for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
        setpgid(0, 0);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        prctl(PR_SET_PDEATHSIG, SIGHUP);
        if (getppid() != parent) _exit(127);
        pid_t child = fork();
        if (child > 0) guard_program(child);
        if (child == 0) {
            setpgid(0, 0);
            sigprocmask(SIG_SETMASK, &none, NULL);
            if (dup2(input, 0) >= 0 && dup2(output, 1) >= 0 && dup2(errors, 2) >= 0 && chdir(folder) == 0)
                execve(program, words, environment);
        }
        int fault = errno;
        while (write(report[1], &fault, sizeof fault) < 0 && errno == EINTR) {}
        _exit(127);
    }
    int fault = errno;
    close(report[1]);
    if (guard > 0) {
        ssize_t count;
        while ((count = read(report[0], &fault, sizeof fault)) < 0 && errno == EINTR) {}
        if (count == (ssize_t)sizeof fault) {
            while (waitpid(guard, NULL, 0) < 0 && errno == EINTR) {}
            guard = -1;
        }
    }
    close(report[0]);
    errno = fault;
    return guard;
}
