#include "base/progress.h"

#include <gtest/gtest.h>

namespace chord::base {
namespace {

TEST(Progress, LineShowsTheShareDone) {
  EXPECT_EQ(progress_line("adding", 0, 4), "adding  [..............................]   0 %");
  EXPECT_EQ(progress_line("adding", 1, 4), "adding  [#######.......................]  25 %");
  EXPECT_EQ(progress_line("adding", 4, 4), "adding  [##############################] 100 %");
  EXPECT_EQ(progress_line("adding", 0, 0), "adding  [##############################] 100 %");
}

}  // namespace
}  // namespace chord::base
