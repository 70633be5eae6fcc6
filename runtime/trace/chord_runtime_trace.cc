// The group of the mode `trace` as one translation unit (../README.md).
#include "push_pop.h"
#include "probes.cc"
#include "sink.cc"
#include "packer.cc"
#include "save.cc"
#include "markers.cc"
#include "push_pop_end.h"
