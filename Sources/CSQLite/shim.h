#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <fcntl.h>
#include <linux/stat.h>
#include <sqlite3.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the Swift importer cannot see: variadic functions and cast macros, and statx(2), which glibc
   declares with _GNU_SOURCE only. */

/* sqlite3_db_config is variadic; every option used here takes one flag. */
static inline int csqlite_set_flag(sqlite3 *connection, int option, int on) {
    return sqlite3_db_config(connection, option, on, (int *)0);
}

/* sqlite3_config is variadic too. Not to count the memory of all connections together spares each
   allocation a lock that they share; it works only before the first connection. */
static inline int csqlite_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* Binds a copy of exactly `count` bytes, NULs included. A null pointer would bind NULL, so empty
   text is given an address. */
static inline int csqlite_bind_text(
    sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(
        statement, index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/* The same for bytes. */
static inline int csqlite_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(
        statement, index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT);
}

/* When a file was created, in nanoseconds since 1970. Returns 0, or -1 where there is no such file
   or the file system does not report it. */
static inline int csqlite_file_birth(const char *path, long long *nanoseconds) {
    struct statx status = {0};
    if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BTIME, &status) != 0) return -1;
    if (!(status.stx_mask & STATX_BTIME)) return -1;
    *nanoseconds = status.stx_btime.tv_sec * 1000000000LL + status.stx_btime.tv_nsec;
    return 0;
}

#endif
