#include "cuset/base/status.h"

#include <cerrno>
#include <system_error>

namespace cuset {

status io_error(std::string_view what, int errno_value) {
    std::string message(what);
    message += ": ";
    message += std::generic_category().message(errno_value);
    return {errno_value == EPIPE ? error_kind::closed_pipe : error_kind::io, std::move(message)};
}

int exit_code(error_kind kind) {
    switch (kind) {
        case error_kind::none:
        case error_kind::closed_pipe: return 0;
        case error_kind::data:
        case error_kind::io: return 1;
        case error_kind::usage: return 2;
        case error_kind::unsupported: return 4;
    }
    return 1;
}

}  // namespace cuset
