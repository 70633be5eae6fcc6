// Data as the page holds it: deflated (zlib format, what browsers unpack), then base64.
#pragma once

#include <string>
#include <string_view>

namespace chord::html {

std::string pack(std::string_view data);

}  // namespace chord::html
