// Where a procedure's counter lies, as a probe finds it.
#pragma once

#include <string>
#include <utility>

#include "isa/contexts.h"
#include "weave/options.h"
#include "weave/facts/sites.h"

namespace chord::weave {

inline isa::AnyPlace counter_place(const Options &options, const Site &site, std::string label = {}, int64_t index = 0) {
  if (site.record.kind != isa::PathHolder::Kind::none) return isa::RecordPlace{site.record, index};
  return isa::CounterPlace{options.counters, std::move(label), index};
}

}  // namespace chord::weave
