// What instrumentation does to what it measures, as Ammons, Ball and Larus tell it in their Tables 1 and 2: each event of the plain program beside the
// same of a woven one (`chord study perturbation`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/tables/table.h"

namespace chord::report {

struct PerturbedEvent {
  std::string name;
  std::optional<uint64_t> plain;
  std::optional<uint64_t> counted;  // what the woven program's profile says: without what probes add
  std::optional<uint64_t> woven;
  const char *how = "";
};
struct Perturbation {
  std::string program, woven;
  std::vector<PerturbedEvent> events;
};

// A row for each event.
Table perturbation_table(const std::vector<Perturbation> &studies);
// Bars: woven over plain.
std::string perturbation_svg(const std::vector<Perturbation> &studies);

}  // namespace chord::report
