// The bytes of a linked program, by address.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"

namespace chord::analysis {

class CodeBytes {
 public:
  // Throws Error if the file cannot be read, or is no ELF file with segments.
  explicit CodeBytes(const std::string &path);
  // Bytes that lie there; they must outlive it.
  CodeBytes(uint64_t address, std::string_view bytes) : segments_{{address, bytes}} {}

  // From a link-time address on, at most so many; fewer where the file ends.
  std::string_view at(uint64_t address, uint64_t size) const;

 private:
  struct Segment {
    uint64_t address = 0;
    std::string_view bytes;
  };
  std::unique_ptr<base::MappedFile> file_;
  std::vector<Segment> segments_;
};

}  // namespace chord::analysis
