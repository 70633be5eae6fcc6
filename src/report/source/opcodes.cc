// The instruction mix: executed instructions by mnemonic, and by class. An instruction has
// one mnemonic, so mnemonics add up to the total; it may belong to several classes (a vector
// load is a load and a 256-bit operation), so classes do not.
#include <map>

#include "isa/traits.h"
#include "report/tables/listings.h"

namespace chord::report {
namespace {

struct Class {
  std::string_view name;
  isa::Traits traits;
};

constexpr Class kClasses[] = {{"load", isa::kLoad},
                              {"store", isa::kStore},
                              {"branch", isa::kConditional | isa::kJump},
                              {"conditional branch", isa::kConditional},
                              {"backward branch", isa::kBackward},
                              {"indirect", isa::kIndirect},
                              {"call", isa::kCall},
                              {"tail call", isa::kTailCall},
                              {"return", isa::kReturn},
                              {"floating point", isa::kFloat},
                              {"x87", isa::kX87},
                              {"SIMD 64", isa::kSimd64},
                              {"SIMD 128", isa::kSimd128},
                              {"SIMD 256", isa::kSimd256},
                              {"SIMD 512", isa::kSimd512},
                              {"repeated string", isa::kRepeated},
                              {"locked", isa::kLocked},
                              {"system", isa::kSystem},
                              {"padding", isa::kPadding}};

struct OpcodeSum {
  uint64_t executed = 0, instructions = 0;
};

Table mix_table(const char *by) {
  Table t;
  t.by = by;
  t.columns = {{"kind", "", true}, {"opcode", by, true}, {"count", "executed"}, {"share", "share"}, {"instructions", "instrs"}};
  t.text_order = {3, 2, 4, 1};
  t.weight = 2;
  return t;
}

}  // namespace

Table list_opcodes(const analysis::Program &program) {
  std::map<std::string_view, OpcodeSum> mnemonics;
  for (const analysis::CountedProcedure &p : program.procedures) {
    if (!p.exact()) continue;
    for (size_t i = 0; i < p.executed.size(); ++i) {
      OpcodeSum &sum = mnemonics[p.unit->mnemonics[p.map->instructions[i].mnemonic]];
      sum.executed += p.executed[i];
      ++sum.instructions;
    }
  }
  Table t = mix_table("opcode");
  for (const auto &[name, sum] : mnemonics) {
    t.add({text("mnemonic"), text(name), number(sum.executed), share(sum.executed, program.instructions), number(sum.instructions)});
  }
  t.sort_by_weight();
  return t;
}

Table list_classes(const analysis::Program &program) {
  std::vector<OpcodeSum> classes(std::size(kClasses));
  for (const analysis::CountedProcedure &p : program.procedures) {
    if (!p.exact()) continue;
    for (size_t i = 0; i < p.executed.size(); ++i) {
      for (size_t c = 0; c < classes.size(); ++c) {
        if ((p.map->instructions[i].traits & kClasses[c].traits) == 0) continue;
        classes[c].executed += p.executed[i];
        ++classes[c].instructions;
      }
    }
  }
  Table t = mix_table("class");
  for (size_t c = 0; c < classes.size(); ++c) {
    if (classes[c].instructions == 0) continue;
    t.add({text("class"), text(kClasses[c].name), number(classes[c].executed), share(classes[c].executed, program.instructions),
           number(classes[c].instructions)});
  }
  t.sort_by_weight();
  return t;
}

}  // namespace chord::report
