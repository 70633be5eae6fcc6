#include "analysis/processes/live_file.h"

#include <fmt/core.h>
#include <glob.h>

#include <fstream>

#include "analysis/objects/object.h"
#include "analysis/processes/image_segment.h"
#include "chord_abi.h"

namespace chord::analysis {
namespace {

using runtime::LiveFile;

LiveFile header_of(const base::MappedFile &file) {
  LiveFile header{};
  if (file.bytes().size() >= sizeof header) std::memcpy(static_cast<void *>(&header), file.bytes().data(), sizeof header);
  if (header.magic != CHORD_LIVE_MAGIC) throw base::Error(fmt::format("{}: holds no counts of a process", file.path()));
  if (header.version != runtime::layout_version)
    throw base::Error(fmt::format("{}: written by another version of chord", file.path()), "use the chord the program was built with");
  return header;
}

ImageMemory memory_of(const std::shared_ptr<base::MappedFile> &file, const LiveFile &header) {
  ImageMemory memory;
  for (uint32_t i = 0; i < header.count; ++i) {
    LiveFile::Part part;
    size_t at = sizeof header + i * sizeof part;
    if (at + sizeof part > file->bytes().size()) throw base::Error(fmt::format("{}: cut short", file->path()));
    std::memcpy(&part, file->bytes().data() + at, sizeof part);
    if (part.address != nullptr && part.offset < file->bytes().size())
      memory.add(reinterpret_cast<uint64_t>(part.address), file->bytes().substr(part.offset, part.size), file);
  }
  return memory;
}

// Where the counters are is told by the modules' constants.
void add_modules(ImageMemory &memory, const runtime::Instance *instance) {
  ImageMemory kept = memory;
  for (const runtime::Module *at = memory.get(instance).modules; at != nullptr;) {
    runtime::Module module = kept.get(at);
    LoadedObject object{module.path, reinterpret_cast<uint64_t>(module.low)};
    if (module.live) {
      add_object_file(memory, object);
      std::string had(reinterpret_cast<const char *>(module.build_id), std::min<size_t>(module.build_id_size, 64));
      if (had != build_id_of(memory, object))
        throw base::Error(fmt::format("{}: is another build than the one that ran", object.path),
                          "put the file that ran back in its place");
    }
    at = module.next;
  }
}

bool is_mapped(uint64_t pid, const std::string &path) {
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  std::string name = path.substr(path.rfind('/') + 1);
  for (std::string line; std::getline(maps, line);)
    if (line.ends_with("/" + name)) return true;
  return false;
}

}  // namespace

bool is_live_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  uint64_t magic = 0;
  file.read(reinterpret_cast<char *>(&magic), sizeof magic);
  return file.gcount() == sizeof magic && magic == CHORD_LIVE_MAGIC;
}

std::vector<std::string> files_left_behind(const std::string &profile) {
  std::string pattern;
  for (char c : profile) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') pattern += '\\';
    pattern += c;
  }
  glob_t matches{};
  std::vector<std::string> files;
  if (glob((pattern + ".live.*").c_str(), 0, nullptr, &matches) == 0) {
    for (size_t i = 0; i < matches.gl_pathc; ++i) {
      std::string path = matches.gl_pathv[i];
      uint64_t pid = std::strtoull(path.c_str() + path.rfind('.') + 1, nullptr, 10);
      if (is_live_file(path) && !is_mapped(pid, path)) files.push_back(path);
    }
  }
  globfree(&matches);
  return files;
}

DeadProfile segment_of_live_file(const std::string &path) {
  auto file = std::make_shared<base::MappedFile>(path);
  LiveFile header = header_of(*file);
  ImageMemory memory = memory_of(file, header);
  add_modules(memory, header.instance);
  ImageReader reader(memory, header.instance, true);
  if (is_mapped(reader.instance().pid, path))
    throw base::Error(fmt::format("{}: process {} is still running", path, reader.instance().pid),
                      fmt::format("`chord dump {}` asks it for its counts", reader.instance().pid));
  for (const runtime::Module &module : reader.modules())
    if (module.live && module.thread_bytes != 0)
      reader.add_note(fmt::format("counts of {} since its last segment are lost: it was not built with --durable", module.path));
  DeadProfile dead;
  dead.out = reader.place();
  dead.process_start_ns = reader.instance().process_start_ns;
  dead.segment = reader.finish(CHORD_END_KILLED, 0, file->time_ns());
  dead.segment.flags |= CHORD_SEGMENT_CUT_OFF;
  return dead;
}

}  // namespace chord::analysis
