#if defined(__AVX512F__)
#define CUSET_LANES 16
#define CUSET_SET avx512
#include "adamw.inc"
#include "decoder_rows.inc"
#include "packed_products.inc"
#include "quantised_panels.inc"
#include "row_products.inc"
#include "token_loss.inc"
#endif
