// What a thread keeps in each module beside counters (chord_home in abi/chord_abi.h), as assembly: once in a module.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "weave/options.h"

namespace chord::weave {

// `size` bytes under that name in thread-local storage, or what code of shared objects finds instead; and where the runtime finds either.
// `initial`: what it begins as, as directives of that many bytes; empty: zeros.
std::string home_text(const Options &options, std::string_view name, uint64_t size, std::string_view initial = {});

}  // namespace chord::weave
