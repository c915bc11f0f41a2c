// Texture and surface objects: what a handle stands for.
#pragma once

#include <cuset_host/textures.h>
#include <cuset_host/threads/execution.h>

#include <cstddef>
#include <mutex>
#include <vector>

#include "memory/arrays.h"

namespace cuset_host {

struct texture {
    texture_shape shape = texture_shape::none;  ///< none: destroyed
    channel_format format = channel_format::u8;
    unsigned channels = 1;
    unsigned texel_bytes = 1;
    bool is_float = false;          ///< what a fetch returns
    bool normalized_float = false;  ///< 8 or 16 bits, read as [0, 1] or [-1, 1]
    bool linear_filter = false;
    bool normalized_coordinates = false;
    bool srgb = false;
    cudaTextureAddressMode address[3] = {};
    texel border = {};
    const unsigned char* data = nullptr;
    size_t row_bytes = 0, slice_bytes = 0;
    long long extent[3] = {1, 1, 1};  ///< in texels; of layers, the number in the last
    /// Levels of mipmaps from the second on; this object is the first. Never freed.
    const texture* more_levels = nullptr;
    int last_level = 0;
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
};

struct surface {
    texture_shape shape = texture_shape::none;
    unsigned char* data = nullptr;
    size_t row_bytes = 0, slice_bytes = 0;
    long long row_length = 0, rows = 0, slices = 0;  ///< row_length in bytes
    cudaResourceDesc resource = {};
};

/// A handle is the address with all bits inverted. Arguments of kernels that look like host
/// addresses are changed to trap; this one does not look like one.
inline unsigned long long handle_of(const void* object) {
    return ~reinterpret_cast<unsigned long long>(object);
}
template <class Object>
CUSET_HOST_UNSEEN inline const Object& object_of(unsigned long long handle) {
    return *reinterpret_cast<const Object*>(~handle);
}

}  // namespace cuset_host
