// Probes that tell a thread's meter (runtime/metrics/meter.cc) what its time is taken by. They change no register.
#pragma once

#include "isa/contexts.h"
#include "isa/isa.h"

namespace chord::isa {

// One reading, or several (runtime/gauges/gauges.cc).
enum class Readings : uint8_t { clock, several };

// An activation begins whose sums are at the place. The red zone must be dead, and flags if the sums are in a record.
Snippet enter_meter(const AnyPlace &sums, Readings readings, Resources live);
// It ends, with the stack pointer where it was.
Snippet leave_meter(Readings readings, Resources live);

// A path has ended, whose sum is sums[holder + sums.index]; `leaves`: and the activation with it. Of several readings, `paths` words for each.
struct PathMeter {
  Readings readings = Readings::clock;
  uint64_t paths = 0;
  bool leaves = false;
};
Snippet meter_path(const PathHolder &holder, const CounterPlace &sums, const PathMeter &meter, Resources live);
// The same where the holder is ahead of the activation's record by the path register: word sums + path register of the record.
Snippet meter_path_in_record(const PathHolder &holder, int64_t sums, const PathMeter &meter, Resources live);
// A path begins, and what the activation took up to here is of none.
Snippet restart_meter(Readings readings, Resources live);

// Routines with nothing but these probes in them, by which a process measures what probes take (chord_gauges.h).
struct MeterSample {
  Readings readings = Readings::clock;
  uint64_t gauges = 1;
  bool in_record = false;  // sums are found by their address
  bool shared = false;     // the code may end up in a shared object
};
std::string meter_sample_text(const MeterSample &sample);

}  // namespace chord::isa
