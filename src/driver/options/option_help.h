// The table of build options as people and shells read it.
#pragma once

#include <string>

namespace chord::driver {

std::string build_options_help();  // what and how
std::string study_options_help();
// What --metrics takes: clocks, events that can be counted on this machine, models, and cores that these know by name.
std::string metrics_help();
// Words that can stand where a build option can, one per line: each option, with each of its values.
std::string build_option_words();
// The section OPTIONS of the manual page, in the language of man(7).
std::string build_options_manual();

}  // namespace chord::driver
