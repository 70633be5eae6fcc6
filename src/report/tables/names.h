// Names that fit a terminal: C++ names with their template arguments and parameters shortened from the inside;
// paths without the folder that all of them share.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chord::report {

// Columns of a terminal that the text takes, if each character takes one.
size_t display_width(std::string_view text);

// The first characters, an ellipsis for the rest; the text itself if it fits.
std::string cut_end(std::string_view text, size_t width);
std::string cut_front(std::string_view text, size_t width);
std::string cut_middle(std::string_view text, size_t width);

// A C++ name in at most `width` columns: inner template arguments become <…>, then outer ones,
// then parameters (…); then the type it returns, the mark of a clone and outer scopes go, and the parameters if a scope more can stay for
// them; what is still too long is cut in its middle.
// O(length * depth).
std::string fit_name(std::string_view name, size_t width);

// "main > a > b" in at most `width` columns: its names shortened one by one, then those after the first left out for an ellipsis, so that
// the last ones stay.
std::string fit_chain(std::string_view chain, size_t width);

// The folder, with a slash at its end, that all absolute paths outside /usr lie in; empty if there is none.
std::string common_folder(const std::vector<std::string_view> &paths);
// The path without `folder`, which ends in a slash, if it lies in it.
std::string_view below(std::string_view path, std::string_view folder);

}  // namespace chord::report
