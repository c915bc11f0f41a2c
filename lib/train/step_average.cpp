#include "step_average.h"

namespace cuset {

void step_average::add(const step_report& step) {
    sums_.loss += step.loss;
    sums_.nll += step.nll;
    sums_.mean_confidence += step.mean_confidence;
    sums_.mask_share += step.mask_share;
    sums_.mean_weight += step.mean_weight;
    sums_.reward_margin += step.reward_margin;
    sums_.accuracy += step.accuracy;
    sums_.ratio += step.ratio;
    sums_.clip_share += step.clip_share;
    sums_.divergence += step.divergence;
    ++count_;
}

void step_average::write(const objective_settings& objective, json_writer& json) const {
    const auto n = static_cast<double>(count_);
    const step_report& s = sums_;
    json.member("loss", s.loss / n, 9).member("nll", s.nll / n, 9);
    json.member("mask_share", s.mask_share / n, 6);
    json.member("mean_confidence", s.mean_confidence / n, 6);
    json.member("mean_weight", s.mean_weight / n, 6);
    if (objective.kind == objective_kind::dpo)
        json.member("reward_margin", s.reward_margin / n, 6).member("accuracy", s.accuracy / n, 6);
    if (objective.kind == objective_kind::grpo)
        json.member("ratio", s.ratio / n, 6).member("clip_share", s.clip_share / n, 6);
    if (objective.kind == objective_kind::grpo && objective.keeps_reference())
        json.member("kl", s.divergence / n, 6);
}

}  // namespace cuset
