// libcrypt (libxcrypt) for Swift: bcrypt, for passwords that come from elsewhere.
#ifndef POSTERN_CCRYPT_SHIM_H
#define POSTERN_CCRYPT_SHIM_H

#include <crypt.h>
#include <stddef.h>
#include <string.h>

// Bytes that ccrypt_hash works in; to be zero before, and wiped by the caller after.
static inline size_t ccrypt_memory_bytes(void) { return sizeof(struct crypt_data); }

// The whole text of a hash of `phrase`, as `setting` says, somewhere in `memory`; NULL on failure.
static inline const char *ccrypt_hash(const char *phrase, const char *setting, void *memory) {
    return crypt_rn(phrase, setting, memory, (int)sizeof(struct crypt_data));
}

#endif
