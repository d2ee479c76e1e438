// libmaxminddb: networks and places of a MaxMind DB. What Swift cannot call or would lose stands here
// once: socket addresses, paths of keys, the union of a value, and files in memory.
#ifndef POSTERN_CMAXMINDDB_SHIM_H
#define POSTERN_CMAXMINDDB_SHIM_H

#include <fcntl.h>
#include <maxminddb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// A new file in memory that can be sealed, or -1; memfd_create(2) needs _GNU_SOURCE in glibc.
// 1 and 2 are MFD_CLOEXEC and MFD_ALLOW_SEALING.
static inline int cmaxminddb_new_file(void) {
    return (int)syscall(SYS_memfd_create, "postern-places", 1U | 2U);
}

// From now on nobody can change or shorten the file, so a mapping of it cannot fail. Returns 0, or
// -1. 1033 is F_ADD_SEALS; 15 are the seals on seals, on shrinking, growing and writing.
static inline int cmaxminddb_seal(int file) { return fcntl(file, 1033, 15); }

// Finds the entry of an address of 4 or 16 bytes in network order. Returns an error of the library.
static inline int cmaxminddb_find(
    const MMDB_s *database, const uint8_t *bytes, size_t count, MMDB_entry_s *entry,
    bool *is_found) {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    memset(&address, 0, sizeof address);
    if (count == 4) {
        address.v4.sin_family = AF_INET;
        memcpy(&address.v4.sin_addr, bytes, 4);
    } else {
        address.v6.sin6_family = AF_INET6;
        memcpy(&address.v6.sin6_addr, bytes, count < 16 ? count : 16);
    }
    int error = MMDB_SUCCESS;
    MMDB_lookup_result_s result = MMDB_lookup_sockaddr(database, &address.any, &error);
    *is_found = error == MMDB_SUCCESS && result.found_entry;
    *entry = result.entry;
    return error;
}

// The text at a path of two or three keys; `third` may be NULL. Returns an error of the library;
// without one `text` may be NULL: there is something else. It is valid as long as the database.
static inline int cmaxminddb_text(
    MMDB_entry_s *entry, const char *first, const char *second, const char *third,
    const char **text, uint32_t *bytes) {
    const char *path[] = {first, second, third, NULL};
    MMDB_entry_data_s data;
    memset(&data, 0, sizeof data);
    *text = NULL;
    *bytes = 0;
    int error = MMDB_aget_value(entry, &data, path);
    if (error != MMDB_SUCCESS || !data.has_data || data.type != MMDB_DATA_TYPE_UTF8_STRING) {
        return error;
    }
    *text = data.utf8_string;
    *bytes = data.data_size;
    return error;
}

// The number at a path of two keys. Returns an error of the library; `is_found` says whether there
// is one.
static inline int cmaxminddb_number(
    MMDB_entry_s *entry, const char *first, const char *second, double *number, bool *is_found) {
    const char *path[] = {first, second, NULL};
    MMDB_entry_data_s data;
    memset(&data, 0, sizeof data);
    int error = MMDB_aget_value(entry, &data, path);
    *is_found = error == MMDB_SUCCESS && data.has_data && data.type == MMDB_DATA_TYPE_DOUBLE;
    if (*is_found) *number = data.double_value;
    return error;
}

#endif
