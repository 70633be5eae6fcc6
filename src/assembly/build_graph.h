// Blocks and edges of one procedure from its decoded instructions.
#pragma once

#include <unordered_map>

#include "assembly/procedure.h"

namespace chord::assembly {

class GraphBuilder {
 public:
  GraphBuilder(const Source &source, const Unit &unit);

  // Fills blocks and edges, or sets `skipped`.
  void build(Procedure &procedure);

 private:
  const Source &source_;
  const Unit &unit_;
  // Mentions by the section and position of the label they name.
  using ByPlace = std::unordered_map<uint64_t, std::vector<Mention>>;
  ByPlace landing_pads_;
  ByPlace taken_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> tables_;  // tables with an entry there
  friend class ProcedureGraph;
};

}  // namespace chord::assembly
