// The group of the mode `metrics` as one translation unit (../README.md).
#include "system/push_pop.h"
#include "meter.cc"
#include "system/push_pop_end.h"
