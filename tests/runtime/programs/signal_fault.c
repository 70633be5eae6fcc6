/* A fault: the instruction it happened at was not executed.
 * calls: main=1 down=3 after=0
 * status: signal 11
 * link: -static
 */
#include "counted.h"
COUNTED void down(int n) {
  if (n == 0) *(volatile int *)8 = 1;
  down(n - 1);
  after();
}
int main(void) {
  down(2);
  return 0;
}
