// Load for a server that speaks the wire protocol: N connections, from one thread on one core.
//
//     load --port P --pid SERVER [--core C] [--connections N] [--in-flight M] [--seconds S]
//          [--name FIGURE] [--raw] [--rate R] [--items] [--tls] [--allocations FILE]
//          [--service NAME --key FILE --method NAME --payload FILE [--subjects N]]
//
// Calls, as a rule: M in flight on each connection, a new one for each answer. With --rate they
// come by the clock instead, R a second in all, and each one's time is counted from the moment
// when it was due: a server that stalls cannot hide the calls that it kept from being sent.
// With --items each of the M is a server stream, and items are counted, not answers.
// --raw: no Hello and any bytes for an answer, for the floor. --tls: TLS, and no certificate is
// checked. FILE of --key is called <application>.<key id>.key and holds 32 bytes; FILE of --payload
// holds the request message, whose last 8 bytes are digits with --subjects: another number below N
// for each call, in no order. FILE of --allocations is the one that count_allocations.c counts in.
//
// Prints lines `figure FIGURE… VALUE UNIT`: how many a second, how many for each second of CPU time
// that the server took, so that servers of several threads can be compared, that CPU time for each,
// and for calls the median and the 99th percentile of their times.

#ifndef LOAD_H
#define LOAD_H

#include <openssl/ssl.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CONNECTIONS_MAX = 1024,
    FRAME_BYTES_MAX = 128 * 1024,
    READ_BYTES = 256 * 1024,
    // A call's id takes four bytes always, so that the frame's length never changes: a varint may
    // be longer than it needs to be. 28 bits last for 268 million calls on a connection.
    CALL_BYTES = 4,
    // Calls of a connection that may be open at once; a power of two.
    CALLS_OPEN_MAX = 16 * 1024,
    // Digits of a subject at the end of a request, and what they can say.
    SUBJECT_DIGITS = 8,
    SUBJECTS_MAX = 100 * 1000 * 1000,
    // Items that a stream may send before the first Credit; half of it is granted at a time.
    STREAM_CREDIT = 256,
    WARM_UP_SECONDS = 1,
    // How long a schedule's last answers may take.
    PATIENCE_SECONDS = 5,
};

struct settings {
    int port, pid, raw, core, connections, in_flight, rate, items, tls, subjects;
    double seconds;
    const char *name, *service, *key, *method, *payload, *allocations;
};

struct connection {
    int file;
    SSL *tls;                // NULL where the connection is plain
    uint32_t last_call;
    uint64_t *marks;         // of each open call: when it was due, or how many items it brought
    uint8_t *out;            // frames on their way out
    size_t out_begin, out_end;
    uint8_t *rest;           // the beginning of a frame that was cut by a read
    size_t rest_bytes;
};

// What a frame that came is about.
struct incoming {
    enum { RESPONSE, ITEM, OTHER } kind;
    uint32_t call;
};

extern struct settings settings;
// Answers, or items, since the count was last set to 0.
extern uint64_t counted;

// arguments.c
void read_arguments(int count, char **arguments);
_Noreturn void fail(const char *what);

// frames.c: the few frames that a load needs, written and read by hand
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
// Reads once, and hands each whole frame to `came`.
void receive(
    struct connection *connection, void (*came)(struct connection *, struct incoming, uint64_t));

// transport.c: a socket, plain or with TLS. Both return -1 where they would have to wait.
void start_tls(struct connection *connection);
void certificate_digest(struct connection *connection, uint8_t digest[32]);
ssize_t give(struct connection *connection, const uint8_t *bytes, size_t count);
ssize_t take(struct connection *connection, uint8_t *bytes, size_t count);
int has_more(struct connection *connection);

// latencies.c
void note_latency(uint64_t nanoseconds);
void forget_latencies(void);
double latency_at(double share);

// gauges.c: clocks, and what is read of the server
uint64_t now(void);
double server_cpu(void);
uint64_t server_allocations(void);

// calls.c, items.c: what is done with a connection
void start_calls(struct connection *connection);
void answer_came(struct connection *connection, struct incoming frame, uint64_t time);
void send_scheduled(struct connection connections[], uint64_t time);
int is_answered(void);
void start_streams(struct connection *connection);
void item_came(struct connection *connection, struct incoming frame, uint64_t time);

#endif
