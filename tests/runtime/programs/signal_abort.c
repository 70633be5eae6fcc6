/* calls: main=1 middle=1 after=0
 * status: signal 6
 */
#include <stdlib.h>

#include "counted.h"
COUNTED void middle(void) { abort(); }
int main(void) {
  middle();
  after();
  return 0;
}
