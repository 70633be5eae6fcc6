// The group of the mode `gauges` as one translation unit (../README.md).
#include "system/push_pop.h"
#include "events.cc"
#include "gauges.cc"
#include "system/push_pop_end.h"
