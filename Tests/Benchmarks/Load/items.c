// Server streams: a fixed number open on each connection. Credit is sent as items arrive, so that a
// fast server is never blocked.

#include "load.h"
#include <errno.h>

static void open_stream(struct connection *connection) {
    connection->marks[++connection->last_call % CALLS_OPEN_MAX] = 0;
    put_request(room(connection, request_bytes()), connection->last_call);
}

void start_streams(struct connection *connection) {
    for (int i = 0; i < settings.in_flight; i++) open_stream(connection);
    flush(connection);
}

void item_came(struct connection *connection, struct incoming frame, uint64_t time) {
    (void)time;
    if (frame.kind == OTHER) return;
    if (frame.kind == RESPONSE) return open_stream(connection); // the stream has ended
    counted++;
    uint64_t *consumed = &connection->marks[frame.call % CALLS_OPEN_MAX];
    if (++*consumed < STREAM_CREDIT / 2) return;
    uint8_t credit[32];
    size_t count = put_credit(credit, frame.call, (uint32_t)*consumed);
    uint8_t *place = room(connection, count);
    for (size_t i = 0; i < count; i++) place[i] = credit[i];
    *consumed = 0;
}
