// libyaml: events of a YAML document.
#ifndef POSTERN_CYAML_SHIM_H
#define POSTERN_CYAML_SHIM_H

#include <yaml.h>

#endif
