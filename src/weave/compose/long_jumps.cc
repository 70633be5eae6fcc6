#include "weave/compose/long_jumps.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "core/graph/graph.h"
#include "isa/code_text.h"

namespace chord::weave {
namespace {

using assembly::Statement;
using assembly::StatementKind;
using isa::CodeSize;

constexpr uint32_t kUsualAlignment = 16;
// By how much an instruction may differ from the original one if its operands were replaced.
constexpr uint32_t kReplaced = 4;

// The most bytes that an alignment can take.
uint32_t most_padding(std::string_view name, std::string_view operands) {
  const std::vector<std::string_view> parts = assembly::split_operands(operands);
  auto number = [&](size_t k, uint32_t otherwise) {
    uint32_t value = otherwise;
    if (k < parts.size()) std::from_chars(parts[k].data(), parts[k].data() + parts[k].size(), value);
    return value;
  };
  uint32_t align = name.starts_with(".p2") ? 1u << std::min(number(0, 4), 12u) : number(0, kUsualAlignment);
  return std::min(number(2, kUsualAlignment * kUsualAlignment), align - (align != 0));
}

class LongJumps {
 public:
  LongJumps(const assembly::Source &source, const assembly::Layout &layout, std::string_view text, const std::vector<Edits::Change> &changes)
      : source_(source), layout_(layout), text_(text), changes_(changes), places_(source.sections.size()) {}

  std::vector<uint32_t> run() {
    size_t next = 0;
    int64_t moved = 0;  // what follows, by this many bytes
    for (uint32_t s = 0; s < source_.statements.size(); ++s) {
      const Statement &x = source_.statements[s];
      auto take = [&](const Edits::Change &change) { moved = int64_t{change.now.end} - change.at - change.length; };
      for (; next < changes_.size() && changes_[next].at <= x.begin && changes_[next].length == 0; ++next) {
        read_inserted(changes_[next].now);
        take(changes_[next]);
      }
      const uint32_t begin = static_cast<uint32_t>(x.begin + moved);
      const size_t before = next;
      for (; next < changes_.size() && changes_[next].at < x.end; ++next) take(changes_[next]);
      section_ = x.section;
      if (is_code()) read_original(s, {begin, static_cast<uint32_t>(x.end + moved)}, next != before);
    }
    if (next < changes_.size()) read_inserted({changes_[next].now.begin, changes_.back().now.end});
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  // In a section: how far it is from its start. Past each alignment is another stretch.
  struct Place {
    uint64_t least = 0, most = 0;
    uint32_t stretch = 0;
  };
  struct Jump {
    Place end;
    uint32_t section, begin;
    uint32_t other;  // one before it with the same target, or core::kNone
  };

  bool is_code() const { return source_.sections[section_].executable; }
  void go(CodeSize size) {
    places_[section_].least += size.least;
    places_[section_].most += size.most;
  }

  void align(uint32_t most) {
    go({0, most});
    ++places_[section_].stretch;
  }

  void read_original(uint32_t s, Edits::Range now, bool is_changed) {
    const Statement &x = source_.statements[s];
    const uint32_t size = layout_.places[s].end - layout_.places[s].begin;
    if (x.kind == StatementKind::label) return pass_label(x.name);
    if (assembly::is_alignment(x)) return align(most_padding(x.name, x.operands));
    if (x.kind == StatementKind::instruction && size != 0 && isa::has_two_encodings(x.name)) {
      const std::string_view statement = text_.substr(now.begin, now.end - now.begin);
      return pass_jump(now.begin, assembly::trim(statement.substr(std::min(x.name.size(), statement.size()))));
    }
    go(is_changed ? CodeSize{size - std::min(size, kReplaced), size + kReplaced} : CodeSize{size, size});
  }

  void read_inserted(Edits::Range now) {
    if (!is_code()) return;
    for (size_t at = now.begin; at < now.end;) {
      const size_t end = std::min<size_t>(text_.find('\n', at), now.end);
      read_line(text_.substr(at, end - at));
      at = end + 1;
    }
  }

  void read_line(std::string_view line) {
    line = assembly::trim(line);
    const size_t word = std::min(line.find_first_of(" \t:"), line.size());
    const std::string_view name = line.substr(0, word);
    if (name.empty()) return;
    if (word < line.size() && line[word] == ':') {
      pass_label(name);
      return read_line(line.substr(word + 1));
    }
    const std::string_view operands = assembly::trim(line.substr(word));
    if (name.starts_with(".p2align") || name.starts_with(".balign")) return align(most_padding(name, operands));
    if (name.starts_with('.')) return;
    if (isa::has_two_encodings(name)) return pass_jump(static_cast<uint32_t>(name.data() - text_.data()), operands);
    go(isa::estimated_size(name, operands));
  }

  void pass_jump(uint32_t begin, std::string_view target) {
    go(isa::size_of_jump());
    auto [last, fresh] = open_.try_emplace(target, core::kNone);
    jumps_.push_back({places_[section_], section_, begin, last->second});
    last->second = static_cast<uint32_t>(jumps_.size() - 1);
  }

  // Jumps back are not in the list: their size follows from what has been gone through.
  void pass_label(std::string_view name) {
    const auto open = open_.find(name);
    if (open == open_.end()) return;
    const Place &here = places_[section_];
    for (uint32_t k = open->second; k != core::kNone; k = jumps_[k].other) {
      const Jump &jump = jumps_[k];
      if (jump.section == section_ && jump.end.stretch != here.stretch && here.most - jump.end.most > isa::kReachOfShortJumps)
        found_.push_back(jump.begin);
    }
    open_.erase(open);
  }

  const assembly::Source &source_;
  const assembly::Layout &layout_;
  std::string_view text_;
  const std::vector<Edits::Change> &changes_;
  std::vector<Place> places_;  // by section
  uint32_t section_ = 0;
  std::vector<Jump> jumps_;
  std::unordered_map<std::string_view, uint32_t> open_;  // by target that has not come yet: the last jump to it
  std::vector<uint32_t> found_;
};

}  // namespace

std::vector<uint32_t> find_long_jumps(const assembly::Source &source, const assembly::Layout &layout, const std::string &text,
                                      const std::vector<Edits::Change> &changes) {
  return LongJumps(source, layout, text, changes).run();
}

std::string with_long_jumps(const std::string &text, const std::vector<uint32_t> &jumps) {
  const std::string_view wish = isa::wish_for_long_jump();
  std::string out;
  out.reserve(text.size() + jumps.size() * wish.size());
  size_t done = 0;
  for (uint32_t jump : jumps) {
    out.append(text, done, jump - done).append(wish);
    done = jump;
  }
  return out.append(text, done, std::string::npos);
}

}  // namespace chord::weave
