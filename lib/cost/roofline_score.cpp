#include "cuset/cost/roofline_score.h"

#include <algorithm>

namespace cuset {

namespace {

double flops_of(const kernel_profile& k) {
    return (2 * k.mean_of(ncu_metric::ffma) + k.mean_of(ncu_metric::fmul) +
            k.mean_of(ncu_metric::fadd)) *
           k.mean_of(ncu_metric::partition_clock);
}

/// Whether the kernel b counts rather than a, which stands before it.
bool counts_more(const kernel_profile& b, const kernel_profile& a) {
    const double more = flops_of(b), less = flops_of(a);
    if (more != less) return more > less;
    return more == 0 && b.sum_of(ncu_metric::bytes) > a.sum_of(ncu_metric::bytes);
}

}  // namespace

result<roofline_score> score_of(std::span<const kernel_profile> kernels) {
    const kernel_profile* chosen = &kernels.front();
    for (const kernel_profile& k : kernels)
        if (counts_more(k, *chosen)) chosen = &k;
    roofline_score found;
    found.kernel = chosen->name;
    found.kernels = kernels.size();
    found.launches = chosen->launches;
    found.flops = flops_of(*chosen);
    found.bytes = chosen->mean_of(ncu_metric::bytes);
    found.peak_flops =
        2 * chosen->mean_of(ncu_metric::peak_ffma) * chosen->mean_of(ncu_metric::clock);
    found.peak_bytes =
        chosen->mean_of(ncu_metric::peak_bytes) * chosen->mean_of(ncu_metric::memory_clock);
    if (!(found.peak_flops > 0) || !(found.peak_bytes > 0))
        return data_error("ncu tells a peak of 0 for kernel " + found.kernel);
    found.bandwidth_utilization = found.bytes / found.peak_bytes;
    found.compute_efficiency = found.flops / found.peak_flops;
    found.score = std::max(found.bandwidth_utilization, found.compute_efficiency);
    return found;
}

}  // namespace cuset
