// Labels in woven text that a procedure's records refer to; `n` is its number in the unit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace chord::weave {

std::string start_label(uint32_t n, size_t fragment);
std::string end_label(uint32_t n, size_t fragment);
std::string mark_label(uint32_t n, uint32_t instruction);
std::string spot_label(uint32_t n, uint32_t spot);

// Counters, what they stand for where paths are counted by number, and the runtime's record of them.
std::string counters_label(uint32_t n);
std::string numbers_label(uint32_t n);
std::string record_label(uint32_t n);
// Totals of calls (weave/events/brackets.h) and their record.
std::string totals_label(uint32_t n);
std::string totals_record_label(uint32_t n);
// Sums of metrics (weave/metrics/metric_sums.h) and their record.
std::string metrics_label(uint32_t n);
std::string metrics_record_label(uint32_t n);

// The routine that stands in for `personality`.
std::string personality_label(const std::string &personality);

}  // namespace chord::weave
