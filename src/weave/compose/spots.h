// The text of inserted code, with a label wherever what it has done changes, and the
// spots (format/map/map.h) that say what that is.
//
// A count belongs to a moment: of an activation that stands before instruction i it is
// supposed that everything on the way to i's block has been counted, and nothing
// after. A probe in front of a block, on a fall-through or in a stub counts late: from
// the start of the inserted code on the count is due, and lacking until it is made. A
// probe in front of the jump that takes its edge counts early: at the jump itself it is
// ahead by one.
//
// Probes of paths are described backwards: after the last of them the path register is what
// it is supposed to be, and what they have yet to do to it, or to count, is lacking in front
// of them. One that stands in front of a jump or return and only adds is taken back there.
// One that counts cannot be: the number may be gone. So from the count on the activation is
// taken to have executed the jump, too, which nobody can tell from the outside. (Not an
// indirect jump: where it goes to is not known.)
#pragma once

#include <map>
#include <string>
#include <vector>

#include "assembly/graph/procedure.h"
#include "format/map/map.h"
#include "weave/plan/insertions.h"

namespace chord::weave {

class SpotWriter {
 public:
  // `before` and `after`: the sequences in front of and after statements. They, `held`
  // and the procedure must outlive the writer.
  SpotWriter(const assembly::Procedure &procedure, uint32_t n, const std::vector<format::Held> &held,
             const std::map<uint32_t, Sequence> &before, const std::map<uint32_t, Sequence> &after);

  // Each gives the sequence's text; unwind lines only where `unwind` says so.
  std::string text_before(uint32_t statement, bool unwind);
  std::string text_after(uint32_t statement, bool unwind);
  // With `jump` at its end; or, with `gap`, in front of that label. `places`: labels for where a
  // check in it stands (isa::Check): at `target`, or, if counts are still to be made there, at the
  // end of the stub.
  std::string text_of_stub(const Sequence &sequence, bool unwind, const std::vector<std::string> &places,
                           const std::string &target, const std::string &jump, uint32_t gap = assembly::kNoStatement);

  // Code that a probe which counts jumps to; its `tail` follows the count.
  std::string text_outside(const Site &site, uint32_t counter, const isa::Snippet &code, bool unwind);
  // Code at `label` that a probe jumps to which does nothing to counters: what holds at that probe holds there. Its text has been
  // asked for before that of the probe.
  void follow_outside(const std::string &label) { outside_[label] = kFirstStub + stubs_++; }

  // All spots, in the order of their places; then no more text may be asked for.
  struct Placed {
    std::string label;
    format::Spot spot;
  };
  std::vector<Placed> take();

 private:
  static constexpr uint64_t kFirstStub = uint64_t{1} << 40;  // places of stubs come last

  struct State {
    uint32_t instruction = 0;
    std::map<uint32_t, int32_t> lacks;
    std::vector<bool> held;
    format::Spot::Path path;
    bool operator==(const State &) const = default;
  };
  struct Ordered {
    uint64_t order = 0;
    Placed placed;
  };

  State usual(uint32_t instruction) const;
  State at_start(const Sequence &sequence, bool in_front) const;
  // Of a sequence that does nothing to counters.
  State state_of_plain(const Sequence &sequence, bool in_front) const;
  void add_due(const Sequence &sequence, uint32_t instruction, State &state) const;
  // Before each insertion, and after the last.
  std::vector<State> states_of(const Sequence &sequence, bool in_front) const;
  std::vector<State> path_states(const Sequence &sequence, bool in_front) const;
  State behind_paths(const Sequence &sequence, bool in_front) const;
  bool lands(const Insertion &insertion) const;
  uint32_t behind_jump(const Insertion &insertion) const;
  std::string write(const Sequence &sequence, const std::vector<State> &states, bool unwind, uint32_t fragment, uint64_t order,
                    const std::string &jump);
  void put(uint32_t fragment, uint64_t order, const std::string &label, const State &state);
  void put_outside(const Insertion &insertion, const State &state);
  std::string text_of_plain(const Sequence &sequence, bool unwind, uint64_t order);
  std::string plain_text(const Sequence &sequence, bool unwind, const State &state);
  std::string put_label(uint32_t fragment, uint64_t order, const State &state);

  const assembly::Procedure &p_;
  uint32_t n_;
  const std::vector<format::Held> &held_;
  const std::map<uint32_t, Sequence> &before_, &after_;
  std::vector<uint32_t> block_of_;           // by instruction
  std::vector<std::vector<bool>> held_in_;   // by block: which are held there
  std::map<uint32_t, uint32_t> instruction_at_;  // first statement -> instruction
  std::vector<Ordered> spots_;
  std::map<std::string, uint64_t> outside_;  // label -> place
  uint32_t labels_ = 0, stubs_ = 0;
};

}  // namespace chord::weave
