#include "analysis/trace/accesses.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

namespace chord::analysis {

using core::AddressPlan;
using format::KnownRegisters;

namespace {

constexpr uint64_t kLongest = 15;  // bytes of an instruction

}  // namespace

bool has_addresses(const format::Trace &trace) {
  return std::any_of(trace.streams.begin(), trace.streams.end(), [](const format::TraceStream &stream) { return !stream.addresses.chunks.empty(); });
}

TraceAccesses::TraceAccesses(const TracedCode &code, const format::TraceStream &stream, CodeBytes bytes)
    : traced_(&code), stream_(&stream), cursor_(code, stream), bytes_(std::move(bytes)) {
  cursor_.note_access_events(events_);
  uint64_t begin = 0;
  for (size_t n = 0; n < stream.addresses.chunks.size(); ++n) {
    begins_.push_back(begin);
    begin += stream.addresses.chunks.count(n);
  }
}

const TraceAccesses::Code &TraceAccesses::code_of(uint32_t procedure) {
  auto [found, fresh] = codes_.try_emplace(procedure);
  Code &code = found->second;
  if (!fresh) return code;
  const TracedProcedure &p = traced_->procedure(procedure);
  const size_t count = p.map->instructions.size();
  code.about.resize(count);
  code.ends.resize(count);
  for (size_t part = 0; part < p.layouts.size(); ++part) {
    for (const PartLayout::Place &place : p.layouts[part].places()) {
      const uint64_t address = p.anchor->parts[part].address + place.begin;
      // A branch to woven code may be longer than the original.
      code.about[place.instruction] = isa::address_facts(bytes_.at(address, kLongest));
      code.ends[place.instruction] = address + code.about[place.instruction].size;
    }
  }
  const std::vector<uint32_t> &recorded = p.map->plan.addresses.recorded;
  uint32_t at = 0;
  for (uint32_t i = 0; i <= count; ++i) {
    while (at < recorded.size() && recorded[at] / AddressPlan::kSlots < i) ++at;
    code.recorded.push_back(at);
  }
  return code;
}

std::optional<uint64_t> TraceAccesses::word(uint64_t number) const {
  const auto chunk = std::upper_bound(begins_.begin(), begins_.end(), number);
  if (chunk == begins_.begin()) return std::nullopt;
  const size_t n = static_cast<size_t>(chunk - begins_.begin()) - 1;
  const std::span<const uint64_t> words = stream_->addresses.chunks[n];
  const uint64_t at = number - begins_[n];
  return at < words.size() && words[at] != 0 ? std::optional(words[at] - 1) : std::nullopt;
}

std::optional<uint64_t> TraceAccesses::take() {
  if (pending_.empty()) return word(taken_++);
  Range &first = pending_.front();
  const uint64_t number = first.first++;
  if (first.first == first.end) pending_.erase(pending_.begin());
  return word(number);
}

// A probe may have taken its place before a handler ran: what it writes is read when the handler has returned.
void TraceAccesses::obey(const AccessEvent &event) {
  if (event.count < taken_ && problem_.empty()) {
    problem_ = fmt::format("thread {}, after {} instructions: {} addresses were written where {} were to be", stream_->thread, cursor_.number(), event.count, taken_);
    return;
  }
  if (event.kind == AccessEvent::Kind::signal) {
    if (event.count > taken_) pending_.push_back({taken_, event.count});
    signals_.push_back(std::move(pending_));
    pending_.clear();
  } else if (event.kind == AccessEvent::Kind::signal_end && !signals_.empty()) {
    pending_ = std::move(signals_.back());
    signals_.pop_back();
  } else {
    pending_.clear();
  }
  taken_ = event.count;
  signals_.resize(std::min<size_t>(signals_.size(), event.signals));
  if (event.kind == AccessEvent::Kind::other_stack) activations_.clear();
  if (event.changed && !activations_.empty()) {
    for (Activation &a : activations_) a.registers.keep(0);  // a handler may have changed words of the stack that hold others, too
  }
}

TraceAccesses::Activation &TraceAccesses::activation_of(const TraceStretch &s) {
  if (activations_.size() <= s.depth) activations_.resize(s.depth + 1);
  Activation &a = activations_[s.depth];
  if (s.enters || a.procedure != s.procedure || a.began != s.began) a = {s.procedure, s.began, KnownRegisters()};
  return a;
}

bool TraceAccesses::next(TraceStretch &out) {
  made_.clear();
  events_.clear();
  if (!problem_.empty() || !cursor_.next(out)) return false;
  for (const AccessEvent &event : events_) obey(event);
  if (!problem_.empty()) return false;
  const TracedProcedure &p = traced_->procedure(out.procedure);
  if (!p.map->plan.addresses.written) return true;
  const Code &code = code_of(out.procedure);
  Activation &activation = activation_of(out);
  for (uint32_t i = out.first; i < out.first + out.count; ++i) {
    if (p.block_of[i] != core::kNone) execute(p, code, i, activation);
  }
  return true;
}

void TraceAccesses::execute(const TracedProcedure &p, const Code &code, uint32_t i, Activation &activation) {
  const AddressPlan &plan = p.map->plan.addresses;
  KnownRegisters &registers = activation.registers;
  const uint32_t block = p.block_of[i];
  if (p.map->blocks[block].first == i) registers.keep(plan.known[block]);
  std::array<bool, AddressPlan::kSlots> written{};
  std::array<std::optional<uint64_t>, AddressPlan::kSlots> words;
  for (uint32_t k = code.recorded[i]; k < code.recorded[i + 1]; ++k) {
    const uint32_t slot = plan.recorded[k] % AddressPlan::kSlots;
    written[slot] = true;
    words[slot] = take();
    if (slot < AddressPlan::kOperand && words[slot]) registers.set(slot - AddressPlan::kRegister, *words[slot]);
  }
  const isa::AddressFacts &x = code.about[i];
  const KnownRegisters::Place place{code.ends[i] + stream_->addresses.bias, stream_->addresses.thread};
  std::optional<uint64_t> times = 1;
  const size_t first = made_.size();
  for (const isa::AddressFacts::Made &made : x.accesses) {
    const uint32_t slot = made.is_other() ? AddressPlan::kOther : AddressPlan::kOperand;
    TracedAccess access{i, made.reads, made.writes, made.bytes, times, words[slot]};
    if (!written[slot] && registers.knows(made.at)) access.address = registers.address(made.at, place);
    if (words[slot]) registers.learn(made.at, *words[slot], place);
    made_.push_back(access);
  }
  if (x.repeated) {
    const bool knows = registers.known() >> isa::kCountingRegister & 1;
    times = written[AddressPlan::kCount] ? words[AddressPlan::kCount] : knows ? std::optional(registers.value(isa::kCountingRegister)) : std::nullopt;
    for (size_t n = first; n < made_.size(); ++n) made_[n].times = times;
  }
  registers.execute(x, p.is_call[i], plan.kept, place);
}

}  // namespace chord::analysis
