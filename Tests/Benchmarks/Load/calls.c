// Unary calls: with a fixed number in flight, or at a fixed rate.

#include "load.h"
#include <errno.h>

// The time and the number of the schedule's next call.
static uint64_t next_due, next_call;
static uint64_t begun, ended;

static void send_call(struct connection *connection, uint64_t due) {
    errno = 0;
    uint64_t *mark = &connection->marks[++connection->last_call % CALLS_OPEN_MAX];
    if (*mark) fail("the server is too many calls behind");
    *mark = due;
    begun++;
    put_request(room(connection, request_bytes()), connection->last_call);
}

void start_calls(struct connection *connection) {
    if (settings.rate) return;
    uint64_t time = now();
    for (int i = 0; i < settings.in_flight; i++) send_call(connection, time);
    flush(connection);
}

void answer_came(struct connection *connection, struct incoming frame, uint64_t time) {
    if (frame.kind == OTHER) return;
    uint64_t *mark = &connection->marks[frame.call % CALLS_OPEN_MAX];
    errno = 0;
    if (frame.kind != RESPONSE || !*mark) fail("a response without a call");
    note_latency(time > *mark ? time - *mark : 0);
    *mark = 0;
    counted++;
    ended++;
    if (!settings.rate) send_call(connection, time);
}

// Sends the calls that are due, round robin over the connections.
void send_scheduled(struct connection connections[], uint64_t time) {
    uint64_t pause = 1000000000u / (uint64_t)settings.rate;
    if (next_due == 0) next_due = time;
    for (; next_due <= time; next_due += pause) {
        struct connection *connection = &connections[next_call++ % (uint64_t)settings.connections];
        send_call(connection, next_due);
        flush(connection);
    }
}

int is_answered(void) { return begun == ended; }
