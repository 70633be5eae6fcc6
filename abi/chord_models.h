/* Models of caches and branch predictors: what woven code, the runtime and the tool agree on, and the
 * models themselves. Plain C, freestanding, nothing is allocated here.
 *
 * A cache is set-associative with least-recently-used replacement, allocates on reads and writes alike, and
 * knows nothing of prefetching, of time or of other cores: each thread has caches of its own. That is the model of
 * cachegrind (Nethercote, "Dynamic Binary Analysis and Instrumentation", 2004), and so is what happens to an access that
 * crosses a line: both lines are looked up, and it is one miss if either was missing.
 *
 * Invariant: first[s], then others[s][0], others[s][1] ..., are the lines of set s that were used last, the most
 * recent first, no line twice; 0 stands for none. (No program accesses the line at address 0.)
 *
 * A hit in the first place changes nothing. That is what woven code looks for in line (src/isa/models.h): only what it does
 * not find there is asked of the runtime. Looking a line up takes O(ways).
 */
#ifndef CHORD_MODELS_H
#define CHORD_MODELS_H

#include <stddef.h>
#include <stdint.h>

/* ---- Caches ---- */

#define CHORD_CACHE_MOST_SETS 4096 /* of a first-level cache: woven code looks at `first` without asking */
#define CHORD_CACHE_MOST_WAYS 64
#define CHORD_CACHE_LEAST_LINE_BITS 4
#define CHORD_CACHE_MOST_LINE_BITS 10
#define CHORD_CACHE_MOST_LINES (1u << 20) /* of any cache: what a thread pays for in memory is eight bytes each */

struct chord_geometry {
  uint32_t sets;      /* a power of two; 0: no such cache */
  uint32_t ways;
  uint32_t line_bits; /* a line has 1 << line_bits bytes */
  uint32_t reserved;
};

struct chord_cache {
  struct chord_geometry geometry;
  uint64_t *first;  /* by set: the line used last, as the address of its first byte */
  uint64_t *others; /* by set, ways - 1 each */
};

/* Uses the line that starts at `line`. 1 if it was missing. */
static inline int chord_cache_use(const struct chord_cache *cache, uint64_t line) {
  uint64_t set = (line >> cache->geometry.line_bits) & (cache->geometry.sets - 1);
  uint64_t *first = cache->first + set;
  uint64_t *others = cache->others + set * (cache->geometry.ways - 1);
  uint64_t moving = *first;
  uint32_t way;
  if (moving == line) return 0;
  *first = line;
  for (way = 0; way + 1 < cache->geometry.ways; ++way) {
    uint64_t here = others[way];
    others[way] = moving;
    if (here == line) return 0;
    moving = here;
  }
  return 1;
}

/* An access to `bytes` bytes. 1 if it missed. More than a line is taken for a line, as cachegrind does. */
static inline int chord_cache_access(const struct chord_cache *cache, uint64_t address, uint64_t bytes) {
  uint64_t size = UINT64_C(1) << cache->geometry.line_bits;
  uint64_t line = address & (0 - size), last;
  int missed;
  if (bytes > size) bytes = size;
  last = (address + bytes - 1) & (0 - size);
  missed = chord_cache_use(cache, line);
  if (last != line) missed |= chord_cache_use(cache, last);
  return missed;
}

/* ---- Branch predictors ---- */

/* A table of two-bit counters that saturate (Smith, "A Study of Branch Prediction Strategies", 1981). The one that predicts a
 * branch is number ((address << address_shift) ^ (history & mask of history_bits)) & mask of bits. The history is of the thread's
 * last conditional branches, one bit each, 1 for taken, the last one lowest.
 *   bimodal   no history
 *   gshare    address_shift 0 (McFarling, "Combining Branch Predictors", 1993)
 *   gselect   address_shift = history_bits: the history is below the address, as in cachegrind
 *
 * Invariant: a counter is 0 or 1 if it is saturated, not taken or taken; 2 or 3 if a branch the other way will turn it. A branch that
 * goes where a saturated counter says changes none of them, and that is what woven code looks for in line. All start as 0. */
#define CHORD_PREDICTOR_LEAST_BITS 1
#define CHORD_PREDICTOR_MOST_BITS 16
#define CHORD_PREDICTOR_MOST_HISTORY 31
#define CHORD_PREDICTOR_COUNTERS 8 /* where the counters begin; before them is the history */

struct chord_prediction {
  uint32_t bits; /* of a counter's number; 0: no predictor */
  uint32_t history_bits;
  uint32_t address_shift;
  uint32_t reserved;
};

struct chord_predictor {
  uint64_t history;
  uint8_t counters[1u << CHORD_PREDICTOR_MOST_BITS];
};

/* The branch whose counter has that number goes there. 1 if it was predicted otherwise. The history is the caller's. */
static inline int chord_predict(struct chord_predictor *predictor, uint64_t number, uint64_t taken) {
  uint8_t *counter = predictor->counters + number;
  uint8_t before = *counter, outcome = (uint8_t)(taken != 0);
  int missed = (before & 1) != outcome;
  if (!missed) *counter = outcome;
  else *counter = (uint8_t)(2 | (before < 2 ? before : outcome));
  return missed;
}

/* ---- What a module's woven code and its runtime share ---- */

/* Defined once in a module by woven code. */
struct chord_models {
  struct chord_geometry data, second; /* l1d, and l2 behind it; no sets: there is none */
  struct chord_geometry code;         /* l1i */
  struct chord_prediction branch;
};
#define CHORD_MODELS_SYMBOL "__chord_models"
enum { CHORD_MODEL_DATA, CHORD_MODEL_SECOND, CHORD_MODEL_CODE, CHORD_MODEL_BRANCH, CHORD_MODELS };

/* What woven code tells of an access (runtime/sim/models.cc): its bytes, and */
enum {
  CHORD_ACCESS_BYTES = 0x7ff,
  CHORD_ACCESS_SOURCE = 0x800,  /* of a repeated string instruction: it accesses its source, its target */
  CHORD_ACCESS_TARGET = 0x1000,
  CHORD_ACCESS_SECOND = 0x2000, /* times: words from the counter of the first level to that of the second; 0: there is none */
  CHORD_ACCESS_MOST_DISTANCE = 0x20000,
};

#endif
