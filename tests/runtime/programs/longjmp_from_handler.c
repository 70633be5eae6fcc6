/* A handler on its own stack leaves by siglongjmp.
 * calls: main=1 fault=50 handler=50 after=0
 */
#include <setjmp.h>
#include <signal.h>

#include "counted.h"
static sigjmp_buf there;
static char stack[65536];
COUNTED void handler(int number) {
  (void)number;
  siglongjmp(there, 1);
}
COUNTED void fault(int *address) {
  *address = 1;
  after();
}
int main(void) {
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_flags = SA_ONSTACK};
  sigaltstack(&other, 0);
  action.sa_handler = handler;
  sigaction(SIGSEGV, &action, 0);
  for (volatile int i = 0; i < 50; i++)
    if (sigsetjmp(there, 1) == 0) fault((int *)8);
  return 0;
}
