#include "flags.h"

#include <optional>
#include <utility>
#include <vector>

#include "cuset/model/library_versions.h"
#include "cuset/region/token_groups.h"
#include "cuset/stream/library_versions.h"
#include "flag_checks.h"

namespace cuset {

namespace {

constexpr std::int64_t many = std::int64_t{1} << 40;

void add_method_options(program& p, train_flags& f) {
    p.add({
        {'o', "output", "DIR",
         "The folder to make: the adapter (with --full the model), run.json, trainer_log.jsonl, "
         "loss_curve.svg and the checkpoints.",
         &f.folder, value_kind::folder},
        {0, "objective", "NAME",
         "The loss of a token: cuset, w * M * -log p; sft, -log p; dft, p * -log p; eaft, by the "
         "entropy of the 20 likeliest tokens; asft, dft and the divergence from the base; profit, "
         "only tokens with p of at least tau. Or that of responses with a verdict: dpo, direct "
         "preference optimisation; grpo, group-relative policy optimisation. See VERDICTS above.",
         &f.objective, one_of("cuset", "sft", "dft", "eaft", "asft", "profit", "dpo", "grpo")},
        {0, "tau", "X", "The confidence mask keeps a token if its confidence is above X.", &f.tau},
        {0, "lambda", "X", "What a token in a kernel or launch configuration counts on top.",
         &f.lambda},
        {0, "sensitive", "WHAT",
         "The tokens that the CUDA mask has: spans, those of kernels and launches; roles, those "
         "whose role (from cuset-tag --roles) is index, bound, memory, sync or launch, wherever "
         "they stand; roles=NAME,..., those of these roles.",
         &f.sensitive},
        {0, "comments", "USE",
         "With drop, the tokens of comments are not in the CUDA mask and count into no window: "
         "windows are those of the other tokens, as if the response had no comments. The "
         "confidence mask holds for them as for any token: the model still learns those that it "
         "is sure of. It needs roles (cuset-tag --roles). A token's role is that of its first "
         "character that is no white space; white space alone is no comment.",
         &f.comments, one_of("keep", "drop")},
        {0, "size", "N",
         "Tokens in a window. A sample's weight is 1 minus the mean confidence of its hardest "
         "window.",
         &f.size, between(1, many)},
        {0, "mask", "FORM",
         "The form of the confidence mask: hard, 1 for a token with a confidence c above --tau and "
         "0 for others; soft, c / (c + tau); stubborn, 0 only for tokens that stay at or below "
         "--tau, and 1 for all others. See MASKS AND WEIGHTS above.",
         &f.mask, one_of("hard", "soft", "stubborn")},
        {0, "tau-warmup", "N",
         "tau rises from 0 to --tau over the first N steps: the mask comes when the model knows "
         "the form of the answers.",
         &f.tau_warmup, between(0, many)},
        {0, "weights", "FORM",
         "plain, a sample's weight as it is; mean1, divided by the mean of the step's weights, "
         "over all processes: weights choose among a step's samples and make no step shorter.",
         &f.weights, one_of("plain", "mean1")},
        {0, "weight-power", "X",
         "A sample's weight is (1 - C)^X, X up to 8, where C is the mean confidence of its hardest "
         "window; 0 is --no-reweight.",
         &f.weight_power},
        {0, "no-confidence-mask", "", "cuset: every token counts as kept.", &f.no_confidence_mask},
        {0, "no-cuda-mask", "", "cuset: nothing on top for CUDA code; needs no tags.",
         &f.no_cuda_mask},
        {0, "no-reweight", "", "cuset: every sample weighs 1.", &f.no_reweight},
        {0, "norm", "NAME",
         "What a step's loss is divided by: tokens, by the step's response tokens; sum, by its "
         "samples, as in the paper's Eq. 9; sample, each sample's sum by its own tokens, then by "
         "the samples.",
         &f.norm, one_of("tokens", "sum", "sample")},
        {0, "weight-field", "NAME",
         "The top-level field with a number of at least 0 that a sample's loss is multiplied by. "
         "What a step's sum is divided by counts its tokens and the sample as before: weights that "
         "are all 2 double the loss. Held-out samples weigh 1. Not for dpo and grpo.",
         &f.weight_field},
        {0, "entropy-power", "X", "eaft: the exponent of the entropy.", &f.entropy_power},
        {0, "beta", "X",
         "asft: the weight of the divergence. dpo: what the difference of the log-probabilities' "
         "gains is multiplied by.",
         &f.beta},
        {0, "label-smoothing", "X",
         "dpo: the share of the verdicts that are taken to be wrong, below 0.5.",
         &f.label_smoothing},
        {0, "length-normalise", "",
         "dpo: takes the mean log-probability of a response's tokens, not the sum.",
         &f.length_normalise},
        {0, "blame", "PART",
         "dpo, grpo: the tokens of a response that have a loss: all; code, those in kernels and "
         "launch configurations; confident, those with a confidence above --tau; cuset, those of "
         "either kind; or window, those of its hardest window of --size tokens. The confidence is "
         "that of the model that drew it (grpo) or of the model at the start (dpo).",
         &f.blame, one_of("all", "code", "confident", "cuset", "window")},
        {0, "clip-low", "X",
         "grpo: a token has no gradient where its ratio is below 1 - X and its advantage below 0.",
         &f.clip_low},
        {0, "clip-high", "X",
         "grpo: nor where its ratio is above 1 + X and its advantage above 0. DAPO has 0.28.",
         &f.clip_high},
        {0, "kl", "X", "grpo: the weight of the divergence from the model at the start.", &f.kl},
        {0, "keep-truncated", "", "grpo: answers that a limit of tokens ended count as others do.",
         &f.keep_truncated},
    });
}

void add_adapter_options(program& p, train_flags& f) {
    p.add({
        {0, "rank", "N", "The adapter's rank; 0 is 8, or that of --init-adapter.", &f.rank,
         between(0, 65536)},
        {0, "alpha", "X",
         "The adapter's alpha: its update is multiplied by alpha / rank, or as --rslora says. 0 is "
         "twice the rank, or the alpha of --init-adapter.",
         &f.alpha},
        {0, "rslora", "",
         "Multiplies the update by alpha divided by the square root of the rank (rsLoRA), as "
         "--init-adapter does where it was trained so.",
         &f.rslora},
        {0, "dropout", "X", "The probability of dropping a value of the adapter's input.",
         &f.dropout},
        {0, "target", "LIST",
         "The linear layers that the adapter updates, in every decoder layer: all, or names with "
         "commas between them, of q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj and "
         "down_proj. The default is all, or those of --init-adapter.",
         &f.target},
        {0, "keep-optimizer", "",
         "Leaves AdamW's moments in --output (optimizer.safetensors), and begins with those that "
         "the folder of --init-adapter has, if it has any: a loop of short runs on new data, such "
         "as that of on-policy learning, is then one run for AdamW.",
         &f.keep_optimizer},
        {0, "init-adapter", "DIR", "Continues the training of this adapter.", &f.init_adapter,
         value_kind::folder},
        {0, "full", "",
         "Trains all weights instead of an adapter, in float. Not those of a base that is "
         "quantised, or stored so.",
         &f.full},
        {0, "shard-base", "",
         "Several processes share the frozen base: each keeps its part of the decoder layers' "
         "linear weights, and all gather a layer when they compute it, forward and again backward, "
         "while they compute the one before it. The result has the same bits. "
         "See SHARED BASES above.",
         &f.shard_base},
        {0, "recompute", "",
         "Recomputes the activations inside layers in the backward pass instead of keeping them: "
         "a third slower, with 40 % of the peak memory in our measurement.",
         &f.recompute},
    });
}

void add_loop_options(program& p, train_flags& f) {
    p.add({
        {0, "lr", "X", "The learning rate at its peak.", &f.lr},
        {0, "schedule", "NAME", "How the learning rate falls after the warm-up.", &f.schedule,
         one_of("cosine", "linear", "constant")},
        {0, "warmup", "X",
         "Steps in which the learning rate rises; below 1, the share of all steps, rounded up. The "
         "rate of the first step is 0, as in transformers: in a run of 14 steps, one changes "
         "nothing. 0 is no warm-up.",
         &f.warmup},
        {0, "epochs", "X", "Passes over the data; may be a fraction.", &f.epochs},
        {0, "max-steps", "N", "Steps in all, instead of --epochs; 0: as --epochs says.",
         &f.max_steps, between(0, many)},
        {0, "max-samples", "N", "Trains on the first N records of each input file; 0: on all.",
         &f.max_samples, between(0, many)},
        {0, "batch", "N", "Samples that a process takes at a time.", &f.batch, between(1, 1 << 20)},
        {0, "accumulate", "N", "Batches for one step.", &f.accumulate, between(1, 1 << 20)},
        {0, "step-tokens", "N",
         "Replaces --batch and --accumulate: a step takes samples of at most N tokens a process in "
         "all, prompts included.",
         &f.step_tokens, between(0, many)},
        {0, "pass-tokens", "N",
         "Samples of a step are packed into passes of N tokens; a longer one has its own. It "
         "changes speed and memory, not the result.",
         &f.pass_tokens, between(1, many)},
        {0, "weight-decay", "X", "The weight decay of AdamW.", &f.weight_decay},
        {0, "clip", "X", "The largest norm of the gradient; 0: any.", &f.clip},
        {0, "seed", "N",
         "The seed of the adapter's start values, the order of samples and dropout.", &f.seed},
        {0, "no-shuffle", "", "Samples in the order of the input, in every epoch.", &f.no_shuffle},
        {0, "deterministic", "", "Gives the same bits in every run on a GPU too, at some cost.",
         &f.deterministic},
        {0, "eval", "FILE",
         "Held-out pairs. Their loss is reported before the first step, after each epoch and at "
         "the end.",
         &f.held_out, value_kind::file},
        {0, "eval-size", "X",
         "Holds out X of the input's pairs instead; below 1, that share of them.",
         &f.held_out_size},
        {0, "eval-every", "N", "Evaluates every N steps; 0: after each epoch.", &f.evaluate_every,
         between(0, many)},
        {0, "patience", "N",
         "Stops when N evaluations in a row were no better than the best before them, and keeps "
         "the weights of the best.",
         &f.patience, between(0, many)},
        {0, "log-every", "N", "Steps a line of trainer_log.jsonl.", &f.log_every, between(1, many)},
        {0, "tensorboard", "DIR",
         "Copies the lines of trainer_log.jsonl, as they come, into an event file in DIR that "
         "TensorBoard and Weights & Biases read.",
         &f.tensorboard, value_kind::folder},
        {0, "save-every", "N", "Steps between checkpoints; the last step has one too. 0: none.",
         &f.save_every, between(0, many)},
        {0, "keep", "N", "How many checkpoints stay.", &f.keep, between(1, many)},
        {0, "resume", "",
         "Continues from the latest checkpoint in --output, or starts from the beginning if there "
         "is none. The result is that of a run that was never stopped.",
         &f.resume},
        {0, "resume-from", "DIR", "Continues from this checkpoint.", &f.resume_from,
         value_kind::folder},
        {0, "extend", "",
         "With --resume or --resume-from: the run may have more --epochs or --max-steps than "
         "before. See LONGER RUNS above.",
         &f.extend},
        {0, "dry-run", "",
         "Trains nothing: shows the first sample with what each mask keeps of it, counts, and "
         "measures time and memory.",
         &f.dry_run},
        {0, "config", "FILE",
         "Takes options from FILE, in YAML: a line of it is NAME: VALUE. The command line wins. "
         "The "
         "run.json of a run will do too, and gives that run again. See CONFIG FILES above.",
         &f.config, value_kind::file},
    });
}

// The names of LLaMA-Factory and transformers for options of exactly the same meaning.
void add_foreign_names(program& p) {
    const std::pair<const char*, const char*> names[] = {
        {"model", "model-name-or-path"},
        {"output", "output-dir"},
        {"init-adapter", "adapter-name-or-path"},
        {"max-tokens", "cutoff-len"},
        {"rank", "lora-rank"},
        {"alpha", "lora-alpha"},
        {"dropout", "lora-dropout"},
        {"target", "lora-target"},
        {"rslora", "use-rslora"},
        {"lr", "learning-rate"},
        {"warmup", "warmup-steps"},
        {"epochs", "num-train-epochs"},
        {"batch", "per-device-train-batch-size"},
        {"accumulate", "gradient-accumulation-steps"},
        {"clip", "max-grad-norm"},
        {"no-shuffle", "disable-shuffling"},
        {"entropy-power", "eaft-alpha"},
        {"eval-size", "val-size"},
        {"log-every", "logging-steps"},
        {"save-every", "save-steps"},
        {"keep", "save-total-limit"},
    };
    for (const auto& [ours, theirs] : names) p.find(ours)->aliases.emplace_back(theirs);
}

// Nothing for spans.
result<std::optional<role_set>> read_sensitive(std::string_view text) {
    constexpr std::string_view list = "roles=";
    if (text == "spans") return std::optional<role_set>();
    if (text == "roles") {
        role_set all;
        for (std::size_t i = 0; i < token_roles; ++i) all[i] = is_sensitive_group(i);
        return std::optional(all);
    }
    if (!text.starts_with(list))
        return usage_error("--sensitive: '" + std::string(text) +
                           "' is neither spans, roles nor roles=NAME,...");
    auto roles = roles_by_names(text.substr(list.size()));
    if (!roles.is_ok()) return usage_error("--sensitive: " + roles.error().message());
    return std::optional(*roles);
}

}  // namespace

program describe(train_flags& f) {
    program p = new_program("cuset-train", "fine-tune a model on tagged pairs with the CuSeT loss");
    p.description = train_description();
    add_model_flags(p, f.model);
    add_quantise_flag(
        p, f.model,
        " The base under an adapter, as in QLoRA; a matrix is dequantised in the "
        "forward pass and again in the backward pass. Add --recompute where memory is "
        "short.");
    add_pair_flags(p, f.model);
    add_ask_flags(p, f.ask);
    add_method_options(p, f);
    add_adapter_options(p, f);
    add_loop_options(p, f);
    add_input_flags(p, f.stream);
    add_foreign_names(p);
    p.config = &f.config;
    p.read_config = [&f](const program& table, const std::string& path) {
        return read_train_config(table, path, f.facts);
    };
    p.build_details = [] { return stream_library_versions() + model_library_versions(); };
    p.environment.emplace_back("RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT",
                               "Which of how many processes this is, and where they meet.");
    p.environment.emplace_back("GLOO_SOCKET_IFNAME",
                               "The network interface by which processes without a GPU reach each "
                               "other; without it, that of the machine's name.");
    p.examples = {
        {"cuset-tag pairs.jsonl | cuset-train -o adapter --max-steps 2",
         "Two steps with the defaults."},
        {"cuset-tag pairs.jsonl | cuset-train --dry-run | head -n 40",
         "What would be trained, token by token."},
        {"cuset-tag --roles pairs.jsonl | cuset-train -o roles --sensitive roles --comments drop "
         "--max-steps 2",
         "The CUDA mask by what tokens are for, and windows without comments."},
        {"cuset-tag pairs.jsonl | cuset-train -o sft --objective sft --max-steps 2 --eval-size 0.2",
         "Plain fine-tuning, with the loss on a fifth of the pairs that it never sees."},
        {"cuset-tag pairs.jsonl | cuset-train --config sft/run.json -o dft --objective dft",
         "The same run with another objective."},
    };
    p.see_also = {"cuset-tag", "cuset-score", "cuset-ask(5)"};
    return p;
}

std::vector<std::string> names_in(const std::string& list) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        std::string name = list.substr(at, comma - at);
        name.erase(0, name.find_first_not_of(' '));
        name.erase(name.find_last_not_of(' ') + 1);
        names.push_back(std::move(name));
        at = comma + 1;
    }
    return names;
}

result<training_settings> to_settings(const train_flags& f, std::size_t processes) {
    const auto count = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    training_settings s;
    s.objective.kind = objective_by_name(f.objective).value();
    s.objective.norm = norm_by_name(f.norm).value();
    s.objective.tau = f.tau;
    s.objective.lambda = f.lambda;
    s.objective.window = count(f.size);
    s.objective.confidence_mask = !f.no_confidence_mask;
    s.objective.cuda_mask = !f.no_cuda_mask;
    s.objective.reweight = !f.no_reweight;
    s.objective.mask = mask_form_by_name(f.mask).value();
    s.objective.tau_warmup = count(f.tau_warmup);
    s.objective.weights = weight_form_by_name(f.weights).value();
    s.objective.weight_power = f.weight_power;
    CUSET_ASSIGN(s.objective.sensitive_roles, read_sensitive(f.sensitive));
    s.objective.drops_comments = f.comments == "drop";
    s.objective.alpha = f.entropy_power;
    s.objective.beta = s.objective.kind == objective_kind::grpo ? f.kl : f.beta;
    s.objective.blame = blamed_part_by_name(f.blame).value();
    s.objective.clip_low = f.clip_low;
    s.objective.clip_high = f.clip_high;
    s.objective.keeps_truncated = f.keep_truncated;
    s.objective.label_smoothing = f.label_smoothing;
    s.objective.length_normalise = f.length_normalise;
    s.schedule = {schedule_by_name(f.schedule).value(), f.lr, f.warmup};
    s.optimizer.weight_decay = f.weight_decay;
    s.optimizer.clip = f.clip;
    s.batches = {count(f.batch),       count(f.accumulate), processes,
                 count(f.step_tokens), !f.no_shuffle,       static_cast<std::uint64_t>(f.seed)};
    s.epochs = f.epochs;
    s.max_steps = count(f.max_steps);
    s.pass_tokens = count(f.pass_tokens);
    s.deterministic = f.deterministic;
    CUSET_TRY(check_numbers(f));
    CUSET_TRY(check_together(f, s.objective, processes));
    return s;
}

}  // namespace cuset
