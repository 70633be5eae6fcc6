// The group of the mode `budget` as one translation unit (../README.md).
#include "push_pop.h"
#include "budget.cc"
#include "push_pop_end.h"
