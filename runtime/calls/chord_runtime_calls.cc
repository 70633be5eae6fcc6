// The group of the mode `calls` as one translation unit (../README.md).
#include "push_pop.h"
#include "brackets.cc"
#include "push_pop_end.h"
