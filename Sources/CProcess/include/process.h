#pragma once
#include <sys/types.h>

/// A pipe whose ends no program inherits. Returns 0, or -1 with errno set.
int cprocess_pipe(int ends[2]);

void cprocess_set_nonblocking(int descriptor);

/// Starts a program with these three streams, in `folder`, in a process group of its own, under a process that ends it when
/// the calling thread ends. SIGTERM to that process asks the program to end; SIGHUP ends it at once, with all that it has
/// started. Returns that process's number, or -1 with errno set when the program could not be started.
pid_t cprocess_spawn_guarded(
    const char *program, char *const words[], char *const environment[], const char *folder, int input, int output,
    int errors);
