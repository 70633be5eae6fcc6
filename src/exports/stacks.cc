#include "exports/exports.h"
#include "exports/stacks.h"

#include <chord_abi.h>
#include <cxxabi.h>
#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "base/diagnostics.h"

namespace chord::exports {
namespace {

std::string demangled(const std::string &name) {
  int failed = 0;
  std::unique_ptr<char, void (*)(void *)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &failed), std::free);
  return plain == nullptr ? name : std::string(plain.get());
}

Frame frame_of(const analysis::CountedProcedure &p) {
  Frame frame{demangled(p.map->name), {}, 0};
  for (const format::Instruction &in : p.map->instructions) {
    if (in.line == 0) continue;
    frame.file = p.unit->files[in.file];
    frame.line = in.line;
    break;
  }
  return frame;
}

}  // namespace

Stacks stacks_of(const analysis::Program &program) {
  if (program.contexts.empty()) {
    throw base::Error(fmt::format("{}: the profile holds no calling contexts", program.name), "build with `chord --context gcc …`");
  }
  Stacks out;
  std::map<uint32_t, uint32_t> frame_at;  // by procedure
  std::map<std::vector<uint32_t>, uint64_t> sums;
  std::vector<std::vector<uint32_t>> chains;
  uint64_t inside = 0, overflow = 0;
  for (const analysis::CountedContext &c : program.contexts) {
    auto [at, fresh] = frame_at.try_emplace(c.procedure, static_cast<uint32_t>(out.frames.size()));
    if (fresh) out.frames.push_back(frame_of(program.procedures[c.procedure]));
    std::vector<uint32_t> chain;
    if (c.parent != core::kNone) chain = chains[c.parent];
    chain.push_back(at->second);
    if (c.exclusive != 0) sums[chain] += c.exclusive;
    inside += c.exclusive;
    if (c.kind == CHORD_CONTEXT_OVERFLOW) overflow += c.exclusive;
    chains.push_back(std::move(chain));
  }
  for (auto &[chain, instructions] : sums) out.stacks.push_back({chain, instructions});
  if (inside != program.instructions)
    out.warnings.push_back(fmt::format("{} instructions are of functions without contexts, and left out", program.instructions - inside));
  if (overflow != 0) out.warnings.push_back(fmt::format("{} instructions found no memory for their contexts: their functions stand alone", overflow));
  return out;
}

}  // namespace chord::exports
