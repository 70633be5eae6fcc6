#include "dap/messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/diagnostics.h"

namespace chord::dap {
namespace {

constexpr size_t kLongestHeader = 1000;
constexpr uint64_t kLongestMessage = 64 << 20;

// Without its line end; nothing at the end of the input.
std::optional<std::string> read_line(std::istream &in) {
  std::string line;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return line;
    }
    line += static_cast<char>(c);
    if (line.size() > kLongestHeader) throw base::Error("debug adapter: a header line without end");
  }
  if (!line.empty()) throw base::Error("debug adapter: the input ends within a header");
  return std::nullopt;
}

uint64_t length_in(const std::string &value) {
  size_t digits = value.find_first_not_of(' ');
  bool number = digits != std::string::npos && value.size() - digits <= 10 &&
                std::all_of(value.begin() + digits, value.end(), [](char c) { return c >= '0' && c <= '9'; });
  uint64_t length = number ? std::stoull(value.substr(digits)) : UINT64_MAX;
  if (length > kLongestMessage) throw base::Error(fmt::format("debug adapter: Content-Length:{}: no length of a message", value));
  return length;
}

}  // namespace

std::optional<nlohmann::json> read_message(std::istream &in) {
  std::optional<uint64_t> length;
  for (;;) {
    std::optional<std::string> line = read_line(in);
    if (!line) {
      if (length) throw base::Error("debug adapter: the input ends within a header");
      return std::nullopt;
    }
    if (line->empty() && length) break;
    if (line->empty()) throw base::Error("debug adapter: a message without Content-Length");
    constexpr std::string_view kLength = "Content-Length:";
    if (line->starts_with(kLength)) length = length_in(line->substr(kLength.size()));
  }
  std::string text(*length, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (static_cast<uint64_t>(in.gcount()) != *length) throw base::Error("debug adapter: the input ends within a message");
  nlohmann::json message = nlohmann::json::parse(text, nullptr, false);
  if (!message.is_object()) throw base::Error("debug adapter: a message that is no JSON object");
  return message;
}

void write_message(std::ostream &out, const nlohmann::json &message) {
  // Names of functions and files may be anything; JSON is UTF-8.
  std::string text = message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  out << "Content-Length: " << text.size() << "\r\n\r\n" << text << std::flush;
}

}  // namespace chord::dap
