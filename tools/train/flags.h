// The options of cuset-train, and the settings that they give.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ask_flags.h"
#include "config.h"
#include "cuset/train/trainer.h"
#include "model_flags.h"
#include "tool.h"

namespace cuset {

struct train_flags {
    stream_flags stream;
    model_flags model;
    ask_flags ask;
    std::string folder;
    std::string objective = "cuset", norm = "tokens", schedule = "cosine";
    double tau = 0.1, lambda = 1, entropy_power = 1, beta = 0.1;
    std::int64_t size = 256;
    std::string weight_field;
    std::string sensitive = "spans", comments = "keep";
    double label_smoothing = 0;
    std::string blame = "all";
    double clip_low = 0.2, clip_high = 0.2, kl = 0;
    bool length_normalise = false, keep_truncated = false, keep_optimizer = false;
    std::string mask = "hard", weights = "plain";
    double weight_power = 1;
    std::int64_t tau_warmup = 0;
    bool no_confidence_mask = false, no_cuda_mask = false, no_reweight = false;
    double lr = 1e-4, epochs = 3, warmup = 0.1, weight_decay = 0, clip = 1;
    std::int64_t batch = 1, accumulate = 1, step_tokens = 0, pass_tokens = 4096, max_steps = 0;
    std::int64_t rank = 0, seed = 42;
    double alpha = 0, dropout = 0.05;
    std::string init_adapter, target, tensorboard;
    bool rslora = false;
    bool full = false, shard_base = false, recompute = false, no_shuffle = false,
         deterministic = false;
    std::string held_out;
    double held_out_size = 0;
    std::int64_t evaluate_every = 0, patience = 0;
    std::int64_t max_samples = 0;
    std::int64_t log_every = 1, save_every = 100, keep = 2;
    bool resume = false, extend = false, dry_run = false;
    std::string resume_from;
    std::string config;  ///< the file of --config
    config_facts facts;  ///< what that says beside options
};

/// The program's tables.
program describe(train_flags& flags);

/// The paragraphs of the man page's description.
std::vector<std::string> train_description();

/// The names in a list such as "q_proj, v_proj".
std::vector<std::string> names_in(const std::string& list);

/// Checks what the parser cannot: numbers out of range, options that contradict each other or have
/// no meaning for the objective.
result<training_settings> to_settings(const train_flags& f, std::size_t processes);

}  // namespace cuset
