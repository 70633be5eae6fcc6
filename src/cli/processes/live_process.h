// A running program that was built with chord, asked for its counts.
//
// The runtime answers the signal CHORD_SIGNAL with a segment appended to the profile
// (abi/chord_abi.h). Nothing is attached and nothing stopped: this class only finds
// out that the signal is safe to send, sends it, and watches the profile grow.
//
//     LiveProcess server(1234, "");
//     std::vector<format::Segment> since = server.dump(std::chrono::seconds(10));
//
// Segments are differences: each tells what was counted since the one before.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "cli/arguments/profile_place.h"
#include "format/profile/profile.h"

namespace chord::cli {

// The argument PID of a command. Throws UsageError.
pid_t parse_pid(const std::string &text);

class LiveProcess {
 public:
  using Seconds = std::chrono::duration<double>;

  // `profile` is the file it writes, if the user knows better; else it is found.
  // Throws Error: no such process, permission denied, not built with chord.
  LiveProcess(pid_t pid, const std::string &profile);
  ~LiveProcess();
  LiveProcess(const LiveProcess &) = delete;
  LiveProcess &operator=(const LiveProcess &) = delete;

  // Asks for a dump and waits until it is in the profile. Gives all segments of the
  // process that were appended since the last call, or since the construction. If the
  // process ends meanwhile, what it wrote last is the answer. Throws Error if nothing
  // came in time.
  std::vector<format::Segment> dump(Seconds patience);
  // What was appended since the last call, without asking for more.
  std::vector<format::Segment> collect();

  // Waits; true as soon as the process has ended.
  bool ended_within(Seconds time) const;
  // The program as it was started, even if the file has been replaced; empty once it
  // has ended.
  std::string executable() const;
  // The profile, known once a segment has been seen in it.
  const std::string &profile() const { return profile_; }

 private:
  void ask() const;
  std::vector<format::Segment> take_new(const std::string &file);

  pid_t pid_;
  uint64_t inner_pid_;  // as the process itself knows it
  int descriptor_;      // refers to the process even if its number is used again
  ProfilePlace place_;
  // Segments of the process stay where they are, in the order in which it wrote them.
  struct Seen {
    uint64_t end = 0;  // after the last one
    uint64_t size = 0;
    int64_t changed_ns = 0;
  };
  std::map<std::string, Seen> seen_;
  std::string profile_;
};

}  // namespace chord::cli
