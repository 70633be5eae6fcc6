// Jumps that the assembler should not have to find out the size of.
//
// An assembler begins with the short encoding of each jump and goes through the text again until no further one has to grow. GNU
// as leaves jumps forward past an alignment alone for as long as anything before them has grown in the same round: where each
// of thousands of functions has one, there are thousands of rounds. So those that are too long, or may be, are asked for in the long
// encoding. Most are by some hundred bytes and would have got it anyway; a few near the limit get four bytes more than they need. What
// they do is the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assembly/text/layout.h"
#include "assembly/text/source.h"
#include "weave/plan/edits.h"

namespace chord::weave {

// Where they stand in `text`, ascending: the source with the changes. The layout is the source's.
std::vector<uint32_t> find_long_jumps(const assembly::Source &source, const assembly::Layout &layout, const std::string &text,
                                      const std::vector<Edits::Change> &changes);

// The text as the assembler is to see it.
std::string with_long_jumps(const std::string &text, const std::vector<uint32_t> &jumps);

}  // namespace chord::weave
