/* Memory for one message at a time, handed to libprotobuf-c as its allocator.
 *
 * Why: libprotobuf-c allocates for every sub-message and string, and two bytes of an empty
 * sub-message cost 50 to 70 bytes of heap, so a hostile body of 4 MiB can cost 285 MB. Here every
 * decode has a hard budget; over it the allocator answers NULL and the unpacking fails cleanly.
 * Taking memory is a few instructions; giving it back is one store for the whole message.
 */
#ifndef POSTERN_ARENA_H
#define POSTERN_ARENA_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

typedef struct postern_arena postern_arena;

/* An empty arena; NULL when there is no memory. It holds nothing until first used. */
postern_arena *postern_arena_new(void);

/* Frees the arena and all that was taken from it. */
void postern_arena_free(postern_arena *arena);

/* Starts a message that may take up to `budget` bytes. */
void postern_arena_begin(postern_arena *arena, size_t budget);

/* Wipes and takes back all that the message took; the first chunk is kept for the next. */
void postern_arena_end(postern_arena *arena);

/* `count` bytes, aligned for libprotobuf-c's structs; NULL over the budget or without memory. */
void *postern_arena_take(postern_arena *arena, size_t count);

/* The arena as libprotobuf-c's allocator; freeing through it does nothing. */
ProtobufCAllocator *postern_arena_allocator(postern_arena *arena);

/* Whether the last message was refused memory. */
int postern_arena_is_over(const postern_arena *arena);

/* The most bytes that the arena held, given out or kept, since the last message began. */
size_t postern_arena_held_most(const postern_arena *arena);

#endif
