// Runs a program and tells what it took, as one line of JSON in a file.
//
//   measure FILE SECONDS PROGRAM [ARGUMENT...]
//
// The program is killed after SECONDS. It is started from here rather than from Python, because the peak memory that
// Linux tells of a process counts what the process was before it became the program, and a Python is larger than most.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;

static void end_child(int signal) {
    (void)signal;
    kill(child, SIGKILL);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: measure FILE SECONDS PROGRAM [ARGUMENT...]\n");
        return 64;
    }
    double start = now();
    child = fork();
    if (child == 0) {
        // Whoever ends this process ends the program.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execv(arguments[3], &arguments[3]);
        fprintf(stderr, "measure: %s: %s\n", arguments[3], strerror(errno));
        _exit(127);
    }
    struct sigaction action = {.sa_handler = end_child};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    alarm((unsigned)atoi(arguments[2]));
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) return 2;
    }
    double wall = now() - start;
    FILE *file = fopen(arguments[1], "we");
    if (!file) {
        fprintf(stderr, "measure: %s: %s\n", arguments[1], strerror(errno));
        return 2;
    }
    fprintf(
        file, "{\"status\": %d, \"wall\": %.6f, \"user\": %.6f, \"system\": %.6f, \"peak_kib\": %ld}\n",
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), wall, seconds(usage.ru_utime),
        seconds(usage.ru_stime), usage.ru_maxrss);
    return fclose(file) != 0;
}
