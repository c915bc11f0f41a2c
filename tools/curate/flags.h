// The options of cuset-curate.
#pragma once

#include <string>
#include <vector>

#include "ask_flags.h"
#include "cuset/curate/candidate_join.h"
#include "cuset/curate/curation.h"
#include "tool.h"

namespace cuset {

struct curate_flags {
    stream_flags stream;
    field_flags fields;
    ask_flags ask;
    std::string tasks;
    std::vector<std::string> verdicts;
    std::string stage = "correct";
    std::string pick = "all";
    std::int64_t most = 0, preferences = 0;
    std::string preset = "none";
    double speed_up = 5;
    bool difficulty = false;
    std::string tokenizer, thought_field;
    std::int64_t thought_most = 0;
    std::string duplicates = "near", ignore = "comments,space";
    double similar = 0.8;
    std::int64_t shingle = 5;
    std::vector<std::string> against;
    std::int64_t words = 13, tokens = 50;
    std::int64_t shortest = 0, longest = 0;
    bool code = false;
    std::string lang = "any";
    std::int64_t kernels = 0;
    double comments_most = 1;
    std::string license;
    bool no_secrets = false, no_paths = false;
    bool compile = false;
    std::string backend = "auto", nvcc_flags, arch;
    double compile_timeout = 120;
    std::string from_sources, encoding = "utf8", pairs = "none";
    std::string endpoint, model, key_variable = "CUSET_API_KEY", resume;
    double temperature = 0, request_timeout = 600;
    std::int64_t max_new_tokens = 512, concurrency = 8, requests_per_minute = 0, attempts = 6;
    std::string report, card;
    bool dry_run = false;
};

program describe(curate_flags& flags);

/// Checks what the parser cannot.
status check(const curate_flags& flags);

/// The curation that the flags describe, without what is opened for it.
result<curation_options> to_curation_options(const curate_flags& flags);
result<wanted_stage> stage_named(const std::string& name);

}  // namespace cuset
