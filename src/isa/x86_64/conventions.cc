#include "isa/conventions.h"

#include <bit>

#include "isa/x86_64/registers.h"

namespace chord::isa {
namespace {

constexpr Resources vectors(unsigned from, unsigned to) {
  Resources set = 0;
  for (unsigned n = from; n <= to; ++n) set |= vector(n);
  return set;
}

// Kept by preserve_most and its kin, and neither a result of theirs.
constexpr Resources kMostKept =
    general(rcx) | general(rsi) | general(rdi) | general(r8) | general(r9) | general(r10);
constexpr Resources kMsKept = general(rsi) | general(rdi) | vectors(6, 15);
constexpr Resources kResults = general(rax) | general(rdx) | vectors(0, 1);
constexpr Resources kMoreResults = general(rcx) | general(r8) | vectors(0, 3);

// Registers that frames are found through: what is loaded from there may have been put there
// to be kept. Very large frames, and those that are aligned anew, use others than the first two.
constexpr Resources kFrameBases =
    general(rsp) | general(rbp) | general(rbx) | general(rax) | general(r10) | general(r11);

bool moves(const Decoded &d) { return d.mnemonic.starts_with("mov") || d.mnemonic.starts_with("vmov"); }

bool extends(const Decoded &d) { return d.mnemonic.starts_with("movz") || d.mnemonic.starts_with("movs"); }

bool in_frame(const Decoded &d) { return d.address_index == 0 && (d.address_base & kFrameBases) != 0; }

}  // namespace

Resources given_up(const Evidence &e) {
  Resources vector_destroyed = e.destroyed & vectors(4, 15);
  bool keeps_most = !(e.destroyed & kMostKept);
  bool keeps_all = keeps_most && !(e.destroyed & general(r11)) && !vector_destroyed;
  bool keeps_ms = !((e.destroyed | e.arguments) & (general(rsi) | general(rdi)));
  Resources given = kFlags;
  if (!keeps_most) given |= kMostKept;
  if (!keeps_all) given |= general(r11);
  if (!keeps_most || vector_destroyed) given |= kVector;
  if (keeps_ms) given &= ~kMsKept;
  if (e.regcall) given = kFlags;
  return given & ~kResults & ~(e.llvm ? kMoreResults : 0);
}

Resources kept_on_demand() { return (kGeneral | kVector) & ~kCalleeSaved; }

Resources usual_call_reads() { return call_reads() | kCalleeSaved; }

bool may_restore(const Decoded &d) {
  if (!(d.traits & kLoad)) return false;
  if (d.mnemonic == "pop" || d.mnemonic == "leave") return true;
  return moves(d) && !extends(d) && in_frame(d);
}

Resources kept_by(const Decoded &d) {
  if (!(d.traits & kStore)) return 0;
  if (d.mnemonic == "push") return d.reads & ~general(rsp);
  return moves(d) && in_frame(d) ? d.reads & ~d.address_base : 0;
}

Resources set_on_purpose(const Decoded &d) {
  Resources set = d.writes & (kGeneral | kVector);
  if (std::popcount(set) != 1 || d.mnemonic == "pop" || d.flow != Flow::next || d.unknown_effects) return 0;
  // Without optimisation a frame pointer is set up in functions that have no use for it, too.
  if (set == general(rbp) && (d.reads & general(rsp))) return 0;
  return set;
}

Resources never_passed() { return general(r11) | vectors(8, 31); }

Resources static_chain() { return general(r10); }

Resources general_registers() { return kGeneral; }

bool names_regcall(std::string_view symbol) { return symbol.find("__regcall") != std::string_view::npos; }

}  // namespace chord::isa
