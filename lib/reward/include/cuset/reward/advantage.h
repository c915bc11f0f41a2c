// Advantages: how much better an answer is than the others of its group, which are those of its
// task.
#pragma once

#include <optional>
#include <span>

namespace cuset {

/// What a return is compared with.
enum class advantage_baseline : unsigned char {
    mean,           ///< the group's mean, as in GRPO (arXiv 2402.03300, section 4.1.2)
    leave_one_out,  ///< the mean of the others, as in RLOO (arXiv 2402.14740)
};

struct advantage_settings {
    advantage_baseline baseline = advantage_baseline::mean;
    /// Divides by the group's standard deviation, with n - 1, plus 1e-4, as TRL's GRPOTrainer does.
    /// Without, questions of equal and of unequal answers weigh the same (Dr. GRPO, arXiv
    /// 2503.20783).
    bool divides_by_deviation = true;
};

/// The discounted returns of one answer's turns: R_t = r_t + γ R_{t+1}, as in Kevin (arXiv
/// 2507.11948, section 4). `rewards` has the turns in their order, and is replaced.
void discount(std::span<double> rewards, double gamma);

/// Replaces a group's returns by their advantages. There must be at least two.
void make_advantages(std::span<double> group, const advantage_settings& settings);

}  // namespace cuset
