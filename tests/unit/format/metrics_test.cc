#include "format/map/metrics.h"

#include <gtest/gtest.h>

namespace chord::format {
namespace {

TEST(Metrics, ListsAreReadAndErrorsNamed) {
  std::string error;
  auto two = parse_metrics("tsc,time", error);
  ASSERT_TRUE(two) << error;
  EXPECT_EQ(*two, (std::vector<MetricRequest>{{"tsc", "tsc"}, {"time", "time"}}));
  auto expect = [](std::string_view list, std::string_view what) {
    std::string why;
    EXPECT_FALSE(parse_metrics(list, why)) << list;
    EXPECT_EQ(why, what);
  };
  expect("", "a metric without a name");
  expect("tsc,", "a metric without a name");
  expect("speed", "speed: no such metric");
  expect("tsc,time,tsc", "tsc: asked for twice");
  expect("tsc,4", "tsc,4: no such metric");  // a number goes on with what is before it
}

}  // namespace
}  // namespace chord::format
