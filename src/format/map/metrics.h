// Metrics: what a program's procedures, paths and contexts cost besides the instructions they execute (`chord --metrics=LIST`).
//
// How a metric gets from a probe to a report:
//
//   weave     A mode adds one MetricSums for each metric to ProcedurePlan::metrics: what its sums are of. All of a
//             procedure's sums are 64-bit words, one list after the other; `metric_place` (weave/metrics/metric_sums.h) says
//             where a probe finds one: thread-local memory beside the counters or, with --context, the record of the context.
//             The mode "metric sums" (weave/modes.cc), which comes after all that measure, gives them their memory.
//   runtime   adds them up over threads, runs and segments as it does counters, and need not know them.
//   profile   With --context they follow the counters of each record; else they are the counters of a procedure of the key
//             metrics_key(map). The lists are in the map (Procedure::metrics).
//   analysis  Program::metrics names them; CountedProcedure::metrics, CountedPath::metrics, CountedContext::metrics and
//             LineCount::metrics hold the sums in that order (analysis/program/metrics.h).
//   report    Rows of functions, lines, instructions, paths and contexts have an object `metrics`.
//
// Sums are unsigned, modulo 2^64 while a program runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chord::format {

// What the sums of a metric in one procedure are of.
enum class SumsOf : uint8_t {
  procedure,    // one: its own share, without what it calls
  total,        // one: with all it calls; of recursive activations the outermost counts
  paths,        // one for each path, by number; without what it calls
  instructions,  // one for each of MetricSums::instructions
};

struct MetricSums {
  std::string metric;  // its name in reports: "tsc", "sim:l1d"
  SumsOf of = SumsOf::procedure;
  std::vector<uint32_t> instructions;  // ascending
  bool operator==(const MetricSums &) const = default;
};

// Names a procedure's sums in a profile, as Procedure::key does its counters.
inline uint64_t metrics_key(uint64_t procedure_key) { return procedure_key ^ UINT64_C(0x6d65747269637300); }

// A metric that was asked for.
struct MetricRequest {
  std::string name;  // in reports
  std::string text;  // as it was typed, with what chooses a kind of it: "sim:l1d=32768,8,64"
  bool operator==(const MetricRequest &) const = default;
};

// The metrics of a list, separated by commas; a part that begins with a digit goes on with the one before:
// "tsc,sim:l1d=32768,8,64". On error nothing, and what is wrong in `error`.
std::optional<std::vector<MetricRequest>> parse_metrics(std::string_view list, std::string &error);

// Kinds of metrics, in the order of help texts.
struct MetricKind {
  std::string_view name;  // of all that it is, or that it begins with if it ends in a colon
  std::string_view unit;
  std::string_view what;
};
const std::vector<MetricKind> &metric_kinds();
// Of a name in a report; nothing for one that no version of chord measures.
const MetricKind *find_metric_kind(std::string_view name);

}  // namespace chord::format
