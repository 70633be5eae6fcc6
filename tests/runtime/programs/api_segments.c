/* chord_mark, chord_dump, chord_reset, chord_pause in one run: the segments add up to
 * what was not reset or paused.
 * calls: main=1 work=60 phase=3 after=0 ignored=0
 * segments: 5
 */
#include <chord/chord.h>

#include "counted.h"
COUNTED void ignored(void) { TOUCH(); }
COUNTED void phase(int n) {
  for (int i = 0; i < n; i++) work(i);
  chord_dump();
}
int main(void) {
  if (chord_is_counting()) {
    chord_pause();
    for (int i = 0; i < 7; i++) ignored();
    chord_resume();
    chord_mark("warm-up");
    for (int i = 0; i < 9; i++) ignored();
    chord_reset();
  }
  phase(10);
  phase(20);
  for (int i = 0; i < 30; i++) work(i);
  phase(0);
  return 0;
}
