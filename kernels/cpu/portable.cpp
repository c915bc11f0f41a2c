#define CUSET_LANES 4
#define CUSET_SET portable
#include "adamw.inc"
#include "decoder_rows.inc"
#include "packed_products.inc"
#include "quantised_panels.inc"
#include "row_products.inc"
#include "token_loss.inc"
