// CHORD_DURABLE=1: what counts is kept in a file that outlives the process, whatever kills it.
//
// The memory that a reader of the dead process needs (the instance, modules, threads'
// blocks, totals, early exits) is mapped from PROFILE.live.PID, shared, and the file
// begins with a table of which part was mapped where. So the file is what a core file would
// be without stacks, and is read the same way (src/analysis/processes/live_file.cc). It is removed
// when the last segment is written. Space is reserved before it is mapped: a full disk is
// an error here, not a signal later.
//
// A shared mapping stays shared across fork, which nothing here can bear: the parent's memory
// is copied before, and the child puts the copy in its place, backed by a file of its
// own, before anything else runs in it.
#include <errno.h>

#include "runtime.h"

namespace chord::runtime {
namespace {

constexpr size_t table_size = 64 * 1024;
constexpr uint32_t most_parts = (table_size - sizeof(LiveFile)) / sizeof(LiveFile::Part);

// Private to the process, unlike everything else: the parent's.
char *copy_for_child;

size_t round_up(size_t size) { return (size + 4095) & ~size_t{4095}; }

long open_live(const Instance &instance, int flags) {
  return open_above_standard(instance.live_path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | flags, 0600);
}

// Bytes [offset, offset + size) of the file at `address` (0: anywhere), or null.
void *map_part(long file, void *address, size_t size, uint64_t offset) {
  Mask mask = set_mask(~Mask{0});
  long result;
  {
    NoFileSizeSignal guard;
    result = kernel(SYS_fallocate, file, 0, static_cast<long>(offset), static_cast<long>(size));
  }
  set_mask(mask);
  if (result == 0)
    result = kernel(SYS_mmap, arg(static_cast<char *>(address)), static_cast<long>(size), PROT_READ | PROT_WRITE,
                    MAP_SHARED | (address != nullptr ? MAP_FIXED : 0), file, static_cast<long>(offset));
  return result < 0 && result > -4096 ? nullptr : reinterpret_cast<void *>(result);
}

void name_file(Instance &instance) {
  Text path(instance.live_path, sizeof instance.live_path);
  expand_out(instance, path);
  path.add(".live.").add_number(instance.pid);
}

// Puts memory that has its contents already (and is not shared with anyone) into a new file.
bool move_to_file(Instance &instance) {
  name_file(instance);
  kernel(SYS_unlink, arg(instance.live_path));
  long file = open_live(instance, O_CREAT | O_EXCL);
  if (file < 0) return false;
  bool moved = true;
  LiveFile &live = *instance.live;
  for (uint32_t i = 0; i < live.count && moved; ++i) {
    const LiveFile::Part part = live.part[i];
    if (part.address == nullptr) continue;
    // Reserved, written, then mapped over the very bytes that were written.
    void *elsewhere = map_part(file, nullptr, part.size, part.offset);
    moved = elsewhere != nullptr;
    if (!moved) break;
    copy_bytes(elsewhere, part.address, part.size);
    unmap_pages(elsewhere, part.size);
    moved = map_part(file, part.address, part.size, part.offset) != nullptr;
  }
  kernel(SYS_close, file);
  if (!moved) kernel(SYS_unlink, arg(instance.live_path));
  return moved;
}

void give_up(Instance &instance) {
  instance.live = nullptr;
  instance.notes |= note_not_durable;
}

}  // namespace

Instance *make_durable(Instance *instance) {
  name_file(*instance);
  kernel(SYS_unlink, arg(instance->live_path));  // of an earlier process, or image, of this number
  if (instance->makes_folders) make_folders(instance->live_path);
  long file = open_live(*instance, O_CREAT | O_EXCL);
  size_t size = round_up(sizeof(Instance));
  auto *live = static_cast<LiveFile *>(file < 0 ? nullptr : map_part(file, nullptr, table_size, 0));
  auto *moved = static_cast<Instance *>(live == nullptr ? nullptr
                                                        : map_part(file, nullptr, size, table_size));
  if (file >= 0) kernel(SYS_close, file);
  if (moved == nullptr) {
    if (file >= 0) kernel(SYS_unlink, arg(instance->live_path));
    give_up(*instance);
    return instance;
  }
  copy_bytes(moved, instance, sizeof(Instance));
  unmap_pages(instance, start_size);
  moved->live = live;
  live->part[0] = {live, table_size, 0};
  live->part[1] = {moved, size, table_size};
  live->instance = moved;
  live->used = table_size + size;
  live->count = 2;
  live->version = layout_version;
  live->magic = CHORD_LIVE_MAGIC;
  return moved;
}

namespace {

// Of the file, at `address` (null: anywhere), or null.
void *map_new_part(Instance &instance, void *address, size_t size) {
  LiveFile *live = instance.live;
  uint32_t number = __atomic_fetch_add(&live->count, 1, __ATOMIC_RELAXED);
  if (number >= most_parts) live->count = most_parts;
  long file = number < most_parts ? open_live(instance, 0) : -ENOSPC;
  void *pages = nullptr;
  if (file >= 0) {
    uint64_t offset = __atomic_fetch_add(&live->used, size, __ATOMIC_RELAXED);
    pages = map_part(file, address, size, offset);
    kernel(SYS_close, file);
    if (pages != nullptr) {
      live->part[number] = {nullptr, size, offset};
      __atomic_store_n(&live->part[number].address, pages, __ATOMIC_RELEASE);
    }
  }
  if (pages == nullptr) instance.notes |= note_not_durable;
  return pages;
}

}  // namespace

void *map_kept(Instance &instance, size_t size) {
  void *pages = instance.live != nullptr ? map_new_part(instance, nullptr, round_up(size)) : nullptr;
  return pages != nullptr ? pages : map_pages(size);
}

void keep_at(Instance &instance, char *address, size_t size) {
  LiveFile *live = instance.live;
  for (uint32_t i = 0; i < live->count; ++i) {
    LiveFile::Part &part = live->part[i];
    auto *begin = static_cast<char *>(part.address);
    if (begin == address && part.size == size) return;  // an earlier thread's, or that of a module that was here
    if (begin != nullptr && begin < address + size && address < begin + part.size) part.address = nullptr;
  }
  map_new_part(instance, address, size);
}

void unmap_kept(Instance &instance, void *pages, size_t size) {
  if (LiveFile *live = instance.live) {
    size = round_up(size);
    for (uint32_t i = 0; i < live->count; ++i)
      if (live->part[i].address == pages) live->part[i].address = nullptr;
  }
  unmap_pages(pages, size);
}

void end_durable(Instance &instance) {
  if (instance.live != nullptr) kernel(SYS_unlink, arg(instance.live_path));
}

void resume_durable(Instance &instance) {
  if (instance.live != nullptr && !move_to_file(instance)) give_up(instance);
}

// ---- fork --------------------------------------------------------------------------

void copy_durable(Instance &instance) {
  LiveFile *live = instance.live;
  if (live == nullptr) return;
  copy_for_child = static_cast<char *>(map_pages(live->used));
  if (copy_for_child == nullptr) instance.notes |= note_out_of_memory;
  for (uint32_t i = 0; copy_for_child != nullptr && i < live->count; ++i)
    if (live->part[i].address != nullptr)
      copy_bytes(copy_for_child + live->part[i].offset, live->part[i].address, live->part[i].size);
}

void drop_copy() {
  if (copy_for_child == nullptr) return;
  unmap_pages(copy_for_child, reinterpret_cast<LiveFile *>(copy_for_child)->used);
  copy_for_child = nullptr;
}

void become_private() {
  auto *live = reinterpret_cast<LiveFile *>(copy_for_child);
  for (uint32_t i = 0; live != nullptr && i < live->count; ++i) {
    const LiveFile::Part &part = live->part[i];
    if (part.address == nullptr) continue;
    kernel(SYS_mmap, arg(static_cast<char *>(part.address)), static_cast<long>(part.size), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    copy_bytes(part.address, copy_for_child + part.offset, part.size);
  }
  drop_copy();
}

}  // namespace chord::runtime
