// Dropout for the rows of a packed batch. Whether an element is kept is a function only of its
// sample's key, the site, and its place in the sample: the same bits on every device, and no mask
// has to be stored for the backward pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/device.h"

namespace cuset::kernels {

/// The rows from first_row up to the next sample's first_row.
struct dropout_sample {
    std::int64_t first_row;
    std::uint64_t key;
};

enum class dropout_type : unsigned char { float32, bfloat16 };

/// y = x · scale if an element is kept, else 0; with `add`, y += that. Products and sums are float,
/// each rounded separately; a bfloat16 y is then rounded to nearest even. Element (r, c) of sample
/// s is kept if a hash is at least `threshold`: the hash of dropout() in decoder_rows.h, of
/// dropout_key(s.key, site) and (r − s.first_row) · width + c (mod 2^32).
struct dropout_rows {
    const void* x = nullptr;  ///< [rows × width], dense, aligned as its elements
    void* y = nullptr;        ///< like x; may be x if the types are equal
    dropout_type x_type = dropout_type::float32, y_type = dropout_type::float32;
    bool add = false;
    std::size_t rows = 0, width = 0;          ///< rows at most 2^31 - 1
    const dropout_sample* samples = nullptr;  ///< ascending by first_row, the first of which is 0
    std::size_t sample_count = 0;             ///< > 0 if there are rows
    std::uint64_t site = 0;  ///< tells the places of a model that use dropout apart
    std::uint32_t threshold = 0;
    float scale = 1;
};

/// Number `site` of the SplitMix64 sequence that begins at `key`.
std::uint64_t dropout_key(std::uint64_t key, std::uint64_t site);

/// Rows [first, last) on the CPU.
void dropout(const dropout_rows& rows, std::size_t first, std::size_t last);

/// All rows, in one launch; every pointer is device memory.
device_error dropout(const dropout_rows& rows, device_stream stream);

}  // namespace cuset::kernels
