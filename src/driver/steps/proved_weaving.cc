#include "driver/steps/proved_weaving.h"

#include <fmt/core.h>

#include "base/diagnostics.h"

namespace chord::driver {
namespace {

// False if they are no procedure's.
bool leave_alone(const std::vector<verify::Fault> &faults, assembly::Unit &unit) {
  bool any = false;
  for (const verify::Fault &fault : faults) {
    for (assembly::Procedure &p : unit.procedures) {
      if (p.name != fault.procedure || !p.skipped.empty()) continue;
      p.skipped = fmt::format("not proved: line {}: {}", fault.line, fault.what);
      any = true;
    }
  }
  return any;
}

void leave_all_alone(const verify::Fault &fault, assembly::Unit &unit) {
  for (assembly::Procedure &p : unit.procedures) {
    if (p.skipped.empty()) p.skipped = "not proved: " + fault.what;
  }
}

}  // namespace

weave::Woven weave_proved(const assembly::Source &source, assembly::Unit &unit, const weave::Options &options, const weave::UnitFiles &around,
                          const Proof &proof) {
  for (;;) {
    weave::Woven woven = weave_unit(unit, options, around);
    if (options.verify == weave::Options::Verify::off || woven.woven == 0) return woven;
    bool atomic = options.counters == isa::CounterPlace::Kind::atomic;
    std::vector<verify::TextRange> inserted;
    for (const auto &range : woven.inserted) inserted.push_back({range.begin, range.end});
    verify::PlainAddress plain;
    if (options.layout != nullptr) plain = [&](std::string_view name, std::string_view in, uint64_t size) { return options.layout->find(name, in, size); };
    std::vector<verify::Fault> faults = proof({source, unit.layout, woven.text, inserted, woven.map, atomic, plain});
    if (faults.empty()) return woven;
    if (options.verify == weave::Options::Verify::error) throw base::Error(verify::to_text(faults[0]));
    if (!leave_alone(faults, unit)) leave_all_alone(faults[0], unit);
  }
}

}  // namespace chord::driver
