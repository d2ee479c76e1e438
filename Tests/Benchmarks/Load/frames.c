// The frames of Protos/postern/wire/v1/wire.proto that a load sends and reads. The request is
// encoded once; only the call's id changes in it.

#include "load.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { RAW_BYTES = 217 };

static uint8_t frame[FRAME_BYTES_MAX];
static size_t frame_bytes, call_at;

uint8_t *put_varint(uint8_t *at, uint64_t value) {
    for (; value >= 0x80; value >>= 7) *at++ = (uint8_t)value | 0x80;
    *at++ = (uint8_t)value;
    return at;
}

uint8_t *put_bytes(uint8_t *at, uint8_t tag, const void *bytes, size_t count) {
    *at++ = tag;
    at = put_varint(at, count);
    memcpy(at, bytes, count);
    return at + count;
}

uint8_t *put_length(uint8_t *at, uint32_t length) {
    length = htonl(length);
    memcpy(at, &length, 4);
    return at + 4;
}

size_t read_file(const char *path, uint8_t *into, size_t limit) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file < 0 ? -1 : read(file, into, limit);
    if (count < 0) fail(path);
    close(file);
    return (size_t)count;
}

// Metadata {key: "authorization", value: "Bearer " and the token}
static uint8_t *put_token(uint8_t *at) {
    static const char key[] = "authorization";
    static uint8_t entry[8 * 1024], value[4 * 1024] = "Bearer ";
    size_t scheme = strlen((const char *)value);
    size_t count = read_file(settings.token, value + scheme, sizeof value - scheme);
    uint8_t *end = put_bytes(entry, 0x0a, key, sizeof key - 1);
    end = put_bytes(end, 0x12, value, scheme + count);
    return put_bytes(at, 0x22, entry, (size_t)(end - entry));
}

// Frame {request: {call, method, timeout_ms, metadata, payload}}
static void prepare_message(void) {
    static uint8_t request[FRAME_BYTES_MAX], payload[FRAME_BYTES_MAX / 2];
    size_t payload_bytes = read_file(settings.payload, payload, sizeof payload);
    uint8_t *at = request;
    *at++ = 0x08;
    at += CALL_BYTES;
    at = put_bytes(at, 0x12, settings.method, strlen(settings.method));
    *at++ = 0x18;
    // A stream lasts as long as the load.
    at = put_varint(at, settings.items ? 600 * 1000 : 10 * 1000);
    if (settings.token) at = put_token(at);
    if (payload_bytes > 0) at = put_bytes(at, 0x32, payload, payload_bytes);
    size_t count = (size_t)(at - request);
    uint8_t *end = put_bytes(frame + 4, 0x12, request, count);
    frame_bytes = (size_t)(end - frame);
    call_at = frame_bytes - count + 1;
}

void prepare_request(void) {
    if (settings.raw) {
        memset(frame, 'x', frame_bytes = RAW_BYTES);
        call_at = 8;
    } else {
        prepare_message();
    }
    put_length(frame, (uint32_t)(frame_bytes - 4));
}

size_t request_bytes(void) { return frame_bytes; }

// Writes another subject into the frame: SplitMix64 of a counter.
static void put_subject(uint8_t *at) {
    static uint64_t counter;
    uint64_t mixed = counter += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    uint64_t subject = (mixed >> 32) * (uint64_t)settings.subjects >> 32;
    for (size_t digit = 1; digit <= SUBJECT_DIGITS; digit++, subject /= 10)
        at[frame_bytes - digit] = (uint8_t)('0' + subject % 10);
}

void put_request(uint8_t *at, uint32_t call) {
    memcpy(at, frame, frame_bytes);
    if (settings.subjects) put_subject(at);
    for (int byte = 0; byte < CALL_BYTES; byte++) {
        uint8_t more = byte + 1 < CALL_BYTES ? 0x80 : 0;
        at[call_at + (size_t)byte] = (uint8_t)(call >> 7 * byte & 0x7f) | more;
    }
}

// Frame {credit: {call, items}}
size_t put_credit(uint8_t *at, uint32_t call, uint32_t items) {
    uint8_t credit[16], *end = credit;
    *end++ = 0x08;
    end = put_varint(end, call);
    *end++ = 0x10;
    end = put_varint(end, items);
    end = put_bytes(at + 4, 0x32, credit, (size_t)(end - credit));
    put_length(at, (uint32_t)(end - at - 4));
    return (size_t)(end - at);
}

// The size of the frame that begins here, including its length field.
size_t frame_length(const uint8_t *bytes) {
    size_t count = (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
    if (count == 0 || count > FRAME_BYTES_MAX) fail("a frame of no or of too many bytes");
    return 4 + count;
}

static uint32_t read_varint(const uint8_t **at, const uint8_t *end) {
    uint32_t value = 0;
    for (int shift = 0; *at < end && shift < 7 * 5; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint32_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    fail("a frame that does not decode");
}

// A Response or an Item begins with its call; a Response with a status is an error.
struct incoming read_frame(const uint8_t *bytes, size_t count) {
    const uint8_t *at = bytes + 4, *end = bytes + count;
    if (settings.raw) {
        at = bytes + call_at;
        return (struct incoming){RESPONSE, read_varint(&at, end)};
    }
    uint8_t kind = *at++;
    errno = 0;
    if (kind == 0x4a) fail("the server sent GoAway");
    if (kind != 0x1a && kind != 0x22) return (struct incoming){OTHER, 0};
    read_varint(&at, end);
    if (at == end || *at++ != 0x08) fail("a frame without its call");
    uint32_t call = read_varint(&at, end);
    if (kind == 0x22) return (struct incoming){ITEM, call};
    if (at < end && *at == 0x10) fail("a call was answered with an error");
    return (struct incoming){RESPONSE, call};
}
