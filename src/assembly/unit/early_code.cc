#include "assembly/unit/early_code.h"

#include <fmt/core.h>

namespace chord::assembly {
namespace {

class EarlyCode {
 public:
  explicit EarlyCode(Unit &unit) : unit_(unit) {}

  void run() {
    for (std::string_view name : unit_.symbols.resolved) {
      auto found = unit_.entry_named.find(name);
      if (found == unit_.entry_named.end()) continue;
      leave_alone(found->second, fmt::format("it chooses {} before the program's storage is there", name));
    }
    while (!work_.empty()) {
      uint32_t n = work_.back();
      work_.pop_back();
      follow_calls(n);
    }
  }

 private:
  void leave_alone(uint32_t n, std::string why) {
    Procedure &p = unit_.procedures[n];
    if (!seen_.insert(n).second) return;
    if (p.skipped.empty()) p.skipped = std::move(why);
    work_.push_back(n);
  }

  // By name, and by address if some of the calls are made through a register.
  void follow_calls(uint32_t n) {
    bool indirect = false;
    for (const Instruction &in : unit_.procedures[n].instructions) {
      indirect = indirect || (in.decoded.indirect && !in.padding);
      if (uint32_t callee = local_callee(unit_, in); callee != kElsewhere) called(callee, n);
    }
    if (!indirect) return;
    for (const Instruction &in : unit_.procedures[n].instructions) {
      for (std::string_view name : symbols_in(unit_.source->statements[in.last_statement].operands)) {
        auto found = unit_.entry_named.find(name);
        if (found != unit_.entry_named.end()) called(found->second, n);
      }
    }
  }

  void called(uint32_t callee, uint32_t by) {
    leave_alone(callee, fmt::format("{} calls it before the program's storage is there", unit_.procedures[by].name));
  }

  Unit &unit_;
  std::unordered_set<uint32_t> seen_;
  std::vector<uint32_t> work_;
};

}  // namespace

void skip_early_code(Unit &unit) { EarlyCode(unit).run(); }

}  // namespace chord::assembly
