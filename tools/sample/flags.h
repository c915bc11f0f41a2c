// The options of cuset-sample.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ask_flags.h"
#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/refine/past_turns.h"
#include "endpoint_flags.h"
#include "model_flags.h"

namespace cuset {

struct sample_flags : endpoint_flags {
    stream_flags stream;
    ask_flags ask;
    model_flags model;  ///< with --endpoint, `model` is the server's name for it
    std::string adapter;
    bool shard_base = false;
    std::int64_t samples = 1;
    double temperature = 1, top_p = 1;
    std::int64_t top_k = 0;
    std::int64_t seed = 42;
    std::int64_t max_new_tokens = 2048, max_tokens = 0;
    std::int64_t batch = 8;
    std::int64_t draft = 8;
    field_flags fields;  ///< no response
    bool confidence = false;
    std::string resume;
    std::vector<std::string> refine, answers;  ///< verdicts and candidates, one of each for a turn
    std::string history = "last", feedback;
    std::int64_t best = 0;

    refine_settings to_refine_settings() const;
};

program describe(sample_flags& flags);

/// Checks what the parser cannot.
status check(const sample_flags& flags);

}  // namespace cuset
