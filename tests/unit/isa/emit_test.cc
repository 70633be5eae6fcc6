#include <gtest/gtest.h>

#include <sstream>

#include "isa/isa.h"

namespace chord::isa {
namespace {

using Kind = CounterPlace::Kind;

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// A probe that adds a register when no other is free borrows some for the address: with
// all forms of counters, and flags live or not, the one that is added arrives unchanged.
void expect_added_unchanged(Kind kind, const char *name, Resources live) {
  Holder holder{*register_named(name)};
  Snippet probe = add_register({kind, "counters", 3}, holder, live | holder.reg);
  SCOPED_TRACE(probe.text);
  std::string added = std::string("%") + name;
  unsigned additions = 0;
  for (const std::string &line : lines_of(probe.text)) {
    if (line.find("add\t" + added + ",") != std::string::npos || line.find("addq\t" + added + ",") != std::string::npos) {
      ++additions;
    } else if (additions == 0) {
      EXPECT_FALSE(line.ends_with(added) && line.find("push") == std::string::npos) << line;
    }
  }
  EXPECT_EQ(additions, 1u);
}

TEST(Emit, TheRegisterThatIsAddedIsNotLent) {
  for (Kind kind : {Kind::thread_local_exec, Kind::thread_delta, Kind::shared, Kind::atomic, Kind::thread_home}) {
    for (const char *name : {"rcx", "rdx", "rbx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r15"}) {
      expect_added_unchanged(kind, name, all_registers());
      expect_added_unchanged(kind, name, all_registers() | all_flags());
    }
  }
}

}  // namespace
}  // namespace chord::isa
