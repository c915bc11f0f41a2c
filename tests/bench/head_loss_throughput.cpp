// The loss from hidden states as cuset-train makes it, head_log_probabilities() and
// fused_head_loss(), against torch's log_softmax over the same product, in turn, on the same
// threads.
//
// usage: head_loss_throughput TYPE [ROWS [VOCABULARY [HIDDEN [ROUNDS [WHAT]]]]]
//   TYPE  f32 or bf16: of hidden states and head
//   WHAT  both (the default); log-p: without the gradient, of which torch's takes minutes in
//         bfloat16 on a processor without bfloat16 products; ours: without torch's
// Prints best and median seconds of ROUNDS rounds after one that is not counted, and the ratio.
// Nothing here asserts but that both agree.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

#include "cuset/train/head_loss.h"

namespace {

using namespace cuset;
using clock_type = std::chrono::steady_clock;

struct timing {
    double best = 0, median = 0;
};

timing timing_of(std::vector<double> seconds) {
    seconds.erase(seconds.begin());
    std::sort(seconds.begin(), seconds.end());
    return {seconds.front(), seconds[seconds.size() / 2]};
}

double seconds_of(const std::function<void()>& work) {
    const auto start = clock_type::now();
    work();
    return std::chrono::duration<double>(clock_type::now() - start).count();
}

/// Whether the results of the two runs differ by at most `bound`.
bool compare(const char* name, const std::function<at::Tensor()>& ours,
             const std::function<at::Tensor()>& theirs, int rounds, double bound) {
    std::vector<double> our_seconds, their_seconds;
    at::Tensor our_result, their_result;
    for (int round = 0; round <= rounds; ++round) {
        if (theirs) their_seconds.push_back(seconds_of([&] { their_result = theirs(); }));
        our_seconds.push_back(seconds_of([&] { our_result = ours(); }));
    }
    const timing mine = timing_of(our_seconds);
    std::printf("%-18s ours %8.3f s (%.3f)", name, mine.best, mine.median);
    double difference = 0;
    if (theirs) {
        const timing other = timing_of(their_seconds);
        difference =
            (our_result.to(at::kFloat) - their_result.to(at::kFloat)).abs().max().item<double>();
        std::printf(", torch %8.3f s (%.3f), ratio %.2f (%.2f), largest difference %.2g",
                    other.best, other.median, other.best / mine.best, other.median / mine.median,
                    difference);
    }
    std::printf("\n");
    std::fflush(stdout);
    return difference <= bound;
}

}  // namespace

int main(int count, char** arguments) {
    const auto number = [&](int index, long otherwise) {
        return count > index ? std::strtol(arguments[index], nullptr, 10) : otherwise;
    };
    const bool narrow = count > 1 && std::string_view(arguments[1]) == "bf16";
    const long rows = number(2, 2048), vocabulary = number(3, 49152), width = number(4, 576);
    const int rounds = static_cast<int>(std::max(1L, number(5, 3)));
    const std::string_view what = count > 6 ? arguments[6] : "both";
    const at::ScalarType type = narrow ? at::kBFloat16 : at::kFloat;

    at::manual_seed(1);
    const at::Tensor hidden = at::randn({rows, width}).to(type);
    const at::Tensor head =
        (at::randn({vocabulary, width}) * (3 / std::sqrt(static_cast<double>(width)))).to(type);
    const at::Tensor targets = at::randint(vocabulary, {rows}, at::kInt);
    const loss_sample sample{{targets.data_ptr<std::int32_t>(), static_cast<std::size_t>(rows)}};
    objective_settings sft;
    sft.kind = objective_kind::sft;
    const step_totals totals{static_cast<std::size_t>(rows), 1};

    const auto log_softmax = [&](const at::Tensor& h) {
        return at::log_softmax(at::mm(h, head.t()).to(at::kFloat), 1)
            .gather(1, targets.to(at::kLong).unsqueeze(1))
            .squeeze(1);
    };
    const auto gradient = [&](const std::function<at::Tensor(const at::Tensor&)>& loss) {
        const at::Tensor leaf = hidden.detach().clone().requires_grad_();
        loss(leaf).backward();
        return leaf.grad() * static_cast<double>(rows);  // of the sum, so that a bound is easy
    };
    std::printf("[%ld x %ld], hidden %ld, %s, %d threads\n", rows, vocabulary, width,
                narrow ? "bfloat16" : "float", at::get_num_threads());

    const auto only_ours = [&](const std::function<at::Tensor()>& theirs) {
        return what == "ours" ? nullptr : theirs;
    };
    // torch rounds bfloat16 logits to 8 bits; the largest here are below 16.
    bool right = compare(
        "log p",
        [&] {
            return head_log_probabilities(hidden, head, {&sample, 1}).log_probability;
        },
        only_ours([&] {
            const at::NoGradGuard plain;
            return log_softmax(hidden);
        }),
        rounds, narrow ? 0.1 : 1e-4);
    if (what != "log-p")
        right &= compare(
            "log p and gradient",
            [&] {
                return gradient([&](const at::Tensor& h) {
                    return fused_head_loss(h, head, {&sample, 1}, sft, totals).loss;
                });
            },
            only_ours([&] {
                return gradient([&](const at::Tensor& h) { return -log_softmax(h).mean(); });
            }),
            rounds, narrow ? 0.1 : 1e-3);
    if (!right) std::printf("they differ\n");
    return right ? 0 : 1;
}
