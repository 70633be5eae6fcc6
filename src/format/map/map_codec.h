// The payload of one unit's map, before compression: one byte stream per field,
// so that like stands beside like and a general compressor finds what repeats.
//
// Every value that follows from its neighbours is stored as the difference from
// the guess: an instruction's offset from the end of the one before, its size from
// that of the last one of the same form, a block's start from the last block's end.
// Instructions refer to a dictionary of forms (shape, callee, mnemonic, traits),
// numbered by falling frequency.
#pragma once

#include <string>
#include <string_view>

#include "format/map/map.h"

namespace chord::format {

std::string encode_payload(const UnitMap &map);

// Empty if `map` was filled, else what is wrong with the payload. Every index and
// range in the result has been checked (defect() is empty). Without `texts` the
// statements' texts stay empty, which saves most of the time.
std::string decode_payload(std::string_view payload, bool texts, UnitMap &map);

}  // namespace chord::format
