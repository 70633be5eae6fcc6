// Where the assembler put every statement, and the bytes it made of it.
//
// A copy of the text with a label before every statement of executable
// sections, and without debug information, is assembled by the real assembler;
// labels change no byte of code. A table of label differences at the end of the
// scratch object gives the positions. This works alike for AT&T and Intel syntax,
// and needs no knowledge of instruction encodings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assembly/text/source.h"

namespace chord::assembly {

struct Layout {
  struct Place {
    uint32_t begin = 0;
    uint32_t end = 0;  // begin == end: the statement emits no bytes
  };
  std::vector<Place> places;           // by statement; meaningful in executable sections
  std::vector<std::string> contents;   // by section; bytes of executable ones

  std::string_view bytes(const Source &source, uint32_t statement) const {
    const Place &p = places[statement];
    return std::string_view(contents[source.statements[statement].section]).substr(p.begin, p.end - p.begin);
  }
};

// The assembler to run: its path and the user's options, without input and output.
struct Assembler {
  std::string path = "as";
  std::vector<std::string> options;
};

// False if the assembler rejects the text (the caller then lets it speak for
// itself on the original input); throws base::Error on our own failures.
bool lay_out(const Source &source, const Assembler &assembler, Layout &out, std::string &errors);

}  // namespace chord::assembly
