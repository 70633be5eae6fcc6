// Which modes a process has, and whose code is used for each (modes.h).
#include "modes.h"

#include "runtime.h"

namespace chord::runtime {

const ModeHooks *hooks_of(const Instance &instance, ModeNumber mode) {
  const ModeHooks *own = __chord_module.modes[mode];
  return own != nullptr ? own : __atomic_load_n(&instance.modes[mode], __ATOMIC_ACQUIRE);
}

// Where this module lacks a mode, the address of its hooks is 0, or what gold makes of that (is_defined).
void name_own_modes(ModuleState &state, uint64_t bias) {
  for (const ModeHooks *&mode : state.modes)
    if (reinterpret_cast<uint64_t>(mode) == bias) mode = nullptr;
}

void join_modes(Instance &instance, const ModuleState &state, char **environment) {
  for (uint32_t mode = 0; mode < mode_count; ++mode) {
    if (state.modes[mode] == nullptr || instance.modes[mode] != nullptr) continue;
    __atomic_store_n(&instance.modes[mode], state.modes[mode], __ATOMIC_RELEASE);
    if (instance.modes_begun[mode]) continue;
    instance.modes_begun[mode] = true;
    if (state.modes[mode]->begin != nullptr) state.modes[mode]->begin(instance, environment);
  }
}

void leave_modes(Instance &instance, const ModuleState &state) {
  for (uint32_t mode = 0; mode < mode_count; ++mode) {
    if (instance.modes[mode] != state.modes[mode] || state.modes[mode] == nullptr) continue;
    const ModeHooks *other = nullptr;
    for (const ModuleState *left = instance.states; left != nullptr && other == nullptr; left = left->next) other = left->modes[mode];
    __atomic_store_n(&instance.modes[mode], other, __ATOMIC_RELEASE);
  }
}

bool in_own_mode(uint64_t pc) {
  for (const ModeHooks *mode : __chord_module.modes)
    if (mode != nullptr && pc - reinterpret_cast<uint64_t>(mode->text) < static_cast<uint64_t>(mode->text_end - mode->text)) return true;
  return false;
}

// ---- What contexts are asked (call_tree.h)

bool is_slot(const Instance &instance, uint64_t slot) {
  const auto *contexts = hooks_of<ContextHooks>(instance, mode_context);
  return contexts != nullptr && contexts->is_slot(instance, slot);
}

uint64_t site_in_force(const Instance &instance) {
  const auto *contexts = hooks_of<ContextHooks>(instance, mode_context);
  return contexts != nullptr ? contexts->site_in_force() : 0;
}

void set_site(const Instance &instance, uint64_t slot) { hooks_of<ContextHooks>(instance, mode_context)->set_site(slot); }

void put_back_site(const Instance &instance, uint64_t slot) {
  if (is_slot(instance, slot)) set_site(instance, slot);
}

LeftStack leave_stack(Instance &instance, const ucontext_t &entered, bool suspended) {
  const auto *contexts = hooks_of<ContextHooks>(instance, mode_context);
  return contexts != nullptr ? contexts->leave_stack(instance, entered, suspended) : LeftStack{};
}

void enter_stack(Instance &instance, const LeftStack &left) {
  const auto *contexts = hooks_of<ContextHooks>(instance, mode_context);
  if (contexts != nullptr && left.site != 0) contexts->enter_stack(instance, left);
}

// The module that is ending is no longer listed.
void tell_traces(Instance &instance, uint32_t kind, const Frame *where, uint64_t pc) {
  auto tell = [&](const ModuleState &state) {
    if (const auto *hooks = reinterpret_cast<const TraceHooks *>(state.modes[mode_trace])) hooks->note(instance, kind, where, pc);
  };
  tell(__chord_module);
  for (const ModuleState *state = instance.states; state != nullptr; state = state->next)
    if (state != &__chord_module) tell(*state);
}

void forget_mode_records(Instance &instance) {
  for (ModeRecord &record : instance.mode_records) {
    if (record.data != nullptr) unmap_pages(record.data, record.capacity);
    record = {};
  }
}

}  // namespace chord::runtime
