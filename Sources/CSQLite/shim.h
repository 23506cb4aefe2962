#pragma once
#include <sqlite3.h>

// What Swift cannot import of sqlite3.h: casts of the destructor constants, and variadic functions.

/// Binds text that SQLite copies before it returns (SQLITE_TRANSIENT is a cast, which is not importable).
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, length == 0 ? "" : text, length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds bytes that SQLite copies before it returns. No bytes are an empty blob, not NULL, whatever the pointer is.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    if (length == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob64(statement, index, bytes, length, SQLITE_TRANSIENT);
}

/// Turns one of the on-off settings of a connection (SQLITE_DBCONFIG_...) on or off.
static inline int csqlite_set_flag(sqlite3 *connection, int setting, int on) {
    return sqlite3_db_config(connection, setting, on, (int *)0);
}

/// Turns off the counting of memory in use, which costs two mutexes for each allocation. Before the first other call only;
/// false after that.
static inline int csqlite_stop_counting_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) == SQLITE_OK;
}
