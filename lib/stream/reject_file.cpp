#include "cuset/stream/reject_file.h"

#include "cuset/base/log.h"

namespace cuset {

void reject_file::tell(const status& reason) {
    if (told_ == most_reasons) return;
    log(log_level::note,
        "rejected: " + reason.message() + (++told_ == most_reasons ? " (no more are told)" : ""));
}

}  // namespace cuset
