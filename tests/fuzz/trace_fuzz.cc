// Traces of any kind: reading and replaying them never crash, whatever words the chunks hold. They are replayed in a made-up
// procedure with a loop, a jump table, a call and a landing.
#include <chord_abi.h>

#include <cstring>

#include "analysis/trace/calls.h"
#include "analysis/trace/index.h"
#include "analysis/trace/replay.h"
#include "fuzz.h"

using namespace chord;

namespace {

constexpr uint64_t kAddress = 0x401000;

format::Procedure made_up_procedure() {
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
  auto edge = [&](uint32_t from, uint32_t to, EdgeKind kind) { p.edges.push_back({from, to, kind, 0, 0}); };
  edge(1, 0, EdgeKind::return_edge);
  edge(0, 2, EdgeKind::enter);
  edge(2, 3, EdgeKind::taken);
  edge(2, 4, EdgeKind::fall);
  edge(3, 2, EdgeKind::jump);
  edge(4, 6, EdgeKind::dispatch);
  for (uint32_t to : {2u, 3u, 5u}) edge(6, to, EdgeKind::dispatch);
  edge(5, 1, EdgeKind::leave);
  edge(0, 7, EdgeKind::landing);
  edge(7, 5, EdgeKind::landing);
  p.marks = {0};
  p.plan.placement = core::Placement::trace;
  return p;
}

const analysis::TracedCode &made_up_code() {
  static const analysis::TracedCode code = [] {
    analysis::Object object;
    object.units.emplace_back().procedures.push_back(made_up_procedure());
    format::Anchor &anchor = object.anchors.emplace_back();
    anchor.key = 1000;
    anchor.parts.push_back({kAddress, 64, {0}, {}});
    return analysis::TracedCode(std::move(object));
  }();
  return code;
}

std::string made_up_trace() {
  chord_trace_chunk head{};
  head.magic = CHORD_TRACE_MAGIC;
  head.version = CHORD_TRACE_VERSION;
  head.size = 4096;
  head.thread = 1;
  std::string bytes(reinterpret_cast<const char *>(&head), sizeof head);
  auto marker = [](uint64_t kind, uint64_t payload) { return kind << CHORD_TRACE_KIND_SHIFT | payload; };
  for (uint64_t word : {uint64_t{1} << 32 | (kAddress + 2), CHORD_TRACE_FULL | 0x1234567, uint64_t{5} << 32 | (kAddress + 2), CHORD_TRACE_PARTIAL | 9,
                        marker(CHORD_TRACE_SIGNAL, uint64_t{3} << 48 | (kAddress + 12)), marker(CHORD_TRACE_SIGNAL_END, 0), marker(CHORD_TRACE_LEFT, kAddress + 24),
                        marker(CHORD_TRACE_JUMPED, kAddress + 24), marker(CHORD_TRACE_LANDS, kAddress + 48), marker(CHORD_TRACE_STACK, 2), kAddress + 24,
                        kAddress + 24, marker(CHORD_TRACE_STANDS, kAddress + 8), marker(CHORD_TRACE_STOPPED, 1)}) {
    bytes.append(reinterpret_cast<const char *>(&word), sizeof word);
  }
  bytes.resize(4096);
  return bytes;
}

}  // namespace

namespace {

// Calls nest, and none begins or ends before what was before it.
void check_calls(const format::TraceStream &stream, uint64_t end) {
  std::vector<analysis::TraceCall> open;
  uint64_t now = 0;
  analysis::CallVisitor visitor;
  visitor.begins = [&](const analysis::TraceCall &call) {
    if (call.depth != open.size() || call.began > end) __builtin_trap();
    if (!call.resumed && call.began < now) __builtin_trap();
    open.push_back(call);
  };
  visitor.ends = [&](const analysis::TraceCall &call, uint64_t number) {
    if (open.empty() || open.back().began != call.began || number < now || number < call.began) __builtin_trap();
    now = number;
    open.pop_back();
  };
  visit_calls(made_up_code(), stream, visitor);
  if (!open.empty()) __builtin_trap();
}

// Wherever it goes, the next stretch holds that number.
void check_index(const format::TraceStream &stream, uint64_t end) {
  analysis::TraceIndex index(made_up_code(), stream, 4);
  if (index.instructions() != end) __builtin_trap();
  for (uint64_t number = 0; number < end && number < 2000; number += 1 + number / 7) {
    analysis::TraceCursor cursor = index.seek(number);
    analysis::TraceStretch s;
    if (!cursor.next(s) || s.number > number || s.number + s.count <= number) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<uint64_t> aligned((size + 7) / 8);
  if (size != 0) std::memcpy(aligned.data(), data, size);
  format::Trace trace = format::parse_trace({reinterpret_cast<const char *>(aligned.data()), size}, "fuzz");
  for (const format::TraceStream &stream : trace.streams) {
    analysis::TraceCursor cursor(made_up_code(), stream);
    analysis::TraceStretch s;
    std::vector<uint64_t> edges(made_up_code().edge_count());
    cursor.count_edges(edges);
    uint64_t words = 1, number = 0;
    for (const auto &chunk : stream.chunks) words += chunk.size();
    for (uint64_t rounds = 0; cursor.next(s); ++rounds) {
      // Every word has at most 63 tokens, and a token leads through a few stretches.
      if (rounds > 64 * 8 * words || s.number != number || s.first + s.count > 16) __builtin_trap();
      number += s.count;
    }
    check_calls(stream, number);
    check_index(stream, number);
  }
  return 0;
}

std::vector<std::string> seeds() { return {made_up_trace(), made_up_trace() + made_up_trace()}; }

void repair(std::string &) {}
