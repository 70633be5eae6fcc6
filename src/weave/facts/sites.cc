#include "weave/facts/sites.h"

#include <cctype>

namespace chord::weave {

using assembly::Block;
using assembly::BlockKind;
using assembly::Edge;
using assembly::EdgeKind;
using assembly::Instruction;
using assembly::Procedure;
using assembly::Statement;
using assembly::StatementKind;

namespace {

class Finder {
 public:
  Finder(const assembly::Unit &unit, const Procedure &p, const assembly::Liveness &live, const JumpedLabels &jumped,
         Options::Stubs stubs)
      : source_(*unit.source), layout_(unit.layout), p_(p), live_(live), jumped_(jumped), stubs_(stubs), in_(p.blocks.size()), out_(p.blocks.size()) {
    for (size_t e = 1; e < p.edges.size(); ++e) {
      if (p.edges[e].kind == EdgeKind::never) continue;
      ++out_[p.edges[e].from];
      ++in_[p.edges[e].to];
    }
  }

  Sites run() {
    Sites sites;
    sites.edge.resize(p_.edges.size());
    sites.block.resize(p_.blocks.size());
    for (uint32_t e = 1; e < p_.edges.size(); ++e) {
      sites.edge[e] = edge_site(p_.edges[e]);
      sites.edge[e].block = p_.edges[e].from;
      if (Site &site = sites.edge[e]; site.is_stub() && is_code(p_.edges[e].to)) {
        site.gap = gap_before(p_.edges[e].to, site.fragment);
      }
    }
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      if (p_.blocks[b].kind == BlockKind::code) sites.block[b] = start_of(b);
    }
    // Entering the procedure is taking its first edge.
    if (out_[0] == 1) sites.block[0] = sites.edge[1];
    return sites;
  }

 private:
  const Instruction &first_of(uint32_t b) const { return p_.instructions[p_.blocks[b].first]; }
  const Instruction &last_of(uint32_t b) const { return p_.instructions[p_.blocks[b].first + p_.blocks[b].count - 1]; }
  bool is_code(uint32_t b) const { return p_.blocks[b].kind == BlockKind::code; }

  // The first instruction on the way that starts with vertex v.
  uint32_t next_in(uint32_t v) const {
    for (uint32_t steps = 0; !is_code(v) && v != 1 && steps < p_.blocks.size(); ++steps) {
      for (const Edge &e : p_.edges) {
        if (e.from != v) continue;
        v = e.to;
        break;
      }
    }
    return is_code(v) ? p_.blocks[v].first : core::kNone;
  }

  void stands_before(Site &s, uint32_t v) const { s.next = s.due = next_in(v); }

  Site edge_site(const Edge &e) const {
    if (e.kind == EdgeKind::never || e.kind == EdgeKind::return_edge) return {};
    if (e.kind == EdgeKind::enter) return entry_site(e);
    if (is_code(e.from)) {
      // Both returns of a call that returns twice arrive at one place.
      if (e.kind == EdgeKind::landing) return {};
      if (out_[e.from] == 1) return end_of(e.from, e.to);
    }
    if (is_code(e.to) && in_[e.to] == 1 && !stays_on_jump(e)) return start_of(e.to);
    switch (e.kind) {
      case EdgeKind::fall:
        return behind(e);
      case EdgeKind::taken:
      case EdgeKind::tail_call:
        return jump_stub(e);
      case EdgeKind::dispatch:
      case EdgeKind::landing:
        return is_code(e.to) && !e.slots.empty() ? slot_stub(e) : Site{};
      default:
        return {};
    }
  }

  // The first label of block b, if nothing falls from above into what stands in front of it.
  uint32_t gap_before(uint32_t b, uint32_t fragment) const {
    const Instruction &first = first_of(b);
    if (p_.blocks[b].first == 0 || first.fragment != fragment) return assembly::kNoStatement;
    const Instruction &above = p_.instructions[p_.blocks[b].first - 1];
    bool falls = above.decoded.flow != isa::Flow::jump && above.decoded.flow != isa::Flow::leave;
    if (falls || above.fragment != fragment) return assembly::kNoStatement;
    uint32_t gap = assembly::kNoStatement;
    for (uint32_t s = first.first_statement; --s > above.last_statement;) {
      const Statement &x = source_.statements[s];
      if (x.section != p_.fragments[fragment].section) continue;
      bool label = x.kind == StatementKind::label;
      if (label ? std::isdigit(static_cast<unsigned char>(x.name[0])) : holds_code(s)) return assembly::kNoStatement;
      if (label && (is_jumped_to(jumped_, x.name) || !x.name.starts_with(".L"))) gap = s;
    }
    return gap;
  }

  bool holds_code(uint32_t s) const {
    const Statement &x = source_.statements[s];
    return !assembly::is_alignment(x) && (x.kind == StatementKind::instruction || !layout_.bytes(source_, s).empty());
  }

  bool stays_on_jump(const Edge &e) const {
    if (stubs_ != Options::Stubs::always) return false;
    return e.kind == EdgeKind::taken ? is_code(e.from) && jump_stub(e).exists() : e.kind == EdgeKind::dispatch && !e.slots.empty();
  }

  // In front of the instruction that leaves the block, or after the last one.
  Site end_of(uint32_t b, uint32_t to) const {
    const Instruction &last = last_of(b);
    uint32_t index = p_.blocks[b].first + p_.blocks[b].count - 1;
    Site s;
    s.fragment = last.fragment;
    if (last.decoded.flow == isa::Flow::jump || last.decoded.flow == isa::Flow::leave ||
        last.decoded.flow == isa::Flow::conditional) {
      s.kind = Site::Kind::before;
      s.statement = last.first_statement;
      s.live = live_.before[index];
      s.next = s.due = index;
      s.ahead = true;
    } else {
      s.kind = Site::Kind::after;
      s.statement = last.last_statement;
      s.live = live_.block_in[to];
      stands_before(s, to);
    }
    return s;
  }

  // endbr64 must stay the first instruction where it is the first.
  Site start_of(uint32_t b) const {
    const Instruction &first = first_of(b);
    Site s;
    s.kind = first.decoded.marks_entry ? Site::Kind::after : Site::Kind::before;
    s.statement = first.decoded.marks_entry ? first.last_statement : first.first_statement;
    s.fragment = first.fragment;
    s.live = live_.block_in[b];
    s.block = b;
    s.due = p_.blocks[b].first;
    s.next = s.due + (first.decoded.marks_entry ? 1 : 0);
    return s;
  }

  // In line: whoever gets past the source's last instruction falls through.
  Site behind(const Edge &e) const {
    uint32_t from = e.from;
    if (p_.blocks[from].kind == BlockKind::landing) from = e.to - 1;  // the call that returns twice
    const Instruction &last = last_of(from);
    Site s;
    s.kind = Site::Kind::after;
    s.statement = last.last_statement;
    s.fragment = last.fragment;
    s.live = live_.block_in[e.to];
    stands_before(s, e.to);
    return s;
  }

  Site entry_site(const Edge &e) const {
    if (!is_code(e.to)) return {};
    if (in_[e.to] == 1) return start_of(e.to);
    // The first block is a loop head: stay in front of the label jumped to.
    const Instruction &first = first_of(e.to);
    Site s;
    s.fragment = first.fragment;
    s.live = live_.block_in[e.to];
    stands_before(s, e.to);
    bool rules_open = false, has_rules = false;
    for (uint32_t i = p_.fragments[0].first_statement + 1; i <= first.first_statement; ++i) {
      has_rules = has_rules || source_.statements[i].name == ".cfi_startproc";
    }
    for (uint32_t i = p_.fragments[0].first_statement + 1; i < first.first_statement; ++i) {
      const Statement &x = source_.statements[i];
      if (x.name == ".cfi_startproc") rules_open = true;
      bool target = x.kind == StatementKind::label && is_jumped_to(jumped_, x.name);
      if (!target || (has_rules && !rules_open)) continue;
      s.kind = Site::Kind::before;
      s.statement = i;
      return s;
    }
    return {};
  }

  Site jump_stub(const Edge &e) const {
    const Instruction &last = last_of(e.from);
    if (last.decoded.short_only || last.decoded.indirect) return {};
    Site s;
    s.kind = Site::Kind::jump_stub;
    s.statement = last.last_statement;
    s.fragment = last.fragment;
    s.target = source_.statements[last.last_statement].operands;
    if (s.target.empty()) return {};
    s.live = e.to == 1 ? live_.tail_call : live_.block_in[e.to];
    stands_before(s, e.to);
    return s;
  }

  Site slot_stub(const Edge &e) const {
    const Instruction &first = first_of(e.to);
    Site s;
    s.kind = Site::Kind::slot_stub;
    s.statement = first.first_statement;
    s.fragment = first.fragment;
    s.live = live_.block_in[e.to];
    s.marks_entry = first.decoded.marks_entry;
    s.target = e.slots[0].label;
    stands_before(s, e.to);
    return s;
  }

  const assembly::Source &source_;
  const assembly::Layout &layout_;
  const Procedure &p_;
  const assembly::Liveness &live_;
  const JumpedLabels &jumped_;
  Options::Stubs stubs_;
  std::vector<uint32_t> in_, out_;
};

}  // namespace

JumpedLabels jumped_labels(const assembly::Unit &unit) {
  JumpedLabels out;
  for (const Procedure &p : unit.procedures) {
    for (const Instruction &in : p.instructions) {
      if (std::string_view name = assembly::callee_of(*unit.source, in); !name.empty()) out.insert(name);
    }
  }
  for (const assembly::Table &t : unit.symbols.tables) {
    for (const assembly::Mention &m : t.entries) out.insert(m.label);
  }
  for (const assembly::Mention &m : unit.symbols.taken) out.insert(m.label);
  for (const assembly::Mention &m : unit.symbols.landing_pads) out.insert(m.label);
  return out;
}

bool is_jumped_to(const JumpedLabels &jumped, std::string_view label) {
  return std::isdigit(static_cast<unsigned char>(label[0])) || jumped.contains(label);
}

Sites find_sites(const assembly::Unit &unit, const Procedure &procedure, const assembly::Liveness &liveness,
                 const JumpedLabels &jumped, Options::Stubs stubs) {
  return Finder(unit, procedure, liveness, jumped, stubs).run();
}

}  // namespace chord::weave
