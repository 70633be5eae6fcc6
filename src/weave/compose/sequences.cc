#include "weave/compose/sequences.h"

#include <algorithm>

namespace chord::weave {
namespace {

void put(Sequence &sequence, const Insertion &insertion) {
  auto later = [&](const Insertion &other) { return other.phase > insertion.phase; };
  sequence.insert(std::find_if(sequence.begin(), sequence.end(), later), insertion);
}

}  // namespace

void Sequences::put(const Insertion &insertion) {
  switch (insertion.site.kind) {
    case Site::Kind::before:
      weave::put(before[insertion.site.statement], insertion);
      break;
    case Site::Kind::after:
      weave::put(after[insertion.site.statement], insertion);
      break;
    case Site::Kind::jump_stub:
    case Site::Kind::slot_stub:
      // What may end here has counted nothing on the way yet.
      if (insertion.phase == Phase::checking && insertion.site.kind == Site::Kind::jump_stub) {
        stubs[insertion.edge].insert(stubs[insertion.edge].begin(), insertion);
        break;
      }
      stubs[insertion.edge].push_back(insertion);
      break;
    case Site::Kind::none:
      break;
  }
}

}  // namespace chord::weave
