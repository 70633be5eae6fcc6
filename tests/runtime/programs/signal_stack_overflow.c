/* No stack is left to handle the signal on.
 * calls: main=1 after=0
 * status: signal 11
 */
#include "counted.h"
COUNTED int down(int n) {
  volatile char room[65536];
  room[0] = (char)n;
  int result = down(n + 1) + room[0];
  after();
  return result;
}
int main(void) { return down(0); }
