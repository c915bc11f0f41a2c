// Whether a model is the one that it was.
#pragma once

#include <cstdint>
#include <filesystem>

#include "cuset/base/status.h"

namespace cuset {

/// Of the files of a model's or adapter's folder that its answers depend on: the *.json whole, of
/// each *.safetensors its size and 64 pieces of 4 KiB, evenly spread. A folder that is moved or
/// copied keeps it; one that was trained further has another.
result<std::uint64_t> fingerprint(const std::filesystem::path& folder);

}  // namespace cuset
