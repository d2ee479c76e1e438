// The lower bound for a runtime that gives each call a task and owned texts, as tokio does with
// prost: it reads the load's frames by hand, copies each text of a request to the heap, and puts a
// task in a queue. When all that was read is decoded, the tasks run, and each writes its response.
//
//     task_floor CORE        prints its port, then runs until it is killed
//
// It trusts its client: there is no Hello, no deadline, no limit, and no metric.

#include "floor.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXTS_MAX = 8, RESPONSE_BYTES = 78, FRAME_BYTES_MAX = 128 };

struct task {
    struct task *next;
    uint64_t call;
    int texts_count;
    char *texts[TEXTS_MAX];
};

struct queue {
    struct task *first, **end;
};

static uint64_t read_varint(const uint8_t **at) {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
}

// The request's own texts are fields 1 and 3, those of its nested message (2) are 2, 3 and 4.
static void read_texts(struct task *task, const uint8_t *at, const uint8_t *end) {
    while (at < end) {
        int is_nested = *at++ == 0x12 && task->texts_count == 1;
        size_t count = read_varint(&at);
        if (is_nested) {
            read_texts(task, at, at + count);
        } else if (task->texts_count < TEXTS_MAX) {
            char *text = malloc(count + 1);
            if (text == NULL) exit(1);
            memcpy(text, at, count);
            text[count] = 0;
            task->texts[task->texts_count++] = text;
        }
        at += count;
    }
}

// Request {call, method, timeout_ms, payload}
static void read_request(struct queue *queue, const uint8_t *at, const uint8_t *end) {
    struct task *task = calloc(1, sizeof *task);
    if (task == NULL) exit(1);
    while (at < end) {
        uint8_t tag = *at++;
        uint64_t value = read_varint(&at);
        if (tag == 0x08) task->call = value;
        if (tag == 0x32) read_texts(task, at, at + value);
        if ((tag & 7) == 2) at += value;
    }
    *queue->end = task;
    queue->end = &task->next;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = (uint8_t)value | 0x80;
    *at++ = (uint8_t)value;
    return at;
}

// Frame {response: {call, payload}}
static uint8_t *put_response(uint8_t *at, uint64_t call) {
    uint8_t inner[FRAME_BYTES_MAX], *end = inner;
    *end++ = 0x08;
    end = put_varint(end, call);
    *end++ = 0x3a;
    end = put_varint(end, RESPONSE_BYTES);
    memset(end, 'r', RESPONSE_BYTES);
    end += RESPONSE_BYTES;
    size_t count = (size_t)(end - inner);
    memcpy(at, (uint8_t[]){0, 0, 0, (uint8_t)(count + 2), 0x1a, (uint8_t)count}, 6);
    memcpy(at + 6, inner, count);
    return at + 6 + count;
}

static uint8_t *run(struct task *task, uint8_t *at) {
    at = put_response(at, task->call);
    for (int i = 0; i < task->texts_count; i++) free(task->texts[i]);
    free(task);
    return at;
}

static int answer(struct connection *connection) {
    static uint8_t out[BUFFER_BYTES];
    ssize_t step = read(
        connection->file, connection->bytes + connection->count, BUFFER_BYTES - connection->count);
    if (step <= 0) return 0;
    const uint8_t *at = connection->bytes, *end = at + connection->count + step;
    struct queue queue = {.end = &queue.first};
    while (end - at >= 4) {
        size_t count = (size_t)at[2] << 8 | at[3];
        if ((size_t)(end - at) < 4 + count) break;
        const uint8_t *body = at + 5;  // after the frame's kind
        read_varint(&body);
        read_request(&queue, body, at + 4 + count);
        at += 4 + count;
    }
    connection->count = (size_t)(end - at);
    memmove(connection->bytes, at, connection->count);
    uint8_t *done = out;
    for (struct task *task = queue.first, *next; task != NULL; task = next) {
        next = task->next;
        done = run(task, done);
    }
    return send_all(connection->file, out, (size_t)(done - out));
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    serve(atoi(arguments[1]), answer);
}
