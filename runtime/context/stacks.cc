// Stacks of their own (ucontext). Each has a tree of its own, since it may be switched to in one thread and gone on with in another, while
// the first counts in the tree of its own stack: what runs on a stack counts in that stack's tree, and a stack runs in one thread at a time.
//
// What runs there is called where its stack was first switched to. The records on the way to that place are made in the new tree, too, with the
// same keys, and count nothing, unless the stack's calls are folded onto them: so trees do not lead into each other.
#include <ucontext.h>

#include "call_tree.h"
#include "runtime.h"

namespace chord::runtime {

namespace {

const char *stack_pointer(const ucontext_t &context) { return reinterpret_cast<const char *>(context.uc_mcontext.gregs[REG_RSP]); }

bool is_on(const stack_t &stack, const char *place) {
  return static_cast<uint64_t>(place - static_cast<const char *>(stack.ss_sp)) < stack.ss_size;
}

// What makecontext leaves below the top: the address that the function returns to, and what alignment takes.
constexpr int64_t made_below_top = 40;

// Whether the context is one that makecontext made, on another stack than this.
bool is_new_stack(const ucontext_t &entered, bool suspended) {
  const stack_t &stack = entered.uc_stack;
  const char *place = stack_pointer(entered);
  if (!is_on(stack, place) || is_on(stack, static_cast<const char *>(__builtin_frame_address(0)))) return false;
  return !suspended || static_cast<const char *>(stack.ss_sp) + stack.ss_size - place <= made_below_top;
}

// That of a thread's earlier coroutines on the same stack, which have ended.
CallTree *tree_of_stack(Instance &instance, uint32_t thread, const void *stack) {
  Guard guard(instance.lock);
  for (CallTree *tree = instance.calling.trees; tree != nullptr; tree = tree->next)
    if (tree->stack == stack && tree->thread == thread) return tree;
  return add_tree(instance, thread, stack);
}

// How this record was called, from the one that is its caller's in another tree.
Call call_again(const Record &record, const Record *parent) {
  if (record.parent == nullptr) parent = reinterpret_cast<const Record *>(uint64_t{record.kind});
  return {parent, record.proc, record.site, nullptr};
}

// The slot that names the same call in the other tree; the root's if there is no memory.
Slot *same_slot(Instance &instance, CallTree &tree, Slot *slot) {
  if (is_root(slot) || is_spare(instance, slot)) return slot;
  Record *last = record_around(slot);
  size_t depth = 0;
  for (const Record *at = last; at != nullptr; at = at->parent) ++depth;
  auto **chain = static_cast<const Record **>(map_pages(depth * sizeof(Record *)));
  if (chain == nullptr) return root_of(instance);
  size_t i = depth;
  for (const Record *at = last; at != nullptr; at = at->parent) chain[--i] = at;
  Record *same = nullptr;
  for (; i < depth; ++i) same = find_or_make(instance, tree, call_again(*chain[i], same));
  unmap_pages(chain, depth * sizeof(Record *));
  return slots_of(same) + (slot - slots_of(last));
}

bool is_paused(const Thread *thread) { return thread != nullptr && thread->paused != nullptr; }

// A thread that has not run a module's code does not know where the words are.
void set_links(const Instance &instance, Words &words) {
  for (const Module *module = instance.modules; module != nullptr; module = module->next)
    if (module->live && module->site_link != 0) *reinterpret_cast<Words **>(thread_pointer() + module->site_link) = &words;
}

// Between leaving a stack and coming back to another there is no tree: as soon as a stack is left, another thread may go on with it, and a
// handler that comes here must not count in its tree.
LeftStack leave_for(Instance &instance, const ucontext_t &entered, bool suspended) {
  if (!keeps_contexts()) return {};
  Words &words = own_words(instance);
  const LeftStack left{words.tree, reinterpret_cast<uint64_t>(words.site)};
  const Thread *thread = current_thread(instance);
  if (is_new_stack(entered, suspended)) {
    Mask mask = set_mask(~Mask{0});
    if (CallTree *tree = tree_of_stack(instance, number_of(thread), entered.uc_stack.ss_sp)) {
      words.site = same_slot(instance, *tree, words.site);
      words.tree = tree;
      follow_pause(instance, *tree, is_paused(thread));
    }
    set_mask(mask);
  } else if (suspended) {
    words.tree = nullptr;
  }
  return left;
}

// Perhaps in another thread than it was left in.
void go_on_with(Instance &instance, const LeftStack &left) {
  if (!keeps_contexts() || left.site == 0) return;
  Words &words = own_words(instance);
  words.site = reinterpret_cast<Slot *>(left.site);
  words.tree = left.tree;
  set_links(instance, words);
  if (left.tree != nullptr) follow_pause(instance, *left.tree, is_paused(current_thread(instance)));
}

}  // namespace

extern "C" CHORD_SHARED constexpr ContextHooks __chord_mode_context = {
    {.text = &__chord_text_context,
     .text_end = &__chord_text_context_end,
     .begin = read_context_limit,
     .begin_module = begin_contexts,
     .end_module = end_contexts,
     .pause = pause_contexts,
     .resume = resume_contexts,
     .add_counters = add_context_counters,
     .collect = collect_contexts,
     .restart = restart_contexts},
    context_key, is_known_slot, current_site, set_current_site, leave_site, fold_contexts, leave_for, go_on_with};

}  // namespace chord::runtime
