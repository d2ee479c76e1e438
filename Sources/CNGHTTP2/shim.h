// nghttp2: the frames, fields and streams of HTTP/2.
#ifndef POSTERN_CNGHTTP2_SHIM_H
#define POSTERN_CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

#endif
