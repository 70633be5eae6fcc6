#include <fmt/core.h>
#include <fmt/format.h>

#include <iterator>

#include "format/map/map.h"
#include "format/map/map_codec.h"
#include "format/text/text_form.h"

namespace chord::format {
namespace {

const std::vector<std::string_view> kVertexKinds = {"entry", "exit", "code", "dispatch", "landing", "join"};
const std::vector<std::string_view> kEdgeKinds = {"return", "fall",    "taken", "jump",      "dispatch",
                                                  "enter",  "landing", "leave", "tail_call", "never"};
const std::vector<std::string_view> kEncodings = {"bits", "witness", "paths"};
const std::vector<std::string_view> kPlacements = {"optimal", "redundant", "vertex", "vertex-edge", "none", "paths",
                                                   "chosen-paths", "trace", "coverage"};
const std::vector<std::string_view> kSites = {"edge", "vertex", "sum"};
const std::vector<std::string_view> kSumsOf = {"procedure", "total", "paths", "instructions"};
const std::vector<std::string_view> kScopes = {"local", "global"};

template <class Enum>
std::string_view name_of(const std::vector<std::string_view> &names, Enum value) {
  return names[static_cast<size_t>(value)];
}

void write(std::string &out, const Procedure &p) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "procedure {} key {:#x} {}\n", quote(p.name), p.key, kScopes[p.global]);
  if (p.line != 0) fmt::format_to(to, "begins {} {}\n", p.file, p.line);
  if (!p.skipped.empty()) fmt::format_to(to, "skipped {}\n", quote(p.skipped));
  for (const Fragment &f : p.fragments) fmt::format_to(to, "fragment {} {}\n", quote(f.name), f.size);
  for (const Instruction &i : p.instructions) {
    fmt::format_to(to, "instruction {} {} {} {:#x} {} {} {} {} {}\n", i.fragment, i.offset, i.size, i.traits,
                   i.file, i.line, i.mnemonic, quote(i.text), quote(i.callee));
  }
  for (const Block &b : p.blocks) {
    fmt::format_to(to, "block {} {} {}\n", name_of(kVertexKinds, b.kind), b.first, b.count);
  }
  for (const Edge &e : p.edges) {
    fmt::format_to(to, "edge {} {} {} {} {}\n", e.from, e.to, name_of(kEdgeKinds, e.kind), e.padding_first,
                   e.padding_count);
  }
  for (uint32_t mark : p.marks) fmt::format_to(to, "mark {}\n", mark);
  fmt::format_to(to, "placement {}\n", name_of(kPlacements, p.plan.placement));
  for (const core::Counter &c : p.plan.counters)
    fmt::format_to(to, "counter {} {}\n", name_of(kSites, c.site), c.id);
  for (const core::CounterSum &sum : p.plan.sums) {
    fmt::format_to(to, "sum {} {} {}", name_of(kSites, sum.spared.site), sum.spared.id, sum.terms.size());
    for (const core::CounterSum::Term &t : sum.terms) fmt::format_to(to, " {} {}", t.vertex, static_cast<uint32_t>(t.times));
    out += '\n';
  }
  for (uint32_t e : p.plan.never) fmt::format_to(to, "never {}\n", e);
  if (p.plan.called != core::kNone) fmt::format_to(to, "called {}\n", p.plan.called);
  if (p.plan.encoding != core::TraceEncoding::bits) fmt::format_to(to, "encoding {}\n", name_of(kEncodings, p.plan.encoding));
  for (uint32_t e : p.plan.witnesses) fmt::format_to(to, "witness {}\n", e);
  for (uint32_t v : p.plan.starts) fmt::format_to(to, "start {}\n", v);
  for (uint32_t number : p.plan.late) fmt::format_to(to, "late {}\n", number);
  if (p.plan.compares) fmt::format_to(to, "compares\n");
  if (p.plan.names) fmt::format_to(to, "names\n");
  if (p.plan.addresses.written) {
    fmt::format_to(to, "addresses {}\n", p.plan.addresses.kept);
    for (uint32_t slot : p.plan.addresses.recorded) fmt::format_to(to, "recorded {}\n", slot);
    for (uint32_t known : p.plan.addresses.known) fmt::format_to(to, "known {}\n", known);
  }
  for (const Held &h : p.held) {
    fmt::format_to(to, "held {} {} {}", h.counter, h.place, static_cast<uint32_t>(h.step));
    auto write_list = [&](const auto &list) {
      fmt::format_to(to, " {}", list.size());
      for (uint32_t n : list) fmt::format_to(to, " {}", n);
    };
    write_list(h.updates);
    write_list(h.due);
    write_list(h.blocks);
    out += '\n';
  }
  for (const Spot &s : p.spots) {
    fmt::format_to(to, "spot {} {} {}", s.fragment, s.instruction, s.lacks.size());
    for (const Spot::Lack &lack : s.lacks) fmt::format_to(to, " {} {}", lack.counter, static_cast<uint32_t>(lack.count));
    fmt::format_to(to, " {}", s.held.size());
    for (uint32_t h : s.held) fmt::format_to(to, " {}", h);
    out += '\n';
    if (s.path == Spot::Path{}) continue;
    fmt::format_to(to, "spot-path {} {} {}", s.path.fixed ? 1 : 0, s.path.sum, s.path.counts.size());
    for (const Spot::Path::Count &c : s.path.counts)
      fmt::format_to(to, " {} {} {}", c.fixed ? 1 : 0, c.number, static_cast<uint32_t>(c.count));
    out += '\n';
  }
  for (const MetricSums &sums : p.metrics) {
    fmt::format_to(to, "metric {} {}", quote(sums.metric), name_of(kSumsOf, sums.of));
    for (uint32_t i : sums.instructions) fmt::format_to(to, " {}", i);
    out += '\n';
  }
  if (p.metrics_in_records) out += "metrics-in-records\n";
  if (!p.no_paths.empty()) fmt::format_to(to, "no-paths {}\n", quote(p.no_paths));
  if (p.plan.placement != core::Placement::paths && p.plan.placement != core::Placement::chosen_paths) return;
  fmt::format_to(to, "paths {}\n", p.plan.paths.paths);
  if (p.plan.paths.except_noise) out += "except-noise\n";
  if (p.plan.paths.by_number) out += "by-number\n";
  if (p.plan.paths.in_records) out += "in-records\n";
  if (p.plan.paths.words != 0) fmt::format_to(to, "path-words {}\n", p.plan.paths.words);
  for (size_t k = 0; k < p.plan.paths.chosen.size(); ++k)
    fmt::format_to(to, "chosen {} {}\n", p.plan.paths.chosen[k], p.plan.paths.slots[k]);
  for (uint32_t e : p.plan.paths.cuts) fmt::format_to(to, "cut {}\n", e);
  for (int64_t sum : p.plan.paths.partial) fmt::format_to(to, "partial {}\n", static_cast<uint64_t>(sum));
}

Instruction read_instruction(TextReader &in) {
  Instruction i;
  i.fragment = in.number32();
  i.offset = in.number32();
  i.size = static_cast<uint8_t>(in.number(UINT8_MAX));
  i.traits = in.number32();
  i.file = in.number32();
  i.line = in.number32();
  i.mnemonic = in.number32();
  i.text = in.string();
  i.callee = in.string();
  return i;
}

void read_edge(TextReader &in, Edge &e) {
  e.from = core::Vertex(in.number32());
  e.to = core::Vertex(in.number32());
  e.kind = static_cast<EdgeKind>(in.choice(kEdgeKinds));
  e.padding_first = in.number32();
  e.padding_count = in.number32();
}

Held read_held(TextReader &in) {
  Held h;
  h.counter = in.number32();
  h.place = static_cast<uint8_t>(in.number(UINT8_MAX));
  h.step = static_cast<int32_t>(in.number32());
  auto read_list = [&](auto &list) {
    for (uint32_t n = in.number32(); n != 0 && in.error().empty(); --n) list.emplace_back(in.number32());
  };
  read_list(h.updates);
  read_list(h.due);
  read_list(h.blocks);
  return h;
}

void read_sum(TextReader &in, core::CounterSum &sum) {
  sum.spared.site = static_cast<core::Site>(in.choice(kSites));
  sum.spared.id = in.number32();
  for (uint32_t n = in.number32(); n != 0 && in.error().empty(); --n) {
    core::CounterSum::Term &t = sum.terms.emplace_back();
    t.vertex = core::Vertex(in.number32());
    t.times = static_cast<int32_t>(in.number32());
  }
}

Spot read_spot(TextReader &in) {
  Spot s;
  s.fragment = in.number32();
  s.instruction = in.number32();
  for (uint32_t n = in.number32(); n != 0 && in.error().empty(); --n) {
    Spot::Lack &lack = s.lacks.emplace_back();
    lack.counter = in.number32();
    lack.count = static_cast<int32_t>(in.number32());
  }
  for (uint32_t n = in.number32(); n != 0 && in.error().empty(); --n) s.held.push_back(in.number32());
  return s;
}

void read_spot_path(TextReader &in, Procedure &p) {
  if (p.spots.empty()) return in.fail("a spot must come first");
  Spot::Path &path = p.spots.back().path;
  path.fixed = in.number(1) != 0;
  path.sum = in.number();
  for (uint32_t n = in.number32(); n != 0 && in.error().empty(); --n) {
    Spot::Path::Count &c = path.counts.emplace_back();
    c.fixed = in.number(1) != 0;
    c.number = in.number();
    c.count = static_cast<int32_t>(in.number32());
  }
}

void read_procedure_line(TextReader &in, Procedure &p) {
  const std::string &keyword = in.keyword();
  if (keyword == "begins") {
    p.file = in.number32();
    p.line = in.number32();
  } else if (keyword == "skipped") {
    p.skipped = in.string();
  } else if (keyword == "fragment") {
    p.fragments.emplace_back().name = in.string();
    p.fragments.back().size = in.number32();
  } else if (keyword == "instruction") {
    p.instructions.push_back(read_instruction(in));
  } else if (keyword == "block") {
    Block &b = p.blocks.emplace_back();
    b.kind = static_cast<VertexKind>(in.choice(kVertexKinds));
    b.first = in.number32();
    b.count = in.number32();
  } else if (keyword == "edge") {
    read_edge(in, p.edges.emplace_back());
  } else if (keyword == "mark") {
    p.marks.push_back(in.number32());
  } else if (keyword == "placement") {
    p.plan.placement = static_cast<core::Placement>(in.choice(kPlacements));
  } else if (keyword == "counter") {
    core::Counter &c = p.plan.counters.emplace_back();
    c.site = static_cast<core::Site>(in.choice(kSites));
    c.id = in.number32();
  } else if (keyword == "sum") {
    read_sum(in, p.plan.sums.emplace_back());
  } else if (keyword == "never") {
    p.plan.never.emplace_back(in.number32());
  } else if (keyword == "called") {
    p.plan.called = core::EdgeId(in.number32());
  } else if (keyword == "encoding") {
    p.plan.encoding = static_cast<core::TraceEncoding>(in.choice(kEncodings));
  } else if (keyword == "witness") {
    p.plan.witnesses.emplace_back(in.number32());
  } else if (keyword == "start") {
    p.plan.starts.emplace_back(in.number32());
  } else if (keyword == "late") {
    p.plan.late.push_back(in.number32());
  } else if (keyword == "compares") {
    p.plan.compares = true;
  } else if (keyword == "names") {
    p.plan.names = true;
  } else if (keyword == "addresses") {
    p.plan.addresses.written = true;
    p.plan.addresses.kept = in.number32();
  } else if (keyword == "recorded") {
    p.plan.addresses.recorded.push_back(in.number32());
  } else if (keyword == "known") {
    p.plan.addresses.known.push_back(in.number32());
  } else if (keyword == "held") {
    p.held.push_back(read_held(in));
  } else if (keyword == "spot") {
    p.spots.push_back(read_spot(in));
  } else if (keyword == "spot-path") {
    read_spot_path(in, p);
  } else if (keyword == "metric") {
    MetricSums &sums = p.metrics.emplace_back();
    sums.metric = in.string();
    sums.of = static_cast<SumsOf>(in.choice(kSumsOf));
    while (!in.at_line_end()) sums.instructions.push_back(in.number32());
  } else if (keyword == "metrics-in-records") {
    p.metrics_in_records = true;
  } else if (keyword == "no-paths") {
    p.no_paths = in.string();
  } else if (keyword == "paths") {
    p.plan.paths.paths = in.number();
  } else if (keyword == "except-noise") {
    p.plan.paths.except_noise = true;
  } else if (keyword == "by-number") {
    p.plan.paths.by_number = true;
  } else if (keyword == "in-records") {
    p.plan.paths.in_records = true;
  } else if (keyword == "path-words") {
    p.plan.paths.words = in.number32();
  } else if (keyword == "chosen") {
    p.plan.paths.chosen.push_back(in.number());
    p.plan.paths.slots.push_back(in.number());
  } else if (keyword == "cut") {
    p.plan.paths.cuts.emplace_back(in.number32());
  } else if (keyword == "partial") {
    p.plan.paths.partial.push_back(static_cast<int64_t>(in.number()));
  } else {
    in.fail(fmt::format("'{}' is not known in a procedure", keyword));
  }
}

void read_unit_line(TextReader &in, UnitMap &map) {
  const std::string &keyword = in.keyword();
  if (keyword == "unit") {
    map.unit = in.string();
  } else if (keyword == "id") {
    map.id = in.number();
  } else if (keyword == "folder") {
    map.folder = in.string();
  } else if (keyword == "file") {
    map.files.push_back(in.string());
  } else if (keyword == "hash") {
    map.hashes.push_back(in.number());
  } else if (keyword == "mnemonic") {
    map.mnemonics.push_back(in.string());
  } else {
    in.fail(fmt::format("'{}' is not known in a unit", keyword));
  }
}

}  // namespace

std::string to_text(const UnitMap &map) {
  std::string out = fmt::format("unit {}\nid {:#x}\nfolder {}\n", quote(map.unit), map.id, quote(map.folder));
  for (const std::string &file : map.files) out += fmt::format("file {}\n", quote(file));
  for (uint64_t hash : map.hashes) out += fmt::format("hash {:#x}\n", hash);
  for (const std::string &mnemonic : map.mnemonics) out += fmt::format("mnemonic {}\n", quote(mnemonic));
  for (const Procedure &p : map.procedures) write(out, p);
  return out;
}

std::optional<UnitMap> map_from_text(std::string_view text, std::string &error) {
  UnitMap map;
  TextReader in(text);
  while (in.next_line()) {
    if (in.keyword() == "procedure") {
      Procedure &p = map.procedures.emplace_back();
      p.name = in.string();
      in.choice({"key"});
      p.key = in.number();
      p.global = in.choice(kScopes) == 1;
    } else if (map.procedures.empty()) {
      read_unit_line(in, map);
    } else {
      read_procedure_line(in, map.procedures.back());
    }
  }
  error = in.error().empty() ? defect(map) : in.error();
  if (!error.empty()) return std::nullopt;
  return map;
}

}  // namespace chord::format
