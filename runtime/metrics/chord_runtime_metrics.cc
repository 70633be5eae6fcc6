// The group of the mode `metrics` as one translation unit (../README.md).
#include "push_pop.h"
#include "meter.cc"
#include "push_pop_end.h"
