/* The usual dance: fork twice, new session, another folder, no descriptors.
 * calls: main=1 serve=1 work=50
 * segments: 3
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"
COUNTED void serve(void) {
  for (int i = 0; i < 50; i++) work(i);
}
int main(void) {
  int channel[2];
  if (pipe(channel)) return 1;
  if (fork() > 0) {
    char end;
    close(channel[1]);
    return read(channel[0], &end, 1) != 0; /* until the daemon is gone */
  }
  setsid();
  if (fork() > 0) _exit(0);
  if (chdir("/")) return 1;
  for (int i = 0; i < 64; i++)
    if (i != channel[1]) close(i);
  serve();
  exit(0);
}
