/* exit() at the bottom of a recursion: every frame ends at its call.
 * calls: main=1 down=6 after=0 at_end=1 work=1
 * status: 3
 * link: -static
 * link: -static-pie -fPIE
 * link: -no-pie -fno-pie
 */
#include <stdlib.h>

#include "counted.h"
COUNTED void down(int n) {
  if (n == 0) exit(3);
  down(n - 1);
  after();
}
COUNTED void at_end(void) { work(1); }
int main(void) {
  atexit(at_end);
  down(5);
  after();
  return 0;
}
