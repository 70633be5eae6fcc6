/* A clock that stands still, for programs whose counts must not depend on time. */
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>

#define gettimeofday(t, zone) (memset((t), 0, sizeof *(t)), 0)
#define times(t) (memset((t), 0, sizeof *(t)), 0)
