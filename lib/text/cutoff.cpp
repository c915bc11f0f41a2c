#include "cuset/text/cutoff.h"

#include <algorithm>

namespace cuset {

kept_lengths infer_seqlen(std::size_t source_length, std::size_t target_length,
                          std::size_t cutoff) {
    if (source_length + target_length == 0) return {};
    std::size_t most = cutoff;
    if (target_length * 2 >= cutoff) {
        if (source_length * 2 < cutoff) {
            most = cutoff - source_length;
        } else {
            // Computed in double and in this order, since Python's int(cutoff * (target / total))
            // rounds so.
            const double share = static_cast<double>(target_length) /
                                 static_cast<double>(source_length + target_length);
            most = static_cast<std::size_t>(static_cast<double>(cutoff) * share);
        }
    }
    kept_lengths kept;
    kept.target = std::min(most, target_length);
    kept.source = std::min(cutoff - kept.target, source_length);
    return kept;
}

}  // namespace cuset
