#include "postern/text.h"

#include <stdint.h>
#include <string.h>

#define HIGH_BITS 0x8080808080808080ULL
#define LOW_BITS 0x0101010101010101ULL
/* A token has some 500 bytes of plain ASCII. */
#define BLOCK_BYTES 64

static uint64_t eight(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Whether all bytes are 0x01 to 0x7f: without high bits only a zero byte borrows one here. */
static int is_plain_word(uint64_t word) { return (((word - LOW_BITS) | word) & HIGH_BITS) == 0; }

/* The same of `count` bytes, which are fewer than eight: the rest of the word is filled up. */
static int is_plain_rest(const unsigned char *bytes, size_t count) {
    uint64_t word = LOW_BITS;
    unsigned char *filled = (unsigned char *)&word;
    if (count & 4) memcpy(filled, bytes, 4);
    if (count & 2) memcpy(filled + 4, bytes + (count & 4), 2);
    if (count & 1) filled[6] = bytes[count - 1];
    return is_plain_word(word);
}

/* The same of BLOCK_BYTES: without a branch on the way, so that a compiler takes several at once. */
static int is_plain_block(const unsigned char *bytes) {
    uint64_t high = 0;
    for (size_t i = 0; i < BLOCK_BYTES; i += 8) {
        uint64_t word = eight(bytes + i);
        high |= (word - LOW_BITS) | word;
    }
    return (high & HIGH_BITS) == 0;
}

/* How many bytes from the start are surely plain; what is behind needs a closer look. */
static size_t plain_prefix(const unsigned char *bytes, size_t count) {
    size_t position = 0;
    while (count - position >= BLOCK_BYTES && is_plain_block(bytes + position))
        position += BLOCK_BYTES;
    while (count - position >= 8) {
        if (!is_plain_word(eight(bytes + position))) return position;
        position += 8;
    }
    return is_plain_rest(bytes + position, count - position) ? count : position;
}

/* The length of the sound sequence that begins at `bytes`, a byte of 0x80 or more; 0 if none. */
static size_t sequence(const unsigned char *bytes, size_t left) {
    unsigned char first = bytes[0], low = 0x80, high = 0xbf;
    size_t count = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || count > left) return 0;
    /* The second byte bounds out overlong forms, surrogates and what is over U+10FFFF. */
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
    if (bytes[1] < low || bytes[1] > high) return 0;
    for (size_t i = 2; i < count; i++)
        if ((bytes[i] & 0xc0) != 0x80) return 0;
    return count;
}

postern_text_kind postern_text_kind_of(const unsigned char *bytes, size_t count) {
    size_t position = plain_prefix(bytes, count);
    if (position == count) return POSTERN_TEXT_ASCII;
    while (position < count) {
        if (bytes[position] == 0) return POSTERN_TEXT_MALFORMED;
        if (bytes[position] < 0x80) {
            position++;
            continue;
        }
        size_t length = sequence(bytes + position, count - position);
        if (length == 0) return POSTERN_TEXT_MALFORMED;
        position += length;
        if (count - position >= 8) position += plain_prefix(bytes + position, count - position);
    }
    return POSTERN_TEXT_UTF8;
}
