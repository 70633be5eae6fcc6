// Callgrind's format: the cost of every instruction, calls and jumps with their counts,
// for KCachegrind and callgrind_annotate.
//
// Addresses are those of the woven executable, where every instruction of the original
// program is found again, so that a viewer's disassembly shows costs beside the right
// instructions, and none beside the inserted ones. Padding that the original program executes
// is not there; its cost stands at the end of what precedes it.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "analysis/source/woven_places.h"
#include "base/cxx_names.h"
#include "exports/exports.h"
#include "exports/text_file.h"
#include "report/source/call_graph.h"
#include "report/tables/listings.h"

namespace chord::exports {
namespace {

using analysis::CountedProcedure;
using core::kNone;

constexpr std::string_view kUnknownFile = "???";

// Names are written once and then referred to by number.
class Names {
 public:
  std::string operator()(std::string_view name) {
    auto [found, fresh] = numbers_.try_emplace(std::string(name), numbers_.size() + 1);
    return fresh ? fmt::format("({}) {}", found->second, name) : fmt::format("({})", found->second);
  }

 private:
  std::map<std::string, size_t> numbers_;
};

class CallgrindWriter {
 public:
  explicit CallgrindWriter(const analysis::Program &program) : program_(program), calls_(report::find_calls(program)), places_(program) {
    for (const CountedProcedure &p : program.procedures) {
      addresses_.push_back(places_.addresses(p));
      place_padding(p, addresses_.back());
    }
  }

  Exported run() {
    head();
    for (uint32_t n = 0; n < program_.procedures.size(); ++n) {
      if (program_.procedures[n].exact() && program_.procedures[n].instructions != 0) procedure(n);
    }
    out_.line("");
    out_.line("totals: {}", totals());
    return {out_.take(), warnings()};
  }

 private:
  void head() {
    out_.line("# callgrind format");
    out_.line("version: 1");
    out_.line("creator: chord {}", CHORD_VERSION);
    out_.line("cmd: {}", program_.path);
    out_.line("part: 1");
    out_.line("desc: Trigger: program termination");
    for (const std::string &warning : warnings()) out_.line("desc: Note: {}", warning);
    out_.line("positions: instr line");
    out_.line("event: Ir : Instructions executed");
    std::string events;
    for (const std::string &metric : program_.metrics) {
      out_.line("event: {} : {}", event_name(metric), metric);
      events += " " + event_name(metric);
    }
    out_.line("events: Ir{}", events);
    out_.line("summary: {}", totals());
  }

  // Viewers take names for events that are words.
  static std::string event_name(const std::string &metric) {
    std::string name = metric;
    std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return name;
  }

  // What an instruction took of each metric. What is known of the whole procedure alone is at its first one that ran.
  std::string metrics_of(const CountedProcedure &p, uint32_t i, bool first) const {
    std::string text;
    for (size_t m = 0; m < program_.metrics.size(); ++m) {
      bool by_instruction = m < p.metrics.instructions.size() && !p.metrics.instructions[m].empty();
      uint64_t value = by_instruction ? p.metrics.instructions[m][i] : first ? analysis::value_of(p.metrics.own, m).value_or(0) : 0;
      text += fmt::format(" {}", value);
    }
    return text;
  }

  std::string totals() const {
    std::string text = fmt::format("{}", program_.instructions);
    for (size_t m = 0; m < program_.metrics.size(); ++m) {
      uint64_t sum = 0;
      for (const CountedProcedure &p : program_.procedures) sum += analysis::value_of(p.metrics.own, m).value_or(0);
      text += fmt::format(" {}", sum);
    }
    return text;
  }

  std::vector<std::string> warnings() const {
    uint64_t unknown = 0, by_address = 0;
    for (const report::CallSite &site : calls_.sites) {
      if (site.calls == 0) continue;
      by_address += site.name.empty() ? 1 : 0;
      unknown += !site.name.empty() && !site.inclusive ? 1 : 0;
    }
    std::vector<std::string> out;
    if (unknown != 0) {
      out.push_back(fmt::format("what {} of the calls took with all they called is not known and written as 0; build with --callsites to measure it", unknown));
    }
    if (by_address != 0) out.push_back(fmt::format("{} calls by address are left out: their callees are not known", by_address));
    return out;
  }

  // Each instruction that has no place gets the end of the one before it.
  static void place_padding(const CountedProcedure &p, std::vector<uint64_t> &addresses) {
    std::vector<uint32_t> order = report::in_text_order(*p.map);
    uint64_t end = p.address;
    for (uint32_t i : order) {
      if (addresses[i] == 0) {
        addresses[i] = end;
      } else {
        end = addresses[i] + p.map->instructions[i].size;
      }
    }
  }

  std::string_view file_of(const CountedProcedure &p, const format::Instruction &at) const {
    return at.line == 0 ? report::file_of(p) : std::string_view(p.unit->files[at.file]);
  }

  uint32_t line_of(const CountedProcedure &p) const {
    for (const format::Instruction &i : p.map->instructions) {
      if (i.line != 0) return i.line;
    }
    return 0;
  }

  void procedure(uint32_t n) {
    const CountedProcedure &p = program_.procedures[n];
    out_.line("");
    out_.line("ob={}", objects_(places_.file(p.module)));
    out_.line("fl={}", files_(report::file_of(p)));
    out_.line("fn={}", functions_(base::demangle(p.map->name)));
    std::vector<std::vector<uint32_t>> made(p.executed.size());
    for (uint32_t s : calls_.made[n]) made[calls_.sites[s].instruction].push_back(s);
    std::vector<std::vector<core::EdgeId>> jumps = jumps_of(p);
    std::string_view file = report::file_of(p);
    bool first = true;
    for (uint32_t i : report::in_text_order(*p.map)) {
      const format::Instruction &at = p.map->instructions[i];
      if (p.executed[i] == 0) continue;
      if (file_of(p, at) != file) {
        file = file_of(p, at);
        out_.line("{}={}", file == report::file_of(p) ? "fe" : "fi", files_(file));
      }
      out_.line("{:#x} {} {}{}", addresses_[n][i], at.line, p.executed[i], metrics_of(p, i, first));
      first = false;
      for (uint32_t s : made[i]) call(n, calls_.sites[s]);
      for (core::EdgeId e : jumps[i]) jump(n, i, e);
    }
  }

  void call(uint32_t n, const report::CallSite &site) {
    if (site.calls == 0 || site.name.empty()) return;
    uint64_t target = 0;
    uint32_t line = 0;
    if (site.callee == kNone) {
      out_.line("cfi={}", files_(kUnknownFile));
      out_.line("cfn={}", functions_(base::demangle(std::string(site.name))));
    } else {
      const CountedProcedure &callee = program_.procedures[site.callee];
      if (callee.module != program_.procedures[n].module) out_.line("cob={}", objects_(places_.file(callee.module)));
      out_.line("cfi={}", files_(report::file_of(callee)));
      out_.line("cfn={}", functions_(base::demangle(callee.map->name)));
      target = callee.address;
      line = line_of(callee);
    }
    out_.line("calls={} {:#x} {}", site.calls, target, line);
    out_.line("{:#x} {} {}", addresses_[n][site.instruction], at(n, site.instruction).line, site.inclusive.value_or(0));
  }

  const format::Instruction &at(uint32_t n, uint32_t i) const { return program_.procedures[n].map->instructions[i]; }

  // By the instruction that makes them; those within the procedure whose count is known.
  static std::vector<std::vector<core::EdgeId>> jumps_of(const CountedProcedure &p) {
    std::vector<std::vector<core::EdgeId>> jumps(p.executed.size());
    for (core::EdgeId e = 0; e < p.map->edges.size(); ++e) {
      const format::Edge &edge = p.map->edges[e];
      const format::Block &from = p.map->blocks[edge.from];
      bool is_jump = edge.kind == format::EdgeKind::taken || edge.kind == format::EdgeKind::jump;
      if (is_jump && from.count != 0 && p.counts.edge_known[e]) jumps[from.first + from.count - 1].push_back(e);
    }
    return jumps;
  }

  // A helper vertex lies between a jump and the block it leads to.
  uint32_t target_of(const CountedProcedure &p, core::EdgeId e) const {
    uint32_t to = p.map->edges[e].to;
    while (p.map->blocks[to].kind == format::VertexKind::join) {
      auto next = std::find_if(p.map->edges.begin(), p.map->edges.end(), [&](const format::Edge &edge) { return edge.from == to; });
      if (next == p.map->edges.end()) return kNone;
      to = next->to;
    }
    return p.map->blocks[to].count == 0 ? kNone : p.map->blocks[to].first;
  }

  void jump(uint32_t n, uint32_t i, core::EdgeId e) {
    const CountedProcedure &p = program_.procedures[n];
    uint32_t target = target_of(p, e);
    uint64_t taken = p.counts.edge[e];
    if (target == kNone || taken == 0) return;
    if (p.map->edges[e].kind == format::EdgeKind::taken) {
      out_.line("jcnd={}/{} {:#x} {}", taken, p.executed[i], addresses_[n][target], at(n, target).line);
    } else {
      out_.line("jump={} {:#x} {}", taken, addresses_[n][target], at(n, target).line);
    }
    out_.line("{:#x} {}", addresses_[n][i], at(n, i).line);
  }

  const analysis::Program &program_;
  report::CallGraph calls_;
  analysis::WovenPlaces places_;
  std::vector<std::vector<uint64_t>> addresses_;  // by procedure and instruction
  Names objects_, files_, functions_;
  TextFile out_;
};

}  // namespace

Exported write_callgrind(const Input &input) { return CallgrindWriter(input.program).run(); }

}  // namespace chord::exports
