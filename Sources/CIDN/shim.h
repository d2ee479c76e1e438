// libidn2: domain names beyond ASCII (IDNA2008 with the mappings of UTS 46).
#ifndef POSTERN_CIDN_SHIM_H
#define POSTERN_CIDN_SHIM_H

#include <idn2.h>

#endif
