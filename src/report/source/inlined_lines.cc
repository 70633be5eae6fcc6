#include "report/source/inlined_lines.h"

#include <algorithm>
#include <filesystem>

#include "report/tables/listings.h"

namespace chord::report {
namespace {

using analysis::CountedProcedure;
using core::kNone;

// The number of a file by its path, or by the name that the compiler was given.
std::unordered_map<std::string, uint32_t> numbers_of(const analysis::FileTable &files) {
  std::unordered_map<std::string, uint32_t> numbers;
  for (uint32_t f = 0; f < files.files().size(); ++f) numbers.try_emplace(files.files()[f].path, f);
  for (uint32_t f = 0; f < files.files().size(); ++f) numbers.try_emplace(files.files()[f].name, f);
  return numbers;
}

// What is inlined at the lines of one procedure.
class LinesOfOne {
 public:
  LinesOfOne(const CountedProcedure &procedure, const InlineChains &chains, const analysis::FileTable &files)
      : procedure_(procedure), chains_(chains), calls_(chains.of(procedure)), own_(analysis::line_keys(procedure, files)) {}

  void add_to(std::unordered_map<uint64_t, InlinedLine> &lines) const {
    size_t deepest = 0;
    for (size_t i = 0; i < calls_.size(); ++i) {
      deepest = std::max(deepest, calls_[i].size());
      add_executed(i, lines);
    }
    for (size_t level = 0; level < deepest; ++level) add_arrivals(level, lines);
  }

 private:
  // Where a function is inlined into itself at the same line, no instruction counts twice.
  void add_executed(size_t i, std::unordered_map<uint64_t, InlinedLine> &lines) const {
    std::set<uint64_t> places;
    std::set<std::pair<uint64_t, std::string_view>> functions;
    for (uint32_t call : calls_[i]) {
      const uint64_t key = chains_.site(procedure_, call);
      if (key == 0) continue;
      InlinedLine &line = lines[key];
      const std::string &name = chains_.call(procedure_, call).function;
      if (places.insert(key).second) line.executed += procedure_.executed[i];
      if (functions.emplace(key, name).second) line.functions[name] += procedure_.executed[i];
      line.exact = line.exact && procedure_.exact();
    }
  }

  // Calls that are inlined so deep: what lies in them belongs to the lines they are written at, everything else to its own.
  void add_arrivals(size_t level, std::unordered_map<uint64_t, InlinedLine> &lines) const {
    std::vector<uint64_t> keys = own_;
    std::set<uint64_t> sites;
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint64_t site = calls_[i].size() > level ? chains_.site(procedure_, calls_[i][level]) : 0;
      if (site == 0) continue;
      keys[i] = site;
      sites.insert(site);
    }
    for (const auto &[key, arrivals] : analysis::count_arrivals(procedure_, keys)) {
      if (!sites.contains(key)) continue;
      lines[key].arrivals += arrivals.count;
      lines[key].known = lines[key].known && arrivals.known;
    }
  }

  const CountedProcedure &procedure_;
  const InlineChains &chains_;
  std::vector<std::vector<uint32_t>> calls_;
  std::vector<uint64_t> own_;
};

}  // namespace

InlineChains::InlineChains(const InlineTables &tables, const analysis::FileTable &files) : tables_(tables) {
  const std::unordered_map<std::string, uint32_t> numbers = numbers_of(files);
  for (const auto &table : tables.of_module) {
    std::vector<uint64_t> &sites = sites_.emplace_back();
    for (const analysis::InlinedCall &call : table->calls()) {
      auto known = numbers.find(std::filesystem::path(call.file).lexically_normal().string());
      sites.push_back(known == numbers.end() || call.line == 0 ? 0 : analysis::line_key(known->second, call.line));
    }
  }
}

std::vector<std::vector<uint32_t>> InlineChains::of(const CountedProcedure &procedure) const {
  const std::vector<analysis::InlinedCall> &calls = tables_.of_module[procedure.module]->calls();
  std::vector<std::vector<uint32_t>> chains(procedure.map->instructions.size());
  if (calls.empty()) return chains;
  const std::vector<uint32_t> innermost = tables_.innermost(procedure);
  for (size_t i = 0; i < chains.size(); ++i) {
    for (uint32_t c = innermost[i]; c != kNone; c = calls[c].parent) chains[i].push_back(c);
    std::reverse(chains[i].begin(), chains[i].end());
  }
  return chains;
}

uint64_t InlineChains::site(const CountedProcedure &procedure, uint32_t call) const { return sites_[procedure.module][call]; }

const analysis::InlinedCall &InlineChains::call(const CountedProcedure &procedure, uint32_t call) const {
  return tables_.of_module[procedure.module]->calls()[call];
}

std::unordered_map<uint64_t, InlinedLine> inlined_lines(const analysis::Program &program, const InlineChains &chains, const analysis::FileTable &files,
                                                        const std::set<const CountedProcedure *> &only) {
  std::unordered_map<uint64_t, InlinedLine> lines;
  for (const CountedProcedure &procedure : program.procedures) {
    if (only.empty() || only.contains(&procedure)) LinesOfOne(procedure, chains, files).add_to(lines);
  }
  return lines;
}

void count_inlined_code(const analysis::Program &program, const std::unordered_map<uint64_t, InlinedLine> &inlined, analysis::LineTable &table) {
  for (analysis::LineCount &line : table.lines) {
    if (line.executed != 0 || line.count != 0 || !line.exact) continue;
    const auto found = inlined.find(analysis::line_key(line.file, line.line));
    if (found == inlined.end() || !found->second.exact || found->second.executed == 0) continue;
    const InlinedLine &there = found->second;
    if (!program.only_ran && (!there.known || there.arrivals == 0)) continue;
    line.ran_inlined = true;
    line.count_known = true;
    line.count = program.only_ran ? 1 : there.arrivals;
  }
}

analysis::LineTable count_lines_with_inlined(const analysis::Program &program, const std::set<const CountedProcedure *> &only) {
  analysis::LineTable table = analysis::count_lines(program, only);
  if (std::none_of(table.lines.begin(), table.lines.end(), [](const analysis::LineCount &l) { return l.exact && l.executed == 0; })) return table;
  const analysis::FileTable files(program);
  const InlineTables tables(program);
  count_inlined_code(program, inlined_lines(program, InlineChains(tables, files), files, only), table);
  return table;
}

Table list_lines(const analysis::Program &program) { return table_of_lines(program, count_lines_with_inlined(program)); }

}  // namespace chord::report
