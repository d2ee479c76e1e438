// Counts the allocations of the program that it is loaded into. The count, eight bytes, is in a
// file that other processes may read while the program runs.
//
//     LD_PRELOAD=…/count_allocations.so ALLOCATIONS_FILE=/path program

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// The C library's own functions, by their other names: looking them up at run time would allocate.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static _Atomic uint64_t before_the_file;
static _Atomic uint64_t *count = &before_the_file;

__attribute__((constructor)) static void share_count(void) {
    const char *path = getenv("ALLOCATIONS_FILE");
    int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file < 0 || ftruncate(file, sizeof *count) != 0) {
        perror("ALLOCATIONS_FILE");
        _exit(1);
    }
    void *page = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) {
        perror("mmap");
        _exit(1);
    }
    close(file);
    count = page;
}

static void add(void) { atomic_fetch_add_explicit(count, 1, memory_order_relaxed); }

void *malloc(size_t bytes) {
    add();
    return __libc_malloc(bytes);
}

void *calloc(size_t items, size_t bytes) {
    add();
    return __libc_calloc(items, bytes);
}

// Growing a block counts: it may copy it.
void *realloc(void *block, size_t bytes) {
    add();
    return __libc_realloc(block, bytes);
}

void *memalign(size_t alignment, size_t bytes) {
    add();
    return __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
    add();
    return __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes) {
    if (alignment % sizeof(void *) || !alignment || (alignment & (alignment - 1))) return EINVAL;
    add();
    void *made = __libc_memalign(alignment, bytes);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}
