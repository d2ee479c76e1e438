// Server streams: as many open on each connection as was told, and Credit for each as its items
// come, so that a good server is never held up.

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
    if (frame.kind == RESPONSE) return open_stream(connection); // it has sent all that it had
    counted++;
    uint64_t *consumed = &connection->marks[frame.call % CALLS_OPEN_MAX];
    if (++*consumed < STREAM_CREDIT / 2) return;
    uint8_t credit[32];
    size_t count = put_credit(credit, frame.call, (uint32_t)*consumed);
    uint8_t *place = room(connection, count);
    for (size_t i = 0; i < count; i++) place[i] = credit[i];
    *consumed = 0;
}
