// Selections of paths as text: what is read, what is refused and with which words.
#include "format/inputs/path_selection.h"

#include <gtest/gtest.h>

#include "base/diagnostics.h"

namespace chord::format {
namespace {

std::string complaint(std::string_view text) {
  try {
    read_path_selection(text, "sel");
  } catch (const base::Error &e) {
    return e.what();
  }
  return {};
}

TEST(PathSelection, LinesAreReadAndWrittenAlike) {
  std::string text =
      "parse 0,3,9-12 shape=1f0c22e09b7a4d11\n"
      "parse none shape=0000000000000017\n"
      "parse blocks=0,18,parse.cold+4,60\n"
      "parse src/parser.c:12,15,40\n"
      "parse * shape=0000000000000018\n"
      "log_* *\n";
  PathSelection selection = read_path_selection("# all kinds\n\n" + text + "   # end\n", "sel");
  std::string again;
  for (const PathChoice &c : selection.choices) again += write_path_choice(c) + '\n';
  EXPECT_EQ(again, text);
}

TEST(PathSelection, FunctionsAreFoundByNameAndPattern) {
  PathSelection selection = read_path_selection("log_* *\nparse blocks=0\nlog_on a.c:3\n", "sel");
  EXPECT_EQ(selection.find("log_on").size(), 2u);
  EXPECT_EQ(selection.find("parse").size(), 1u);
  EXPECT_TRUE(selection.find("parser").empty());
  EXPECT_EQ(selection.find("parse")[0]->line, 2u);
}

TEST(PathSelection, MistakesAreToldWithTheirLine) {
  EXPECT_EQ(complaint("# fine\nparse 7\n"), "sel:2: numbers of paths need the shape of the function they are of");
  EXPECT_EQ(complaint("parse 9-7 shape=1\n"), "sel:1: '9-7' is no number of a path");
  EXPECT_EQ(complaint("parse x shape=1\n"), "sel:1: 'x' is no number of a path");
  EXPECT_EQ(complaint("parse 1 shape=zz\n"), "sel:1: 'shape=zz' is no shape");
  EXPECT_EQ(complaint("parse a.c:0\n"), "sel:1: '0' is no line");
  EXPECT_EQ(complaint("parse :4\n"), "sel:1: there is no file in front of the colon");
  EXPECT_EQ(complaint("parse * all\n"), "sel:1: 'all' is too much");
  EXPECT_EQ(complaint("parse\n"), "sel:1: a line has a function, its paths, and for numbers the function's shape");
}

TEST(PathSelection, Ranges) {
  std::vector<std::pair<uint64_t, uint64_t>> expected = {{1, 3}, {5, 5}, {7, 8}};
  EXPECT_EQ(ranges_of({1, 2, 3, 5, 7, 8}), expected);
}

}  // namespace
}  // namespace chord::format
