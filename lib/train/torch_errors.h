// What LibTorch throws, as a status. Private to lib/train.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <filesystem>
#include <new>
#include <string>

#include "cuset/base/status.h"

namespace cuset {

inline status training_error(const std::exception& exception) {
    if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&exception))
        return io_error(file->path1().string(), file->code().value());
    std::string text = exception.what();
    if (const auto* error = dynamic_cast<const c10::Error*>(&exception))
        text = error->what_without_backtrace();
    const bool memory = dynamic_cast<const std::bad_alloc*>(&exception) != nullptr ||
                        dynamic_cast<const c10::OutOfMemoryError*>(&exception) != nullptr ||
                        text.find("can't allocate memory") != std::string::npos;
    if (memory)
        return unsupported(
            "out of memory: --recompute, a smaller --max-tokens or --pass-tokens need less");
    return unsupported("training cannot run here: " + text.substr(0, text.find('\n')));
}

}  // namespace cuset
