#include "html/data/data.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "html/data/chunks.h"
#include "html/data/code.h"
#include "html/data/head.h"
#include "html/data/index.h"
#include "html/data/overview.h"
#include "html/facts/compare.h"
#include "html/facts/sources.h"
#include "html/text/json.h"

namespace chord::html {
namespace {

using analysis::LineCount;

// A line of which only inlined code is left, and how often control came there.
struct CalledLine {
  uint32_t line = 0;
  const report::InlinedLine *inlined = nullptr;
};

// By file, in the order of lines.
std::vector<std::vector<CalledLine>> called_lines(const Facts &facts) {
  std::unordered_set<uint64_t> with_code;
  for (const LineCount &line : facts.lines.lines) with_code.insert(analysis::line_key(line.file, line.line));
  std::vector<std::vector<CalledLine>> by_file(facts.files.files().size());
  for (const auto &[key, line] : facts.inlined_lines) {
    if (!with_code.contains(key)) by_file[key >> 32].push_back({static_cast<uint32_t>(key), &line});
  }
  for (std::vector<CalledLine> &lines : by_file) std::ranges::sort(lines, {}, &CalledLine::line);
  return by_file;
}

std::string file_record(const Source &source, const std::vector<const LineCount *> &lines, const std::vector<CalledLine> &called) {
  std::string out;
  Object o(out);
  o.member("first");
  put_array(out, source.stretches, [&](const Stretch &s) { put_json(out, uint64_t{s.first}); });
  o.member("text");
  put_array(out, source.stretches, [&](const Stretch &s) {
    put_array(out, s.lines, [&](const std::string &line) { put_json(out, std::string_view(line)); });
  });
  o.member("line");
  uint32_t before = 0;
  put_array(out, lines, [&](const LineCount *l) { put_json_signed(out, int64_t{l->line} - std::exchange(before, l->line)); });
  o.member("count");
  put_array(out, lines, [&](const LineCount *l) { put_json_if(out, l->exact && l->count_known, l->count); });
  o.member("executed");
  put_array(out, lines, [&](const LineCount *l) { put_json_if(out, l->exact, l->executed); });
  o.member("instructions");
  put_array(out, lines, [&](const LineCount *l) { put_json(out, uint64_t{l->instructions}); });
  if (!called.empty()) {
    o.member("calledLine");
    before = 0;
    put_array(out, called, [&](const CalledLine &l) { put_json_signed(out, int64_t{l.line} - std::exchange(before, l.line)); });
    o.member("calledCount");
    put_array(out, called, [&](const CalledLine &l) { put_json_if(out, l.inlined->exact && l.inlined->known, l.inlined->arrivals); });
  }
  o.end();
  return out;
}

}  // namespace

Gathered gather(const Facts &facts, const DataOptions &options) {
  Chunks code;
  for (uint32_t p : facts.order) {
    const bool same = options.comparison != nullptr && options.comparison->matches[p].same_code;
    std::string record;
    put_code(record, facts, facts.program.procedures[p], same ? options.comparison->matches[p].old : nullptr);
    code.add(std::move(record));
  }
  const std::vector<analysis::SourceFile> &all = facts.files.files();
  std::vector<std::vector<const LineCount *>> by_file(all.size());
  for (const LineCount &line : facts.lines.lines) by_file[line.file].push_back(&line);
  const std::vector<std::vector<CalledLine>> called = called_lines(facts);
  std::vector<Source> sources(all.size());
  Chunks files;
  for (size_t f = 0; f < all.size(); ++f) {
    std::vector<uint32_t> with_code;
    for (const LineCount *line : by_file[f]) with_code.push_back(line->line);
    for (const CalledLine &line : called[f]) with_code.push_back(line.line);
    std::ranges::sort(with_code);
    if (options.sources) sources[f] = read_source(all[f], with_code);
    files.add(file_record(sources[f], by_file[f], called[f]));
    sources[f].stretches.clear();
  }
  const Tables tables(facts.program);
  Gathered out{put_overview(facts, options, tables), {put_index(facts, options, tables, code, files, sources)}};
  code.move_to(out.chunks);
  files.move_to(out.chunks);
  return out;
}

}  // namespace chord::html
