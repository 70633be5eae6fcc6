// Text as XML may hold it.
#pragma once

#include <string>
#include <string_view>

namespace chord::exports {

// For attribute values and text: markup and quotes escaped, bytes that no XML document may
// hold (control characters, what is not UTF-8) replaced by '?'.
std::string xml_escape(std::string_view text);

}  // namespace chord::exports
