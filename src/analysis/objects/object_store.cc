#include "analysis/objects/object_store.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "analysis/objects/stored_object.h"
#include "base/diagnostics.h"
#include "base/file.h"

namespace chord::analysis {
namespace {

namespace fs = std::filesystem;

void add_list(const char *list, std::vector<std::string> &folders) {
  std::string_view rest = list != nullptr ? list : "";
  while (!rest.empty()) {
    size_t colon = std::min(rest.find(':'), rest.size());
    if (colon != 0) folders.emplace_back(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
}

std::string cache_of_debuginfod() {
  if (const char *path = std::getenv("DEBUGINFOD_CACHE_PATH")) return path;
  if (const char *cache = std::getenv("XDG_CACHE_HOME")) return std::string(cache) + "/debuginfod_client";
  if (const char *home = std::getenv("HOME")) return std::string(home) + "/.cache/debuginfod_client";
  return "";
}

}  // namespace

ObjectStore::ObjectStore(const format::Profile &profile) : profile_(profile) {
  for (const std::string &folder : profile.folders) folders_.push_back((fs::path(folder) / ".chord-maps").string());
  add_list(std::getenv("CHORD_MAPS"), folders_);
  if (std::string cache = cache_of_debuginfod(); !cache.empty()) folders_.push_back(cache);
}

std::vector<std::string> ObjectStore::places(const std::string &build_id) const {
  std::vector<std::string> found;
  if (build_id.empty()) return found;
  std::string id = show_build_id(build_id);
  for (const std::string &folder : folders_) {
    fs::path base(folder);
    for (const fs::path &path : {base / id, base / id / "executable", base / id / "debuginfo",
                                 base / ".build-id" / id.substr(0, 2) / id.substr(2),
                                 base / ".build-id" / id.substr(0, 2) / (id.substr(2) + ".debug")}) {
      std::error_code failed;
      if (fs::is_regular_file(path, failed)) found.push_back(path.string());
    }
  }
  return found;
}

Object ObjectStore::find(const std::string &path, const std::string &build_id, bool texts) const {
  std::optional<Object> other;
  std::optional<base::Error> why;
  auto fits = [&](const Object &object) { return build_id.empty() || object.build_id.empty() || object.build_id == build_id; };
  try {
    other = read_object(path, texts);
    if (fits(*other)) return std::move(*other);
  } catch (const base::Error &e) {
    why = e;
  }
  for (const format::StoredObject &stored : profile_.objects) {
    if (stored.build_id == build_id && !build_id.empty()) return read_object_bytes(path, stored.bytes, texts);
  }
  for (const std::string &place : places(build_id)) {
    try {
      Object object = read_object(place, texts);
      if (object.build_id == build_id) return object;
    } catch (const base::Error &) {
      // Some other place may have it whole.
    }
  }
  if (!other) throw *why;
  return std::move(*other);
}

std::optional<std::string> ObjectStore::bytes(const std::string &path, const std::string &build_id) const {
  if (build_id.empty()) return std::nullopt;
  for (const format::StoredObject &stored : profile_.objects) {
    if (stored.build_id == build_id) return stored.bytes;
  }
  std::vector<std::string> all = places(build_id);
  all.insert(all.begin(), path);
  for (const std::string &place : all) {
    try {
      std::string id;
      std::string extract = extract_maps(place, id);
      if (id == build_id) return extract;
    } catch (const base::Error &) {
      // Gone, or something else.
    }
  }
  return std::nullopt;
}

}  // namespace chord::analysis
