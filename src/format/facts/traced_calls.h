// Calls after which a traced procedure writes a bit when control has come back: all but those that never return.
// What they call may be anything, and enter the trace by itself.
#pragma once

#include <cstdint>
#include <vector>

#include "format/map/map.h"

namespace chord::format {

// By instruction of the procedure.
std::vector<bool> traced_calls(const Procedure &procedure);

// Tokens as spots number them (Spot::lacks): first those of edges, then those of calls, by instruction, then the entry, then what is due
// before an instruction in front of which it is written (format/facts/late_tokens.h).
struct TokenNumber {
  enum class Kind : uint8_t { edge, call, entry, waiting } kind = Kind::edge;
  uint32_t number = 0;
};
inline uint32_t number_of_edge(const Procedure &, uint32_t edge) { return edge; }
inline uint32_t number_of_call(const Procedure &p, uint32_t call) { return static_cast<uint32_t>(p.edges.size()) + call; }
inline uint32_t number_of_entry(const Procedure &p) { return static_cast<uint32_t>(p.edges.size() + p.instructions.size()); }
inline uint32_t number_of_waiting(const Procedure &p, uint32_t instruction) { return number_of_entry(p) + 1 + instruction; }
inline TokenNumber token_numbered(const Procedure &p, uint32_t number) {
  if (number < p.edges.size()) return {TokenNumber::Kind::edge, number};
  if (number < number_of_entry(p)) return {TokenNumber::Kind::call, number - static_cast<uint32_t>(p.edges.size())};
  if (number == number_of_entry(p)) return {TokenNumber::Kind::entry, 0};
  return {TokenNumber::Kind::waiting, number - number_of_entry(p) - 1};
}

}  // namespace chord::format
