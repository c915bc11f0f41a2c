// The options of the tools that run a model over pairs.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"
#include "cuset/model/causal_lm.h"
#include "cuset/text/chat_template.h"
#include "cuset/text/tokenizer.h"
#include "tool.h"

namespace cuset {

struct model_flags {
    std::string model;
    std::string chat = "auto";
    std::string dtype = "auto";
    std::string device = "auto";
    std::string quantise = "none";
    std::int64_t max_tokens = 4096;
    field_flags fields;
};

/// Appends what an installed program's launcher reads of the environment to the program's table.
void add_torch_variables(program& p);
/// Appends --model, --template, --dtype and --device, exit code 4 and CUSET_MODEL to the program's
/// tables.
void add_model_flags(program& p, model_flags& flags);
/// --max-tokens and the fields, of tools that read pairs.
void add_pair_flags(program& p, model_flags& flags);
/// --quantize; `more` says what holds for this tool alone.
void add_quantise_flag(program& p, model_flags& flags, std::string_view more = "");
/// --adapter, into `adapter`.
void add_adapter_flag(program& p, std::string& adapter);

compute_type to_compute_type(const model_flags& flags);
quantisation to_quantisation(const model_flags& flags);
model_options to_model_options(const model_flags& flags, const stream_flags& stream,
                               const std::string& adapter);

/// A model folder and what text needs of it.
struct text_model {
    std::filesystem::path folder;
    chat_template chat;
    tokenizer words;
};

/// Checks the folder that --model or CUSET_MODEL names, and reads its template and tokenizer. Warns
/// if the run.json beside `adapter` (of its run, if it is a checkpoint) has another template.
result<text_model> open_text_model(const model_flags& flags, const std::string& adapter = {});

/// Warns of what a model's files have that is left out, or otherwise than their configs say.
void tell_notes(const std::vector<std::string>& notes);

/// Warns of what --max-tokens cut off. `first`: the id of the first response.
void tell_cuts(const model_flags& flags, std::uint64_t prompts, std::uint64_t responses,
               const std::string& first);

}  // namespace cuset
