#include "cli/arguments/profile_place.h"

#include <elf.h>
#include <fmt/core.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/objects/object.h"
#include "base/bytes.h"
#include "base/diagnostics.h"
#include "cli/arguments/woven_objects.h"

namespace chord::cli {
namespace {

namespace fs = std::filesystem;

std::string glob_quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string link_target(pid_t pid, const char *name) {
  std::error_code failed;
  std::string target = fs::read_symlink(fmt::format("/proc/{}/{}", pid, name), failed).string();
  constexpr std::string_view deleted = " (deleted)";
  if (target.ends_with(deleted)) target.resize(target.size() - deleted.size());
  return target;
}

std::string variable(const std::string &environment, std::string_view name) {
  for (size_t at = 0; at < environment.size();) {
    size_t end = std::min(environment.find('\0', at), environment.size());
    std::string_view entry(environment.data() + at, end - at);
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return std::string(entry.substr(name.size() + 1));
    at = end + 1;
  }
  return "";
}

// A set-user-id program takes no orders from its environment.
bool is_privileged(pid_t pid) {
  std::string vector = read_proc(pid, "auxv");
  base::ByteReader reader(vector);
  while (reader.remaining() >= 16) {
    uint64_t type = reader.u64(), value = reader.u64();
    if (type == AT_SECURE) return value != 0;
  }
  return false;
}

// A file beside an object, as a place: % in the folder's name stand for themselves.
std::string place_beside(const std::string &object) {
  std::string place;
  for (char c : fs::path(object).parent_path().string()) place += c == '%' ? std::string("%%") : std::string(1, c);
  return place + "/%e.chord";
}

// Where the process may put its profile; see runtime/profile/place.cc.
std::vector<std::string> places_of(pid_t pid, const std::string &environment) {
  std::string asked = is_privileged(pid) ? "" : variable(environment, "CHORD_OUT");
  if (!asked.empty()) return {asked};
  std::vector<std::string> places;
  std::string root = root_of(pid);
  for (const std::string &object : objects_of(pid)) {
    if (!carries_runtime(object)) continue;
    if (std::string place = analysis::place_in_object(object); !place.empty()) places.push_back(place);
    bool is_program = object.ends_with("/exe") && object.starts_with("/proc/");
    places.push_back(place_beside(is_program ? link_target(pid, "exe") : object.substr(root.size())));
  }
  places.emplace_back("%e.chord");
  return places;
}

std::vector<std::string> matches_of(const std::string &pattern) {
  std::vector<std::string> found;
  glob_t matches{};
  if (glob(pattern.c_str(), GLOB_NOSORT, nullptr, &matches) == 0) found.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  globfree(&matches);
  return found;
}

// For glob(3).
std::string pattern_of(const std::string &out, pid_t pid) {
  utsname host{};
  uname(&host);
  return expand_profile_name(out, {std::to_string(inner_pid(pid)),
                                   glob_quoted(fs::path(link_target(pid, "exe")).filename().string()), "[0-9]*",
                                   glob_quoted(host.nodename)},
                             glob_quoted);
}

}  // namespace

std::string expand_profile_name(const std::string &out, const ProfileNames &names,
                                const std::function<std::string(std::string_view)> &literal) {
  std::string name;
  for (size_t i = 0; i < out.size(); ++i) {
    char kind = out[i] == '%' && i + 1 < out.size() ? out[++i] : 0;
    if (kind == 0)
      name += literal(out.substr(i, 1));
    else if (kind == 'p')
      name += names.process;
    else if (kind == 'e')
      name += names.program;
    else if (kind == 't')
      name += names.start;
    else if (kind == 'h')
      name += names.host;
    else if (kind == '%')
      name += '%';
    else
      name += literal(out.substr(i - 1, 2));
  }
  return name;
}

ProfilePlace::ProfilePlace(pid_t pid) {
  std::string environment = read_proc(pid, "environ"), root = root_of(pid);
  for (const std::string &place : places_of(pid, environment)) {
    std::string name = pattern_of(place, pid);
    std::vector<std::string> folders{""};
    if (name[0] != '/') folders = {link_target(pid, "cwd") + "/", variable(environment, "PWD") + "/"};
    for (const std::string &folder : folders) {
      if (folder == "/" && folders.size() > 1 && folder != folders[0]) continue;
      std::string pattern = glob_quoted(root) + glob_quoted(folder) + name;
      if (std::find(patterns_.begin(), patterns_.end(), pattern) != patterns_.end()) continue;
      patterns_.push_back(pattern);
      shown_.push_back(root + folder + name);
    }
  }
}

ProfilePlace::ProfilePlace(const std::string &file) : patterns_{glob_quoted(file)}, shown_{file} {}

std::vector<std::string> ProfilePlace::files() const {
  std::vector<std::string> found;
  for (const std::string &pattern : patterns_) {
    for (std::string &file : matches_of(pattern)) found.push_back(std::move(file));
  }
  return found;
}

std::string ProfilePlace::describe() const {
  std::string text;
  for (const std::string &one : shown_) text += (text.empty() ? "" : " or ") + one;
  return text;
}

std::vector<std::string> profiles_of_program(const std::string &program) {
  std::error_code failed;
  fs::path path = fs::canonical(program, failed);
  utsname host{};
  uname(&host);
  auto matches = [&](const std::string &place) {
    return matches_of(expand_profile_name(
        place, {"[0-9]*", glob_quoted(path.filename().string()), "[0-9]*", glob_quoted(host.nodename)}, glob_quoted));
  };
  if (std::string place = analysis::place_in_object(program); !place.empty()) return matches(place);
  std::vector<std::string> found = matches(place_beside(path.string()));
  return found.empty() ? matches("%e.chord") : found;
}

}  // namespace chord::cli
