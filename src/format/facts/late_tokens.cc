#include "format/facts/late_tokens.h"

#include <utility>

#include "format/facts/traced_calls.h"

namespace chord::format {
namespace {

using core::TraceToken;

constexpr TraceToken kCameBack{1, 0};

}  // namespace

bool is_written_before(const Instruction &last) { return (last.traits & (isa::kJump | isa::kReturn | isa::kConditional)) != 0; }

TraceToken joined(const TraceToken &first, const TraceToken &second) {
  const uint32_t bits = uint32_t{first.bits} + second.bits;
  if (bits > kMostLateBits) return {};
  return {static_cast<uint8_t>(bits), first.value << second.bits | second.value};
}

LateTokens::LateTokens(const Procedure &procedure, TraceCode code, const std::vector<uint32_t> &late)
    : map_(&procedure), code_(std::move(code)), edge_is_late_(procedure.edges.size()), call_is_late_(procedure.instructions.size()),
      block_of_(procedure.instructions.size(), core::kNone), call_before_(procedure.instructions.size(), core::kNone), only_out_(procedure.blocks.size(), core::kNone), start_(procedure.blocks.size()) {
  for (uint32_t number : late) {
    const TokenNumber token = token_numbered(procedure, number);
    if (token.kind == TokenNumber::Kind::edge) edge_is_late_[token.number] = true;
    if (token.kind == TokenNumber::Kind::call) call_is_late_[token.number] = true;
  }
  for (uint32_t b = 0; b < procedure.blocks.size(); ++b) {
    uint32_t call = core::kNone;
    for (uint32_t i = procedure.blocks[b].first; i < procedure.blocks[b].first + procedure.blocks[b].count; ++i) {
      block_of_[i] = b;
      call_before_[i] = call;
      if ((procedure.instructions[i].traits & isa::kCall) != 0) call = i;
    }
  }
  std::vector<uint32_t> successors(procedure.blocks.size());
  std::vector<std::vector<core::EdgeId>> late_out(procedure.blocks.size());
  std::vector<bool> waits(procedure.blocks.size());
  for (core::EdgeId e = 1; e < procedure.edges.size(); ++e) {
    const Edge &edge = procedure.edges[e];
    if (edge.kind == EdgeKind::never) continue;
    only_out_[edge.from] = ++successors[edge.from] == 1 ? e : core::kNone;
    if (!edge_is_late_[e]) continue;
    late_out[edge.from].push_back(e);
    waits[edge.to] = true;
  }
  std::vector<uint32_t> todo;
  for (uint32_t b = 0; b < procedure.blocks.size(); ++b) {
    if (!waits[b]) todo.push_back(b);
  }
  while (!todo.empty()) {
    const uint32_t b = todo.back();
    todo.pop_back();
    for (core::EdgeId e : late_out[b]) {
      const uint32_t to = procedure.edges[e].to;
      if (!waits[to]) continue;  // but by one edge
      waits[to] = false;
      start_[to] = on(e);
      todo.push_back(to);
    }
  }
}

TraceToken LateTokens::after_call(uint32_t call) const { return call_is_late_[call] ? kCameBack : TraceToken{}; }

TraceToken LateTokens::before(uint32_t instruction) const {
  const uint32_t block = block_of_[instruction];
  if (block == core::kNone) return {};
  return call_before_[instruction] == core::kNone ? start_[block] : after_call(call_before_[instruction]);
}

TraceToken LateTokens::at(uint32_t instruction) const {
  const bool written = (map_->instructions[instruction].traits & isa::kCall) != 0 || is_last_before_write(instruction);
  return written ? TraceToken{} : before(instruction);
}

bool LateTokens::is_last_before_write(uint32_t instruction) const {
  const uint32_t block = block_of_[instruction];
  if (block == core::kNone || only_out_[block] == core::kNone || edge_is_late_[only_out_[block]]) return false;
  return instruction + 1 == map_->blocks[block].first + map_->blocks[block].count && is_written_before(map_->instructions[instruction]);
}

TraceToken LateTokens::at_end(uint32_t block) const {
  const Block &b = map_->blocks[block];
  if (b.count == 0) return start_[block];
  const uint32_t last = b.first + b.count - 1;
  return (map_->instructions[last].traits & isa::kCall) != 0 ? after_call(last) : before(last);
}

TraceToken LateTokens::on(core::EdgeId edge) const { return joined(at_end(map_->edges[edge].from), code_.tokens[edge]); }

TraceToken LateTokens::came_back_from(uint32_t call) const { return block_of_[call] != core::kNone ? code_.after_call(block_of_[call], call) : kCameBack; }

// Where it begins a block at which a path starts.
TraceToken LateTokens::at_start(uint32_t instruction) const {
  const uint32_t block = block_of_[instruction];
  return block != core::kNone && map_->blocks[block].first == instruction ? code_.at_start(block) : TraceToken{};
}

TraceToken LateTokens::in(const Spot &spot) const {
  if (spot.lacks.empty()) return spot.instruction != core::kNone ? at(spot.instruction) : TraceToken{};
  TraceToken came_back, taken, waiting;
  for (const Spot::Lack &lack : spot.lacks) {
    const TokenNumber token = token_numbered(*map_, lack.counter);
    if (lack.count <= 0) continue;
    if (token.kind == TokenNumber::Kind::call) came_back = came_back_from(token.number);
    if (token.kind == TokenNumber::Kind::edge) taken = on(core::EdgeId(token.number));
    if (token.kind == TokenNumber::Kind::waiting) waiting = joined(before(token.number), at_start(token.number));
  }
  return joined(joined(came_back, taken), waiting);
}

}  // namespace chord::format
