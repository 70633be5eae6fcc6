/* The same with 256-bit vectors around. */
#define WIDE_VECTORS
#include "shared_vectors.S"
