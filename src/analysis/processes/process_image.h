// The memory of a process that is no more, as far as files hold it, and the objects
// that were loaded there. Addresses are the dead process's; typed pointers into it
// must be read through here, never followed.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/diagnostics.h"
#include "base/mapped_file.h"

namespace chord::analysis {

class ImageMemory {
 public:
  // Bytes of the file that were at `address`. Where ranges overlap the first added counts.
  void add(uint64_t address, std::string_view bytes, std::shared_ptr<const base::MappedFile> file);

  // False, with nothing read, if a byte is in no range.
  bool read(uint64_t address, void *into, size_t size) const;

  template <class T>
  T get(const T *at) const {
    static_assert(std::is_trivially_copyable_v<T>);
    alignas(T) char bytes[sizeof(T)];
    need(reinterpret_cast<uint64_t>(at), bytes, sizeof bytes);
    return *reinterpret_cast<T *>(bytes);
  }
  template <class T>
  std::vector<T> get_array(const T *at, size_t count) const {
    if (count > most_elements) throw base::Error(fmt::format("damaged: {} numbers in a row", count));
    std::vector<T> all(count);
    if (count != 0) need(reinterpret_cast<uint64_t>(at), all.data(), count * sizeof(T));
    return all;
  }

 private:
  static constexpr size_t most_elements = size_t{1} << 28;
  struct Range {
    uint64_t address;
    std::string_view bytes;
    std::shared_ptr<const base::MappedFile> file;
  };
  // Throws Error: the files lack what is needed.
  void need(uint64_t address, void *into, size_t size) const;
  std::vector<Range> ranges_;
};

// An ELF object in the process's memory.
struct LoadedObject {
  std::string path;
  uint64_t address = 0;  // of its first byte
};

// Adds what the object's file holds of its memory.
void add_object_file(ImageMemory &memory, const LoadedObject &object);

// Run-time address minus link-time address, from the headers in memory.
uint64_t bias_of(const ImageMemory &memory, const LoadedObject &object);

// Calls `visit(name, type, address of the content, its size)` for each note.
using NoteVisitor = std::function<void(std::string_view, uint32_t, uint64_t, uint64_t)>;
void visit_notes(const ImageMemory &memory, const LoadedObject &object, const NoteVisitor &visit);

// Raw bytes, may be empty.
std::string build_id_of(const ImageMemory &memory, const LoadedObject &object);

}  // namespace chord::analysis
