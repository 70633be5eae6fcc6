// Proof that a woven object is the original plus probes.
//
// The woven text is laid out once more with every statement labelled. Then: every
// original instruction is there, in order, with the same operation and operands, or with
// the same effect as far as anyone can tell (weave/counters/half_steps.h);
// every direct branch still reaches its original target, possibly through a stub;
// what was inserted touches nothing that was live; unwind rules of frames that were made
// wider lead where they did (weave/verify_unwind.h); and the object that was really
// written holds the same code bytes.
#pragma once

#include <string>

#include "assembly/layout.h"
#include "assembly/procedure.h"
#include "weave/weave.h"

namespace chord::weave {

// Throws base::Error naming the first difference.
void verify_woven(const assembly::Unit &original, const Woven &woven, const assembly::Assembler &assembler,
                  const std::string &object);

}  // namespace chord::weave
