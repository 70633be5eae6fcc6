// The group of the mode `trace` as one translation unit (../README.md).
#include "system/push_pop.h"
#include "probes.cc"
#include "sink.cc"
#include "packer.cc"
#include "save.cc"
#include "addresses.cc"
#include "markers.cc"
#include "system/push_pop_end.h"
