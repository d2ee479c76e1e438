// Load for a server that speaks the wire protocol: N connections with M calls in flight each, from
// one thread on one core. Counts answers, and the CPU time that the server took meanwhile, so that
// a server on several cores and one on a single core can be compared.
//
//     load --port P --pid SERVER [--raw] [--core C] [--connections N] [--in-flight M]
//          [--seconds S] [--name FIGURE]
//          [--service NAME --key FILE --method NAME --payload FILE]
//
// --raw: no Hello and any bytes for an answer, for the floor. FILE of --key is called
// <application>.<key id>.key and holds 32 bytes. FILE of --payload holds the request message.
// Prints two lines: figure FIGURE … calls/s, and figure FIGURE-a-core … calls/s/core.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/hmac.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 1024,
    FRAME_BYTES_MAX = 64 * 1024,
    READ_BYTES = 256 * 1024,
    // A call's id takes four bytes always, so that the frame's length never changes: a varint may
    // be longer than it needs to be. 28 bits last for 268 million calls on a connection.
    CALL_BYTES = 4,
    WARM_UP_SECONDS = 1,
};

struct settings {
    int port, pid, raw, core, connections, in_flight;
    double seconds;
    const char *name, *service, *key, *method, *payload;
};

struct connection {
    int file;
    uint32_t last_call;
    uint8_t *out;            // frames on their way out, in_flight of them at most
    size_t out_begin, out_end;
    uint8_t head[16];        // the beginning of a frame that is cut by a read
    size_t head_bytes, skip; // bytes of it so far; bytes of the frame still to come
};

static struct settings settings = {
    .core = 1, .connections = 8, .in_flight = 64, .seconds = 3, .name = "calls"};
static uint8_t frame[FRAME_BYTES_MAX];
static size_t frame_bytes, call_at;
static uint64_t answers;

static void fail(const char *what) {
    fprintf(stderr, "load: %s%s%s\n", what, errno ? ": " : "", errno ? strerror(errno) : "");
    exit(1);
}

// ---- Writing protobuf ----------------------------------------------------------------------

static uint8_t *put_varint(uint8_t *at, uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = (uint8_t)value | 0x80;
    *at++ = (uint8_t)value;
    return at;
}

static uint8_t *put_bytes(uint8_t *at, uint8_t tag, const void *bytes, size_t count) {
    *at++ = tag;
    at = put_varint(at, count);
    memcpy(at, bytes, count);
    return at + count;
}

static uint8_t *put_length(uint8_t *at, uint32_t length) {
    length = htonl(length);
    memcpy(at, &length, 4);
    return at + 4;
}

static size_t read_file(const char *path, uint8_t *into, size_t limit) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, into, limit);
    if (count < 0) fail(path);
    close(file);
    return (size_t)count;
}

// Frame {request: {call, method, timeout_ms: 10 s, payload}}
static void prepare_request(void) {
    static uint8_t request[FRAME_BYTES_MAX], payload[FRAME_BYTES_MAX / 2];
    size_t payload_bytes = read_file(settings.payload, payload, sizeof payload);
    uint8_t *at = request;
    *at++ = 0x08;
    at += CALL_BYTES;
    at = put_bytes(at, 0x12, settings.method, strlen(settings.method));
    *at++ = 0x18;
    at = put_varint(at, 10000);
    if (payload_bytes > 0) at = put_bytes(at, 0x32, payload, payload_bytes);
    size_t request_bytes = (size_t)(at - request);
    uint8_t *end = put_bytes(frame + 4, 0x12, request, request_bytes);
    frame_bytes = (size_t)(end - frame);
    call_at = frame_bytes - request_bytes + 1;
    put_length(frame, (uint32_t)(frame_bytes - 4));
}

static void prepare_raw(void) {
    memset(frame, 'x', frame_bytes = 217);
    put_length(frame, (uint32_t)(frame_bytes - 4));
    call_at = 8;
}

// ---- Hello -----------------------------------------------------------------------------------

static void read_exactly(int file, uint8_t *into, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t step = read(file, into + done, count - done);
        if (step <= 0) fail("the server closed before its Hello");
        done += (size_t)step;
    }
}

// The 32 bytes of field 6 (challenge) of field 1 (hello) of the server's first frame.
static void read_challenge(int file, uint8_t challenge[32]) {
    uint8_t body[4096];
    read_exactly(file, body, 4);
    size_t length = (size_t)body[0] << 24 | (size_t)body[1] << 16 | (size_t)body[2] << 8 | body[3];
    if (length > sizeof body) fail("the server's Hello is too long");
    read_exactly(file, body, length);
    for (size_t i = 0; i + 34 <= length; i++) {
        if (body[i] == 0x32 && body[i + 1] == 32) {
            memcpy(challenge, body + i + 2, 32);
            return;
        }
    }
    fail("the server's Hello has no challenge");
}

static uint8_t *put_counted(uint8_t *at, const char *text) {
    size_t count = strlen(text);
    *at++ = (uint8_t)(count >> 8);
    *at++ = (uint8_t)count;
    memcpy(at, text, count);
    return at + count;
}

static void say_hello(int file) {
    char name[256];
    const char *base = strrchr(settings.key, '/');
    snprintf(name, sizeof name, "%s", base ? base + 1 : settings.key);
    char *end = strstr(name, ".key"), *dot;
    if (!end) fail("the key file is not called <application>.<key id>.key");
    *end = 0;
    if (!(dot = strrchr(name, '.'))) fail("the key file has no key id");
    *dot = 0;
    const char *application = name, *key_id = dot + 1;

    uint8_t key[64], covered[1024], proof[32], hello[2048], out[2048];
    size_t key_bytes = read_file(settings.key, key, sizeof key);
    uint8_t *at = covered;
    memcpy(at, "postern/1 hello", 16);
    read_challenge(file, at + 16);
    at = put_counted(at + 48, settings.service);
    at = put_counted(at, application);
    at = put_counted(at, key_id);
    memset(at, 0, 32);
    HMAC(EVP_sha256(), key, (int)key_bytes, covered, (size_t)(at + 32 - covered), proof, NULL);

    at = hello;
    *at++ = 0x08;
    *at++ = 1;
    *at++ = 0x10;
    at = put_varint(at, 128 * 1024);
    at = put_bytes(at, 0x42, settings.service, strlen(settings.service));
    at = put_bytes(at, 0x4a, application, strlen(application));
    at = put_bytes(at, 0x52, key_id, strlen(key_id));
    at = put_bytes(at, 0x5a, proof, sizeof proof);
    at = put_bytes(out + 4, 0x0a, hello, (size_t)(at - hello));
    put_length(out, (uint32_t)(at - out - 4));
    if (write(file, out, (size_t)(at - out)) != at - out) fail("write Hello");
}

static void open_connection(struct connection *connection) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)settings.port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int one = 1;
    connection->file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(connection->file, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
    setsockopt(connection->file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connection->out = malloc(frame_bytes * (size_t)settings.in_flight);
    if (!connection->out) fail("malloc");
    if (!settings.raw) say_hello(connection->file);
    fcntl(connection->file, F_SETFL, O_NONBLOCK);
}

// ---- Calls -----------------------------------------------------------------------------------

static void flush(struct connection *connection) {
    while (connection->out_begin < connection->out_end) {
        ssize_t step = write(
            connection->file, connection->out + connection->out_begin,
            connection->out_end - connection->out_begin);
        if (step < 0) {
            if (errno == EAGAIN) return; // the answers to what is out will bring us back
            fail("write");
        }
        connection->out_begin += (size_t)step;
    }
    connection->out_begin = connection->out_end = 0;
}

static void send_calls(struct connection *connection, int count) {
    if (connection->out_begin > 0) {
        connection->out_end -= connection->out_begin;
        memmove(
            connection->out, connection->out + connection->out_begin, connection->out_end);
        connection->out_begin = 0;
    }
    for (int i = 0; i < count; i++) {
        uint8_t *at = connection->out + connection->out_end;
        memcpy(at, frame, frame_bytes);
        uint32_t call = ++connection->last_call;
        for (int byte = 0; byte < CALL_BYTES; byte++) {
            uint8_t more = byte + 1 < CALL_BYTES ? 0x80 : 0;
            at[call_at + (size_t)byte] = (uint8_t)(call >> 7 * byte & 0x7f) | more;
        }
        connection->out_end += frame_bytes;
    }
    flush(connection);
}

// An answer must be a Response (field 3) whose first field after the call is not a status.
static void check(const uint8_t *head) {
    if (settings.raw) return;
    if (head[4] != 0x1a) fail("the server sent something else than a Response");
    const uint8_t *at = head + 5;
    while (*at++ & 0x80) {}
    if (*at++ != 0x08) fail("a Response without its call");
    while (*at++ & 0x80) {}
    if (at < head + 16 && *at == 0x10) fail("a call was answered with an error");
}

// Counts the answers that a read brought, whole or ended by it.
static int count_answers(struct connection *connection, const uint8_t *bytes, size_t count) {
    int whole = 0;
    while (count > 0) {
        if (connection->skip > 0) {
            size_t step = connection->skip < count ? connection->skip : count;
            connection->skip -= step;
            bytes += step;
            count -= step;
            whole += connection->skip == 0;
            continue;
        }
        size_t step = sizeof connection->head - connection->head_bytes;
        if (step > count) step = count;
        memcpy(connection->head + connection->head_bytes, bytes, step);
        connection->head_bytes += step;
        bytes += step;
        count -= step;
        if (connection->head_bytes < sizeof connection->head) break;
        const uint8_t *head = connection->head;
        size_t length = 4 + ((size_t)head[0] << 24 | (size_t)head[1] << 16 | (size_t)head[2] << 8 |
                             head[3]);
        if (length <= sizeof connection->head) fail("an answer too short to count");
        check(head);
        connection->skip = length - sizeof connection->head;
        connection->head_bytes = 0;
    }
    return whole;
}

static void serve(struct connection *connection) {
    static uint8_t buffer[READ_BYTES];
    ssize_t count = read(connection->file, buffer, sizeof buffer);
    if (count == 0) fail("the server closed the connection");
    if (count < 0) {
        if (errno == EAGAIN) return;
        fail("read");
    }
    int whole = count_answers(connection, buffer, (size_t)count);
    answers += (uint64_t)whole;
    send_calls(connection, whole);
}

// ---- Time ------------------------------------------------------------------------------------

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// CPU time that the server has taken so far, in seconds: user and system, of all its threads.
static double server_cpu(void) {
    char path[64], text[1024];
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", settings.pid);
    FILE *file = fopen(path, "r");
    if (!file || !fgets(text, sizeof text, file)) fail(path);
    fclose(file);
    const char *after_name = strrchr(text, ')');
    if (!after_name ||
        sscanf(after_name + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
               &system) != 2)
        fail("cannot read the server's CPU time");
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static void run_until(int poll, double end) {
    struct epoll_event events[64];
    while (now() < end) {
        int ready = epoll_wait(poll, events, 64, 100);
        for (int i = 0; i < ready; i++) serve(events[i].data.ptr);
    }
}

// ---- Arguments -------------------------------------------------------------------------------

static void read_arguments(int count, char **arguments) {
    struct { const char *name; int *number; const char **text; } known[] = {
        {"--port", &settings.port, NULL}, {"--pid", &settings.pid, NULL},
        {"--core", &settings.core, NULL}, {"--connections", &settings.connections, NULL},
        {"--in-flight", &settings.in_flight, NULL}, {"--name", NULL, &settings.name},
        {"--service", NULL, &settings.service}, {"--key", NULL, &settings.key},
        {"--method", NULL, &settings.method}, {"--payload", NULL, &settings.payload}};
    for (int i = 1; i < count; i++) {
        size_t which = 0;
        if (strcmp(arguments[i], "--raw") == 0) {
            settings.raw = 1;
            continue;
        }
        if (i + 1 == count) fail("an option without its value");
        if (strcmp(arguments[i], "--seconds") == 0) {
            settings.seconds = atof(arguments[++i]);
            continue;
        }
        while (which < sizeof known / sizeof *known && strcmp(known[which].name, arguments[i]))
            which++;
        if (which == sizeof known / sizeof *known) fail("an unknown option");
        i++;
        if (known[which].number) *known[which].number = atoi(arguments[i]);
        if (known[which].text) *known[which].text = arguments[i];
    }
    int is_told = settings.service && settings.key && settings.method && settings.payload;
    if (!settings.port || !settings.pid || settings.in_flight < 1 || settings.connections < 1 ||
        settings.connections > CONNECTIONS_MAX || (!settings.raw && !is_told))
        fail("usage: see the head of load.c");
}

int main(int count, char **arguments) {
    read_arguments(count, arguments);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(settings.core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail("sched_setaffinity");
    if (settings.raw) prepare_raw(); else prepare_request();

    static struct connection connections[CONNECTIONS_MAX];
    int poll = epoll_create1(EPOLL_CLOEXEC);
    for (int i = 0; i < settings.connections; i++) {
        open_connection(&connections[i]);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[i]};
        epoll_ctl(poll, EPOLL_CTL_ADD, connections[i].file, &event);
        send_calls(&connections[i], settings.in_flight);
    }
    run_until(poll, now() + WARM_UP_SECONDS);
    double begin = now(), cpu = server_cpu();
    answers = 0;
    run_until(poll, begin + settings.seconds);
    double elapsed = now() - begin;
    cpu = server_cpu() - cpu;
    if (answers == 0) fail("no answers");
    printf("figure %s %.0f calls/s\n", settings.name, (double)answers / elapsed);
    if (cpu > 0)
        printf("figure %s-a-core %.0f calls/s/core\n", settings.name, (double)answers / cpu);
    return 0;
}
