/* longjmp within the function that called setjmp, and over more frames than are
 * remembered at once.
 * calls: main=1 in_place=10 deep=2000 after=0
 */
#include <setjmp.h>

#include "counted.h"
static jmp_buf there;
COUNTED void in_place(void) {
  volatile int rounds = 0;
  setjmp(there);
  if (rounds++ < 5) longjmp(there, 1);
}
COUNTED void deep(int n) {
  if (n == 1) longjmp(there, 1);
  deep(n - 1);
  after();
}
int main(void) {
  for (int i = 0; i < 10; i++) in_place();
  if (setjmp(there) == 0) deep(2000);
  return 0;
}
