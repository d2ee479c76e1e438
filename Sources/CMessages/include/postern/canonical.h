/* The canonical encoding of a message: known fields only, in the order of their numbers. */
#ifndef POSTERN_CANONICAL_H
#define POSTERN_CANONICAL_H

#include "postern/arena.h"

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes `bytes` with libprotobuf-c, which applies protobuf's rules for order, merging and unknown
 * fields, and encodes the message again. The result is in the arena's memory. NULL for bytes that
 * are no such message, and over the arena's budget. */
const uint8_t *postern_canonical(postern_arena *arena, const ProtobufCMessageDescriptor *layout,
                                 const uint8_t *bytes, size_t count, size_t *canonical_count);

#endif
