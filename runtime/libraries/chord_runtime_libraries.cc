// The group of the mode `libraries` as one translation unit (../README.md): what only code needs that may become part of a
// shared object.
#include "system/push_pop.h"
#include "redirect.cc"
#include "windows.cc"
#include "system/push_pop_end.h"
