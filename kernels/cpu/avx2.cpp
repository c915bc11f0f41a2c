#if defined(__AVX2__)
#define CUSET_LANES 8
#define CUSET_SET avx2
#include "adamw.inc"
#include "decoder_rows.inc"
#include "packed_products.inc"
#include "quantised_panels.inc"
#include "row_products.inc"
#include "token_loss.inc"
#endif
