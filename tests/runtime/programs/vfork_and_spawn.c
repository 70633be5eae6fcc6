/* Children that borrow our memory: vfork with exec that works, exec that fails, _exit;
 * posix_spawn and system.
 * calls: main=1 start=3 in_child=3 work=3
 */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counted.h"
extern char **environ;
COUNTED void in_child(int how) {
  if (how == 0) execl("/bin/true", "true", (char *)0);
  if (how == 1) execl("/nonexistent/program", "program", (char *)0);
}
COUNTED int start(int how) {
  int status = 0;
  pid_t made = vfork();
  if (made == 0) {
    in_child(how);
    _exit(how);
  }
  waitpid(made, &status, 0);
  return WEXITSTATUS(status);
}
int main(void) {
  int bad = 0;
  for (int i = 0; i < 3; i++) {
    bad += start(i) != i;
    work(i);
  }
  char *const arguments[] = {"true", 0};
  pid_t made;
  int status;
  if (posix_spawn(&made, "/bin/true", 0, 0, arguments, environ) != 0) return 9;
  waitpid(made, &status, 0);
  return bad + status + system("true");
}
