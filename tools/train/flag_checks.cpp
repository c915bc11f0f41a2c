#include "flag_checks.h"

#include <cmath>
#include <string>
#include <tuple>
#include <utility>

namespace cuset {

status check_numbers(const train_flags& f) {
    const auto needs = [](const char* name, double value, bool good, const char* what) {
        return good && std::isfinite(value) ? status::ok()
                                            : usage_error(std::string("--") + name + ": " +
                                                          std::to_string(value) + " is " + what);
    };
    CUSET_TRY(needs("tau", f.tau, f.tau <= 1, "no number up to 1, as confidences are"));
    CUSET_TRY(needs("lambda", f.lambda, f.lambda >= 0, "below 0"));
    CUSET_TRY(needs("weight-power", f.weight_power, f.weight_power >= 0 && f.weight_power <= 8,
                    "not in [0, 8]"));
    if (f.mask != train_flags().mask || f.tau_warmup > 0)
        CUSET_TRY(
            needs("tau", f.tau, f.tau > 0, "not above 0, as --mask and --tau-warmup need it"));
    CUSET_TRY(needs("entropy-power", f.entropy_power, f.entropy_power >= 0, "below 0"));
    CUSET_TRY(needs("beta", f.beta, f.beta >= 0, "below 0"));
    CUSET_TRY(needs("label-smoothing", f.label_smoothing,
                    f.label_smoothing >= 0 && f.label_smoothing < 0.5, "not in [0, 0.5)"));
    CUSET_TRY(needs("clip-low", f.clip_low, f.clip_low >= 0 && f.clip_low <= 1, "not in [0, 1]"));
    CUSET_TRY(needs("clip-high", f.clip_high, f.clip_high >= 0, "below 0"));
    CUSET_TRY(needs("kl", f.kl, f.kl >= 0, "below 0"));
    CUSET_TRY(needs("lr", f.lr, f.lr > 0, "not above 0"));
    CUSET_TRY(needs("epochs", f.epochs, f.epochs > 0 && f.epochs <= 1e6,
                    "not above 0 and at most a million"));
    CUSET_TRY(needs("warmup", f.warmup, f.warmup >= 0 && f.warmup <= 1e12, "not in [0, 1e12]"));
    CUSET_TRY(needs("weight-decay", f.weight_decay, f.weight_decay >= 0, "below 0"));
    CUSET_TRY(needs("clip", f.clip, f.clip >= 0, "below 0"));
    CUSET_TRY(needs("alpha", f.alpha, f.alpha >= 0, "below 0"));
    CUSET_TRY(needs("dropout", f.dropout, f.dropout >= 0 && f.dropout < 1, "not in [0, 1)"));
    CUSET_TRY(needs("eval-size", f.held_out_size, f.held_out_size >= 0, "below 0"));
    return {};
}

status check_together(const train_flags& f, const objective_settings& objective,
                      std::size_t processes) {
    const bool is_cuset = objective.kind == objective_kind::cuset;
    const bool is_dpo = objective.kind == objective_kind::dpo;
    const bool is_grpo = objective.kind == objective_kind::grpo;
    const bool has_tau =
        is_cuset || objective.kind == objective_kind::profit || objective.blames_by_tau();
    const bool has_beta = is_dpo || objective.kind == objective_kind::asft;
    const train_flags usual;
    const std::pair<const char*, bool> idle[] = {
        {"tau", !has_tau && f.tau != usual.tau},
        {"tau-warmup", (!has_tau || objective.blames_by_tau()) && f.tau_warmup != 0},
        {"mask", !is_cuset && f.mask != usual.mask},
        {"weights", !is_cuset && f.weights != usual.weights},
        {"weight-power", !is_cuset && f.weight_power != usual.weight_power},
        {"lambda", !is_cuset && f.lambda != usual.lambda},
        {"size", !is_cuset && f.blame != "window" && f.size != usual.size},
        {"blame", !is_dpo && !is_grpo && f.blame != usual.blame},
        {"sensitive", !is_cuset && f.sensitive != usual.sensitive},
        {"comments", !is_cuset && f.comments != usual.comments},
        {"entropy-power",
         objective.kind != objective_kind::eaft && f.entropy_power != usual.entropy_power},
        {"beta", !has_beta && f.beta != usual.beta},
        {"label-smoothing", !is_dpo && f.label_smoothing != 0},
        {"length-normalise", !is_dpo && f.length_normalise},
        {"clip-low", !is_grpo && f.clip_low != usual.clip_low},
        {"clip-high", !is_grpo && f.clip_high != usual.clip_high},
        {"kl", !is_grpo && f.kl != 0},
        {"keep-truncated", !is_grpo && f.keep_truncated},
        {"eval", is_grpo && !f.held_out.empty()},
        {"eval-size", is_grpo && f.held_out_size > 0},
        {"norm", is_dpo && f.norm != usual.norm},
        {"weight-field", (is_dpo || is_grpo) && !f.weight_field.empty()},
        {"response-field", is_dpo && !f.model.fields.response.empty()},
        {"columns", is_dpo && !f.model.fields.data_set.empty()}};
    for (const auto& [name, given] : idle)
        if (given)
            return usage_error(std::string("--") + name + " has no effect with --objective " +
                               f.objective);
    if (f.resume && !f.resume_from.empty())
        return usage_error("--resume and --resume-from exclude each other");
    if (f.extend && !f.resume && f.resume_from.empty())
        return usage_error("--extend needs --resume or --resume-from");
    if (f.step_tokens > 0 && (f.batch != 1 || f.accumulate != 1))
        return usage_error("--step-tokens replaces --batch and --accumulate");
    const bool masks = f.no_confidence_mask || f.no_cuda_mask || f.no_reweight;
    if (objective.kind != objective_kind::cuset && masks)
        return usage_error(
            "--no-confidence-mask, --no-cuda-mask and --no-reweight are switches of "
            "--objective cuset, not of " +
            f.objective);
    const std::tuple<const char*, bool, const char*> switched_off[] = {
        {"mask", f.no_confidence_mask && f.mask != usual.mask, "no-confidence-mask"},
        {"tau-warmup", f.no_confidence_mask && f.tau_warmup != 0, "no-confidence-mask"},
        {"weights", f.no_reweight && f.weights != usual.weights, "no-reweight"},
        {"weights", f.weight_power == 0 && f.weights != usual.weights, "weight-power 0"},
        {"weight-power", f.no_reweight && f.weight_power != usual.weight_power, "no-reweight"}};
    for (const auto& [name, given, by] : switched_off)
        if (given) return usage_error(std::string("--") + name + " has no effect with --" + by);
    if (f.no_cuda_mask && f.sensitive != usual.sensitive)
        return usage_error("--sensitive has no effect with --no-cuda-mask");
    if (objective.drops_comments && f.no_cuda_mask && f.no_reweight)
        return usage_error("--comments has no effect with --no-cuda-mask and --no-reweight");
    if (objective.drops_comments && objective.sensitive_roles &&
        (*objective.sensitive_roles)[static_cast<std::size_t>(token_role::comment)])
        return usage_error(
            "--comments drop and the role comment in --sensitive exclude each other");
    if (objective.needs_reference() && f.full)
        return usage_error(
            "--objective asft needs the base beside what is trained: an adapter, "
            "not --full");
    const bool adapts = f.rank != 0 || f.alpha != 0 || f.dropout != usual.dropout ||
                        !f.target.empty() || !f.init_adapter.empty() || f.rslora;
    if (f.full && adapts)
        return usage_error(
            "--full trains no adapter: --rank, --alpha, --rslora, --dropout, --target and "
            "--init-adapter have no effect");
    if (f.full && f.model.quantise != usual.model.quantise)
        return usage_error("--quantize keeps the base as it is: --full would train it");
    if (f.full && f.shard_base)
        return usage_error("--shard-base shares a base that stays as it is: --full would train it");
    if (f.shard_base && f.model.quantise != usual.model.quantise)
        return usage_error(
            "--shard-base and --quantize exclude each other: every process keeps the codes of a "
            "quantised base whole");
    const bool evaluates = !f.held_out.empty() || f.held_out_size > 0;
    if (!f.held_out.empty() && f.held_out_size > 0)
        return usage_error("--eval and --eval-size exclude each other");
    if (f.keep_optimizer && f.patience > 0)
        return usage_error(
            "--keep-optimizer and --patience exclude each other: the weights of the best "
            "evaluation are not those that the moments are of");
    if (!evaluates && (f.patience > 0 || f.evaluate_every > 0))
        return usage_error("--patience and --eval-every need --eval FILE or --eval-size");
    if (objective.divides_weights() && f.batch * f.accumulate == 1 && processes == 1 &&
        f.step_tokens == 0)
        return usage_error(
            "--weights mean1 of one sample a step is --no-reweight: give --batch, --accumulate or "
            "--step-tokens");
    return {};
}

}  // namespace cuset
