#include "report/studies/study.h"

#include <fmt/core.h>

#include <cmath>

namespace chord::report {
namespace {

using analysis::PlacementCost;
using analysis::PlacementStudy;
using analysis::StudiedWeights;
using core::Placement;

// One counter per block, which all the others are compared with.
const PlacementCost &base_of(const PlacementStudy &study) {
  return study.at(Placement::redundant, StudiedWeights::measured);
}

Cell percent(double ratio) {
  Cell cell;
  cell.kind = CellKind::share;
  cell.share = ratio;
  return cell;
}

// Geometric means of ratios; a ratio to nothing is left out.
class Mean {
 public:
  void add(uint64_t part, uint64_t whole) {
    if (part == 0 || whole == 0) return;
    sum_ += std::log(static_cast<double>(part) / static_cast<double>(whole));
    ++terms_;
  }
  double value() const { return terms_ == 0 ? 0 : std::exp(sum_ / terms_); }

 private:
  double sum_ = 0;
  int terms_ = 0;
};

}  // namespace

const char *name_of(Placement placement) {
  switch (placement) {
    case Placement::optimal:
      return "edge";
    case Placement::redundant:
      return "redundant";
    case Placement::vertex:
      return "vertex";
    case Placement::vertex_edge:
      return "vertex-edge";
    case Placement::paths:
      return "paths";
    case Placement::chosen_paths:
      return "chosen paths";
    default:
      return "none";
  }
}

const char *name_of(StudiedWeights weights) {
  switch (weights) {
    case StudiedWeights::paper:
      return "paper";
    case StudiedWeights::estimate:
      return "ours";
    case StudiedWeights::measured:
      return "measured";
    case StudiedWeights::worst:
      return "worst";
  }
  return "";
}

Table placement_table(const std::vector<PlacementStudy> &studies) {
  Table t;
  t.by = "placement";
  t.columns = {{"program", "program", true},
               {"place", "place", true},
               {"weights", "weights", true},
               {"functions", ""},
               {"left_out", ""},
               {"blocks", "blocks"},
               {"edges", "edges"},
               {"counters", "counters"},
               {"jumps", "jumps"},
               {"increments", "increments"},
               {"of_blocks", "of blocks"},
               {"of_measured", "of measured"},
               {"instructions", "instructions"},
               {"executed", ""},
               {"added", "added"}};
  t.text_order = {0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 14};
  t.weight = 9;
  for (const PlacementStudy &s : studies) {
    for (const PlacementCost &c : s.costs) {
      t.add({text(s.program), text(name_of(c.placement)), text(name_of(c.weights)), number(s.procedures),
             number(s.left_out), number(s.blocks), number(s.edges), number(c.counters), number(c.jumps),
             number(c.increments), share(c.increments, base_of(s).increments),
             share(c.increments, s.at(c.placement, StudiedWeights::measured).increments),
             number(c.instructions), number(s.executed), share(c.instructions, s.executed)});
    }
  }
  return t;
}

Table placement_means(const std::vector<PlacementStudy> &studies) {
  Table t;
  t.by = "mean";
  t.columns = {{"place", "place", true},
               {"weights", "weights", true},
               {"of_blocks", "of blocks"},
               {"of_measured", "of measured"},
               {"added", "added"}};
  t.text_order = {0, 1, 2, 3, 4};
  t.weight = 2;
  for (Placement placement : analysis::kStudiedPlacements) {
    for (StudiedWeights weights : analysis::kStudiedWeights) {
      Mean of_blocks, of_measured, executed;
      for (const PlacementStudy &s : studies) {
        const PlacementCost &c = s.at(placement, weights);
        of_blocks.add(c.increments, base_of(s).increments);
        of_measured.add(c.increments, s.at(placement, StudiedWeights::measured).increments);
        executed.add(s.executed + c.instructions, s.executed);
      }
      t.add({text(name_of(placement)), text(name_of(weights)), percent(of_blocks.value()),
             percent(of_measured.value()), percent(executed.value() - 1)});
    }
  }
  return t;
}

Table branch_table(const std::vector<analysis::BranchStudy> &studies) {
  Table t;
  t.by = "heuristic";
  t.columns = {{"program", "program", true}, {"heuristic", "heuristic", true},
               {"branches", "branches"},     {"executed", "executed"},
               {"right", "right"},           {"branches_right", "by branch"},
               {"majority", "perfect"},      {"assumed", "assumed"}};
  t.text_order = {0, 1, 2, 3, 4, 5, 6, 7};
  t.weight = 3;
  auto add = [&](const std::string &program, const char *name, const analysis::BranchStudy::Row &row,
                 Cell assumed) {
    double by_branch = row.branches == 0 ? 0 : row.shares / static_cast<double>(row.branches);
    t.add({text(program), text(name), number(row.branches), number(row.executed),
           share(row.right, row.executed), percent(by_branch), share(row.majority, row.executed), assumed});
  };
  for (const analysis::BranchStudy &s : studies) {
    for (size_t h = 0; h < s.rows.size(); ++h) {
      auto heuristic = static_cast<format::Heuristic>(h);
      add(s.program, format::name_of(heuristic), s.rows[h], percent(format::probability_of(heuristic)));
    }
    add(s.program, "combined", s.all, Cell{});
  }
  return t;
}

Table context_table(const std::vector<analysis::ContextStudy> &studies) {
  Table t;
  t.by = "program";
  t.columns = {{"program", "program", true}, {"nodes", "contexts"}, {"record_bytes", "bytes"}, {"record", "each"}, {"roots", ""}, {"interior", ""},
               {"degree", "degree"}, {"leaves", ""}, {"leaf_depths", ""}, {"height", "height"}, {"highest", "highest"}, {"most_copied", "", true},
               {"most_copies", "of one function"}, {"sites", "calls"}, {"used", "used"}, {"reached", "reached"}, {"one_path", "by one path"}, {"profile_bytes", "profile"},
               {"plain_time", "plain ms"}, {"woven_time", "woven ms"}, {"overhead", "times"}};
  t.text_order = {0, 17, 1, 2, 3, 6, 9, 10, 12, 13, 15, 14, 16};
  const bool timed = std::any_of(studies.begin(), studies.end(), [](const analysis::ContextStudy &s) { return s.woven_time.has_value(); });
  if (timed) t.text_order.insert(t.text_order.begin() + 1, {18, 19, 20});
  t.weight = 1;
  for (const analysis::ContextStudy &s : studies) {
    auto mean = [&](double value) { return text(t.keep(fmt::format("{:.1f}", value))); };
    auto milliseconds = [&](const std::optional<uint64_t> &time) { return time ? mean(static_cast<double>(*time) / 1e6) : Cell{}; };
    const bool both = s.plain_time && s.woven_time && *s.plain_time != 0;
    Cell times = both ? text(t.keep(fmt::format("{:.2f}", static_cast<double>(*s.woven_time) / static_cast<double>(*s.plain_time)))) : Cell{};
    t.add({text(s.program), number(s.nodes), number(s.record_bytes), mean(s.record()), number(s.roots), number(s.interior), mean(s.degree()),
           number(s.leaves), number(s.depths), mean(s.height()), number(s.highest), text(s.most_copied), number(s.most_copies), number(s.sites),
           number(s.used), number(s.reached), s.has_paths ? number(s.one_path) : Cell{}, number(s.profile_bytes),
           milliseconds(s.plain_time), milliseconds(s.woven_time), times});
  }
  return t;
}

}  // namespace chord::report
