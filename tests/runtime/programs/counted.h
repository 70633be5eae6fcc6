/* COUNTED functions are called exactly as often as the source says, at every
 * optimisation level: never inlined, cloned or found superfluous. */
#ifndef COUNTED_H
#define COUNTED_H

#if defined(__clang__)
#define COUNTED __attribute__((noinline))
#else
#define COUNTED __attribute__((noipa))
#endif

/* In the body of each, so that a call has an effect. */
#define TOUCH() __asm__ volatile("" ::: "memory")

#ifdef __cplusplus
extern "C" {
#endif
COUNTED static int work(int n) {
  TOUCH();
  return n + 1;
}
COUNTED __attribute__((unused)) static void after(void) { TOUCH(); }
#ifdef __cplusplus
}
#endif

#endif
