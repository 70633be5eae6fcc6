/* _exit from a depth.
 * calls: main=1 middle=1 after=0
 * status: 4
 */
#include <unistd.h>

#include "counted.h"
COUNTED void middle(void) { _exit(4); }
int main(void) {
  middle();
  after();
  return 0;
}
