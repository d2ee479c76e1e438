#include "postern/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The first chunk holds any ordinary message; larger ones take more chunks for a while. */
#define FIRST_CHUNK_BYTES (32 * 1024)
/* What the structs of libprotobuf-c need: pointers, 64-bit numbers and doubles. */
#define ALIGNMENT 8

typedef struct chunk {
    struct chunk *next;
    size_t capacity;
    size_t used;
} chunk;

struct postern_arena {
    ProtobufCAllocator allocator;
    chunk *first;
    chunk *current;
    size_t budget;
    size_t held;
    size_t held_most;
    int is_over;
};

static uint8_t *bytes_of(chunk *piece) { return (uint8_t *)(piece + 1); }

static void *allocator_take(void *data, size_t count) {
    return postern_arena_take((postern_arena *)data, count);
}

static void allocator_free(void *data, void *pointer) {
    (void)data;
    (void)pointer;
}

postern_arena *postern_arena_new(void) {
    postern_arena *arena = calloc(1, sizeof(*arena));
    if (arena == NULL) return NULL;
    arena->allocator.alloc = allocator_take;
    arena->allocator.free = allocator_free;
    arena->allocator.allocator_data = arena;
    return arena;
}

/* Wipes and frees `piece` and what follows it: what a message held may be a password. */
static void free_chunks(postern_arena *arena, chunk *piece) {
    while (piece != NULL) {
        chunk *next = piece->next;
        explicit_bzero(bytes_of(piece), piece->used);
        arena->held -= piece->capacity;
        free(piece);
        piece = next;
    }
}

void postern_arena_free(postern_arena *arena) {
    if (arena == NULL) return;
    free_chunks(arena, arena->first);
    free(arena);
}

void postern_arena_begin(postern_arena *arena, size_t budget) {
    arena->budget = budget;
    arena->is_over = 0;
    arena->held_most = arena->held;
}

void postern_arena_end(postern_arena *arena) {
    chunk *first = arena->first;
    arena->budget = 0;
    if (first == NULL) return;
    free_chunks(arena, first->next);
    first->next = NULL;
    if (first->capacity > FIRST_CHUNK_BYTES) {
        /* A first message that large is no reason to keep as much for good. */
        free_chunks(arena, first);
        arena->first = NULL;
        arena->current = NULL;
        return;
    }
    explicit_bzero(bytes_of(first), first->used);
    first->used = 0;
    arena->current = first;
}

static chunk *add_chunk(postern_arena *arena, size_t count) {
    size_t capacity = count > FIRST_CHUNK_BYTES ? count : FIRST_CHUNK_BYTES;
    chunk *piece = malloc(sizeof(*piece) + capacity);
    if (piece == NULL) return NULL;
    piece->next = NULL;
    piece->capacity = capacity;
    piece->used = 0;
    if (arena->current != NULL) arena->current->next = piece;
    if (arena->first == NULL) arena->first = piece;
    arena->current = piece;
    arena->held += capacity;
    if (arena->held > arena->held_most) arena->held_most = arena->held;
    return piece;
}

void *postern_arena_take(postern_arena *arena, size_t count) {
    if (count > SIZE_MAX - (ALIGNMENT - 1)) return NULL;
    size_t rounded = (count + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (rounded == 0) rounded = ALIGNMENT;
    if (rounded > arena->budget) {
        arena->is_over = 1;
        return NULL;
    }
    chunk *piece = arena->current;
    if (piece == NULL || piece->capacity - piece->used < rounded) {
        piece = add_chunk(arena, rounded);
        if (piece == NULL) return NULL;
    }
    void *place = bytes_of(piece) + piece->used;
    piece->used += rounded;
    arena->budget -= rounded;
    return place;
}

ProtobufCAllocator *postern_arena_allocator(postern_arena *arena) { return &arena->allocator; }

size_t postern_arena_held_most(const postern_arena *arena) { return arena->held_most; }

int postern_arena_is_over(const postern_arena *arena) { return arena->is_over; }
