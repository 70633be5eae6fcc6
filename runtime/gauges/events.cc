// Events that the kernel counts for a thread (perf_event_open(2)): those of the processor are one group, read together; those of the kernel itself are
// read one by one, for in a group it gives some of them as they were at its last tick.
//
// Hardware events count the program alone, software events what the kernel does for it, too, where that is permitted. The group is pinned: it is
// counted all the time or, if the processor has too few counters, not at all; nothing is estimated.
//
// The program may close our descriptors and open files of its own under their numbers. So they are high ones, and before one is
// read the kernel is asked whether it is still the event.
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>

#include "chord_gauges.h"
#include "perf_page.h"
#include "runtime.h"
#include "thread_states.h"

extern "C" const chord_gauges __chord_gauges __attribute__((visibility("hidden")));
extern "C" uint64_t __chord_gauge_faults[CHORD_MOST_GAUGES * CHORD_FAULTS] __attribute__((visibility("hidden")));

namespace chord::runtime {
namespace {

// Of one thread, by gauge; only those of events are used.
struct Events {
  const chord_gauges *what;
  int fd[CHORD_MOST_GAUGES];  // -1: not counted
  uint64_t id[CHORD_MOST_GAUGES];
  perf_event_mmap_page *page[CHORD_MOST_GAUGES];
  int leader;                 // gauge; -1: the processor counts none
  uint32_t members;           // of the group
  uint64_t last[CHORD_MOST_GAUGES];  // what was read: sums never go back
};

constexpr int least_descriptor = 700;
constexpr size_t page_bytes = 4096;

bool same_gauges(const chord_gauges &a, const chord_gauges &b) {
  bool same = a.count == b.count;
  for (uint64_t k = 0; same && k < a.count; ++k) same = a.gauge[k].kind == b.gauge[k].kind && a.gauge[k].type == b.gauge[k].type && a.gauge[k].config == b.gauge[k].config;
  return same;
}

void note_fault(const Events &events, uint32_t gauge, uint32_t reason) {
  if (same_gauges(*events.what, __chord_gauges)) __atomic_fetch_add(as_seen(&__chord_gauge_faults[gauge * CHORD_FAULTS + reason]), 1, __ATOMIC_RELAXED);
}

uint32_t reason_of(long error) {
  if (error == -ENOENT || error == -ENODEV || error == -EOPNOTSUPP || error == -ENOSYS) return CHORD_FAULT_ABSENT;
  if (error == -EACCES || error == -EPERM) return CHORD_FAULT_FORBIDDEN;
  return error == -EBUSY || error == -ENOSPC ? CHORD_FAULT_SHARED : CHORD_FAULT_OTHER;
}

long open_event(const chord_gauge &gauge, int group) {
  perf_event_attr about;
  for (size_t i = 0; i < sizeof about; ++i) reinterpret_cast<char *>(&about)[i] = 0;
  about.size = sizeof about;
  about.type = gauge.type;
  about.config = gauge.config;
  about.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  about.pinned = group < 0;
  about.exclude_hv = 1;
  about.exclude_kernel = gauge.type != PERF_TYPE_SOFTWARE;
  long fd = kernel(SYS_perf_event_open, arg(&about), 0, -1, group, PERF_FLAG_FD_CLOEXEC);
  if ((fd == -EACCES || fd == -EPERM) && !about.exclude_kernel) {
    about.exclude_kernel = 1;
    fd = kernel(SYS_perf_event_open, arg(&about), 0, -1, group, PERF_FLAG_FD_CLOEXEC);
  }
  if (fd < 0) return fd;
  long high = kernel(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least_descriptor);
  if (high < 0) return fd;
  kernel(SYS_close, fd);
  return high;
}

bool is_ours(const Events &events, int gauge) {
  uint64_t id = 0;
  return kernel(SYS_ioctl, events.fd[gauge], PERF_EVENT_IOC_ID, arg(&id)) == 0 && id == events.id[gauge];
}

bool is_event(const Events &events, uint32_t k) { return events.what->gauge[k].kind == CHORD_GAUGE_EVENT; }
bool is_grouped(const Events &events, uint32_t k) { return is_event(events, k) && events.what->gauge[k].type != PERF_TYPE_SOFTWARE; }

void add_event(Events &events, uint32_t k) {
  bool grouped = is_grouped(events, k);
  long fd = open_event(events.what->gauge[k], !grouped || events.leader < 0 ? -1 : events.fd[events.leader]);
  if (fd < 0) return note_fault(events, k, reason_of(fd));
  events.fd[k] = static_cast<int>(fd);
  kernel(SYS_ioctl, fd, PERF_EVENT_IOC_ID, arg(&events.id[k]));
  if (!grouped) return;
  ++events.members;
  if (events.leader < 0) events.leader = static_cast<int>(k);
  long page = kernel(SYS_mmap, 0, page_bytes, PROT_READ, MAP_SHARED, fd, 0);
  if (page > 0 || page < -4095) events.page[k] = reinterpret_cast<perf_event_mmap_page *>(page);
}

// For the calling thread.
void open_events(Events &events, const chord_gauges &what) {
  events.what = &what;
  events.leader = -1;
  events.members = 0;
  for (uint32_t k = 0; k < CHORD_MOST_GAUGES; ++k) {
    events.fd[k] = -1;
    events.page[k] = nullptr;
    events.last[k] = 0;
  }
  for (uint32_t k = 0; k < events.what->count; ++k)
    if (is_event(events, k)) add_event(events, k);
}

void close_event(Events &events, uint32_t k) {
  if (events.page[k] != nullptr) unmap_pages(events.page[k], page_bytes);
  if (events.fd[k] >= 0 && is_ours(events, static_cast<int>(k))) kernel(SYS_close, events.fd[k]);
  events.fd[k] = -1;
  events.page[k] = nullptr;
}

void close_events(Events &events) {
  for (uint32_t k = 0; k < CHORD_MOST_GAUGES; ++k) close_event(events, k);
  events.leader = -1;
}

uint64_t read_counter(uint32_t number) {
  uint32_t low, high;
  asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(number));
  return static_cast<uint64_t>(high) << 32 | low;
}

// All of the group from their pages; false if one has to be asked.
bool read_pages(Events &events, uint64_t *now) {
  for (uint32_t k = 0; k < events.what->count; ++k) {
    if (events.fd[k] < 0 || !is_grouped(events, k)) continue;
    if (events.page[k] == nullptr || !read_page(events.page[k], read_counter, now[k])) return false;
  }
  return true;
}

void give_up(Events &events, uint32_t k, uint32_t reason) {
  if (events.fd[k] < 0) return;
  note_fault(events, k, reason);
  close_event(events, k);
}

void give_up_group(Events &events, uint32_t reason) {
  for (uint32_t k = 0; k < events.what->count; ++k)
    if (is_grouped(events, k)) give_up(events, k, reason);
  events.leader = -1;
}

// What the kernel says of an event, or of the group that it leads.
struct Answer {
  uint64_t count, enabled, running;
  struct {
    uint64_t value, id;
  } each[CHORD_MOST_GAUGES];
};

// CHORD_FAULTS: it can be used.
uint32_t ask(const Events &events, int gauge, uint32_t members, Answer &answer) {
  if (!is_ours(events, gauge)) return CHORD_FAULT_OTHER;
  long got = kernel(SYS_read, events.fd[gauge], arg(&answer), static_cast<long>(sizeof answer));
  if (got == 0) return CHORD_FAULT_SHARED;  // pinned, and there is no room
  if (got < 24 || answer.count != members) return CHORD_FAULT_OTHER;
  return static_cast<uint32_t>(answer.enabled != answer.running ? CHORD_FAULT_SHARED : CHORD_FAULTS);
}

void read_group(Events &events, uint64_t *now) {
  Answer answer;
  uint32_t fault = ask(events, events.leader, events.members, answer);
  if (fault != CHORD_FAULTS) return give_up_group(events, fault);
  for (uint64_t i = 0; i < answer.count; ++i)
    for (uint32_t k = 0; k < events.what->count; ++k)
      if (events.fd[k] >= 0 && events.id[k] == answer.each[i].id) now[k] = answer.each[i].value;
}

void read_alone(Events &events, uint32_t k, uint64_t *now) {
  Answer answer;
  uint32_t fault = ask(events, static_cast<int>(k), 1, answer);
  if (fault != CHORD_FAULTS) return give_up(events, k, fault);
  now[k] = answer.each[0].value;
}

// Into the places of events; `own`: of the calling thread.
void read_events(Events &events, uint64_t *now, bool own) {
  for (uint32_t k = 0; k < events.what->count; ++k)
    if (is_event(events, k)) now[k] = events.last[k];
  if (events.leader >= 0 && !(own && read_pages(events, now))) read_group(events, now);
  for (uint32_t k = 0; k < events.what->count; ++k)
    if (events.fd[k] >= 0 && !is_grouped(events, k)) read_alone(events, k, now);
  for (uint32_t k = 0; k < events.what->count; ++k)
    if (is_event(events, k)) events.last[k] = now[k];
}

}  // namespace
}  // namespace chord::runtime
