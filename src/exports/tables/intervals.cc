#include "exports/tables/intervals.h"

#include <filesystem>

#include "base/progress.h"

namespace chord::exports {

void each_interval(const Input &input, const std::function<void(const Interval &)> &visit) {
  std::vector<const format::Segment *> segments;
  for (const format::Segment &segment : input.profile.segments) {
    // Where the user says which program, it was loaded from there.
    bool same = segment.executable == input.program.path || std::filesystem::path(segment.executable).filename() == input.program.name;
    if (same) segments.push_back(&segment);
  }
  if (segments.size() == 1) {
    visit({*segments[0], input.program});
    return;
  }
  base::Progress progress("counting runs apart", segments.size());
  for (const format::Segment *segment : segments) {
    format::Profile one;
    one.segments.push_back(*segment);
    one.folders = input.profile.folders;
    one.objects = input.profile.objects;
    analysis::Program program = analysis::load_program(one, input.load);
    visit({*segment, program});
    progress.step();
  }
}

}  // namespace chord::exports
