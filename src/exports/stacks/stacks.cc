#include "exports/stacks/stacks.h"

#include <chord_abi.h>
#include <fmt/core.h>

#include <algorithm>
#include <unordered_map>

#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "report/tables/procedures.h"

namespace chord::exports {

using analysis::CountedContext;
using analysis::Program;

Frame frame_of(const analysis::CountedProcedure &p) {
  Frame frame{base::demangle(p.map->name), {}, 0};
  for (const format::Instruction &in : p.map->instructions) {
    if (in.line == 0) continue;
    frame.file = p.unit->files[in.file];
    frame.line = in.line;
    break;
  }
  return frame;
}

std::vector<uint32_t> Stacks::chain(size_t stack) const {
  std::vector<uint32_t> out{stacks[stack].frame};
  for (uint32_t at = stacks[stack].parent; at != core::kNone; at = stacks[at].parent) out.push_back(stacks[at].frame);
  std::reverse(out.begin(), out.end());
  return out;
}

void want_contexts(const Program &program) {
  if (program.contexts.empty())
    throw base::Error(fmt::format("{}: the profile holds no calling contexts", program.name), "build with `chord --context gcc …`");
}

std::vector<std::string> context_warnings(const Program &program) {
  std::vector<std::string> warnings;
  uint64_t inside = 0, overflow = 0;
  for (const CountedContext &c : program.contexts) {
    inside += c.exclusive;
    if (c.kind == CHORD_CONTEXT_OVERFLOW) overflow += c.exclusive;
  }
  if (inside != program.instructions)
    warnings.push_back(fmt::format("{} instructions are of functions without contexts, and left out", program.instructions - inside));
  if (overflow != 0) warnings.push_back(fmt::format("{} instructions found no memory for their contexts: their functions stand alone", overflow));
  return warnings;
}

Stacks stacks_of(const Program &program) {
  want_contexts(program);
  Stacks out;
  out.warnings = context_warnings(program);
  std::unordered_map<uint32_t, uint32_t> frame_at;  // by procedure
  std::unordered_map<uint64_t, uint32_t> known;     // by parent and frame
  std::vector<uint32_t> stack_of;
  stack_of.reserve(program.contexts.size());
  for (const CountedContext &c : program.contexts) {
    auto [frame, fresh_frame] = frame_at.try_emplace(c.procedure, static_cast<uint32_t>(out.frames.size()));
    if (fresh_frame) out.frames.push_back(frame_of(program.procedures[c.procedure]));
    uint32_t parent = c.parent == core::kNone ? core::kNone : stack_of[c.parent];
    auto [at, fresh] = known.try_emplace(uint64_t{parent} << 32 | frame->second, static_cast<uint32_t>(out.stacks.size()));
    if (fresh) out.stacks.push_back({parent, frame->second, 0});
    out.stacks[at->second].instructions += c.exclusive;
    stack_of.push_back(at->second);
  }
  return out;
}

}  // namespace chord::exports
