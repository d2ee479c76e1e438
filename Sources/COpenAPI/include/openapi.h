/* The web service's description in OpenAPI 3.1, as the text of a JSON file that is part of the
 * program. */
#ifndef POSTERN_OPENAPI_H
#define POSTERN_OPENAPI_H

#include <stddef.h>

/* The bytes of the text, constant and without a NUL at the end. */
const unsigned char *_Nonnull postern_openapi_bytes(void);

/* How many bytes the text has. */
size_t postern_openapi_count(void);

#endif
