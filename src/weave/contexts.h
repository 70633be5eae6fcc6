// Calling contexts: what makes a procedure count in a record of the context it was called in
// (chord_abi.h), its counters and where they stand unchanged.
//
// The record's address is kept as the number of a path is (weave/paths.h): in a register that
// nobody wants, in a callee-saved one, or in a word of the frame. So it belongs to the
// activation, whatever becomes of that. A callee is told where it was called by the address of a
// slot in its caller's record, which the caller leaves in a thread-local word. Code that is not
// woven leaves the word alone, so what it calls back is taken to be called where it was called
// itself; that is why a procedure puts the word back when it returns.
//
// A procedure whose frame cannot be made wider has no record: it counts as without contexts, and
// what it calls is taken to be called by its caller.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembly/liveness.h"
#include "assembly/procedure.h"
#include "assembly/stack_frame.h"
#include "format/map.h"
#include "isa/contexts.h"
#include "weave/options.h"
#include "weave/sites.h"
#include "weave/widen_frame.h"

namespace chord::weave {

struct ContextProbe {
  enum class Role : uint8_t { enters, leaves, jumps, calls } role = Role::calls;
  Site site;
  uint32_t edge = core::kNone;
  uint32_t call = 0;                      // jumps and calls: index among format::context_sites
  unsigned scratch = isa::kNoRegister;    // dead there; calls need none
  std::string target;                     // jumps: the symbol that says whether the target keeps a record
};

struct ContextWeaving {
  isa::PathHolder holder;
  std::vector<ContextProbe> probes;
  std::vector<uint32_t> above;     // instructions whose operands move with a widened frame
  std::vector<Replacement> moved;  // and these operands
  uint32_t sites = 0;              // slots of the record
  bool puts_back = false;          // the slot, also where the holder is free
  int argument_distance = 0;       // chord_context_proc::frame
};

struct ContextUnit {
  const assembly::Unit *unit = nullptr;
  bool other_convention = false;  // frames and callee-saved registers are not C's
  std::vector<bool> jumped_to;    // by procedure: maybe another ends with a jump to it
};
ContextUnit context_unit(const assembly::Unit &unit);

// Nothing, with the reason (and the others are spoilt), if the procedure has no record. Otherwise `sites` and `liveness` are
// brought up to date: where counters are found, and that the holder's register is taken.
std::optional<ContextWeaving> plan_contexts(const ContextUnit &unit, const assembly::Procedure &procedure,
                                            const format::Procedure &map, assembly::Liveness &liveness, Sites &sites,
                                            std::string &why_not);

// Byte offset of a call's slot in a record with so many counters.
int64_t slot_offset(size_t counters, uint32_t call);
bool record_fits(size_t counters, size_t sites);

// Once in a unit: the word that names calls, and how contexts are told apart.
std::string emit_context_words(const Options &options);

// Defines what jumps of this unit, or others, ask for: does procedure n keep a record?
std::string emit_record_mark(const assembly::Unit &unit, uint32_t n, bool keeps_record);
// The words that jumps of procedure n ask.
std::string emit_jump_words(const ContextWeaving &contexts, uint32_t n);
std::string jump_word_label(uint32_t n, uint32_t call);

std::string context_id_label(uint32_t n);
std::string context_proc_label(uint32_t n);
std::string spare_record_label(uint32_t n);

}  // namespace chord::weave
