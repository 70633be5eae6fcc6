/* Two counters in one vector register. */
#define SHARED
#include "vectors.S"
