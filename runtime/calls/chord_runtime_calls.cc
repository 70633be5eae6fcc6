// The group of the mode `calls` as one translation unit (../README.md).
#include "system/push_pop.h"
#include "brackets.cc"
#include "system/push_pop_end.h"
