// A fingerprint of a model, to see whether it has changed.
#pragma once

#include <cstdint>
#include <filesystem>

#include "cuset/base/status.h"

namespace cuset {

/// Hashes the files in a model's or adapter's folder that its answers depend on: each *.json whole,
/// and of each *.safetensors the size and 64 pieces of 4 KiB, evenly spread. Moving or copying a
/// folder keeps its fingerprint; further training changes it.
result<std::uint64_t> fingerprint(const std::filesystem::path& folder);

}  // namespace cuset
