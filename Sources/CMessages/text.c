#include "postern/text.h"

#include <stdint.h>
#include <string.h>

#define HIGH_BITS 0x8080808080808080ULL
#define LOW_BITS 0x0101010101010101ULL

static uint64_t eight(const unsigned char *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return word;
}

/* Up to seven bytes, and 0x01 for each byte that is missing to eight. */
static uint64_t fewer(const unsigned char *bytes, size_t count) {
    uint64_t word = LOW_BITS;
    unsigned char *filled = (unsigned char *)&word;
    if (count & 4) memcpy(filled, bytes, 4);
    if (count & 2) memcpy(filled + 4, bytes + (count & 4), 2);
    if (count & 1) filled[6] = bytes[count - 1];
    return word;
}

/* No high bit if all bytes are 0x01 to 0x7f: without high bits only a zero byte borrows one. */
static uint64_t marks(uint64_t word) { return ((word - LOW_BITS) | word) & HIGH_BITS; }

/* Whether all bytes are 0x01 to 0x7f. The loop has no branch for each word, so that a compiler takes
   several at once; the last eight bytes overlap those before them. */
static int is_plain(const unsigned char *bytes, size_t count) {
    if (count < 8) return marks(fewer(bytes, count)) == 0;
    uint64_t found = marks(eight(bytes + count - 8));
    for (size_t i = 0; i + 8 < count; i += 8) found |= marks(eight(bytes + i));
    return found == 0;
}

/* How many bytes from the start are plain, in whole words. */
static size_t plain_words(const unsigned char *bytes, size_t count) {
    size_t position = 0;
    while (count - position >= 8 && marks(eight(bytes + position)) == 0) position += 8;
    return position;
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

/* The same for bytes that are not plain, in a function of its own to keep the other one short. */
__attribute__((noinline)) static postern_text_kind kind_of_other(
    const unsigned char *bytes, size_t count) {
    size_t position = plain_words(bytes, count);
    while (position < count) {
        if (bytes[position] == 0) return POSTERN_TEXT_MALFORMED;
        if (bytes[position] < 0x80) {
            position++;
            continue;
        }
        size_t length = sequence(bytes + position, count - position);
        if (length == 0) return POSTERN_TEXT_MALFORMED;
        position += length;
        position += plain_words(bytes + position, count - position);
    }
    return POSTERN_TEXT_UTF8;
}

postern_text_kind postern_text_kind_of(const unsigned char *bytes, size_t count) {
    return is_plain(bytes, count) ? POSTERN_TEXT_ASCII : kind_of_other(bytes, count);
}
