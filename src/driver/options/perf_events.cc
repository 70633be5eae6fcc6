#include "driver/options/perf_events.h"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace chord::driver {
namespace {

struct Named {
  std::string_view name;
  uint32_t type;
  uint64_t config;
};

constexpr uint64_t cache(uint64_t which, uint64_t operation, uint64_t result) { return which | operation << 8 | result << 16; }
constexpr uint64_t kRead = PERF_COUNT_HW_CACHE_OP_READ, kAccess = PERF_COUNT_HW_CACHE_RESULT_ACCESS, kMiss = PERF_COUNT_HW_CACHE_RESULT_MISS;

// Names are metrics (format/map/metrics.cc).
constexpr std::array<Named, 25> kNamed = {{
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1D, kRead, kAccess)},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1D, kRead, kMiss)},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_L1I, kRead, kMiss)},
    {"LLC-loads", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_LL, kRead, kAccess)},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_LL, kRead, kMiss)},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_DTLB, kRead, kMiss)},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, cache(PERF_COUNT_HW_CACHE_ITLB, kRead, kMiss)},
}};

constexpr std::string_view kFamily = "perf:";

// Loaded when it is asked: the addresses in its tables of processors, a megabyte, would take longer at every start of chord than everything else there.
struct Libpfm {
  decltype(&pfm_initialize) initialize = nullptr;
  decltype(&pfm_get_os_event_encoding) encode = nullptr;

  Libpfm() {
    void *library = dlopen("libpfm.so." CHORD_LIBPFM_VERSION, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return;
    initialize = reinterpret_cast<decltype(initialize)>(dlsym(library, "pfm_initialize"));
    encode = reinterpret_cast<decltype(encode)>(dlsym(library, "pfm_get_os_event_encoding"));
  }
};

std::optional<PerfEvent> ask_libpfm(const std::string &name) {
  static const Libpfm libpfm;
  if (libpfm.initialize == nullptr || libpfm.encode == nullptr || libpfm.initialize() != PFM_SUCCESS) return std::nullopt;
  perf_event_attr about = {};
  about.size = sizeof about;
  pfm_perf_encode_arg_t request = {};
  request.attr = &about;
  request.size = sizeof request;
  if (libpfm.encode(name.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT, &request) != PFM_SUCCESS) return std::nullopt;
  // The runtime gets a type and one word; events that take more have no place in it.
  if (about.config1 != 0 || about.config2 != 0) return std::nullopt;
  return PerfEvent{about.type, about.config};
}

}  // namespace

std::optional<PerfEvent> find_perf_event(std::string_view name) {
  for (const Named &known : kNamed) {
    if (name == known.name) return PerfEvent{known.type, known.config};
  }
  return name.starts_with(kFamily) ? ask_libpfm(std::string(name.substr(kFamily.size()))) : std::nullopt;
}

std::string why_not_counted(const PerfEvent &event) {
  perf_event_attr about = {};
  about.size = sizeof about;
  about.type = event.type;
  about.config = event.config;
  about.exclude_kernel = about.exclude_hv = 1;
  long fd = ::syscall(SYS_perf_event_open, &about, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno == EACCES || errno == EPERM ? "not permitted (kernel.perf_event_paranoid)" : std::strerror(errno);
  ::close(static_cast<int>(fd));
  return {};
}

std::vector<std::string> counted_here() {
  std::vector<std::string> names;
  for (const Named &known : kNamed) {
    if (why_not_counted({known.type, known.config}).empty()) names.emplace_back(known.name);
  }
  return names;
}

}  // namespace chord::driver
