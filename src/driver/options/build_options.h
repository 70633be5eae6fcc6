// The options in front of the compiler's name: `chord --place=redundant gcc …`, and
// the same from the environment variable CHORD_FLAGS. They reach the assembler
// stand-in, which the compiler starts, through the environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weave/options.h"

namespace chord::driver {

// The words that are build options: those of CHORD_FLAGS (backslashes and quotes keep white space in a
// word), then those taken off the front of `args`.
std::vector<std::string> take_build_options(std::vector<std::string> &args);

// What they ask for. Throws UsageError on an unknown one, a value that there is not, and on two that
// do not go together.
weave::Options parse_build_options(const std::vector<std::string> &words);

// What follows from what was asked for; `position_independent`: the code may end up in a shared object.
void settle(weave::Options &options, bool position_independent);

// What publish() hands over: words separated by newlines.
std::string words_for_standin(const weave::Options &options);

// For the stand-in: what the driver decided, or nothing if no driver is above us.
void publish(const weave::Options &options);
std::optional<weave::Options> published();

}  // namespace chord::driver
