/* longjmp out of a recursion; setjmp returns many times.
 * calls: main=1 catch_all=1 down=4000 returned=1000 after=0
 * link: -static
 */
#include <setjmp.h>

#include "counted.h"
static jmp_buf there;
COUNTED void returned(void) { TOUCH(); }
COUNTED void down(int n) {
  if (n == 0) longjmp(there, 1);
  down(n - 1);
  after();
}
COUNTED int catch_all(void) {
  volatile int rounds = 0;
  if (setjmp(there)) {
    rounds++;
    returned();
  }
  if (rounds < 1000) down(3);
  return rounds;
}
int main(void) { return catch_all() != 1000; }
