/* Is it text that all of us may rely on? */
#ifndef POSTERN_TEXT_H
#define POSTERN_TEXT_H

#include <stddef.h>

typedef enum {
    POSTERN_TEXT_MALFORMED,
    POSTERN_TEXT_ASCII,
    POSTERN_TEXT_UTF8,
} postern_text_kind;

/* Text is UTF-8 as RFC 3629 says (no overlong forms, no surrogates, nothing over U+10FFFF) and holds
 * no NUL. Eight ASCII bytes at a time, since nearly all of it is ASCII. */
postern_text_kind postern_text_kind_of(const unsigned char *bytes, size_t count);

#endif
