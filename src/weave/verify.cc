#include "weave/verify.h"

#include <fmt/core.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "assembly/liveness.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "weave/counters/half_steps.h"
#include "weave/kept_registers.h"
#include "weave/verify_held.h"
#include "weave/verify_unwind.h"

namespace chord::weave {

using assembly::EdgeKind;
using assembly::Instruction;
using assembly::kNoStatement;
using assembly::Procedure;
using assembly::Source;
using assembly::Statement;
using assembly::StatementKind;

namespace {

class Verifier {
 public:
  Verifier(const assembly::Unit &original, const Woven &woven, const assembly::Assembler &assembler)
      : unit_(original), a_(*original.source), paths_(woven.paths) {
    read_source(woven.text, b_);
    std::string errors;
    if (!lay_out(b_, assembler, layout_, errors)) throw base::Error("verify: woven text rejected: " + errors);
    symbols_ = assembly::index_symbols(b_);
    pair_statements(woven);
    for (const format::Procedure &p : woven.map.procedures) maps_[p.name].push_back(&p);
  }

  void run(const std::string &object) {
    for (size_t n = 0; n < unit_.procedures.size(); ++n) {
      const Procedure &p = unit_.procedures[n];
      auto changes = paths_.find(static_cast<uint32_t>(n));
      changes_ = changes == paths_.end() ? PathChanges{} : changes->second;
      woven_steps_.clear();
      if (p.skipped.empty()) {
        live_ = assembly::compute_liveness(unit_, p);
        upper_ = assembly::compute_upper_liveness(unit_, p);
      }
      for (uint32_t i = 0; i < p.instructions.size(); ++i) same_instruction(p, i);
      if (!p.skipped.empty()) continue;
      same_flow(p);
      held_rightly(p);
    }
    same_bytes(object);
  }

 private:
  [[noreturn]] void fail(const Statement &s, std::string_view what) const {
    throw base::Error(fmt::format("verify: line {} ({}): {}", s.line, a_.text.substr(s.begin, s.end - s.begin), what));
  }

  // The k-th statement that we did not insert is the k-th of the original.
  void pair_statements(const Woven &woven) {
    size_t range = 0;
    inserted_.assign(b_.statements.size(), false);
    for (uint32_t i = 0; i < b_.statements.size(); ++i) {
      uint32_t at = b_.statements[i].begin;
      while (range < woven.inserted.size() && woven.inserted[range].end <= at) ++range;
      inserted_[i] = range < woven.inserted.size() && woven.inserted[range].begin <= at;
      if (!inserted_[i]) {
        original_of_[i] = static_cast<uint32_t>(woven_of_.size());
        woven_of_.push_back(i);
      }
    }
    if (woven_of_.size() != a_.statements.size()) throw base::Error("verify: a statement was lost");
  }

  // ---- the instructions themselves ----

  void same_instruction(const Procedure &p, uint32_t number) {
    const Instruction &in = p.instructions[number];
    if (in.padding || is_widened_step(p, number)) return;
    bool moved = std::find(changes_.above.begin(), changes_.above.end(), number) != changes_.above.end();
    for (uint32_t s = in.first_statement; s <= in.last_statement; ++s) {
      const Statement &x = a_.statements[s];
      if (x.section != p.fragments[in.fragment].section) continue;
      if (x.name != b_.statements[woven_of_[s]].name) fail(x, "another statement stands in its place");
    }
    std::string before = bytes_of(a_, unit_.layout, in.first_statement, in.last_statement);
    std::string after = bytes_of(b_, layout_, woven_of_[in.first_statement], woven_of_[in.last_statement]);
    if (moved && isa::shape(before, isa::kWidening) == isa::shape(after)) return;
    if (shapes(before) != shapes(after)) fail(a_.statements[in.last_statement], "does something else in the woven code");
  }

  // The step of a lower half, made on the whole register, where nobody can tell.
  bool is_widened_step(const Procedure &p, uint32_t number) {
    const Instruction &in = p.instructions[number];
    if (!in.decoded.half_step || !p.skipped.empty()) return false;
    std::string bytes = bytes_of(b_, layout_, woven_of_[in.first_statement], woven_of_[in.last_statement]);
    auto d = isa::decode(bytes);
    if (!d || d->size != bytes.size() || d->half_step || d->stepped != in.decoded.stepped || d->step != in.decoded.step ||
        (d->writes & isa::all_flags())) {
      return false;
    }
    auto block = std::find_if(p.blocks.begin(), p.blocks.end(), [&](const assembly::Block &b) { return number - b.first < b.count; });
    if (block == p.blocks.end() || !can_be_widened(p, live_, upper_, static_cast<uint32_t>(block - p.blocks.begin()), number)) return false;
    woven_steps_.insert(number);
    return true;
  }

  static std::string bytes_of(const Source &source, const assembly::Layout &layout, uint32_t first, uint32_t last) {
    std::string out;
    for (uint32_t s = first; s <= last; ++s) {
      if (source.statements[s].section == source.statements[last].section) out += layout.bytes(source, s);
    }
    return out;
  }

  static std::vector<std::string> shapes(std::string_view bytes) {
    std::vector<std::string> out;
    while (!bytes.empty()) {
      auto d = isa::decode(bytes);
      if (!d) return {"undecodable"};
      out.push_back(isa::shape(bytes));
      bytes.remove_prefix(d->size);
    }
    return out;
  }

  // ---- control flow ----

  void same_flow(const Procedure &p) {
    find_ways_out(p);
    rules_.reset();
    if (changes_.widened) rules_.emplace(a_, b_, p, woven_of_, changes_.holder);
    first_of_statement_.clear();
    for (uint32_t i = 0; i < p.instructions.size(); ++i) {
      if (!p.instructions[i].padding) first_of_statement_.emplace(p.instructions[i].first_statement, i);
    }
    for (const assembly::Edge &e : p.edges) follow(p, e);
    within_blocks(p);
    if (rules_) same_rules(p);
  }

  void same_rules(const Procedure &p) const {
    for (uint32_t i = 0; i < p.instructions.size(); ++i) {
      const Instruction &in = p.instructions[i];
      if (in.padding) continue;
      bool outside = ways_out_.contains(in.first_statement) || (i == 0 && in.decoded.marks_entry);
      std::string fault = rules_->instruction_fault(in.fragment, in.first_statement, outside);
      if (!fault.empty()) fail(a_.statements[in.last_statement], fault);
    }
  }

  void follow(const Procedure &p, const assembly::Edge &e) const {
    if (p.blocks[e.to].kind != assembly::BlockKind::code || e.kind == EdgeKind::never) return;
    const Instruction &target = p.instructions[p.blocks[e.to].first];
    if (e.kind == EdgeKind::taken || e.kind == EdgeKind::jump) {
      const Instruction &branch = last_of(p, e.from);
      reaches(p, label_statement(woven_of_[branch.last_statement], branch), target, branch);
    } else if (e.kind == EdgeKind::fall && p.blocks[e.from].kind == assembly::BlockKind::code) {
      const Instruction &last = last_of(p, e.from);
      reaches(p, woven_of_[last.last_statement] + 1, target, last, moved_behind(p, last));
    } else if (e.kind == EdgeKind::enter) {
      bool made = changes_.widened && !target.decoded.marks_entry;
      reaches(p, woven_of_[p.fragments[0].first_statement] + 1, target, target, made ? -isa::kWidening : 0);
    }
    for (const assembly::Mention &m : e.slots) {
      std::string_view operand = assembly::split_operands(b_.statements[woven_of_[m.statement]].operands)[m.operand];
      reaches(p, find(assembly::first_symbol(operand), woven_of_[m.statement], target), target, target);
    }
  }

  // endbr64 must stay first, so a frame is widened behind it.
  int64_t moved_behind(const Procedure &p, const Instruction &in) const {
    return changes_.widened && &in == p.instructions.data() && in.decoded.marks_entry ? -isa::kWidening : 0;
  }

  // In front of a way out of a widened frame, what was added on the way in is taken back;
  // conditional ones have a stub for that.
  void find_ways_out(const Procedure &p) {
    ways_out_.clear();
    for (const assembly::Edge &e : p.edges) {
      if (!changes_.widened || (e.kind != EdgeKind::leave && e.kind != EdgeKind::tail_call)) continue;
      const Instruction &last = last_of(p, e.from);
      if (last.decoded.flow != isa::Flow::conditional && !last.decoded.traps) ways_out_.insert(last.first_statement);
    }
  }

  int64_t moves_of(uint32_t s) const {
    // These take their arguments off the stack themselves (runtime/calls/brackets.cc, runtime/wraps.cc, runtime/metrics/meter.cc, runtime/gauges/gauges.cc).
    constexpr std::pair<std::string_view, int64_t> kTaking[] = {
        {"__chord_open", 8}, {"__chord_close", 8}, {"__chord_leap", 8}, {"__chord_meter_enter", 8}, {"__chord_meter_path", 16}, {"__chord_meter_tally", 24}};
    const Statement &x = b_.statements[s];
    for (const auto &[name, bytes] : kTaking) {
      if (x.name == "call" && x.operands.starts_with(name)) return bytes;
    }
    isa::StackUse use = isa::stack_use(layout_.bytes(b_, s));
    bool adds = use.target == isa::kStackPointer && use.source == isa::kStackPointer;
    return use.moves + (adds ? use.amount : 0);
  }

  static const Instruction &last_of(const Procedure &p, uint32_t block) {
    return p.instructions[p.blocks[block].first + p.blocks[block].count - 1];
  }

  void within_blocks(const Procedure &p) {
    for (const assembly::Block &b : p.blocks) {
      for (uint32_t i = b.first; i + 1 < b.first + b.count; ++i) {
        const Instruction &here = p.instructions[i], &next = p.instructions[i + 1];
        if (here.padding || next.padding || here.last_statement == next.first_statement) continue;
        reaches(p, woven_of_[here.last_statement] + 1, next, here, moved_behind(p, here));
      }
    }
  }

  uint32_t find(std::string_view name, uint32_t from, const Instruction &about) const {
    uint32_t label = symbols_.find_label(b_, name, from);
    if (label == kNoStatement) fail(a_.statements[about.last_statement], "a label is gone");
    return label;
  }

  uint32_t label_statement(uint32_t branch, const Instruction &about) const {
    return find(assembly::first_symbol(b_.statements[branch].operands), branch, about);
  }

  // From woven statement `s` on, through inserted code only, control must come to
  // the original instruction `target`, with the stack pointer moved by `by` in the end.
  void reaches(const Procedure &p, uint32_t s, const Instruction &target, const Instruction &about, int64_t by = 0,
               isa::Resources touched = 0, bool saves = false, KeptRegisters kept = {}) const {
    uint32_t section = s < b_.statements.size() ? b_.statements[s].section : 0;
    int64_t moved = 0;
    isa::Resources opened = 0, halves = 0;  // one less in its lower half; other in its upper half
    const int64_t whole = by + (ways_out_.contains(target.first_statement) ? isa::kWidening : 0);
    for (uint32_t steps = 0; s < b_.statements.size() && steps < b_.statements.size(); ++s, ++steps) {
      const Statement &x = b_.statements[s];
      if (x.section != section) continue;
      if (!inserted_[s]) {
        bool emits = layout_.places[s].begin != layout_.places[s].end;
        if (x.kind != StatementKind::instruction && !(emits && target.first_statement == original_of_.at(s))) continue;
        if (original_of_.at(s) != target.first_statement) break;
        uint32_t i = first_of_statement_.at(target.first_statement);
        if (moved != whole) fail(a_.statements[target.first_statement], "the stack pointer is moved");
        isa::Resources ours = changes_.holder | isa::register_numbered(isa::kStackPointer);
        if (halves & upper_.before[i]) fail(a_.statements[target.first_statement], "a probe destroys an upper half");
        if (!saves && ((touched | opened) & live_.before[i] & ~ours)) fail(a_.statements[target.first_statement], "a probe destroys what is live");
        return;
      }
      if (x.kind != StatementKind::instruction) continue;
      auto d = isa::decode(layout_.bytes(b_, s));
      if (!d) fail(a_.statements[about.last_statement], "a probe that is no instruction");
      std::string fault = rules_ ? rules_->probe_fault(s, target, whole - moved) : "";
      if (!fault.empty()) fail(a_.statements[about.last_statement], fault);
      if (way_ != nullptr) way_->push_back(*d);
      if (d->stepped != 0 && opened == 0 && isa::opens_countdown(*d, d->stepped)) {
        opened = d->stepped;
        continue;
      }
      if (opened != 0 && d->stepped == opened && d->step == 1 && !d->half_step) {
        halves |= opened;
        opened = 0;
        continue;
      }
      kept.note(x, moved, touched);
      bool keeps_registers = x.name == "call" && (x.operands.starts_with("__chord_meter_") || x.operands == "__chord_trace_enter_flags");
      touched |= !keeps_registers ? d->writes : x.operands.ends_with("_flags") ? 0 : isa::all_flags();
      if (kept.puts_back(x, moved)) touched &= ~d->writes;
      moved += moves_of(s);
      saves = saves || x.name.starts_with("push");
      // What a probe kept and has put back again.
      if (x.name == "sahf") touched &= ~isa::all_flags();
      if (x.name == "movq" && x.operands.ends_with(",%rax") &&
          x.operands.find('(') == std::string_view::npos) {
        touched &= ~*isa::register_named("rax");
      }
      // A probe's way around, too.
      if (d->flow == isa::Flow::conditional) {
        reaches(p, label_statement(s, about), target, about, by - moved, touched | opened | halves, saves, kept);
      }
      if (d->flow == isa::Flow::jump) {
        s = label_statement(s, about);
        section = b_.statements[s].section;
      }
    }
    fail(a_.statements[about.last_statement],
         fmt::format("control in {} no longer gets from here to line {}", p.name, a_.statements[target.first_statement].line));
  }

  // ---- counters in registers ----

  void held_rightly(const Procedure &p) {
    auto found = maps_.find(std::string(p.name));
    if (found == maps_.end()) return;
    for (const format::Procedure *map : found->second) {
      // Names need not be unique in a unit; instructions tell which one this is.
      if (map->held.empty() || map->blocks.size() != p.blocks.size() || map->edges.size() != p.edges.size()) continue;
      std::string fault = held_fault({p, live_, upper_, woven_steps_}, *map, [&](const assembly::Edge &e) { return ways_of(p, e); });
      if (!fault.empty()) fail(a_.statements[p.fragments[0].first_statement], fault);
    }
  }

  // What is inserted on each way along an edge: entries of a jump table are ways of their own.
  std::vector<std::vector<isa::Decoded>> ways_of(const Procedure &p, const assembly::Edge &e) {
    if (e.slots.size() < 2) return {way_of(p, e)};
    std::vector<std::vector<isa::Decoded>> ways;
    for (const assembly::Mention &slot : e.slots) {
      assembly::Edge one = e;
      one.slots = {slot};
      ways.push_back(way_of(p, one));
    }
    return ways;
  }

  std::vector<isa::Decoded> way_of(const Procedure &p, const assembly::Edge &e) {
    std::vector<isa::Decoded> way;
    if (p.blocks[e.from].kind == assembly::BlockKind::code && ways_out(p, e.from) == 1) way = inserted_before(last_of(p, e.from));
    way_ = &way;
    follow(p, e);
    way_ = nullptr;
    return way;
  }

  static uint32_t ways_out(const Procedure &p, uint32_t block) {
    uint32_t n = 0;
    for (const assembly::Edge &e : p.edges) n += e.from == block && e.kind != EdgeKind::never;
    return n;
  }

  std::vector<isa::Decoded> inserted_before(const Instruction &in) const {
    std::vector<isa::Decoded> found;
    if (in.decoded.flow == isa::Flow::next) return found;
    for (uint32_t s = woven_of_[in.first_statement]; s-- > 0 && inserted_[s];) {
      if (b_.statements[s].kind != StatementKind::instruction) continue;
      if (auto d = isa::decode(layout_.bytes(b_, s))) found.insert(found.begin(), *d);
    }
    return found;
  }

  // ---- the object really written ----

  void same_bytes(const std::string &path) const {
    std::multiset<std::string> written;
    std::string bytes = base::read_file(path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory(bytes.data(), bytes.size());
    if (elf == nullptr) throw base::Error(fmt::format("verify: {}: {}", path, elf_errmsg(-1)));
    for (Elf_Scn *s = nullptr; (s = elf_nextscn(elf, s)) != nullptr;) {
      GElf_Shdr header;
      gelf_getshdr(s, &header);
      Elf_Data *data = elf_rawdata(s, nullptr);
      if ((header.sh_flags & SHF_EXECINSTR) && data != nullptr && data->d_buf != nullptr) {
        written.emplace(static_cast<const char *>(data->d_buf), data->d_size);
      }
    }
    elf_end(elf);
    for (const std::string &code : layout_.contents) {
      if (code.empty()) continue;
      auto it = written.find(code);
      if (it == written.end()) throw base::Error(fmt::format("verify: {}: holds other code than was proved", path));
      written.erase(it);
    }
  }

  const assembly::Unit &unit_;
  const Source &a_;
  Source b_;
  assembly::Layout layout_;
  assembly::Symbols symbols_;
  std::vector<bool> inserted_;
  std::vector<uint32_t> woven_of_;                        // original -> woven statement
  std::map<uint32_t, uint32_t> original_of_;              // and back
  std::map<std::string, std::vector<const format::Procedure *>> maps_;
  std::vector<isa::Decoded> *way_ = nullptr;  // where to note what is inserted on a way
  assembly::Liveness live_, upper_;     // of the procedure in hand
  std::set<uint32_t> woven_steps_;      // its steps that are made in 64 bits
  std::map<uint32_t, uint32_t> first_of_statement_;
  const std::map<uint32_t, PathChanges> &paths_;
  PathChanges changes_;           // of the procedure in hand
  std::set<uint32_t> ways_out_;   // instructions that leave its widened frame
  std::optional<WidenedRules> rules_;  // if its frame is widened
};

}  // namespace

void verify_woven(const assembly::Unit &original, const Woven &woven, const assembly::Assembler &assembler,
                  const std::string &object) {
  Verifier(original, woven, assembler).run(object);
}

}  // namespace chord::weave
