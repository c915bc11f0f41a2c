// CUDA arrays: texels in rows, without gaps, in ordinary memory; they are opaque to the program.
#pragma once

#include <cuset_host/cuda_types.h>
#include <cuset_host/textures.h>

#include <vector>

namespace cuset_host {

enum class channel_format : unsigned char { u8, s8, u16, s16, word, half };

/// The format of one channel and their number, or cudaErrorInvalidChannelDescriptor where the
/// hardware has no such texel. Ends the program on block-compressed and other formats.
cudaError_t read_format(const cudaChannelFormatDesc& description, channel_format& format,
                        unsigned& channels);
inline unsigned channel_bytes(channel_format format) {
    return format <= channel_format::s8 ? 1 : format == channel_format::word ? 4 : 2;
}

/// Marks the texture and surface objects of an array that is freed as destroyed.
void drop_objects_of(cudaArray_const_t array);

}  // namespace cuset_host

struct cudaArray {
    cudaChannelFormatDesc description;
    cuset_host::channel_format format;
    unsigned channels;
    unsigned texel_bytes;
    unsigned flags;
    cudaExtent extent;  ///< as it was asked for: 0 for a dimension that the array lacks
    cuset_host::texture_shape shape;
    size_t row_bytes, rows, slices;
    unsigned char* data;
    bool is_level = false;  ///< of mipmaps, which own it

    size_t slice_bytes() const { return row_bytes * rows; }
};

/// The levels of mipmaps, each half as large as the one before.
struct cudaMipmappedArray {
    unsigned flags;
    cudaExtent extent;
    std::vector<cudaArray*> levels;
};

namespace cuset_host {

/// Whether it was made, and has not been freed.
bool is_live(const cudaArray* array);
bool is_live(const cudaMipmappedArray* mipmaps);

}  // namespace cuset_host
