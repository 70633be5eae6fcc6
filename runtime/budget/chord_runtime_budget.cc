// The group of the mode `budget` as one translation unit (../README.md).
#include "system/push_pop.h"
#include "budget.cc"
#include "system/push_pop_end.h"
