#include "driver/steps/measured_weights.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "analysis/counting/edge_weights.h"
#include "analysis/program/program.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/hash.h"
#include "format/profile/profile.h"

namespace chord::driver {
namespace {

// Taken before the profile is read: runs that end meanwhile make it stale, not wrong.
uint64_t stamp_of(const std::string &path) {
  struct stat s;
  if (::stat(path.c_str(), &s) != 0) throw base::Error(fmt::format("{}: {}", path, std::strerror(errno)));
  return base::Hash()
      .add(static_cast<uint64_t>(s.st_size))
      .add(static_cast<uint64_t>(s.st_mtim.tv_sec))
      .add(static_cast<uint64_t>(s.st_mtim.tv_nsec))
      .value();
}

bool is_current(const std::string &file, uint64_t stamp) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(file, failed)) return false;
  format::Weights weights;
  return decode_weights(base::read_file(file), weights).empty() && weights.stamp == stamp;
}

format::Weights weights_of(const std::string &path, const std::string &bytes) {
  format::Profile profile = format::decode_profile(bytes);
  try {
    analysis::Program program = analysis::load_program(profile, {});
    for (const std::string &warning : program.warnings) base::warning(fmt::format("{}: {}", path, warning));
    return analysis::program_weights(program);
  } catch (const base::Error &e) {
    throw base::Error(fmt::format("{}: {}", path, e.what()),
                      "the program must be as it was when it ran; it may go once PROFILE.weights is made");
  }
}

}  // namespace

std::string prepare_weights(const std::string &path) {
  uint64_t stamp = stamp_of(path);
  std::string bytes = base::read_locked(path);
  if (format::is_weights_file(bytes)) return path;
  std::string file = path + ".weights";
  if (is_current(file, stamp)) return file;
  format::Weights weights = weights_of(path, bytes);
  weights.source = path;
  weights.stamp = stamp;
  base::replace_file(file, encode_weights(weights));
  return file;
}

std::shared_ptr<const format::Weights> read_weights(const std::string &path) {
  auto weights = std::make_shared<format::Weights>();
  std::string defect = decode_weights(base::read_file(path), *weights);
  if (!defect.empty())
    throw base::Error(fmt::format("{}: {}", path, defect), "delete it; it will be made anew");
  return weights;
}

}  // namespace chord::driver
