// Load for a server that speaks the wire protocol: N connections, from one thread on one core.
//
//     load --port P --pid SERVER [--core C] [--connections N] [--in-flight M] [--seconds S]
//          [--name FIGURE] [--raw] [--rate R] [--items] [--tls] [--allocations FILE]
//          [[--service NAME --key FILE] --method NAME --payload FILE [--token FILE] [--subjects N]]
//
// By default a closed loop: M calls in flight on each connection, a new one after each response.
// With --rate an open loop: R calls a second in all, each timed from the moment when it was due, so
// that a server that stalls cannot hide the calls that it delayed (coordinated omission). With
// --items each of the M is a server stream, and items are counted, not responses. --raw: no Hello,
// and any bytes count as a response; for the floor. Without --key no Hello either. --tls: TLS, without a check of the certificate.
// FILE of --key is called <application>.<key id>.key and contains 32 bytes. FILE of --payload
// contains the request message. With --subjects its last 8 bytes are digits: a pseudorandom number
// below N for each call. FILE of --token contains the access token of each call. FILE of --allocations is the file that count_allocations.c counts in.
//
// Prints lines `figure FIGURE… VALUE UNIT`: the rate, the rate for each second of the server's CPU
// time (to compare servers with several threads), the CPU time of each, and for calls the median
// and the 99th percentile of their times.

#ifndef LOAD_H
#define LOAD_H

#include <openssl/ssl.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CONNECTIONS_MAX = 1024,
    FRAME_BYTES_MAX = 128 * 1024,
    READ_BYTES = 256 * 1024,
    // A call's id always takes four bytes, so that the frame's length never changes: a varint may
    // be longer than necessary. 28 bits are enough for 268 million calls on a connection.
    CALL_BYTES = 4,
    // Calls of a connection that may be open at once; a power of two.
    CALLS_OPEN_MAX = 16 * 1024,
    // Digits of a subject at the end of a request, and the number of values that they can express.
    SUBJECT_DIGITS = 8,
    SUBJECTS_MAX = 100 * 1000 * 1000,
    // Items that a stream may send before the first Credit; each Credit grants half of it.
    STREAM_CREDIT = 256,
    WARM_UP_SECONDS = 1,
    // The longest wait for the last responses of a schedule.
    PATIENCE_SECONDS = 5,
};

struct settings {
    int port, pid, raw, core, connections, in_flight, rate, items, tls, subjects;
    double seconds;
    const char *name, *service, *key, *method, *payload, *token, *allocations;
};

struct connection {
    int file;
    SSL *tls;                // NULL if the connection is not TLS
    uint32_t last_call;
    uint64_t *marks;         // of each open call: when it was due, or items since the last Credit
    uint8_t *out;            // frames that wait to be sent
    size_t out_begin, out_end;
    uint8_t *rest;           // the beginning of a frame that was cut by a read
    size_t rest_bytes;
};

// The kind of a received frame, and its call.
struct incoming {
    enum { RESPONSE, ITEM, OTHER } kind;
    uint32_t call;
};

extern struct settings settings;
// Responses, or items, since the count was last set to 0.
extern uint64_t counted;

// arguments.c
void read_arguments(int count, char **arguments);
_Noreturn void fail(const char *what);

// frames.c: the few frames that a load needs, encoded and decoded by hand
void prepare_request(void);
size_t request_bytes(void);
void put_request(uint8_t *at, uint32_t call);
size_t put_credit(uint8_t *at, uint32_t call, uint32_t items);
size_t frame_length(const uint8_t *bytes);
struct incoming read_frame(const uint8_t *bytes, size_t count);
uint8_t *put_varint(uint8_t *at, uint64_t value);
uint8_t *put_bytes(uint8_t *at, uint8_t tag, const void *bytes, size_t count);
uint8_t *put_length(uint8_t *at, uint32_t length);
size_t read_file(const char *path, uint8_t *into, size_t limit);

// hello.c
void say_hello(struct connection *connection);

// connection.c
void open_connection(struct connection *connection);
uint8_t *room(struct connection *connection, size_t count);
void flush(struct connection *connection);
// Reads once, and passes each complete frame to `came`.
void receive(
    struct connection *connection, void (*came)(struct connection *, struct incoming, uint64_t));

// transport.c: a socket, plain or with TLS. Both return -1 if they would block.
void start_tls(struct connection *connection);
void certificate_digest(struct connection *connection, uint8_t digest[32]);
ssize_t give(struct connection *connection, const uint8_t *bytes, size_t count);
ssize_t take(struct connection *connection, uint8_t *bytes, size_t count);
int has_more(struct connection *connection);

// latencies.c
void note_latency(uint64_t nanoseconds);
void forget_latencies(void);
double latency_at(double share);

// gauges.c: the clock, and gauges of the server
uint64_t now(void);
double server_cpu(void);
uint64_t server_allocations(void);

// calls.c, items.c: the use of a connection
void start_calls(struct connection *connection);
void answer_came(struct connection *connection, struct incoming frame, uint64_t time);
void send_scheduled(struct connection connections[], uint64_t time);
int is_answered(void);
void start_streams(struct connection *connection);
void item_came(struct connection *connection, struct incoming frame, uint64_t time);

#endif
