#include <fmt/core.h>
#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

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

void write_code(std::string &out, const Procedure &p) {
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
}

void write_plan(std::string &out, const core::Plan &plan) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "placement {}\n", name_of(kPlacements, plan.placement));
  for (const core::Counter &c : plan.counters)
    fmt::format_to(to, "counter {} {}\n", name_of(kSites, c.site), c.id);
  for (const core::CounterSum &sum : plan.sums) {
    fmt::format_to(to, "sum {} {} {}", name_of(kSites, sum.spared.site), sum.spared.id, sum.terms.size());
    for (const core::CounterSum::Term &t : sum.terms) fmt::format_to(to, " {} {}", t.vertex, static_cast<uint32_t>(t.times));
    out += '\n';
  }
  for (uint32_t e : plan.never) fmt::format_to(to, "never {}\n", e);
  if (plan.called != core::kNone) fmt::format_to(to, "called {}\n", plan.called);
  if (plan.encoding != core::TraceEncoding::bits) fmt::format_to(to, "encoding {}\n", name_of(kEncodings, plan.encoding));
  for (uint32_t e : plan.witnesses) fmt::format_to(to, "witness {}\n", e);
  for (uint32_t v : plan.starts) fmt::format_to(to, "start {}\n", v);
  for (uint32_t number : plan.late) fmt::format_to(to, "late {}\n", number);
  if (plan.compares) fmt::format_to(to, "compares\n");
  if (plan.names) fmt::format_to(to, "names\n");
  for (const core::OwnCall &call : plan.own_calls) fmt::format_to(to, "own_call {} {:#x}\n", call.instruction, call.mark);
  if (plan.addresses.written) {
    fmt::format_to(to, "addresses {}\n", plan.addresses.kept);
    for (uint32_t slot : plan.addresses.recorded) fmt::format_to(to, "recorded {}\n", slot);
    for (uint32_t known : plan.addresses.known) fmt::format_to(to, "known {}\n", known);
  }
}

void write(std::string &out, const Held &h) {
  auto to = std::back_inserter(out);
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

void write(std::string &out, const Spot &s) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "spot {} {} {}", s.fragment, s.instruction, s.lacks.size());
  for (const Spot::Lack &lack : s.lacks) fmt::format_to(to, " {} {}", lack.counter, static_cast<uint32_t>(lack.count));
  fmt::format_to(to, " {}", s.held.size());
  for (uint32_t h : s.held) fmt::format_to(to, " {}", h);
  out += '\n';
  if (s.path == Spot::Path{}) return;
  fmt::format_to(to, "spot-path {} {} {}", s.path.fixed ? 1 : 0, s.path.sum, s.path.counts.size());
  for (const Spot::Path::Count &c : s.path.counts)
    fmt::format_to(to, " {} {} {}", c.fixed ? 1 : 0, c.number, static_cast<uint32_t>(c.count));
  out += '\n';
}

void write_metrics(std::string &out, const Procedure &p) {
  auto to = std::back_inserter(out);
  for (const MetricSums &sums : p.metrics) {
    fmt::format_to(to, "metric {} {}", quote(sums.metric), name_of(kSumsOf, sums.of));
    for (uint32_t i : sums.instructions) fmt::format_to(to, " {}", i);
    out += '\n';
  }
  if (p.metrics_in_records) out += "metrics-in-records\n";
  if (!p.no_paths.empty()) fmt::format_to(to, "no-paths {}\n", quote(p.no_paths));
}

void write_paths(std::string &out, const core::Plan &plan) {
  auto to = std::back_inserter(out);
  if (plan.placement != core::Placement::paths && plan.placement != core::Placement::chosen_paths) return;
  fmt::format_to(to, "paths {}\n", plan.paths.paths);
  if (plan.paths.except_noise) out += "except-noise\n";
  if (plan.paths.by_number) out += "by-number\n";
  if (plan.paths.in_records) out += "in-records\n";
  if (plan.paths.words != 0) fmt::format_to(to, "path-words {}\n", plan.paths.words);
  for (size_t k = 0; k < plan.paths.chosen.size(); ++k)
    fmt::format_to(to, "chosen {} {}\n", plan.paths.chosen[k], plan.paths.slots[k]);
  for (uint32_t e : plan.paths.cuts) fmt::format_to(to, "cut {}\n", e);
  for (int64_t sum : plan.paths.partial) fmt::format_to(to, "partial {}\n", static_cast<uint64_t>(sum));
}

void write(std::string &out, const Procedure &p) {
  write_code(out, p);
  write_plan(out, p.plan);
  for (const Held &held : p.held) write(out, held);
  for (const Spot &spot : p.spots) write(out, spot);
  write_metrics(out, p);
  write_paths(out, p.plan);
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

using Read = void (*)(TextReader &, Procedure &);

// What a line of a procedure can begin with.
constexpr std::pair<std::string_view, Read> kProcedureLines[] = {
    {"begins",
     [](TextReader &in, Procedure &p) {
       p.file = in.number32();
       p.line = in.number32();
     }},
    {"skipped", [](TextReader &in, Procedure &p) { p.skipped = in.string(); }},
    {"fragment",
     [](TextReader &in, Procedure &p) {
       p.fragments.emplace_back().name = in.string();
       p.fragments.back().size = in.number32();
     }},
    {"instruction", [](TextReader &in, Procedure &p) { p.instructions.push_back(read_instruction(in)); }},
    {"block",
     [](TextReader &in, Procedure &p) {
       Block &b = p.blocks.emplace_back();
       b.kind = static_cast<VertexKind>(in.choice(kVertexKinds));
       b.first = in.number32();
       b.count = in.number32();
     }},
    {"edge", [](TextReader &in, Procedure &p) { read_edge(in, p.edges.emplace_back()); }},
    {"mark", [](TextReader &in, Procedure &p) { p.marks.push_back(in.number32()); }},
    {"placement", [](TextReader &in, Procedure &p) { p.plan.placement = static_cast<core::Placement>(in.choice(kPlacements)); }},
    {"counter",
     [](TextReader &in, Procedure &p) {
       core::Counter &c = p.plan.counters.emplace_back();
       c.site = static_cast<core::Site>(in.choice(kSites));
       c.id = in.number32();
     }},
    {"sum", [](TextReader &in, Procedure &p) { read_sum(in, p.plan.sums.emplace_back()); }},
    {"never", [](TextReader &in, Procedure &p) { p.plan.never.emplace_back(in.number32()); }},
    {"called", [](TextReader &in, Procedure &p) { p.plan.called = core::EdgeId(in.number32()); }},
    {"encoding", [](TextReader &in, Procedure &p) { p.plan.encoding = static_cast<core::TraceEncoding>(in.choice(kEncodings)); }},
    {"witness", [](TextReader &in, Procedure &p) { p.plan.witnesses.emplace_back(in.number32()); }},
    {"start", [](TextReader &in, Procedure &p) { p.plan.starts.emplace_back(in.number32()); }},
    {"late", [](TextReader &in, Procedure &p) { p.plan.late.push_back(in.number32()); }},
    {"compares", [](TextReader &, Procedure &p) { p.plan.compares = true; }},
    {"names", [](TextReader &, Procedure &p) { p.plan.names = true; }},
    {"own_call",
     [](TextReader &in, Procedure &p) {
       core::OwnCall &call = p.plan.own_calls.emplace_back();
       call.instruction = in.number32();
       call.mark = in.number32();
     }},
    {"addresses",
     [](TextReader &in, Procedure &p) {
       p.plan.addresses.written = true;
       p.plan.addresses.kept = in.number32();
     }},
    {"recorded", [](TextReader &in, Procedure &p) { p.plan.addresses.recorded.push_back(in.number32()); }},
    {"known", [](TextReader &in, Procedure &p) { p.plan.addresses.known.push_back(in.number32()); }},
    {"held", [](TextReader &in, Procedure &p) { p.held.push_back(read_held(in)); }},
    {"spot", [](TextReader &in, Procedure &p) { p.spots.push_back(read_spot(in)); }},
    {"spot-path", [](TextReader &in, Procedure &p) { read_spot_path(in, p); }},
    {"metric",
     [](TextReader &in, Procedure &p) {
       MetricSums &sums = p.metrics.emplace_back();
       sums.metric = in.string();
       sums.of = static_cast<SumsOf>(in.choice(kSumsOf));
       while (!in.at_line_end()) sums.instructions.push_back(in.number32());
     }},
    {"metrics-in-records", [](TextReader &, Procedure &p) { p.metrics_in_records = true; }},
    {"no-paths", [](TextReader &in, Procedure &p) { p.no_paths = in.string(); }},
    {"paths", [](TextReader &in, Procedure &p) { p.plan.paths.paths = in.number(); }},
    {"except-noise", [](TextReader &, Procedure &p) { p.plan.paths.except_noise = true; }},
    {"by-number", [](TextReader &, Procedure &p) { p.plan.paths.by_number = true; }},
    {"in-records", [](TextReader &, Procedure &p) { p.plan.paths.in_records = true; }},
    {"path-words", [](TextReader &in, Procedure &p) { p.plan.paths.words = in.number32(); }},
    {"chosen",
     [](TextReader &in, Procedure &p) {
       p.plan.paths.chosen.push_back(in.number());
       p.plan.paths.slots.push_back(in.number());
     }},
    {"cut", [](TextReader &in, Procedure &p) { p.plan.paths.cuts.emplace_back(in.number32()); }},
    {"partial", [](TextReader &in, Procedure &p) { p.plan.paths.partial.push_back(static_cast<int64_t>(in.number())); }},
};

void read_procedure_line(TextReader &in, Procedure &p) {
  for (const auto &[keyword, read] : kProcedureLines) {
    if (keyword == in.keyword()) return read(in, p);
  }
  in.fail(fmt::format("'{}' is not known in a procedure", in.keyword()));
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
