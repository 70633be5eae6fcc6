// Traces of any kind: reading and replaying them never crash, whatever words the chunks hold. They are replayed in a made-up
// procedure with a loop, a jump table, a call and a landing.
#include <cstring>

#include "analysis/trace/accesses.h"
#include "analysis/trace/calls.h"
#include "analysis/trace/index.h"
#include "analysis/trace/replay.h"
#include "fuzz.h"
#include "made_up_trace.h"

using namespace chord;

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

// Every instruction has its accesses, whatever became of their addresses.
void check_accesses(const format::TraceStream &stream, uint64_t end) {
  static const std::string bytes = made_up_bytes();
  analysis::TraceAccesses accesses(made_up_code(), stream, analysis::CodeBytes(kAddress, bytes));
  for (analysis::TraceStretch s; accesses.next(s);) {
    for (const analysis::TracedAccess &access : accesses.made()) {
      if (access.instruction < s.first || access.instruction >= s.first + s.count || access.bytes == 0) __builtin_trap();
    }
  }
  if (accesses.cursor().number() > end) __builtin_trap();
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
    for (size_t n = 0; n < stream.chunks.size(); ++n) words += stream.chunks[n].size();
    for (uint64_t rounds = 0; cursor.next(s); ++rounds) {
      // Every word has at most 63 tokens, and a token leads through a few stretches.
      if (rounds > 64 * 8 * words || s.number != number || s.first + s.count > 16) __builtin_trap();
      number += s.count;
    }
    check_calls(stream, number);
    check_index(stream, number);
    check_accesses(stream, number);
  }
  return 0;
}

std::vector<std::string> seeds() { return {made_up_trace(), made_up_trace() + made_up_trace(), made_up_addresses() + made_up_trace()}; }

void repair(std::string &) {}
