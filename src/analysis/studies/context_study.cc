#include "analysis/studies/context_study.h"

#include <chord_abi.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "format/facts/context_sites.h"

namespace chord::analysis {
namespace {

struct Shape {
  uint64_t sites = 0, bytes = 0, contexts = 0;
};

Shape shape_of(const format::Procedure &map) {
  constexpr uint64_t kLine = 64;  // records begin at lines of the cache
  Shape shape;
  shape.sites = format::context_sites(map).size();
  shape.bytes = CHORD_CONTEXT_COUNTERS + 8 * map.plan.words() + CHORD_CONTEXT_SLOT * shape.sites;
  shape.bytes = (shape.bytes + kLine - 1) / kLine * kLine;
  return shape;
}

// Calls that were made, and those that one path alone came to.
void add_calls(const Program &program, const CountedContext &context, ContextStudy &study) {
  if (context.details == nullptr) return;
  const std::vector<uint32_t> &paths = context.details->paths_to;
  study.has_paths = study.has_paths || !paths.empty();
  const std::vector<uint32_t> sites = format::context_sites(*program.procedures[context.procedure].map);
  for (size_t s = 0; s < sites.size(); ++s) {
    if (sites[s] >= context.details->executed.size() || context.details->executed[sites[s]] == 0) continue;
    ++study.reached;
    if (s < paths.size() && paths[s] == 1) ++study.one_path;
  }
}

}  // namespace

ContextStudy study_contexts(const Program &program) {
  ContextStudy study;
  study.program = program.name;
  study.nodes = program.contexts.size();
  std::unordered_map<uint32_t, Shape> shapes;  // by procedure
  std::unordered_set<uint64_t> used;           // by context and call
  std::vector<uint32_t> depth(program.contexts.size(), 1), children(program.contexts.size());
  for (size_t n = 0; n < program.contexts.size(); ++n) {
    const CountedContext &c = program.contexts[n];
    auto [shape, fresh] = shapes.try_emplace(c.procedure);
    if (fresh) shape->second = shape_of(*program.procedures[c.procedure].map);
    ++shape->second.contexts;
    study.record_bytes += shape->second.bytes;
    study.sites += shape->second.sites;
    if (c.parent == core::kNone) {
      ++study.roots;
    } else {
      depth[n] = depth[c.parent] + 1;
      used.insert(uint64_t{c.parent} << 32 | c.site);
      ++children[c.parent];
    }
    study.highest = std::max<uint64_t>(study.highest, depth[n]);
  }
  for (size_t n = 0; n < depth.size(); ++n) {
    if (children[n] != 0) {
      ++study.interior;
    } else {
      ++study.leaves;
      study.depths += depth[n];
    }
  }
  study.used = used.size();
  for (const CountedContext &c : program.contexts) add_calls(program, c, study);
  for (const auto &[procedure, shape] : shapes) {
    const std::string &name = program.procedures[procedure].map->name;
    if (shape.contexts < study.most_copies || (shape.contexts == study.most_copies && name > study.most_copied)) continue;
    study.most_copies = shape.contexts;
    study.most_copied = name;
  }
  return study;
}

}  // namespace chord::analysis
