// libqrencode: texts as QR codes.
#ifndef POSTERN_CQRENCODE_SHIM_H
#define POSTERN_CQRENCODE_SHIM_H

#include <qrencode.h>

#endif
