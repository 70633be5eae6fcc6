// Messages of the Debug Adapter Protocol: a header with the length, an empty line, and JSON of that length.
#pragma once

#include <istream>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <ostream>
#include <string>

namespace chord::dap {

// The next message; nothing at the end of the input. Throws base::Error for what is no message: a client that has lost its place in the
// stream cannot be answered.
std::optional<nlohmann::json> read_message(std::istream &in);
void write_message(std::ostream &out, const nlohmann::json &message);

}  // namespace chord::dap
