/* quick_exit: its functions are counted, too.
 * calls: main=1 at_quick_end=1 after=0
 * status: 5
 */
#include <stdlib.h>

#include "counted.h"
COUNTED void at_quick_end(void) { TOUCH(); }
int main(void) {
  at_quick_exit(at_quick_end);
  quick_exit(5);
}
