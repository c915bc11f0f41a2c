#include "cuset/model/torch_errors.h"

#include <c10/util/Exception.h>

#include <new>

namespace cuset {

namespace {

std::string text_of(const std::exception& exception) {
    const auto* error = dynamic_cast<const c10::Error*>(&exception);
    return error != nullptr ? error->what_without_backtrace() : exception.what();
}

}  // namespace

bool is_out_of_memory(const std::exception& exception) {
    return dynamic_cast<const std::bad_alloc*>(&exception) != nullptr ||
           dynamic_cast<const c10::OutOfMemoryError*>(&exception) != nullptr ||
           text_of(exception).find("can't allocate memory") != std::string::npos;
}

std::string first_line_of(const std::exception& exception) {
    const std::string text = text_of(exception);
    return text.substr(0, text.find('\n'));
}

}  // namespace cuset
