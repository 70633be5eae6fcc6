/* A child counts from the fork on: it has the parent's frames, not its counts.
 * calls: main=1 child=4 parent=1 work=105 make=4
 * segments: 5
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"
COUNTED void child(int how) {
  for (int i = 0; i < 25; i++) work(i);
  if (how == 0) _exit(0);
  if (how == 1) exit(0);
}
COUNTED int make(int how) {
  pid_t made = fork();
  if (made == 0) child(how);
  return made == 0;
}
COUNTED void parent(void) {
  for (int i = 0; i < 5; i++) work(i);
}
int main(void) {
  for (int i = 0; i < 4; i++)
    if (make(i)) return 0;
  parent();
  int bad = 0, status;
  while (wait(&status) > 0) bad += status != 0;
  return bad;
}
