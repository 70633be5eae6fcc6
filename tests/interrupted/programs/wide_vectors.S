/* The same with 256-bit vectors around, whose encoding ours must then have, too. */
#define WIDE_VECTORS
#include "vectors.S"
