#include "html/data/overview.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/cxx_names.h"
#include "html/facts/compare.h"
#include "html/text/json.h"
#include "report/source/summary.h"
#include "report/tables/listings.h"

namespace chord::html {
namespace {

using analysis::CountedProcedure;

constexpr size_t kHottestShown = 16, kLoopsShown = 8, kClassesShown = 8, kFilesShown = 8, kReasonsShown = 6;

// Functions as links name them: by linkage name, with a number where several have it. page/src/data.ts has the other direction.
class Keys {
 public:
  explicit Keys(const Facts &facts) {
    for (uint32_t i = 0; i < facts.order.size(); ++i) same_[facts.program.procedures[facts.order[i]].map->name].push_back(i);
  }
  std::string of(std::string_view name, uint32_t position) const {
    const std::vector<uint32_t> &all = same_.at(name);
    if (all.size() == 1) return std::string(name);
    return fmt::format("{}~{}", name, std::find(all.begin(), all.end(), position) - all.begin());
  }
  // The only function of that name in that unit; kOutside if there are several, or none.
  uint32_t find(const Facts &facts, std::string_view name, std::string_view unit) const {
    uint32_t found = kOutside;
    auto all = same_.find(name);
    if (all == same_.end()) return found;
    for (uint32_t i : all->second) {
      if (facts.program.procedures[facts.order[i]].unit->unit != unit) continue;
      if (found != kOutside) return kOutside;
      found = i;
    }
    return found;
  }

 private:
  std::unordered_map<std::string_view, std::vector<uint32_t>> same_;  // by name: positions in the page
};

// Cells of one row by the names of their columns.
class Row {
 public:
  Row(const report::Table &table, size_t row) : table_(&table), row_(row) {}
  const report::Cell &operator[](std::string_view key) const { return table_->at(row_, table_->column(key)); }

 private:
  const report::Table *table_;
  size_t row_;
};

bool is_missing(const report::Cell &cell) { return cell.kind == report::CellKind::missing; }

class OverviewWriter {
 public:
  OverviewWriter(const Facts &facts, const DataOptions &options) : facts_(facts), options_(options), keys_(facts) {}

  std::string write(const Tables &tables) {
    Object o(out_);
    put_head(out_, o, facts_);
    o.member("functions", uint64_t{facts_.order.size()});
    o.member("contexts");
    out_ += facts_.program.contexts.empty() ? "false" : "true";
    o.member("inlined");
    out_ += facts_.inlined.rows() == 0 ? "false" : "true";
    if (options_.comparison != nullptr) o.member("old", options_.comparison->old->instructions);
    o.member("hottest");
    hottest();
    o.member("concentration");
    concentration();
    o.member("loops");
    hot_loops(tables.loops);
    o.member("allLoops", uint64_t{tables.loops.rows()});
    o.member("mix");
    mix(tables.classes);
    o.member("files");
    files();
    o.member("leftOut");
    left_out();
    o.member("problems", static_cast<uint64_t>(std::count_if(facts_.program.procedures.begin(), facts_.program.procedures.end(),
                                                            [](const CountedProcedure &p) { return !is_known(p); })));
    o.end();
    return without_tags();
  }

 private:
  const CountedProcedure &at(uint32_t position) const { return facts_.program.procedures[facts_.order[position]]; }

  void name(Object &o, uint32_t position) {
    const std::string &linkage = at(position).map->name;
    o.member("key", std::string_view(keys_.of(linkage, position)));
    o.member("title", std::string_view(base::demangle(linkage)));
  }

  // Most executed first, as they are in the page.
  std::vector<uint32_t> executed() const {
    std::vector<uint32_t> out;
    for (uint32_t i = 0; i < facts_.order.size(); ++i) {
      if (is_known(at(i)) && at(i).instructions != 0) out.push_back(i);
    }
    return out;
  }

  void hottest() {
    std::vector<uint32_t> all = executed();
    if (all.size() > kHottestShown) all.resize(kHottestShown);
    put_array(out_, all, [&](uint32_t i) {
      Object o(out_);
      name(o, i);
      o.member("executed", at(i).instructions);
      o.member("calls", at(i).calls);
      o.end();
    });
  }

  // How many functions make up which part of the execution: a curve of at most some hundred points, and where it reaches
  // half, 90 % and 99 %.
  void concentration() {
    const std::vector<uint32_t> all = executed();
    const double whole = std::max(1.0, static_cast<double>(facts_.program.instructions));
    std::string of, share;
    uint64_t needed[3] = {all.size(), all.size(), all.size()};
    double sum = 0, next = 1;
    for (size_t n = 1; n <= all.size(); ++n) {
      sum += static_cast<double>(at(all[n - 1]).instructions);
      const double percent = 100 * sum / whole;
      for (size_t k = 0; k < 3; ++k) {
        constexpr double kParts[] = {50, 90, 99};
        if (percent >= kParts[k] - 1e-9) needed[k] = std::min<uint64_t>(needed[k], n);
      }
      if (static_cast<double>(n) < next && n != all.size()) continue;
      next = std::max(static_cast<double>(n) + 1, next * 1.04);
      of += fmt::format("{}{}", of.empty() ? "" : ",", n);
      share += fmt::format("{}{:.4f}", share.empty() ? "" : ",", percent);
    }
    out_ += fmt::format("{{\"of\":[{}],\"share\":[{}],\"needed\":[{},{},{}]}}", of, share, needed[0], needed[1], needed[2]);
  }

  // An interpreter's many jumps make loops around loops, most of which never go round: their headers are rarely come to.
  static bool goes_round(const Row &loop) {
    if (is_missing(loop["entered"]) || is_missing(loop["iterations"])) return true;
    return loop["iterations"].number >= loop["entered"].number;
  }

  void hot_loops(const report::Table &loops) {
    std::vector<Row> shown;
    for (size_t r = 0; r < loops.rows() && shown.size() < kLoopsShown; ++r) {
      const Row loop(loops, r);
      if (!is_missing(loop["executed"]) && loop["executed"].number != 0 && goes_round(loop)) shown.push_back(loop);
    }
    put_array(out_, shown, [&](const Row &loop) {
      Object o(out_);
      const uint32_t position = keys_.find(facts_, loop["function"].text, loop["unit"].text);
      if (position != kOutside) {
        name(o, position);
      } else {
        o.member("key");
        out_ += "null";
        o.member("title", loop["function"].text);
      }
      o.member("line", loop["line"].number);
      for (std::string_view key : {"executed", "entered", "iterations"}) {
        o.member(key);
        put_json_if(out_, !is_missing(loop[key]), loop[key].number);
      }
      o.end();
    });
  }

  void mix(const report::Table &classes) {
    std::vector<Row> rows;
    for (size_t r = 0; r < classes.rows(); ++r) rows.emplace_back(classes, r);
    std::stable_sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a["count"].number > b["count"].number; });
    rows.erase(rows.begin() + static_cast<ptrdiff_t>(std::min(rows.size(), kClassesShown)), rows.end());
    put_array(out_, rows, [&](const Row &row) {
      Object o(out_);
      o.member("name", row["opcode"].text);
      o.member("count", row["count"].number);
      o.end();
    });
  }

  // Those with most lines that never ran first.
  void files() {
    const std::vector<FileSum> sums = sum_files(facts_);
    std::vector<uint32_t> order;
    for (uint32_t f = 0; f < sums.size(); ++f) {
      if (sums[f].lines != 0) order.push_back(f);
    }
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return sums[a].lines - sums[a].ran > sums[b].lines - sums[b].ran;
    });
    if (order.size() > kFilesShown) order.resize(kFilesShown);
    put_array(out_, order, [&](uint32_t f) {
      Object o(out_);
      o.member("name", std::string_view(facts_.files.files()[f].name));
      o.member("shown", std::string_view(facts_.names[f]));
      o.member("path", std::string_view(facts_.files.files()[f].path));
      o.member("lines", sums[f].lines);
      o.member("ran", sums[f].ran);
      o.end();
    });
  }

  void left_out() {
    const std::map<std::string, uint64_t> by_reason = report::skipped_by_reason(facts_.program);
    std::vector<std::pair<std::string, uint64_t>> reasons(by_reason.begin(), by_reason.end());
    std::stable_sort(reasons.begin(), reasons.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    if (reasons.size() > kReasonsShown) reasons.resize(kReasonsShown);
    put_array(out_, reasons, [&](const auto &reason) {
      Object o(out_);
      o.member("reason", std::string_view(reason.first));
      o.member("times", reason.second);
      o.end();
    });
  }

  // In JSON `<` is only found inside of strings.
  std::string without_tags() const {
    std::string safe;
    for (char c : out_) safe += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
    return safe;
  }

  std::string out_;
  const Facts &facts_;
  const DataOptions &options_;
  Keys keys_;
};

}  // namespace

std::string put_overview(const Facts &facts, const DataOptions &options, const Tables &tables) {
  return OverviewWriter(facts, options).write(tables);
}

}  // namespace chord::html
