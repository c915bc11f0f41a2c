// Replaces the GPU versions if there is no CUDA compiler.
#include "cuset/kernels/adamw.h"
#include "cuset/kernels/code_rows.h"
#include "cuset/kernels/device.h"
#include "cuset/kernels/dropout.h"
#include "cuset/kernels/region.h"
#include "cuset/kernels/token_loss.h"

namespace cuset::kernels {

const char* text_of(device_error error) {
    return error == 0 ? "no error" : "built without the CUDA compiler";
}
const char* device_kernels_name() { return "none"; }

device_error token_loss(const token_loss_rows&, device_stream) { return device_not_built; }
device_error regions(const region_settings&, const region_batch&, device_stream) {
    return device_not_built;
}
device_error adamw(const adamw_step&, device_stream) { return device_not_built; }
device_error dequantise(const code_rows&, void*, value_type, device_stream) {
    return device_not_built;
}
device_error dropout(const dropout_rows&, device_stream) { return device_not_built; }

}  // namespace cuset::kernels
