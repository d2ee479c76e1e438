// One connection: its socket, its send buffer, and the frames that arrive.

#include "load.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// Space for every call that may be open, with the Credit frames for it.
static size_t out_capacity(void) { return CALLS_OPEN_MAX * (request_bytes() + 32); }

void open_connection(struct connection *connection) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)settings.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    connection->file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection->file, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
    setsockopt(connection->file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connection->out = malloc(out_capacity());
    connection->rest = malloc(4 + FRAME_BYTES_MAX);
    connection->marks = calloc(CALLS_OPEN_MAX, sizeof *connection->marks);
    if (!connection->out || !connection->rest || !connection->marks) fail("malloc");
    if (settings.tls) start_tls(connection);
    if (settings.key) say_hello(connection);
    fcntl(connection->file, F_SETFL, O_NONBLOCK);
}

// Reserves `count` bytes at the end of the send buffer.
uint8_t *room(struct connection *connection, size_t count) {
    if (connection->out_begin > 0) {
        connection->out_end -= connection->out_begin;
        memmove(
            connection->out, connection->out + connection->out_begin, connection->out_end);
        connection->out_begin = 0;
    }
    errno = 0;
    if (connection->out_end + count > out_capacity()) fail("the server reads too slowly");
    connection->out_end += count;
    return connection->out + connection->out_end - count;
}

void flush(struct connection *connection) {
    while (connection->out_begin < connection->out_end) {
        ssize_t step = give(
            connection, connection->out + connection->out_begin,
            connection->out_end - connection->out_begin);
        if (step < 0) return; // responses to the frames already sent will call this again
        connection->out_begin += (size_t)step;
    }
    connection->out_begin = connection->out_end = 0;
}

void receive(
    struct connection *connection, void (*came)(struct connection *, struct incoming, uint64_t)) {
    static uint8_t buffer[4 + FRAME_BYTES_MAX + READ_BYTES];
    do {
        memcpy(buffer, connection->rest, connection->rest_bytes);
        ssize_t count = take(connection, buffer + connection->rest_bytes, READ_BYTES);
        if (count < 0) return;
        errno = 0;
        if (count == 0) fail("the server closed the connection");
        uint64_t time = now();
        size_t at = 0, end = connection->rest_bytes + (size_t)count;
        while (end - at >= 4) {
            size_t length = frame_length(buffer + at);
            if (end - at < length) break;
            came(connection, read_frame(buffer + at, length), time);
            at += length;
        }
        connection->rest_bytes = end - at;
        memcpy(connection->rest, buffer + at, connection->rest_bytes);
    } while (has_more(connection));
}
