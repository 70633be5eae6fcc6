// The options in front of the compiler's name: `chord --place=redundant gcc …`, and
// the same from the environment variable CHORD_FLAGS. They reach the assembler
// stand-in, which the compiler starts, through the environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weave/options.h"

namespace chord::driver {

// Takes options off the front of `args`. Throws UsageError on an unknown one.
void parse_build_options(std::vector<std::string> &args, weave::Options &options);
// The words of CHORD_FLAGS.
void parse_environment(weave::Options &options);

// For the stand-in: what the driver decided, or nothing if no driver is above us.
void publish(const weave::Options &options);
std::optional<weave::Options> published();

const char *build_options_help();

}  // namespace chord::driver
