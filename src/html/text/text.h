// Text of others (names, paths, sources) made safe to put into JSON and HTML.
//
// Names, paths and source lines are hostile input: they may hold markup, bytes that are no
// UTF-8, and characters that reverse the order in which a reader sees the line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace chord::html {

// The character at `at`, which moves past it; U+FFFD for bytes that are no UTF-8.
char32_t next_character(std::string_view text, size_t &at);

// Appends a JSON string. Any bytes in, valid JSON out.
void put_json(std::string &out, std::string_view text);

// Appends a JSON number; as a string if JavaScript's numbers cannot hold it exactly.
void put_json(std::string &out, uint64_t value);

// Markup escaped; control and direction characters shown as \u{202E}. Tabs stay.
std::string escape_html(std::string_view text);

}  // namespace chord::html
