// Objects that are no longer where they ran: found by build id among what is kept beside profiles.
//
//   FOLDER/HEX                        a file of .chord-maps, which the runtime or `chord archive` wrote
//   FOLDER/HEX/executable, debuginfo  as debuginfod and its clients keep them
//   FOLDER/.build-id/XX/REST[.debug]  as distributions do
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/objects/object.h"
#include "format/profile/profile.h"

namespace chord::analysis {

class ObjectStore {
 public:
  // Looks in `profile.objects`, in .chord-maps beside the profile, in the folders of CHORD_MAPS (separated by colons)
  // and in debuginfod's cache.
  explicit ObjectStore(const format::Profile &profile);

  // The object at `path` if it is of that build, or the one that is kept of it; else the one at `path`, of whatever
  // build. Throws Error if there is neither. An empty build id is that of any build.
  Object find(const std::string &path, const std::string &build_id, bool texts) const;

  // What is needed to read profiles of that build, whole; nothing if there is no such object.
  std::optional<std::string> bytes(const std::string &path, const std::string &build_id) const;

 private:
  std::vector<std::string> places(const std::string &build_id) const;

  const format::Profile &profile_;
  std::vector<std::string> folders_;
};

}  // namespace chord::analysis
