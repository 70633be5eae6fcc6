// The group of the mode `context` as one translation unit (../README.md).
#include "system/push_pop.h"
#include "call_tree.cc"
#include "segments.cc"
#include "stacks.cc"
#include "system/push_pop_end.h"
