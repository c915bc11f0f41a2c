// The host runtime's headers and sources, which this program carries with it. cuset_embed() makes its source.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cuset {

struct runtime_file {
    std::string_view path;  ///< "include/cuda_runtime.h", "device/textures.cpp"
    std::string_view text;
};

std::span<const runtime_file> runtime_files();

/// The hash of those files. It and a translated program determine what g++ makes of that program.
std::uint64_t host_runtime_hash();

/// The hash of runtime and translation: of everything that may change a program's behaviour.
std::uint64_t host_model_hash();

}  // namespace cuset
