// libargon2 for Swift, with memory of the caller, so that it is mapped once and not for each hash.
#ifndef POSTERN_CARGON2_SHIM_H
#define POSTERN_CARGON2_SHIM_H

#include <argon2.h>
#include <stddef.h>
#include <stdint.h>

// What a caller lends for one hash.
typedef struct {
    uint8_t *memory;
    size_t bytes;
} cargon2_loan;

// libargon2's allocator callbacks get no context, so the loan stands beside the thread. It is made
// and ended by cargon2_hash alone, which does not return in between. (Inside a function, because
// Swift emits no variables of a header.)
static inline cargon2_loan *cargon2_current_loan(void) {
    static _Thread_local cargon2_loan loan;
    return &loan;
}

// Hands the lent memory to libargon2, or nothing when it asks for more, which it reports as
// ARGON2_MEMORY_ALLOCATION_ERROR.
static int cargon2_lend(uint8_t **memory, size_t bytes) {
    cargon2_loan *loan = cargon2_current_loan();
    *memory = bytes <= loan->bytes ? loan->memory : NULL;
    return *memory ? ARGON2_OK : ARGON2_MEMORY_ALLOCATION_ERROR;
}

// libargon2 has wiped the memory before it gives it back (clear_internal_memory).
static void cargon2_take_back(uint8_t *memory, size_t bytes) {
    (void)memory;
    (void)bytes;
}

// Computes an Argon2 hash of `type` as `context` says, in `memory`, which holds `bytes` bytes.
// Returns ARGON2_OK or one of libargon2's error codes.
static inline int cargon2_hash(
    argon2_context *context, argon2_type type, uint8_t *memory, size_t bytes) {
    *cargon2_current_loan() = (cargon2_loan){memory, bytes};
    context->allocate_cbk = cargon2_lend;
    context->free_cbk = cargon2_take_back;
    int result = argon2_ctx(context, type);
    *cargon2_current_loan() = (cargon2_loan){NULL, 0};
    return result;
}

#endif
