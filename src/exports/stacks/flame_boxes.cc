#include "exports/stacks/flame_boxes.h"

#include <algorithm>
#include <map>

#include "base/cxx_names.h"
#include "exports/stacks/stacks.h"
#include "report/compare/compare_contexts.h"
#include "report/tables/procedures.h"

namespace chord::exports {
namespace {

class Boxes {
 public:
  Boxes() {
    boxes_.emplace_back();
    boxes_[0].name = "all";
  }

  // The box of a function in the box of its caller.
  uint32_t in(uint32_t caller, const std::string &name) {
    auto [at, fresh] = known_.try_emplace({caller, name}, static_cast<uint32_t>(boxes_.size()));
    if (fresh) {
      FlameBox &box = boxes_.emplace_back();
      box.name = name;
      box.parent = caller;
      box.depth = boxes_[caller].depth + 1;
    }
    return at->second;
  }

  void add(uint32_t box, uint64_t before, uint64_t after) {
    boxes_[box].old_own += before;
    boxes_[box].own += after;
  }

  std::vector<FlameBox> take() {
    sum();
    place();
    return std::move(boxes_);
  }

 private:
  void sum() {
    for (size_t n = boxes_.size(); n-- > 0;) {
      FlameBox &box = boxes_[n];
      box.all += box.own;
      box.old_all += box.old_own;
      box.width += std::max(box.own, box.old_own);
      if (n == 0) break;
      FlameBox &caller = boxes_[box.parent];
      caller.all += box.all;
      caller.old_all += box.old_all;
      caller.width += box.width;
    }
  }

  void place() {
    std::vector<std::vector<uint32_t>> callees(boxes_.size());
    for (uint32_t n = 1; n < boxes_.size(); ++n) callees[boxes_[n].parent].push_back(n);
    for (size_t n = 0; n < boxes_.size(); ++n) {
      std::stable_sort(callees[n].begin(), callees[n].end(), [&](uint32_t a, uint32_t b) { return boxes_[a].width > boxes_[b].width; });
      double at = boxes_[n].left;
      for (uint32_t callee : callees[n]) {
        boxes_[callee].left = at;
        at += static_cast<double>(boxes_[callee].width) / static_cast<double>(boxes_[0].width);
      }
    }
  }

  std::vector<FlameBox> boxes_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> known_;
};

}  // namespace

std::vector<FlameBox> flame_boxes(const analysis::Program &program) {
  Stacks stacks = stacks_of(program);
  Boxes boxes;
  std::vector<uint32_t> box_of;
  for (const Stack &stack : stacks.stacks) {
    box_of.push_back(boxes.in(stack.parent == core::kNone ? 0 : box_of[stack.parent], stacks.frames[stack.frame].name));
    boxes.add(box_of.back(), 0, stack.instructions);
  }
  return boxes.take();
}

std::vector<FlameBox> compared_flame_boxes(const analysis::Program &before, const analysis::Program &after) {
  Boxes boxes;
  std::vector<uint32_t> box_of;
  for (const report::ComparedContext &c : report::compare_contexts(before, after)) {
    box_of.push_back(boxes.in(c.parent == core::kNone ? 0 : box_of[c.parent], base::demangle(c.procedure->map->name)));
    boxes.add(box_of.back(), c.before.exclusive, c.after.exclusive);
  }
  return boxes.take();
}

}  // namespace chord::exports
