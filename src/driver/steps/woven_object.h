// Woven text and the runtime that goes with it → the object.
//
// The runtime's groups were assembled when chord was built, and are joined to what the assembler makes of the text: assembling
// them again took longer than compiling a small source. Where that cannot be (options that change what the
// assembler makes of all code, an object in an unusual form) they are assembled with the text.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "base/scratch_files.h"

namespace chord::driver {

struct WovenObject {
  std::vector<std::string> assembler;  // with its options, without input and output
  std::string text;
  std::vector<std::string> runtime;  // as in weave::Woven
  std::string output;
};

// What the assembler says.
base::Outcome make_object(const WovenObject &wanted, base::ScratchFiles &scratch);

}  // namespace chord::driver
