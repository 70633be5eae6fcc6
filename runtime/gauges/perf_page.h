// Reading a counter of the kernel's without asking the kernel: what the mapped page of an event says, under its sequence lock
// (perf_event_open(2)). The instruction that reads is a parameter, so that tests can have pages of their own.
#pragma once

#include <linux/perf_event.h>
#include <stdint.h>

namespace chord::runtime {

// False if it has to be asked: the page does not allow it, or the event is not on the processor now.
template <class ReadCounter>
bool read_page(const perf_event_mmap_page *page, ReadCounter read_counter, uint64_t &value) {
  for (;;) {
    uint32_t before = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
    uint32_t index = __atomic_load_n(&page->index, __ATOMIC_RELAXED);
    bool allowed = page->cap_user_rdpmc != 0;
    uint64_t sum = static_cast<uint64_t>(__atomic_load_n(&page->offset, __ATOMIC_RELAXED));
    uint16_t width = __atomic_load_n(&page->pmc_width, __ATOMIC_RELAXED);
    if (allowed && index != 0 && width != 0 && width <= 64) {
      // The counter has so many bits, of which the highest is a sign.
      auto read = static_cast<int64_t>(read_counter(index - 1) << (64 - width)) >> (64 - width);
      sum += static_cast<uint64_t>(read);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&page->lock, __ATOMIC_RELAXED) != before) continue;
    value = sum;
    return allowed && index != 0 && width != 0 && width <= 64;
  }
}

}  // namespace chord::runtime
