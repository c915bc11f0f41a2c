// Dropout of the rows of a packed batch. Whether an element is kept is a function of its sample's
// key, of the site and of its place in the sample, nothing else: the same bits on every device, and
// no mask has to be stored for the way back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cuset/kernels/device.h"

namespace cuset::kernels {

/// The rows from first_row to the next sample's.
struct dropout_sample {
    std::int64_t first_row;
    std::uint64_t key;
};

enum class dropout_type : unsigned char { float32, bfloat16 };

/// y = x · scale where an element is kept, else 0; with `add`, y += that. Products and sums are
/// float, each rounded by itself; a bfloat16 y is rounded to nearest even besides. With the row's
/// sample s, element (r, c) is kept if the hash of dropout() in decoder_rows.h of
/// dropout_key(s.key, site) and (r − s.first_row) · width + c (mod 2^32) is at least `threshold`.
struct dropout_rows {
    const void* x = nullptr;  ///< [rows × width], dense, aligned as its elements
    void* y = nullptr;        ///< as x; may be x where the types are the same
    dropout_type x_type = dropout_type::float32, y_type = dropout_type::float32;
    bool add = false;
    std::size_t rows = 0, width = 0;          ///< rows at most 2^31 - 1
    const dropout_sample* samples = nullptr;  ///< ascending by first_row, the first of which is 0
    std::size_t sample_count = 0;             ///< > 0 where there are rows
    std::uint64_t site = 0;  ///< tells the places of a model apart that drop elements out
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
