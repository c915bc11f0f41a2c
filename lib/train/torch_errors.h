// Turns LibTorch's exceptions into a status. Private to lib/train.
#pragma once

#include <exception>
#include <filesystem>

#include "cuset/base/status.h"
#include "cuset/model/layer_exchange.h"
#include "cuset/model/torch_errors.h"

namespace cuset {

inline status training_error(const std::exception& exception) {
    if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&exception))
        return io_error(file->path1().string(), file->code().value());
    if (const auto* failed = dynamic_cast<const failed_exchange*>(&exception))
        return failed->reason();
    if (is_out_of_memory(exception))
        return unsupported(
            "out of memory: --recompute, a smaller --max-tokens or --pass-tokens need less");
    return unsupported("training cannot run here: " + first_line_of(exception));
}

}  // namespace cuset
