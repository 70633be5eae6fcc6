// A procedure with a loop, a jump table, a call and a landing, and a trace of it: what fuzzers of replay start from.
#pragma once

#include <chord_abi.h>
#include <chord_traces.h>

#include <string>

#include "analysis/trace/code.h"

namespace chord {

inline constexpr uint64_t kAddress = 0x401000;

inline format::Procedure made_up_procedure() {
  using format::EdgeKind;
  using format::VertexKind;
  format::Procedure p;
  p.key = 1000;
  p.name = "f";
  p.fragments.push_back({"f", 64});
  for (uint32_t i = 0; i < 16; ++i) {
    format::Instruction in;
    in.offset = 4 * i;
    in.size = 4;
    if (i == 5) in.traits = isa::kCall;
    p.instructions.push_back(in);
  }
  p.blocks = {{VertexKind::entry, 0, 0}, {VertexKind::exit, 0, 0}, {VertexKind::code, 0, 4}, {VertexKind::code, 4, 4}, {VertexKind::code, 8, 4},
              {VertexKind::code, 12, 4}, {VertexKind::dispatch, 0, 0}, {VertexKind::landing, 0, 0}};
  auto edge = [&](core::Vertex from, core::Vertex to, EdgeKind kind) { p.edges.push_back({from, to, kind, 0, 0}); };
  edge(1, 0, EdgeKind::return_edge);
  edge(0, 2, EdgeKind::enter);
  edge(2, 3, EdgeKind::taken);
  edge(2, 4, EdgeKind::fall);
  edge(3, 2, EdgeKind::jump);
  edge(4, 6, EdgeKind::dispatch);
  for (core::Vertex to : {core::Vertex(2), core::Vertex(3), core::Vertex(5)}) edge(6, to, EdgeKind::dispatch);
  edge(5, 1, EdgeKind::leave);
  edge(0, 7, EdgeKind::landing);
  edge(7, 5, EdgeKind::landing);
  p.marks = {0};
  p.plan.placement = core::Placement::trace;
  core::AddressPlan &addresses = p.plan.addresses;
  addresses.written = true;
  addresses.recorded = {core::AddressPlan::kRegister + 3, core::AddressPlan::kOperand, core::AddressPlan::kSlots * 5 + core::AddressPlan::kOther,
                        core::AddressPlan::kSlots * 9 + core::AddressPlan::kOperand, core::AddressPlan::kSlots * 9 + core::AddressPlan::kCount};
  addresses.known.assign(p.blocks.size(), 0xffff);
  addresses.kept = 1u << 4;
  return p;
}

inline const analysis::TracedCode &made_up_code() {
  static const analysis::TracedCode code = [] {
    analysis::Object object;
    object.units.emplace_back().procedures.push_back(made_up_procedure());
    format::Anchor &anchor = object.anchors.emplace_back();
    anchor.key = 1000;
    anchor.parts.push_back({kAddress, 64, {0}, {}});
    object.records.push_back(anchor.key);
    return analysis::TracedCode(std::move(object));
  }();
  return code;
}

// mov 8(%rbx),%rax; of the tenth instruction: rep movsq.
inline std::string made_up_bytes() {
  std::string bytes;
  for (int i = 0; i < 16; ++i) bytes += i == 9 ? "\xf3\x48\xa5\x90" : "\x48\x8b\x43\x08";
  return bytes;
}

inline std::string made_up_addresses() {
  chord_trace_chunk head{};
  head.magic = CHORD_TRACE_MAGIC;
  head.version = CHORD_TRACE_VERSION;
  head.size = 4096;
  head.thread = 1;
  head.holds = CHORD_TRACE_ADDRESSES;
  std::string bytes(reinterpret_cast<const char *>(&head), sizeof head);
  for (uint64_t word = 1; word < 40; ++word) {
    const uint64_t address = word == 17 ? 0 : 0x7ffc0000 + 8 * word;
    bytes.append(reinterpret_cast<const char *>(&address), sizeof address);
  }
  bytes.resize(4096);
  return bytes;
}

inline std::string made_up_trace() {
  chord_trace_chunk head{};
  head.magic = CHORD_TRACE_MAGIC;
  head.version = CHORD_TRACE_VERSION;
  head.size = 4096;
  head.thread = 1;
  std::string bytes(reinterpret_cast<const char *>(&head), sizeof head);
  auto marker = [](uint64_t kind, uint64_t payload) { return kind << CHORD_TRACE_KIND_SHIFT | payload; };
  for (uint64_t word : {uint64_t{1} << 32 | (kAddress + 2), CHORD_TRACE_FULL | 0x1234567, CHORD_TRACE_PARTIAL | uint64_t{7} << CHORD_TRACE_ENTRY_BITS,
                        marker(CHORD_TRACE_CHECKPOINT, uint64_t{2} << 48 | 1), kAddress + 8, kAddress + 24, uint64_t{5} << 32 | (kAddress + 2), CHORD_TRACE_PARTIAL | 9,
                        marker(CHORD_TRACE_ACCESSES, 9), marker(CHORD_TRACE_SIGNAL, uint64_t{3} << 48 | (kAddress + 12)), marker(CHORD_TRACE_ACCESSES, 11), marker(CHORD_TRACE_SIGNAL_END, 0), marker(CHORD_TRACE_LEFT, kAddress + 24),
                        marker(CHORD_TRACE_JUMPED, kAddress + 24), marker(CHORD_TRACE_LANDS, kAddress + 48), marker(CHORD_TRACE_STACK, 2), kAddress + 24,
                        kAddress + 24, marker(CHORD_TRACE_STANDS, kAddress + 8), marker(CHORD_TRACE_STOPPED, 1)}) {
    bytes.append(reinterpret_cast<const char *>(&word), sizeof word);
  }
  bytes.resize(4096);
  return bytes;
}

}  // namespace chord
