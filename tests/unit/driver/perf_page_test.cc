// Reading counters from a mapped page. Machines without a PMU, such as virtual ones, have no page to read: these are made by hand.
#include "../runtime/gauges/perf_page.h"

#include <gtest/gtest.h>

#include "driver/options/perf_events.h"

namespace chord::runtime {
namespace {

perf_event_mmap_page page_with(uint32_t index, int64_t offset, uint16_t width) {
  perf_event_mmap_page page = {};
  page.cap_user_rdpmc = 1;
  page.index = index;
  page.offset = offset;
  page.pmc_width = width;
  return page;
}

TEST(PerfPage, SumIsOffsetAndCounterWithItsSign) {
  uint64_t value = 0;
  perf_event_mmap_page page = page_with(3, 1000, 48);
  EXPECT_TRUE(read_page(&page, [](uint32_t number) { EXPECT_EQ(number, 2u); return uint64_t{234}; }, value));
  EXPECT_EQ(value, 1234u);
  EXPECT_TRUE(read_page(&page, [](uint32_t) { return (uint64_t{1} << 48) - 10; }, value));  // -10 in 48 bits
  EXPECT_EQ(value, 990u);
  page = page_with(1, -5, 64);
  EXPECT_TRUE(read_page(&page, [](uint32_t) { return uint64_t{7}; }, value));
  EXPECT_EQ(value, 2u);
}

TEST(PerfPage, KernelIsAskedWhereThePageDoesNotAnswer) {
  uint64_t value = 0;
  auto never = [](uint32_t) -> uint64_t {
    ADD_FAILURE() << "the counter was read";
    return 0;
  };
  perf_event_mmap_page page = page_with(0, 5, 48);  // not on the processor
  EXPECT_FALSE(read_page(&page, never, value));
  page = page_with(1, 5, 48);
  page.cap_user_rdpmc = 0;
  EXPECT_FALSE(read_page(&page, never, value));
  page = page_with(1, 5, 0);
  EXPECT_FALSE(read_page(&page, never, value));
}

// The kernel changes the page while it is read: the lock has gone up, so it is read again.
TEST(PerfPage, ReadsAgainWhenThePageHasChanged) {
  perf_event_mmap_page page = page_with(1, 100, 48);
  int reads = 0;
  uint64_t value = 0;
  auto moves = [&](uint32_t) -> uint64_t {
    if (++reads == 1) {
      page.offset = 500;
      page.lock += 2;
      return 50;
    }
    return 1;
  };
  EXPECT_TRUE(read_page(&page, moves, value));
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(value, 501u);
}

TEST(PerfEvents, NamesAreThoseOfPerf) {
  auto clock = driver::find_perf_event("task-clock");
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->type, static_cast<uint32_t>(PERF_TYPE_SOFTWARE));
  EXPECT_EQ(clock->config, static_cast<uint64_t>(PERF_COUNT_SW_TASK_CLOCK));
  auto misses = driver::find_perf_event("L1-dcache-load-misses");
  ASSERT_TRUE(misses);
  EXPECT_EQ(misses->config, 0x10000u);
  EXPECT_FALSE(driver::find_perf_event("speed"));
  EXPECT_FALSE(driver::find_perf_event("perf:NO_SUCH_EVENT_AT_ALL"));
  // libpfm knows the kernel's own by these names on every machine.
  auto faults = driver::find_perf_event("perf:perf::PAGE-FAULTS");
  ASSERT_TRUE(faults);
  EXPECT_EQ(faults->type, static_cast<uint32_t>(PERF_TYPE_SOFTWARE));
  EXPECT_EQ(faults->config, static_cast<uint64_t>(PERF_COUNT_SW_PAGE_FAULTS));
}

}  // namespace
}  // namespace chord::runtime
