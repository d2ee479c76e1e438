#include "openapi.h"

/* Clang has #embed in C17 too, and says that it is newer. */
#pragma clang diagnostic ignored "-Wc23-extensions"

/* The compiler lists the file among what the object depends on, so that a new text is compiled. */
static const unsigned char text[] = {
#embed "Generated/openapi.json"
};

const unsigned char *postern_openapi_bytes(void) { return text; }

size_t postern_openapi_count(void) { return sizeof(text); }
