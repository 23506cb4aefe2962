#pragma once
#include <sys/types.h>

/// Tries everything that the sandbox of runner-media forbids, and writes a line to standard output for each: `refused`,
/// the system's reason and the name of the attempt, or `possible` and the name.
///
/// @param other another process of the user, which may come to harm.
/// @param file a file that can be read in the sandbox.
/// @param folder a folder that can be read in the sandbox.
/// @param scratch the sandbox's file in memory; -1 for none.
void sandbox_try_all(pid_t other, const char *file, const char *folder, int scratch);

/// Tries to signal another process, and no more.
void sandbox_try_signal(pid_t other);
