#define CUSET_LANES 4
#define CUSET_SET portable
#include "decoder_rows.inc"
