#include "weave/trace/late.h"

#include <string_view>

#include "format/facts/late_tokens.h"
#include "format/facts/traced_calls.h"

namespace chord::weave {

using assembly::BlockKind;
using assembly::EdgeKind;
using core::kNone;

namespace {

class LatePlanner {
 public:
  LatePlanner(const ProcedureFacts &facts, const Sites &sites, const std::vector<core::TraceToken> &tokens, const std::vector<bool> &traced)
      : facts_(facts), p_(facts.p), sites_(sites), tokens_(tokens), traced_(traced), in_(p_.blocks.size()), out_(p_.blocks.size()),
        first_call_(p_.blocks.size(), kNone), late_edge_(p_.edges.size()), late_call_(p_.instructions.size()) {
    for (core::EdgeId e = 1; e < p_.edges.size(); ++e) {
      if (p_.edges[e].kind == EdgeKind::never) continue;
      ++in_[p_.edges[e].to];
      out_[p_.edges[e].from].push_back(e);
    }
  }

  std::vector<uint32_t> run() {
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      if (facts_.is_code(b)) look_at_calls(b);
    }
    for (uint32_t b = 2; b < p_.blocks.size(); ++b) {
      if (in_[b] != 1) follow(b);
    }
    for (core::EdgeId e : out_[0]) {
      if (in_[p_.edges[e].to] != 1) continue;
      late_edge_[e] = tokens_[e].bits != 0 && can_wait(e, tokens_[e].bits);
      follow(p_.edges[e].to, late_edge_[e] ? tokens_[e].bits : 0);
    }
    std::vector<uint32_t> late;
    for (uint32_t e = 0; e < p_.edges.size(); ++e) {
      if (late_edge_[e]) late.push_back(format::number_of_edge(facts_.map, e));
    }
    for (uint32_t i = 0; i < p_.instructions.size(); ++i) {
      if (late_call_[i]) late.push_back(format::number_of_call(facts_.map, i));
    }
    return late;
  }

 private:
  bool is_call(uint32_t i) const { return (facts_.map.instructions[i].traits & isa::kCall) != 0; }

  // Linkers rewrite such a call together with the instruction before it.
  bool may_stand_before(uint32_t call) const {
    std::string_view operands = facts_.source().statements[p_.instructions[call].last_statement].operands;
    for (std::string_view mark : {"__tls_get_addr", "@tlscall", "@TLSCALL"}) {
      if (operands.find(mark) != std::string_view::npos) return false;
    }
    return true;
  }

  // A bit waits for the next call, or for what leads on from the block.
  void look_at_calls(uint32_t b) {
    uint32_t next = kNone;
    for (uint32_t i = facts_.last_of(b) + 1; i-- > p_.blocks[b].first;) {
      if (!is_call(i)) continue;
      const bool goes_on = i != facts_.last_of(b) || falls_on(b);
      if (traced_[i]) late_call_[i] = next != kNone ? may_stand_before(next) : goes_on && can_write_after(b, 1);
      next = i;
    }
    first_call_[b] = next;
  }

  // After a call at the block's end, which otherwise may have landed elsewhere.
  bool falls_on(uint32_t b) const {
    return out_[b].size() == 1 && p_.edges[out_[b][0]].kind == EdgeKind::fall && facts_.is_code(p_.edges[out_[b][0]].to);
  }

  // So many bits, on whatever leads on from the block.
  bool can_write_after(uint32_t b, uint32_t bits) const {
    for (core::EdgeId e : out_[b]) {
      const Site &site = sites_.edge[e];
      if (!site.exists() || bits + tokens_[e].bits > format::kMostLateBits || may_leap(b, e)) return false;
      if (facts_.is_code(b) && out_[b].size() == 1) {
        const bool before = format::is_written_before(facts_.map.instructions[facts_.last_of(b)]);
        if (site.ahead != before || (before && tokens_[e].bits != 0)) return false;
      } else if (site.ahead) {
        return false;
      }
    }
    return !out_[b].empty();
  }

  // Out of several frames (weave/exits/builtin_longjmps.h): the runtime is told of that in the midst of the block.
  bool may_leap(uint32_t b, core::EdgeId e) const { return p_.edges[e].to == 1 && facts_.is_code(b) && p_.instructions[facts_.last_of(b)].decoded.indirect; }

  bool can_wait(core::EdgeId e, uint32_t bits) const {
    const uint32_t to = p_.edges[e].to;
    const EdgeKind kind = p_.edges[e].kind;
    const bool usual = kind == EdgeKind::fall || kind == EdgeKind::taken || kind == EdgeKind::jump || kind == EdgeKind::dispatch || kind == EdgeKind::enter;
    if (!usual || bits > format::kMostLateBits || in_[to] != 1 || to < 2) return false;
    if (p_.blocks[to].kind == BlockKind::dispatch) return can_write_after(to, bits);
    if (!facts_.is_code(to)) return false;
    return first_call_[to] != kNone ? may_stand_before(first_call_[to]) : can_write_after(to, bits);
  }

  // Blocks that one edge leads to, from one that begins with so many bits due.
  void follow(uint32_t root, uint32_t due_there = 0) {
    struct Item {
      uint32_t block, bits;
    };
    std::vector<Item> todo{{root, due_there}};
    while (!todo.empty()) {
      const auto [b, begun] = todo.back();
      todo.pop_back();
      const uint32_t bits = facts_.is_code(b) && first_call_[b] != kNone ? bits_after_calls(b) : begun;
      for (core::EdgeId e : out_[b]) {
        const uint32_t due = bits + tokens_[e].bits, to = p_.edges[e].to;
        late_edge_[e] = due != 0 && can_wait(e, due);
        if (to >= 2 && in_[to] == 1) todo.push_back({to, late_edge_[e] ? due : 0});
      }
    }
  }

  uint32_t bits_after_calls(uint32_t b) const {
    for (uint32_t i = facts_.last_of(b) + 1; i-- > p_.blocks[b].first;) {
      if (is_call(i)) return late_call_[i] ? 1 : 0;
    }
    return 0;
  }

  const ProcedureFacts &facts_;
  const assembly::Procedure &p_;
  const Sites &sites_;
  const std::vector<core::TraceToken> &tokens_;
  const std::vector<bool> &traced_;
  std::vector<uint32_t> in_;                       // by block: how many edges lead to it
  std::vector<std::vector<core::EdgeId>> out_;     // by block
  std::vector<uint32_t> first_call_;               // by block
  std::vector<bool> late_edge_, late_call_;
};

}  // namespace

std::vector<uint32_t> late_tokens(const ProcedureFacts &facts, const Sites &sites, const std::vector<core::TraceToken> &tokens, const std::vector<bool> &traced) {
  return LatePlanner(facts, sites, tokens, traced).run();
}

}  // namespace chord::weave
