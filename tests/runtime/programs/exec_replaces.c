/* Written before the image goes; an exec that fails goes on counting.
 * calls: main=1 work=3 run=2 after=1
 * segments: 2
 */
#include <unistd.h>

#include "counted.h"
COUNTED void run(const char *path) {
  execl(path, path, "hello", (char *)0);
  after();
}
int main(void) {
  work(1);
  run("/nonexistent/program");
  work(2);
  work(3);
  run("/bin/echo");
  return 0;
}
