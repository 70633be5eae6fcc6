#include "format/facts/trace_encoding.h"

#include <algorithm>

#include "core/sequences/witness_tokens.h"
#include "core/sequences/witnesses.h"

namespace chord::format {
namespace {

// Edges that control can take from a block.
std::vector<std::vector<core::EdgeId>> edges_out(const Procedure &procedure) {
  std::vector<std::vector<core::EdgeId>> out(procedure.blocks.size());
  for (core::EdgeId e = 1; e < procedure.edges.size(); ++e) {
    if (procedure.edges[e].kind != EdgeKind::never) out[procedure.edges[e].from].push_back(e);
  }
  return out;
}

struct Next {
  core::TraceToken token;
  core::EdgeId edge = core::kNone;
};

void put_branch(TraceCode &code, uint32_t block, const std::vector<Next> &next) {
  TraceCode::Branch &branch = code.branches[block];
  branch.first = static_cast<uint32_t>(code.edge_of_token.size());
  for (const Next &n : next) {
    branch.bits = n.token.bits;
    branch.count = std::max(branch.count, n.token.value + 1);
  }
  code.edge_of_token.resize(branch.first + branch.count, core::kNone);
  for (const Next &n : next) code.edge_of_token[branch.first + n.token.value] = n.edge;
}

TraceCode code_of_bits(const Procedure &procedure) {
  TraceCode code;
  code.tokens = core::trace_tokens(procedure.graph(), never_taken(procedure));
  code.branches.resize(procedure.blocks.size());
  const std::vector<std::vector<core::EdgeId>> out = edges_out(procedure);
  for (uint32_t b = 1; b < out.size(); ++b) {
    std::vector<Next> next;
    for (core::EdgeId e : out[b]) {
      if (code.tokens[e].bits != 0) next.push_back({code.tokens[e], e});
    }
    put_branch(code, b, next);
  }
  return code;
}

core::PathTokens numbered_paths(const Procedure &procedure) {
  const core::Graph graph = procedure.graph();
  const std::vector<bool> never = never_taken(procedure), stops = trace_stops(procedure), entered = trace_entered(procedure);
  return {{graph, never, stops, entered}, procedure.plan.starts};
}

TraceCode code_of_paths(const Procedure &procedure) {
  TraceCode code;
  code.branches.resize(procedure.blocks.size());
  code.tokens.resize(procedure.edges.size());
  code.paths = numbered_paths(procedure);
  for (core::EdgeId e = 1; e < procedure.edges.size() && code.paths->ok(); ++e) code.tokens[e].value = code.paths->value(e);
  return code;
}

TraceCode code_of_witnesses(const Procedure &procedure) {
  TraceCode code;
  const core::Graph graph = procedure.graph();
  const core::WitnessTokens witnesses(graph, never_taken(procedure), procedure.plan.witnesses);
  code.branches.resize(procedure.blocks.size());
  code.tokens.resize(procedure.edges.size());
  if (witnesses.tokens().empty()) return code;
  const std::vector<std::vector<core::EdgeId>> out = edges_out(procedure);
  for (uint32_t b = 1; b < out.size(); ++b) {
    std::vector<Next> next;
    for (core::EdgeId e : out[b]) {
      if (out[b].size() == 1 && witnesses.tokens()[e].bits == 0) continue;
      for (core::EdgeId w : witnesses.next_on(e)) next.push_back({witnesses.tokens()[w], e});
    }
    put_branch(code, b, next);
    if (code.edge_of_token.size() <= core::WitnessTokens::kMostNext) continue;
    code.branches.assign(procedure.blocks.size(), {});
    return code;
  }
  code.tokens = witnesses.tokens();
  return code;
}

}  // namespace

std::vector<bool> never_taken(const Procedure &procedure) {
  std::vector<bool> never;
  for (const Edge &e : procedure.edges) never.push_back(e.kind == EdgeKind::never);
  return never;
}

std::vector<bool> trace_stops(const Procedure &procedure) {
  std::vector<bool> stops(procedure.blocks.size());
  for (uint32_t b = 0; b < procedure.blocks.size(); ++b) {
    const Block &block = procedure.blocks[b];
    for (uint32_t i = block.first; i < block.first + block.count; ++i) {
      if ((procedure.instructions[i].traits & isa::kCall) != 0) stops[b] = true;
    }
  }
  for (const Edge &e : procedure.edges) {
    const Block &from = procedure.blocks[e.from];
    if (e.to == 1 && from.count != 0 && (procedure.instructions[from.first + from.count - 1].traits & isa::kIndirect) != 0) stops[e.from] = true;
  }
  return stops;
}

std::vector<bool> trace_entered(const Procedure &procedure) {
  const auto is_code = [&](uint32_t b) { return procedure.blocks[b].kind == VertexKind::code; };
  std::vector<bool> outside(procedure.blocks.size()), entered(procedure.blocks.size());
  outside[0] = true;
  for (const Edge &e : procedure.edges) {
    if (e.from == 0 && e.to > 1 && !is_code(e.to)) outside[e.to] = true;
  }
  for (const Edge &e : procedure.edges) {
    if (e.kind != EdgeKind::never && e.to > 1 && outside[e.from] && is_code(e.to)) entered[e.to] = true;
  }
  return entered;
}

TraceCode trace_code(const Procedure &procedure) {
  using enum core::TraceEncoding;
  TraceCode code = procedure.plan.encoding == witness ? code_of_witnesses(procedure) : procedure.plan.encoding == paths ? code_of_paths(procedure) : code_of_bits(procedure);
  // That the procedure was expected: it is entered.
  for (core::EdgeId e = 1; e < procedure.edges.size() && procedure.plan.compares && e < code.tokens.size(); ++e) {
    if (procedure.edges[e].kind == EdgeKind::enter) code.tokens[e] = kExpectedEntry;
  }
  code.reserved.resize(procedure.blocks.size());
  code.last_call.resize(procedure.blocks.size(), core::kNone);
  for (uint32_t b = 0; b < procedure.blocks.size(); ++b) {
    const Block &block = procedure.blocks[b];
    for (uint32_t i = block.first; i < block.first + block.count; ++i) {
      if ((procedure.instructions[i].traits & isa::kCall) != 0) code.last_call[b] = i;
    }
    if (code.paths && code.paths->ok()) code.reserved[b] = static_cast<uint8_t>(code.paths->bits(core::Vertex(b)));
  }
  return code;
}

bool can_be_replayed(const Procedure &procedure) {
  if (procedure.plan.encoding == core::TraceEncoding::bits) return true;
  if (procedure.plan.encoding == core::TraceEncoding::paths) return numbered_paths(procedure).ok();
  const core::Graph graph = procedure.graph();
  const std::vector<bool> never = never_taken(procedure), stops = trace_stops(procedure);
  return core::are_witnesses({graph, never, stops}, procedure.plan.witnesses) &&
         !core::WitnessTokens(graph, never, procedure.plan.witnesses).tokens().empty();
}

}  // namespace chord::format
