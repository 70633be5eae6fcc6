/* The same with 256-bit vectors around. */
#define SHARED
#define WIDE_VECTORS
#include "vectors.S"
