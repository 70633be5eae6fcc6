#include "analysis/program/metrics.h"

#include <gtest/gtest.h>

namespace chord::analysis {
namespace {

format::Procedure sample() {
  format::Procedure map;
  map.instructions.resize(4);
  map.plan.placement = core::Placement::paths;
  map.plan.paths.paths = 3;
  map.metrics = {{"tsc,time", format::SumsOf::procedure, {}},
                 {"tsc,time", format::SumsOf::total, {}},
                 {"tsc,time", format::SumsOf::paths, {}},
                 {"sim:l1d", format::SumsOf::instructions, {1, 3}}};
  return map;
}

TEST(Metrics, WordsAreWhatTheListsSay) {
  format::Procedure map = sample();
  ASSERT_EQ(map.metric_words(), 7u);
  MetricNames names;
  ProcedureMetrics m = read_metrics(map, {1, 100, 20, 30, 40, 5, 6}, names);
  EXPECT_EQ(names.names(), (std::vector<std::string>{"tsc", "time", "sim:l1d"}));
  EXPECT_EQ(m.own, (MetricValues{91, 91, 11}));  // of no path, and of the paths
  EXPECT_EQ(value_of(m.total, 0), 100u);
  EXPECT_EQ(value_of(m.total, 2), std::nullopt);
  EXPECT_EQ(m.paths[1], (std::vector<uint64_t>{20, 30, 40}));
  EXPECT_EQ(m.instructions[2], (std::vector<uint64_t>{0, 5, 0, 6}));
}

TEST(Metrics, WhatDidNotRunIsZero) {
  MetricNames names;
  ProcedureMetrics m = read_metrics(sample(), {}, names);
  EXPECT_EQ(m.own, (MetricValues{0, 0, 0}));
}

TEST(Metrics, SumsBehindCountersAreSplitOff) {
  format::Procedure map = sample();
  map.metrics_in_records = true;
  EXPECT_EQ(counter_words(map), 10u);
  MeasuredProcedure measured;
  measured.counters = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  split_metrics(map, measured);
  EXPECT_EQ(measured.counters.size(), 3u);
  EXPECT_EQ(measured.metrics, (std::vector<uint64_t>{4, 5, 6, 7, 8, 9, 10}));
}

TEST(Metrics, TicksBecomeNanoseconds) {
  MetricNames names;
  ProcedureMetrics m = read_metrics(sample(), {0, 3'000'000'000'000'000, 3, 6, 1, 0, 0}, names);
  to_nanoseconds(m, 1, {3'000'000'000, 1'000'000'000});
  EXPECT_EQ(value_of(m.own, 0), 10u);
  EXPECT_EQ(value_of(m.own, 1), 3u);
  EXPECT_EQ(value_of(m.total, 1), 1'000'000'000'000'000u);
  EXPECT_EQ(m.paths[1], (std::vector<uint64_t>{1, 2, 0}));
  to_nanoseconds(m, 1, {});
  EXPECT_EQ(value_of(m.own, 1), std::nullopt);  // nobody knows how long a tick was
}

}  // namespace
}  // namespace chord::analysis
