#include "report/studies/path_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/plots/svg.h"

namespace chord::report {
namespace {

using analysis::PathStudy;
using analysis::SelectiveStudy;
using Function = SelectiveStudy::Function;

constexpr std::array kCurveColors = {"#4c78a8", "#2a9d8f", "#e9c46a", "#e76f51", "#9aa5b1"};
constexpr int kCurveWidth = 520, kCurveHeight = 200, kCurveLeft = 56, kCurvePanel = 270;

// Probes for k + 1 paths as a share of those for all; of the published algorithm if asked for.
double share_of(const Function &f, size_t k, bool published) {
  const Function::Cost &c = f.chosen[k];
  uint64_t probes = published ? c.published : c.sound;
  return c.draws == 0 || f.probes == 0 ? 0 : static_cast<double>(probes) / static_cast<double>(c.draws * f.probes);
}

// Of all functions with more than k paths, ascending.
std::vector<double> shares(const std::vector<const SelectiveStudy *> &studies, size_t k, bool published) {
  std::vector<double> all;
  for (const SelectiveStudy *s : studies) {
    for (const Function &f : s->functions) {
      if (f.chosen[k].draws != 0) all.push_back(share_of(f, k, published));
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

double mean(const std::vector<double> &values) {
  double sum = 0;
  for (double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double quantile(const std::vector<double> &sorted, double part) {
  return sorted.empty() ? 0 : sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
}

Cell fraction(double value) {
  Cell cell = share(0, 1);
  cell.share = value;
  return cell;
}

std::string grid_line(double y, const std::string &text) {
  return fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>\n", kCurveLeft, kCurveLeft + kCurveWidth, y) +
         svg_label(kCurveLeft - 6, y + 4, "end", text);
}

std::string document(int height, const std::string &body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<style>text{{font:12px sans-serif;fill:#667}} .grid{{stroke:#8886;stroke-width:1}} "
      "polyline{{fill:none;stroke-width:2}}</style>\n{2}</svg>\n",
      kCurveLeft + kCurveWidth + 20, height, body);
}

// The functions side by side, each curve sorted by itself.
std::string curves(double top, const std::string &title, const std::vector<const SelectiveStudy *> &studies, bool published) {
  double bottom = top + 30 + kCurveHeight;
  std::string out = svg_label(kCurveLeft, top + 16, "start", title);
  for (int tick = 0; tick <= 4; ++tick) out += grid_line(bottom - kCurveHeight * tick / 4.0, fmt::format("{}%", 25 * tick));
  for (size_t k = 0; k < analysis::kMostStudiedPaths; ++k) {
    std::vector<double> values = shares(studies, k, published);
    if (values.empty()) continue;
    out += fmt::format("<polyline stroke=\"{}\" points=\"", kCurveColors[k]);
    for (size_t i = 0; i < values.size(); ++i) {
      double x = kCurveLeft + kCurveWidth * (static_cast<double>(i) + 0.5) / static_cast<double>(values.size());
      out += fmt::format("{:.1f},{:.1f} ", x, bottom - kCurveHeight * std::min(values[i], 1.0));
    }
    out += fmt::format("\"><title>{} paths: mean {:.1f}%</title></polyline>\n", k + 1, 100 * mean(values));
    double key = kCurveLeft + 60.0 * static_cast<double>(k);
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", key, bottom + 10, kCurveColors[k]);
    out += svg_label(key + 14, bottom + 19, "start", fmt::format("{} path{}", k + 1, k == 0 ? "" : "s"));
  }
  return out;
}

}  // namespace

Table path_table(const std::vector<PathStudy> &studies) {
  Table t;
  t.by = "program";
  t.columns = {{"program", "program", true}, {"functions", "functions"}, {"possible", "possible"}, {"executed", "executed"},
               {"partial", "partial"}, {"hot1", "hot 1%"}, {"hot1_functions", ""}, {"hot1_share", "of instrs"},
               {"hot01", "hot 0.1%"}, {"hot01_functions", ""}, {"hot01_share", "of instrs"}, {"instructions", "instructions"}, {"probes", "probes run"},
               {"probe_share", "of instrs"}};
  t.text_order = {0, 1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 13};
  t.weight = 11;
  for (const PathStudy &s : studies) {
    t.add({text(s.program), number(s.functions), number(s.possible), number(s.executed), number(s.partial),
           number(s.percent.paths), number(s.percent.functions), share(s.percent.instructions, s.instructions),
           number(s.permille.paths), number(s.permille.functions), share(s.permille.instructions, s.instructions),
           number(s.instructions), number(s.probes), share(s.probes, s.instructions)});
  }
  return t;
}

Table selective_table(const std::vector<SelectiveStudy> &studies) {
  Table t;
  t.by = "selection";
  t.columns = {{"program", "program", true}, {"paths", "paths"}, {"functions", "functions"}, {"probes", "probes for all"},
               {"sound", "sound"}, {"sound_quarter", "25%"}, {"sound_half", "50%"}, {"sound_three_quarters", "75%"},
               {"published", "published"}, {"draws", ""}, {"mixed_up", "mixed up"}};
  t.text_order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10};
  t.weight = 3;
  for (const SelectiveStudy &s : studies) {
    for (size_t k = 0; k < analysis::kMostStudiedPaths; ++k) {
      uint64_t functions = 0, probes = 0, draws = 0, mixed_up = 0;
      for (const Function &f : s.functions) {
        if (f.chosen[k].draws == 0) continue;
        ++functions;
        probes += f.probes;
        draws += f.chosen[k].draws;
        mixed_up += f.chosen[k].mixed_up;
      }
      std::vector<double> sound = shares({&s}, k, false);
      t.add({text(s.program), number(k + 1), number(functions), number(probes), fraction(mean(sound)),
             fraction(quantile(sound, 0.25)), fraction(quantile(sound, 0.5)), fraction(quantile(sound, 0.75)),
             fraction(mean(shares({&s}, k, true))), number(draws), share(mixed_up, draws)});
    }
  }
  return t;
}

Table selective_functions(const std::vector<SelectiveStudy> &studies) {
  Table t;
  t.by = "function";
  t.columns = {{"program", "program", true}, {"function", "function", true}, {"paths", "paths"}, {"probes", "probes for all"}};
  for (const char *algorithm : {"sound", "published"}) {
    for (size_t k = 1; k <= analysis::kMostStudiedPaths; ++k) t.columns.push_back({fmt::format("{}{}", algorithm, k), fmt::format("{} {}", algorithm, k)});
  }
  t.text_order = {0, 2, 3, 4, 5, 6, 7, 8, 1};
  t.weight = 3;
  std::vector<std::pair<const SelectiveStudy *, const Function *>> rows;
  for (const SelectiveStudy &s : studies) {
    for (const Function &f : s.functions) rows.emplace_back(&s, &f);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto &a, const auto &b) { return share_of(*a.second, 0, false) < share_of(*b.second, 0, false); });
  for (const auto &[s, f] : rows) {
    std::vector<Cell> row = {text(s->program), text(f->name), number(f->paths), number(f->probes)};
    for (bool published : {false, true}) {
      for (size_t k = 0; k < analysis::kMostStudiedPaths; ++k) row.push_back(f->chosen[k].draws == 0 ? Cell{} : fraction(share_of(*f, k, published)));
    }
    t.add(row);
  }
  return t;
}

std::string selective_svg(const std::vector<SelectiveStudy> &studies) {
  std::vector<const SelectiveStudy *> all;
  for (const SelectiveStudy &s : studies) all.push_back(&s);
  return document(2 * kCurvePanel, curves(0, "probes for chosen paths, of those for all, by function: sound", all, false) +
                                  curves(kCurvePanel, "the same: published", all, true));
}

std::string path_svg(const std::vector<PathStudy> &studies) {
  uint64_t greatest = 10;
  for (const PathStudy &s : studies) greatest = std::max(greatest, s.executed);
  double decades = std::ceil(std::log10(static_cast<double>(greatest))), bottom = 30.0 + kCurveHeight;
  std::string out = svg_label(kCurveLeft, 16, "start", "paths executed, hot at 0.1 %, hot at 1 %");
  for (int d = 0; d <= static_cast<int>(decades); ++d) out += grid_line(bottom - kCurveHeight * d / decades, fmt::format("{:.0f}", std::pow(10, d)));
  double group = static_cast<double>(kCurveWidth) / static_cast<double>(std::max<size_t>(1, studies.size()));
  for (size_t i = 0; i < studies.size(); ++i) {
    const PathStudy &s = studies[i];
    const std::array<uint64_t, 3> values = {s.executed, s.permille.paths, s.percent.paths};
    double left = kCurveLeft + group * static_cast<double>(i), bar = std::min(24.0, group / 4);
    for (size_t b = 0; b < values.size(); ++b) {
      double height = values[b] == 0 ? 0 : std::max(1.0, kCurveHeight * std::log10(static_cast<double>(values[b])) / decades);
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}</title></rect>\n",
                         left + bar * (static_cast<double>(b) + 0.5), bottom - height, bar - 2, height, kCurveColors[b], values[b]);
    }
    out += svg_label(left + 2 * bar, bottom + 16, "middle", s.program);
  }
  return document(kCurvePanel, out);
}

}  // namespace chord::report
