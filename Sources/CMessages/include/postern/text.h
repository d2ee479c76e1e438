/* Is it text that all of us may rely on? */
#ifndef POSTERN_TEXT_H
#define POSTERN_TEXT_H

#include <stddef.h>

/* 1 when the bytes are UTF-8 as RFC 3629 says (no overlong forms, no surrogates, nothing over
 * U+10FFFF) and hold no NUL. Eight ASCII bytes at a time, since nearly all of it is ASCII. */
int postern_text_is_sound(const unsigned char *bytes, size_t count);

#endif
