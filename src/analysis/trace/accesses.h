// Replay of loads and stores: their addresses, from those that were written and from registers that are followed since (--trace=addresses).
//
//   TraceAccesses accesses(code, stream);
//   for (TraceStretch s; accesses.next(s);)
//     for (const TracedAccess &a : accesses.made()) …     // by instructions of the stretch, in order
//
// Which are written the map says (core::AddressPlan); what registers an address is made of, the program's own code does, as it was linked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/objects/code_bytes.h"
#include "analysis/trace/replay.h"
#include "format/facts/known_registers.h"

namespace chord::analysis {

struct TracedAccess {
  uint32_t instruction = 0;
  bool reads = false, writes = false;
  uint32_t bytes = 0;
  std::optional<uint64_t> times = 1;  // of repeated string instructions: from the address on, upwards
  std::optional<uint64_t> address;    // nothing: it is not known
};

// Whether any stream has them.
bool has_addresses(const format::Trace &trace);

class TraceAccesses {
 public:
  // Throws Error if the program's code cannot be read.
  TraceAccesses(const TracedCode &code, const format::TraceStream &stream) : TraceAccesses(code, stream, CodeBytes(code.object().file)) {}
  TraceAccesses(const TracedCode &code, const format::TraceStream &stream, CodeBytes bytes);

  bool next(TraceStretch &out);
  const std::vector<TracedAccess> &made() const { return made_; }
  const TraceCursor &cursor() const { return cursor_; }
  // Why it ended before the trace did; empty: it did not.
  std::string problem() const { return !problem_.empty() ? problem_ : cursor_.problem(); }
  // Words of the stream so far.
  uint64_t taken() const { return taken_; }

 private:
  struct Code {
    std::vector<isa::AddressFacts> about;  // by instruction
    std::vector<uint64_t> ends;            // by instruction: link-time
    std::vector<uint32_t> recorded;        // by instruction: where its slots begin in the plan; one more at the end
  };
  struct Activation {
    uint32_t procedure = core::kNone;
    uint64_t began = 0;
    format::KnownRegisters registers;
  };
  // Places in the stream that were taken by probes before something else came.
  struct Range {
    uint64_t first = 0, end = 0;
  };

  const Code &code_of(uint32_t procedure);
  void obey(const AccessEvent &event);
  void execute(const TracedProcedure &p, const Code &code, uint32_t i, Activation &activation);
  Activation &activation_of(const TraceStretch &s);
  // The next address that was written. Nothing: it is not known.
  std::optional<uint64_t> take();
  std::optional<uint64_t> word(uint64_t number) const;

  const TracedCode *traced_;
  const format::TraceStream *stream_;
  TraceCursor cursor_;
  CodeBytes bytes_;
  std::unordered_map<uint32_t, Code> codes_;
  std::vector<uint64_t> begins_;  // of the stream's chunks: number of their first word
  std::vector<AccessEvent> events_;
  std::vector<Activation> activations_;  // by depth
  std::vector<std::vector<Range>> signals_;
  std::vector<Range> pending_;
  uint64_t taken_ = 0;
  std::vector<TracedAccess> made_;
  std::string problem_;
};

}  // namespace chord::analysis
