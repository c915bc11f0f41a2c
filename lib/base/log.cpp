#include "cuset/base/log.h"

namespace cuset {
namespace {
log_sink installed_sink = nullptr;
}

void set_log_sink(log_sink sink) { installed_sink = sink; }

void log(log_level level, std::string_view message) {
    if (installed_sink) installed_sink(level, message);
}

}  // namespace cuset
