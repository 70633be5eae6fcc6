// The group of the mode `sim` as one translation unit (../README.md). Its code runs once for every access that is not to the line
// used last: for speed, not for size.
#pragma GCC optimize("O2")
#include "system/push_pop.h"
#include "models.cc"
#include "system/push_pop_end.h"
