#include "analysis/counting/early_exits.h"

#include <chord_abi.h>
#include <fmt/core.h>

namespace chord::analysis {

void ExitAdder::at_check(uint64_t pc, int64_t count) {
  if (!find(pc, pc)) return;
  Interruption stop;
  stop.count = count;
  if (known_part() && PartLayout(map(), *hit_->anchor, hit_->part).is_inside(offset_)) {
    stood_at(pc, 0, count);
  } else {
    at_pc(pc, stop, {});
  }
}

void ExitAdder::at_call(uint64_t pc, uint64_t path, int64_t count) {
  // A call may be the last instruction of its part: its return address is then outside.
  if (!find(pc - 1, pc)) return;
  path = register_of(path);
  std::optional<uint32_t> instruction;
  if (known_part()) instruction = PartLayout(map(), *hit_->anchor, hit_->part).ending_at(offset_);
  if (instruction) {
    behind_call(*instruction, path, count);
  } else if (map().plan.placement == core::Placement::paths) {
    stood_at(pc, path, count);  // in the runtime, which a probe had called
  } else if (known_part() && PartLayout(map(), *hit_->anchor, hit_->part).is_inside(offset_)) {
    refuse(pc, count);
  } else {
    Interruption stop;  // likewise
    stop.count = count;
    stop.registers_known = false;
    at_pc(pc, stop, {});
  }
}

// What a spot says of the call itself holds as long as the call runs. (In front of one that returns twice, a path
// has been counted that such an activation did not come to the end of.)
void ExitAdder::behind_call(uint32_t call, uint64_t path, int64_t count) {
  if (map().plan.placement == core::Placement::paths) {
    std::optional<uint32_t> spot =
        PartLayout(map(), *hit_->anchor, hit_->part).spot_at(offset_ - map().instructions[call].size);
    if (spot && *spot < map().spots.size() && map().spots[*spot].instruction == call) {
      return at_spot(map().spots[*spot], path, count, true);
    }
  }
  measured().exits.push_back({call, true, count, path});
}

void ExitAdder::at_pc(uint64_t pc, const Interruption &interruption, const std::map<uint64_t, int64_t> &paths) {
  if (!find(pc, pc)) return;
  if (map().plan.placement == core::Placement::chosen_paths) return;  // it was on none of them
  if (map().plan.placement == core::Placement::paths) {
    for (const auto &[path, count] : paths) stood_at(pc, register_of(path), count);
    return;
  }
  if (!known_part() || !add_interruption(map(), *hit_->anchor, hit_->part, offset_, interruption, measured())) {
    refuse(pc, interruption.count);
  }
}

void ExitAdder::stood_at(uint64_t pc, uint64_t path, int64_t count) {
  if (known_part() && map().plan.placement == core::Placement::paths) {
    std::optional<uint32_t> spot = PartLayout(map(), *hit_->anchor, hit_->part).spot_at(offset_);
    if (spot && *spot < map().spots.size()) return at_spot(map().spots[*spot], path, count);
  }
  std::optional<uint32_t> instruction;
  bool executed = false;
  if (known_part()) {
    PartLayout layout(map(), *hit_->anchor, hit_->part);
    instruction = layout.next_at(offset_);
    executed = layout.is_inside(offset_);
  }
  if (!instruction) {
    refuse(pc, count);
  } else if (count != 0) {
    measured().exits.push_back({*instruction, executed, count, path});
  }
}

// What the activation would have counted, and the number it would be at.
void ExitAdder::at_spot(const format::Spot &spot, uint64_t path, int64_t count, bool executed) {
  const uint64_t paths = map().plan.path_words();
  for (const format::Spot::Lack &lack : spot.lacks) {  // of beginnings
    measured().make_room(map().plan.words());
    measured().counters[paths + lack.counter] += static_cast<uint64_t>(count * lack.count);
  }
  for (const format::Spot::Path::Count &c : spot.path.counts) {
    uint64_t number = c.number + (c.fixed ? 0 : path);
    auto counts = static_cast<uint64_t>(count * c.count);
    if (map().plan.paths.by_number) {
      measured().numbers[number] += counts;
    } else if (number < map().plan.paths.paths) {
      measured().make_room(map().plan.words());
      measured().counters[number] += counts;
    } else {
      measured().problem = fmt::format("{} activations were on path {}, and there are {}", count, number, map().plan.paths.paths);
    }
  }
  if (spot.instruction == core::kNone || count == 0) return;
  measured().exits.push_back({spot.instruction, executed, count, spot.path.sum + (spot.path.fixed ? 0 : path)});
}

// What is told of an activation may be its context, too.
uint64_t ExitAdder::register_of(uint64_t path) const {
  return map().plan.paths.in_records ? CHORD_CONTEXT_PATH_NUMBER(path) : path;
}

bool ExitAdder::find(uint64_t place, uint64_t pc) {
  hit_ = code_.find(place);
  if (hit_) offset_ = static_cast<uint32_t>(pc - hit_->anchor->parts[hit_->part].address);
  return hit_.has_value();
}

void ExitAdder::refuse(uint64_t pc, int64_t count) {
  measured().problem = fmt::format("{} activations ended at address {:#x}, where no instruction of it is", count, pc);
}

}  // namespace chord::analysis
