#include "html/facts/call_graph.h"

#include <map>
#include <unordered_map>

#include "isa/traits.h"

namespace chord::html {
namespace {

using analysis::CountedProcedure;

class Symbols {
 public:
  explicit Symbols(const analysis::Program &program) : program_(program) {
    for (uint32_t p = 0; p < program.procedures.size(); ++p) {
      by_name_[program.procedures[p].map->name].push_back(p);
    }
  }

  uint32_t find(const CountedProcedure &caller, const std::string &symbol) const {
    // A call may go through the procedure linkage table.
    const std::string name = symbol.ends_with("@PLT") ? symbol.substr(0, symbol.size() - 4) : symbol;
    auto found = by_name_.find(name);
    if (found == by_name_.end()) return kOutside;
    uint32_t best = kOutside;
    int best_rank = 0;
    for (uint32_t p : found->second) {
      const int rank = rank_of(caller, program_.procedures[p]);
      if (rank > best_rank) {
        best = p;
        best_rank = rank;
      }
    }
    return best;
  }

 private:
  static int rank_of(const CountedProcedure &caller, const CountedProcedure &callee) {
    if (caller.unit == callee.unit) return 3;
    if (!callee.map->global) return 0;
    return caller.module == callee.module ? 2 : 1;
  }

  const analysis::Program &program_;
  std::unordered_map<std::string, std::vector<uint32_t>> by_name_;
};

}  // namespace

CallGraph count_calls(const analysis::Program &program) {
  CallGraph graph;
  graph.indirect.resize(program.procedures.size());
  const Symbols symbols(program);
  for (uint32_t p = 0; p < program.procedures.size(); ++p) {
    const CountedProcedure &procedure = program.procedures[p];
    if (!procedure.exact()) continue;
    std::map<std::string, uint64_t> callees;
    for (size_t i = 0; i < procedure.executed.size(); ++i) {
      const format::Instruction &instruction = procedure.map->instructions[i];
      if ((instruction.traits & (isa::kCall | isa::kTailCall)) == 0) continue;
      if (instruction.callee.empty()) {
        graph.indirect[p] += procedure.executed[i];
      } else {
        callees[instruction.callee] += procedure.executed[i];
      }
    }
    for (const auto &[symbol, count] : callees) {
      graph.calls.push_back({p, symbols.find(procedure, symbol), symbol, count});
    }
  }
  return graph;
}

}  // namespace chord::html
