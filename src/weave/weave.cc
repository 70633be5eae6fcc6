#include "weave/weave.h"

#include <chord_abi.h>
#include <fmt/core.h>
#include <fnmatch.h>

#include "assembly/liveness.h"
#include "base/hash.h"
#include "weave/describe.h"
#include "weave/emit_records.h"
#include "weave/plan_procedure.h"
#include "weave/sites.h"
#include "weave/weave_procedure.h"

namespace chord::weave {
namespace {

bool matches_any(const std::vector<std::string> &globs, const std::string &function, const std::string &file) {
  for (const std::string &glob : globs) {
    if (fnmatch(glob.c_str(), function.c_str(), 0) == 0 || fnmatch(glob.c_str(), file.c_str(), 0) == 0) return true;
  }
  return false;
}

// Branches that reach one byte far only: the code put between them and their
// target must not push it out of reach. Probes and grown jumps are estimated high.
bool short_branch_breaks(const assembly::Procedure &p, const core::Plan &plan) {
  bool any = false;
  for (const assembly::Instruction &in : p.instructions) any = any || in.decoded.short_only;
  if (!any) return false;
  constexpr int64_t kReach = 127, kProbe = 40, kJumpGrowth = 4;
  for (uint32_t i = 0; i < p.instructions.size(); ++i) {
    const assembly::Instruction &in = p.instructions[i];
    if (!in.decoded.short_only) continue;
    int64_t from = in.offset + in.decoded.size;
    int64_t to = from + in.decoded.displacement;
    int64_t low = std::min(from, to), high = std::max(from, to), grown = high - low;
    for (const assembly::Instruction &other : p.instructions) {
      bool between = other.fragment == in.fragment && other.offset >= low && other.offset < high;
      if (between && (other.decoded.flow == isa::Flow::jump || other.decoded.flow == isa::Flow::conditional)) {
        grown += kJumpGrowth;
      }
    }
    for (const core::Counter &c : plan.counters) {
      uint32_t block = c.site == core::Site::edge ? p.edges[c.id].from : c.id;
      uint32_t target = c.site == core::Site::edge ? p.edges[c.id].to : c.id;
      for (uint32_t b : {block, target}) {
        if (p.blocks[b].count == 0) continue;
        const assembly::Instruction &first = p.instructions[p.blocks[b].first];
        const assembly::Instruction &last = p.instructions[p.blocks[b].first + p.blocks[b].count - 1];
        if (first.offset <= high && last.offset + last.decoded.size >= low) {
          grown += kProbe;
          break;
        }
      }
    }
    if (grown > kReach) return true;
  }
  return false;
}

class UnitWeaver {
 public:
  UnitWeaver(const assembly::Unit &unit, const Options &options, const Surroundings &around)
      : unit_(unit), options_(options), around_(around), describer_(unit, out_.map), jumped_(jumped_labels(unit)) {}

  Woven run() {
    for (uint32_t n = 0; n < unit_.procedures.size(); ++n) procedure(n);
    if (out_.woven == 0) {
      out_.text = unit_.source->text;
    } else {
      out_.text = edits_.apply(unit_.source->text, out_.inserted);
      uint32_t end = static_cast<uint32_t>(out_.text.size());
      out_.text += tail();
      out_.inserted.push_back({end, static_cast<uint32_t>(out_.text.size())});
    }
    return std::move(out_);
  }

 private:
  void procedure(uint32_t n) {
    const assembly::Procedure &p = unit_.procedures[n];
    std::string file = describer_.file_of(p);
    if (!is_selected(options_, std::string(p.name), file)) return;
    format::Procedure map = describer_.describe(p);
    map.key = base::Hash().add(out_.map.id).add(uint64_t{n}).value();
    if (map.skipped.empty()) map.skipped = weave(n, p, map);
    if (map.skipped.empty()) {
      records_ += emit_records(unit_, p, map, n, options_);
      ++out_.woven;
    } else {
      map.instructions.clear();
      map.blocks.clear();
      map.edges.clear();
      map.marks.clear();
      map.plan = {};
      ++out_.skipped;
    }
    out_.map.procedures.push_back(std::move(map));
  }

  // Empty, or why the procedure is left alone.
  std::string weave(uint32_t n, const assembly::Procedure &p, format::Procedure &map) {
    assembly::Liveness liveness = assembly::compute_liveness(unit_, p);
    Sites sites = find_sites(unit_, p, liveness, jumped_);
    std::string why_not;
    std::optional<core::Plan> plan = plan_procedure(unit_, p, sites, options_, why_not);
    if (!plan) return why_not;
    if (short_branch_breaks(p, *plan)) return "a one-byte branch over too much code";
    WovenProcedure woven = weave_procedure(unit_, p, n, *plan, sites, options_);
    edits_.append(woven.edits);
    map.plan = std::move(*plan);
    map.marks = std::move(woven.marks);
    return {};
  }

  std::string tail() const {
    return fmt::format(
        "\n\t.att_syntax prefix\n{}\t.section {},\"\",@progbits\n\t.incbin \"{}\"\n\t.include \"{}\"\n", records_,
        CHORD_MAP_SECTION, around_.map_file, around_.runtime_file);
  }

  const assembly::Unit &unit_;
  const Options &options_;
  const Surroundings &around_;
  Woven out_;
  Describer describer_;
  JumpedLabels jumped_;
  Edits edits_;
  std::string records_;
};

}  // namespace

bool is_selected(const Options &options, const std::string &function, const std::string &file) {
  if (!options.only.empty() && !matches_any(options.only, function, file)) return false;
  return !matches_any(options.except, function, file);
}

Woven weave_unit(const assembly::Unit &unit, const Options &options, const Surroundings &surroundings) {
  return UnitWeaver(unit, options, surroundings).run();
}

}  // namespace chord::weave
