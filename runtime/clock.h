// The processor's clock and the kernel's, for the modes that measure (metrics/meter.cc, gauges/gauges.cc). Each group has
// its own copy.
#pragma once

#include "runtime.h"

// Defined by woven code: ticks and nanoseconds since counting began.
extern "C" uint64_t __chord_clock[2] __attribute__((visibility("hidden")));

namespace chord::runtime {
namespace {

uint64_t read_clock() {
  uint32_t low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return static_cast<uint64_t>(high) << 32 | low;
}

uint64_t nanoseconds() {
  timespec now;
  kernel(SYS_clock_gettime, CLOCK_MONOTONIC, arg(&now));
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

// When the process, or the counting in it, began.
uint64_t began_ticks, began_ns;

void start_clock() {
  began_ticks = read_clock();
  began_ns = nanoseconds();
}

void tell_clock(uint64_t now) {
  __chord_clock[0] = now - began_ticks;
  __chord_clock[1] = nanoseconds() - began_ns;
}

}  // namespace
}  // namespace chord::runtime
