// Brings the places where activations ended early, given by address, to the
// instructions of the procedures they stood in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analysis/counting/count_procedure.h"
#include "analysis/counting/interrupted.h"
#include "analysis/objects/woven_code.h"

namespace chord::analysis {

// For one module: `procedures` and `measured` lie side by side, as numbered in `code`.
// Frames of code that was not woven count nothing and are passed over; an address at
// which no instruction of its procedure is becomes the procedure's problem.
class ExitAdder {
 public:
  ExitAdder(const CodeIndex &code, const std::vector<CountedProcedure> &procedures, std::vector<MeasuredProcedure> &measured)
      : code_(code), procedures_(procedures), measured_(measured) {}

  // Where a budget stopped somebody: at an instruction or a spot, or, its pc inside one, after it.
  void at_check(uint64_t pc, int64_t count);

  // `pc` is a return address.
  void at_call(uint64_t pc, uint64_t path, int64_t count);

  // `paths`: path registers, and how many activations had them.
  void at_pc(uint64_t pc, const Interruption &interruption, const std::map<uint64_t, int64_t> &paths);

 private:
  void stood_at(uint64_t pc, uint64_t path, int64_t count);
  void at_spot(const format::Spot &spot, uint64_t path, int64_t count, bool executed = false);
  void behind_call(uint32_t call, uint64_t path, int64_t count);
  bool find(uint64_t place, uint64_t pc);
  uint64_t register_of(uint64_t path) const;
  const format::Procedure &map() const { return *procedures_[hit_->procedure].map; }
  MeasuredProcedure &measured() { return measured_[hit_->procedure]; }
  bool known_part() const { return hit_->part < map().fragments.size(); }
  void refuse(uint64_t pc, int64_t count);

  const CodeIndex &code_;
  const std::vector<CountedProcedure> &procedures_;
  std::vector<MeasuredProcedure> &measured_;
  std::optional<CodeIndex::Hit> hit_;
  uint32_t offset_ = 0;  // of the pc in the part that was hit
};

}  // namespace chord::analysis
