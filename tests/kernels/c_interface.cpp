// The kernels as C functions, for _c_kernels.py. Structures are those of the headers.
#include "cuset/kernels/adamw.h"
#include "cuset/kernels/code_rows.h"
#include "cuset/kernels/device.h"
#include "cuset/kernels/dropout.h"
#include "cuset/kernels/region.h"
#include "cuset/kernels/token_loss.h"

using namespace cuset::kernels;

extern "C" {

/// The sizes by which the other side checks that its structures are the same.
const std::size_t* cuset_sizes() {
    static const std::size_t sizes[] = {sizeof(token_loss_rows), sizeof(region_settings),
                                        sizeof(region_batch),    sizeof(sample_region),
                                        sizeof(adamw_tensor),    sizeof(adamw_step),
                                        sizeof(adamw_state),     sizeof(dropout_sample),
                                        sizeof(dropout_rows),    sizeof(code_rows)};
    return sizes;
}

const char* cuset_name() { return device_kernels_name(); }
const char* cuset_cpu_name() { return name_of(active_instruction_set()); }
const char* cuset_text(int error) { return text_of(error); }

int cuset_token_loss_cpu(const token_loss_rows* rows) {
    if (!is_valid(*rows)) return 1;
    token_loss(*rows);
    return 0;
}
int cuset_token_loss(const token_loss_rows* rows, device_stream stream) {
    return token_loss(*rows, stream);
}
int cuset_regions(const region_settings* settings, const region_batch* batch,
                  device_stream stream) {
    return regions(*settings, *batch, stream);
}
std::size_t cuset_adamw_chunks(adamw_tensor* tensors, std::size_t count) {
    return adamw_chunks(tensors, count);
}
int cuset_dropout(const dropout_rows* rows, device_stream stream) { return dropout(*rows, stream); }
int cuset_dequantise(const code_rows* matrix, void* to, int bfloat16, device_stream stream) {
    return dequantise(*matrix, to, bfloat16 != 0 ? value_type::bfloat16 : value_type::float32,
                      stream);
}
int cuset_adamw(const adamw_step* step, device_stream stream) { return adamw(*step, stream); }
}
