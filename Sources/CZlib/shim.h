// zlib: raw deflate and CRC-32, for ZIP archives.
#ifndef POSTERN_CZLIB_SHIM_H
#define POSTERN_CZLIB_SHIM_H

#include <zlib.h>

#endif
