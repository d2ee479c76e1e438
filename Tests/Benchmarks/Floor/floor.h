// What the floors have in common.

#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>
#include <stdint.h>

enum { BUFFER_BYTES = 256 * 1024 };

struct connection {
    int file;
    size_t count;                 // bytes that are not yet used
    uint8_t bytes[BUFFER_BYTES];
};

// Listens on loopback, prints the port, and calls `turn` with each connection that has sent
// something, until it returns 0. Runs on one core until it is killed.
void serve(int core, int (*turn)(struct connection *));

// Returns 0 if the peer is gone.
int send_all(int file, const uint8_t *bytes, size_t count);

#endif
