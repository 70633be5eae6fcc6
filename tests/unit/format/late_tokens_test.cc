// Late tokens: along any path, what LateTokens says is due is what control has earned since it was last written.
#include "format/facts/late_tokens.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "format/facts/traced_calls.h"

namespace chord::format {
namespace {

using Random = std::mt19937;

std::string text(const core::TraceToken &token) {
  std::string out;
  for (uint32_t i = token.bits; i-- != 0;) out += (token.value >> i & 1) != 0 ? '1' : '0';
  return out;
}

Procedure random_procedure(Random &random) {
  Procedure p;
  const uint32_t blocks = 3 + random() % 10;
  p.blocks.resize(blocks);
  p.blocks[0].kind = VertexKind::entry;
  p.blocks[1].kind = VertexKind::exit;
  p.edges.push_back({1, 0, EdgeKind::return_edge, 0, 0});
  p.edges.push_back({0, 2, EdgeKind::enter, 0, 0});
  for (uint32_t b = 2; b < blocks; ++b) {
    p.blocks[b].kind = VertexKind::code;
    p.blocks[b].first = static_cast<uint32_t>(p.instructions.size());
    p.blocks[b].count = 1 + random() % 4;
    p.instructions.resize(p.instructions.size() + p.blocks[b].count);
    for (uint32_t i = p.blocks[b].first; i < p.instructions.size(); ++i) p.instructions[i].traits = random() % 4 == 0 ? isa::kCall : 0;
    const bool parts = random() % 3 != 0;
    if (parts) p.instructions.back().traits = isa::kConditional;
    if (!parts && random() % 2 == 0) p.instructions.back().traits = isa::kJump;
    for (uint32_t way = 0; way < (parts ? 2u : 1u); ++way) {
      const bool out = random() % 5 == 0;
      p.edges.push_back({core::Vertex(b), out ? core::Vertex(1) : core::Vertex(2 + random() % (blocks - 2)), out ? EdgeKind::leave : way == 0 ? EdgeKind::taken : EdgeKind::fall, 0, 0});
    }
  }
  return p;
}

// Some of those that may be.
std::vector<uint32_t> random_late(const Procedure &p, Random &random) {
  std::vector<uint32_t> in(p.blocks.size()), late;
  for (uint32_t e = 1; e < p.edges.size(); ++e) ++in[p.edges[e].to];
  for (uint32_t e = 2; e < p.edges.size(); ++e) {
    if (p.edges[e].to != 1 && in[p.edges[e].to] == 1 && random() % 4 != 0) late.push_back(number_of_edge(p, e));
  }
  for (uint32_t i = 0; i < p.instructions.size(); ++i) {
    if ((p.instructions[i].traits & isa::kCall) != 0 && random() % 3 != 0) late.push_back(number_of_call(p, i));
  }
  return late;
}

class Walk {
 public:
  Walk(const Procedure &p, const std::vector<core::TraceToken> &tokens, const LateTokens &late) : p_(p), tokens_(tokens), late_(late), out_(p.blocks.size()) {
    for (core::EdgeId e = 1; e < p.edges.size(); ++e) out_[p.edges[e].from].push_back(e);
  }

  void run(Random &random) {
    uint32_t block = 2;
    for (uint32_t steps = 0; block != 1 && steps < 60; ++steps) {
      for (uint32_t i = p_.blocks[block].first; i < p_.blocks[block].first + p_.blocks[block].count; ++i) execute(block, i);
      const core::EdgeId e = out_[block][random() % out_[block].size()];
      due_ += text(tokens_[e]);
      const bool before_jump = out_[block].size() == 1 && is_written_before(p_.instructions[p_.blocks[block].first + p_.blocks[block].count - 1]);
      if (late_.is_late(e) || !before_jump || tokens_[e].bits != 0) ASSERT_EQ(text(late_.on(e)), earned_on(e));
      if (!late_.is_late(e)) due_.clear();
      block = p_.edges[e].to;
    }
  }

 private:
  // A jump that takes the only edge has written what was due before it.
  std::string earned_on(core::EdgeId e) const { return written_ + due_.substr(0, due_.size() - tokens_[e].bits) + text(tokens_[e]); }

  void execute(uint32_t block, uint32_t i) {
    written_.clear();
    ASSERT_EQ(text(late_.before(i)), due_);
    const bool call = (p_.instructions[i].traits & isa::kCall) != 0;
    const bool last = i + 1 == p_.blocks[block].first + p_.blocks[block].count;
    const bool jumps = last && out_[block].size() == 1 && !late_.is_late(out_[block][0]) && is_written_before(p_.instructions[i]);
    if (jumps) written_ = due_;
    if (call || jumps) due_.clear();
    ASSERT_EQ(text(late_.at(i)), due_);
    if (call && late_.is_late_call(i)) due_ = "0";
  }

  const Procedure &p_;
  const std::vector<core::TraceToken> &tokens_;
  const LateTokens &late_;
  std::vector<std::vector<core::EdgeId>> out_;
  std::string due_, written_;
};

TEST(LateTokens, AreWhatControlHasEarned) {
  Random random(1);
  for (uint32_t n = 0; n < 2000; ++n) {
    const Procedure p = random_procedure(random);
    const TraceCode code = trace_code(p);
    const std::vector<core::TraceToken> &tokens = code.tokens;
    const LateTokens late(p, code, random_late(p, random));
    for (uint32_t walk = 0; walk < 5; ++walk) Walk(p, tokens, late).run(random);
  }
}

// Circles of late edges, several that lead to one block, more bits than there is room for.
TEST(LateTokens, OfDamagedMapsAreSomething) {
  Random random(2);
  for (uint32_t n = 0; n < 2000; ++n) {
    const Procedure p = random_procedure(random);
    std::vector<uint32_t> all;
    for (uint32_t number = 0; number < p.edges.size() + 2 * p.instructions.size() + 1; ++number) {
      if (random() % 3 != 0) all.push_back(number);
    }
    const LateTokens late(p, trace_code(p), all);
    for (uint32_t i = 0; i < p.instructions.size(); ++i) ASSERT_LE(late.at(i).bits, kMostLateBits);
    for (core::EdgeId e = 0; e < p.edges.size(); ++e) ASSERT_LE(late.on(e).bits, kMostLateBits);
  }
}

}  // namespace
}  // namespace chord::format
