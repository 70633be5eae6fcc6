#include "report/source/annotate.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/source/lines.h"
#include "base/cxx_names.h"
#include "base/diagnostics.h"
#include "base/function_names.h"
#include "report/contexts/inline_tables.h"
#include "report/source/inlined_lines.h"
#include "report/tables/function_names.h"
#include "report/tables/listings.h"
#include "report/tables/names.h"
#include "report/tables/sources.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;
using analysis::LineCount;
using analysis::Program;

constexpr size_t kMargin = 15, kMetricMargin = 13;

// Of functions that were inlined at a line: how many are named, and columns of a name.
constexpr size_t kInlinedNames = 4, kInlinedName = 40;
constexpr size_t kSymbol = 20;

// An instruction is one of many: a quarter of what makes a line hot is enough.
constexpr double kInstructionHeat = 4;

// What to show of one file: all of it, or the lines of a function.
struct Part {
  uint32_t file = 0;
  uint32_t first = 1, last = UINT32_MAX;
  auto operator<=>(const Part &) const = default;
};

struct Selection {
  std::vector<Part> parts;
  // Only these procedures' instructions are shown; empty: all of the file's.
  std::set<const CountedProcedure *> procedures;
};

bool names_file(const analysis::SourceFile &file, const std::string &target) {
  namespace fs = std::filesystem;
  return file.name == target || file.path == target || fs::path(file.name).filename() == target ||
         file.path == fs::absolute(target).lexically_normal().string();
}

// The lines of a function's own file; what was inlined from elsewhere is theirs.
std::optional<Part> lines_of(const CountedProcedure &p, const analysis::FileTable &files) {
  std::optional<Part> part;
  for (const format::Instruction &i : p.map->instructions) {
    if (i.line == 0) continue;
    uint32_t file = files.number(*p.unit, i.file);
    if (!part && p.map->line != 0) part = Part{files.number(*p.unit, p.map->file), p.map->line, p.map->line};
    if (!part) part = Part{file, i.line, i.line};
    if (part->file != file) continue;
    part->first = std::min(part->first, i.line);
    part->last = std::max(part->last, i.line);
  }
  return part;
}

// Names of inlined functions that fit best.
std::set<std::string> inlined_named(const InlineTables &tables, const std::string &target) {
  std::set<std::string> all, found;
  for (const auto &table : tables.of_module) {
    for (const analysis::InlinedCall &call : table->calls()) all.insert(call.function);
  }
  base::Fit best = base::Fit::none;
  for (const std::string &name : all) {
    base::Fit fit = base::fit_of(name, target);
    if (fit == base::Fit::none || fit > best) continue;
    if (fit < best) found.clear();
    best = fit;
    found.insert(name);
  }
  return found;
}

// Of functions that were inlined wherever they are called: the lines that their instructions come from, and those where others were inlined into
// them, in each file.
std::vector<Part> lines_of_inlined(const Program &program, const std::string &target, const analysis::FileTable &files) {
  InlineTables tables(program);
  const std::set<std::string> wanted = inlined_named(tables, target);
  if (wanted.empty()) return {};
  const InlineChains chains(tables, files);
  std::map<std::pair<std::string, uint32_t>, Part> parts;
  auto add = [&](const std::string &function, uint64_t key) {
    const auto file = static_cast<uint32_t>(key >> 32), line = static_cast<uint32_t>(key);
    if (line == 0 || !wanted.contains(function)) return;
    Part &part = parts.try_emplace({function, file}, Part{file, line, line}).first->second;
    part.first = std::min(part.first, line);
    part.last = std::max(part.last, line);
  };
  for (const CountedProcedure &p : program.procedures) {
    const std::vector<uint64_t> own = analysis::line_keys(p, files);
    const std::vector<std::vector<uint32_t>> calls = chains.of(p);
    for (size_t i = 0; i < calls.size(); ++i) {
      for (size_t n = 0; n < calls[i].size(); ++n) {
        add(chains.call(p, calls[i][n]).function, n + 1 < calls[i].size() ? chains.site(p, calls[i][n + 1]) : own[i]);
      }
    }
  }
  std::vector<Part> found;
  for (const auto &[place, part] : parts) found.push_back(part);
  return found;
}

Selection select(const Program &program, const std::string &target, const analysis::FileTable &files) {
  Selection selection;
  for (uint32_t f = 0; f < files.files().size(); ++f) {
    if (target.empty() || names_file(files.files()[f], target)) selection.parts.push_back({f, 1, UINT32_MAX});
  }
  if (!selection.parts.empty()) return selection;
  selection.procedures = functions_named(program, target);
  for (const CountedProcedure *p : selection.procedures) {
    if (std::optional<Part> part = lines_of(*p, files)) selection.parts.push_back(*part);
  }
  if (selection.procedures.empty()) selection.parts = lines_of_inlined(program, target, files);
  // Copies of a function are one part.
  std::sort(selection.parts.begin(), selection.parts.end());
  selection.parts.erase(std::unique(selection.parts.begin(), selection.parts.end()), selection.parts.end());
  if (selection.procedures.empty() && selection.parts.empty()) {
    for (const analysis::Skipped &s : program.skipped) {
      if (s.map->name == target)
        throw base::Error(fmt::format("{}: was not instrumented: {}", target, s.map->skipped));
    }
    throw base::Error(fmt::format("{}: neither a source file nor a function of {}", target, program.name),
                      "chord report --by=function lists the functions, --by=inlined those that were inlined, --by=file the files");
  }
  return selection;
}

// Without parameters, namespaces and classes: what is written beside it says the rest.
std::string short_name(const std::string &function) {
  const std::string name = base::unqualified(base::familiar_name(base::demangle(function)));
  return name.substr(0, name.find("[abi:"));
}

// A symbol beside instructions: as it is where that is short, else the function's name with what marks a fragment.
std::string symbol_name(const std::string &symbol) {
  if (symbol.size() <= kSymbol) return symbol;
  const size_t mark = std::min(symbol.find('.'), symbol.size());
  return fit_name(short_name(symbol.substr(0, mark)), kSymbol) + symbol.substr(mark);
}

// Where an instruction is: to list them under their line, in the order of the text.
struct Place {
  const CountedProcedure *procedure = nullptr;
  uint32_t instruction = 0;
  std::string inlined;  // function and line it was inlined from; empty: it is listed at its own line
};
using PlacesByLine = std::map<std::pair<uint32_t, uint32_t>, std::vector<Place>>;

// Where functions are shown, what was inlined into them is listed at the line that calls it.
PlacesByLine places_by_line(const Program &program, const Selection &selection, const analysis::FileTable &files, const InlineChains &chains) {
  PlacesByLine places;
  for (const CountedProcedure &p : program.procedures) {
    if (!selection.procedures.empty() && !selection.procedures.contains(&p)) continue;
    std::vector<uint64_t> keys = analysis::line_keys(p, files);
    std::vector<std::vector<uint32_t>> calls(keys.size());
    if (!selection.procedures.empty()) calls = chains.of(p);
    for (uint32_t i = 0; i < keys.size(); ++i) {
      const uint64_t site = calls[i].empty() ? 0 : chains.site(p, calls[i].front());
      Place place{&p, i, {}};
      if (site != 0) {
        const format::Instruction &instruction = p.map->instructions[i];
        place.inlined = short_name(chains.call(p, calls[i].back()).function);
        if (instruction.line != 0) place.inlined += fmt::format(", {}:{}", std::filesystem::path(p.unit->files[instruction.file]).filename().string(), instruction.line);
        keys[i] = site;
      }
      places[{static_cast<uint32_t>(keys[i] >> 32), static_cast<uint32_t>(keys[i])}].push_back(std::move(place));
    }
  }
  return places;
}

class Writer {
 public:
  Writer(const Program &program, const Annotation &what, const TextStyle &style)
      : files_(program), what_(what), style_(style), only_ran_(program.only_ran) {
    selection_ = select(program, what.target, files_);
    lines_ = analysis::count_lines(program, selection_.procedures);
    const InlineTables tables(program);
    const InlineChains chains(tables, files_);
    inlined_ = inlined_lines(program, chains, files_, selection_.procedures);
    count_inlined_code(program, inlined_, lines_);
    if (what.instructions) places_ = places_by_line(program, selection_, files_, chains);
    all_ = selection_.procedures.empty() ? program.instructions : 0;
    for (const CountedProcedure *p : selection_.procedures) all_ += p->exact() ? p->instructions : 0;
  }

  Annotated run() {
    for (const Part &part : selection_.parts) show(part);
    if (what_.instructions && !places_[{0, 0}].empty()) {
      heading("instructions without a source line");
      instructions(0, 0);
    }
    if (out_.text.empty()) {
      throw base::Error(
          fmt::format("{}: no line information", what_.target.empty() ? "the program" : what_.target),
          "compile with -g to see source lines, or use --instructions");
    }
    return std::move(out_);
  }

 private:
  void heading(const std::string &title) {
    if (!out_.text.empty()) put("");
    put(bold(title, style_));
  }

  void put(const std::string &line, double heat = 0) {
    out_.text += line + "\n";
    out_.heat.push_back(heat);
  }

  double share(bool exact, uint64_t executed) const {
    return only_ran_ || !exact || all_ == 0 ? 0 : static_cast<double>(executed) / static_cast<double>(all_);
  }

  std::vector<const LineCount *> lines_in(const Part &part) const {
    std::vector<const LineCount *> found;
    for (const LineCount &l : lines_.lines) {
      if (l.file == part.file && l.line >= part.first && l.line <= part.last) found.push_back(&l);
    }
    return found;
  }

  // The last line of a part where something was inlined; 0: there is none.
  uint32_t last_inlined(const Part &part) const {
    uint32_t last = 0;
    for (const auto &[key, inlined] : inlined_) {
      const auto line = static_cast<uint32_t>(key);
      if (key >> 32 == part.file && line >= part.first && line <= part.last) last = std::max(last, line);
    }
    return last;
  }

  void show(const Part &part) {
    std::vector<const LineCount *> counts = lines_in(part);
    const uint32_t last_call = last_inlined(part);
    if (counts.empty() && last_call == 0) return;
    const analysis::SourceFile &file = files_.files()[part.file];
    const std::vector<std::string> *source = read(file);
    // Of every file of a program those that cannot be read are not worth a listing.
    if (!source && what_.target.empty() && !what_.instructions) return;
    heading(file.name);
    size_t next = 0;
    uint32_t first = source || counts.empty() ? part.first : counts.front()->line;
    uint32_t last =
        std::min<uint32_t>(part.last, source ? static_cast<uint32_t>(source->size()) : UINT32_MAX);
    const uint32_t last_count = counts.empty() ? last_call : counts.back()->line;
    last = source ? std::max(last, last_count) : last_count;
    for (uint32_t line = first; line <= last; ++line) {
      const LineCount *count = next < counts.size() && counts[next]->line == line ? counts[next++] : nullptr;
      auto found = inlined_.find(analysis::line_key(part.file, line));
      const InlinedLine *inlined = found == inlined_.end() ? nullptr : &found->second;
      if (!source && count == nullptr && inlined == nullptr) continue;
      source_line(count, inlined, line, source && line <= source->size() ? (*source)[line - 1] : "");
      if (inlined != nullptr) inlined_line(*inlined, source && line <= source->size() ? indent((*source)[line - 1]) : 0);
      if (what_.instructions && (count != nullptr || inlined != nullptr)) instructions(part.file, line);
    }
  }

  // Null if it cannot be read.
  const std::vector<std::string> *read(const analysis::SourceFile &file) {
    const SourceText &text = sources_.text(file);
    if (text.changed && warned_.insert(text.path).second) {
      const char *when = file.hashes.size() == 1 ? "since the program was built" : "while the program was being built";
      out_.warnings.push_back(fmt::format("{}: changed {}; counts may stand at the wrong lines", text.path, when));
    }
    if (text.found) return &text.lines;
    if (!what_.target.empty()) {
      out_.warnings.push_back(
          fmt::format("{}: the source cannot be read; its counts are shown without it", file.path));
    }
    return nullptr;
  }

  std::string margin(bool exact, uint64_t count, double heat) const {
    if (!exact) return fmt::format("{:>{}}", "?", kMargin);
    if (count == 0) return cold(fmt::format("{:>{}}", "#####", kMargin), style_);
    return hot(fmt::format("{:>{}}", only_ran_ ? "ran" : group_digits(count), kMargin), heat, style_);
  }

  // Nothing without --metric.
  std::string metric_margin(std::optional<uint64_t> value) const {
    if (!what_.metric) return {};
    return fmt::format("{:>{}}", value && *value != 0 ? group_digits(*value) : "", kMetricMargin);
  }

  void source_line(const LineCount *count, const InlinedLine *inlined, uint32_t line, const std::string &source) {
    std::string left(kMargin, ' ');
    // All that is left of the line was inlined there.
    if (count == nullptr && inlined != nullptr) {
      const bool ran = only_ran_ || inlined->arrivals == 0;
      left = margin(inlined->exact && inlined->known, ran ? inlined->executed : inlined->arrivals, share(inlined->exact, inlined->executed));
    }
    // A line whose instructions ran though no arrival was counted has run.
    bool by_instructions = count != nullptr && !count->ran_inlined && (only_ran_ || count->count == 0);
    const double heat = count == nullptr ? 0 : share(count->exact, count->executed);
    if (count != nullptr) left = margin(count->exact && count->count_known, by_instructions ? count->executed : count->count, heat);
    if (what_.metric) left += metric_margin(count == nullptr ? std::nullopt : analysis::value_of(count->metrics, *what_.metric));
    std::string text = fmt::format("{} |{:>6}  {}", left, line, source);
    text.erase(text.find_last_not_of(' ') + 1);
    put(text, heat);
  }

  // The functions that were inlined at a line, with their instructions, most first.
  void inlined_line(const InlinedLine &inlined, size_t indent) {
    if (only_ran_ || !inlined.exact || inlined.executed == 0) return;
    std::map<std::string, uint64_t> by_name;
    for (const auto &[function, executed] : inlined.functions) by_name[short_name(function)] += executed;
    std::vector<std::pair<std::string, uint64_t>> all(by_name.begin(), by_name.end());
    std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.second > b.second; });
    std::string text;
    size_t listed = 0;
    for (const auto &[name, executed] : all) {
      if (executed == 0 || listed == kInlinedNames) break;
      text += fmt::format("{}{} {}", listed++ == 0 ? "" : ", ", fit_name(name, kInlinedName), group_digits(executed));
    }
    if (listed < all.size() && all[listed].second != 0) text += ", …";
    const std::string left(kMargin + (what_.metric ? kMetricMargin : 0), ' ');
    put(fmt::format("{} |        {}", left, dim(fmt::format("{}↳ {}", std::string(indent, ' '), text), style_)), 0);
  }

  static size_t indent(const std::string &source) {
    size_t columns = 0;
    for (char c : source) {
      if (c != ' ' && c != '\t') break;
      columns = c == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
    }
    return columns;
  }

  void instructions(uint32_t file, uint32_t line) {
    std::vector<Place> &places = places_[{file, line}];
    std::stable_sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
      const format::Instruction &x = a.procedure->map->instructions[a.instruction];
      const format::Instruction &y = b.procedure->map->instructions[b.instruction];
      return std::tuple(a.procedure->address, x.fragment, x.offset) <
             std::tuple(b.procedure->address, y.fragment, y.offset);
    });
    for (const Place &place : places) {
      const format::Instruction &i = place.procedure->map->instructions[place.instruction];
      std::string text = i.text;
      std::replace(text.begin(), text.end(), '\t', ' ');
      if (!place.inlined.empty()) text += fmt::format("  ({})", place.inlined);
      std::string where = fmt::format("{}+{:#x}", symbol_name(place.procedure->map->fragments[i.fragment].name), i.offset);
      const bool exact = place.procedure->exact();
      const uint64_t executed = place.procedure->executed[place.instruction];
      const double heat = kInstructionHeat * share(exact, executed);
      put(fmt::format("{}{} |        {}", margin(exact, executed, heat), what_.metric ? metric_margin(metric_of(place)) : "",
                      dim(fmt::format("  {:<24} {}", where, text), style_)),
          heat);
    }
  }

  std::optional<uint64_t> metric_of(const Place &place) const {
    const std::vector<std::vector<uint64_t>> &each = place.procedure->metrics.instructions;
    if (*what_.metric >= each.size() || place.instruction >= each[*what_.metric].size()) return std::nullopt;
    return each[*what_.metric][place.instruction];
  }

  analysis::FileTable files_;
  analysis::LineTable lines_;
  const Annotation &what_;
  TextStyle style_;
  bool only_ran_;
  uint64_t all_ = 0;  // instructions that lines have a share of
  Selection selection_;
  PlacesByLine places_;
  std::unordered_map<uint64_t, InlinedLine> inlined_;
  Sources sources_;
  std::set<std::string> warned_;
  Annotated out_;
};

}  // namespace

Annotated annotate(const Program &program, const Annotation &what, const TextStyle &style) {
  return Writer(program, what, style).run();
}

Table annotation_table(const Program &program, const Annotation &what) {
  analysis::FileTable files(program);
  Selection selection = select(program, what.target, files);
  Table all = what.instructions ? list_instructions(program) : table_of_lines(program, count_lines_with_inlined(program, selection.procedures));
  Table chosen;
  chosen.by = all.by;
  chosen.columns = all.columns;
  chosen.text_order = all.text_order;
  chosen.weight = all.weight;
  size_t file_column = all.column("file"), line_column = all.column("line");
  for (size_t r = 0; r < all.rows(); ++r) {
    for (const Part &part : selection.parts) {
      uint64_t line = all.at(r, line_column).number;
      if (all.at(r, file_column).text != files.files()[part.file].name || line < part.first ||
          line > part.last)
        continue;
      std::vector<Cell> row;
      for (size_t c = 0; c < all.columns.size(); ++c) {
        Cell cell = all.at(r, c);
        if (cell.kind == CellKind::text || cell.kind == CellKind::object) cell.text = chosen.keep(std::string(cell.text));
        row.push_back(cell);
      }
      chosen.add(row);
      break;
    }
  }
  return chosen;
}

}  // namespace chord::report
