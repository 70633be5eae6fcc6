// A correct weaving to break: an original text, woven in one mode.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assembly/graph/procedure.h"
#include "assembly/text/layout.h"
#include "verify/verify.h"
#include "weave/weave.h"

namespace chord::mutation {

struct WovenCase {
  std::string name, mode;
  assembly::Source source;
  assembly::Unit unit;
  weave::Woven woven;
  std::vector<verify::TextRange> inserted;

  bool atomic() const { return mode == "atomic"; }
  verify::Claim claim() const { return {source, unit.layout, woven.text, inserted, woven.map, atomic()}; }
};

// Options of a mode by name: default, paths, events, …; throws if there is none of that name.
weave::Options options_of(const std::string &mode);
const std::vector<std::string> &all_modes();

// Nothing if there is nothing to weave in the text.
std::unique_ptr<WovenCase> weave_case(const std::string &name, const std::string &text, const std::string &mode);

}  // namespace chord::mutation
