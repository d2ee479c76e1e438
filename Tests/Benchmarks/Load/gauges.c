// The clock, and the gauges of the server that can be read from outside.

#include "load.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// Nanoseconds on the monotonic clock.
uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// CPU time of the server so far, in seconds: user and system, of all its threads.
double server_cpu(void) {
    char path[64], text[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", settings.pid);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file)) fail(path);
    fclose(file);
    const char *after_name = strrchr(text, ')');
    errno = 0;
    if (!after_name ||
        sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
               &system) != 2)
        fail("cannot read the server's CPU time");
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

// Allocations of the server so far, if count_allocations.c counts them.
uint64_t server_allocations(void) {
    static volatile uint64_t *count;
    if (!settings.allocations) return 0;
    if (!count) {
        int file = open(settings.allocations, O_RDONLY | O_CLOEXEC);
        void *page = mmap(NULL, sizeof *count, PROT_READ, MAP_SHARED, file, 0);
        if (file < 0 || page == MAP_FAILED) fail(settings.allocations);
        count = page;
    }
    return *count;
}
