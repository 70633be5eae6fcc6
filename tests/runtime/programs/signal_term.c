/* A signal from outside, and the parent sees the same status.
 * calls: main=1 middle=1 after=0
 * status: signal 15
 */
#include <signal.h>

#include "counted.h"
COUNTED void middle(void) {
  raise(SIGTERM);
  after();
}
int main(void) {
  middle();
  return 0;
}
