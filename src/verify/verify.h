// Proof that a woven text is the original plus probes, that the probes harm nothing, and that they
// count what the map says.
//
// Shares nothing with the planner but readers: statements (assembly/text/source.h), the bytes that the
// assembler makes of the original (assembly/text/layout.h), the map's format. Its data flow, calling
// conventions, stack and unwind rules are its own, and inserted instructions are executed on symbolic
// values. What it cannot prove is a fault.
#pragma once

#include <string>
#include <vector>

#include "assembly/text/layout.h"
#include "assembly/text/source.h"
#include "format/map/map.h"
#include "verify/fault.h"
#include "verify/program/code_places.h"
#include "verify/program/pairing.h"

namespace chord::verify {

struct Claim {
  const assembly::Source &original;
  const assembly::Layout &layout;  // of the original
  const std::string &woven;
  const std::vector<TextRange> &inserted;
  const format::UnitMap &map;
  bool atomic = false;  // counters of all threads are changed by locked instructions
  PlainAddress plain_address = {};  // of the program that models of code find their addresses in, if one was given
};

// All that could not be proved: at most one fault of each procedure.
std::vector<Fault> prove(const Claim &claim);

std::string to_text(const Fault &fault);

}  // namespace chord::verify
