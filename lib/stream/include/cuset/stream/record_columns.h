// Which fields of a record hold what, as LLaMA-Factory's dataset_info.json describes a data set.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// Names of fields, of a turn's members, and of roles. An empty name: there is none.
struct record_columns {
    bool is_conversation = false;  ///< "formatting" is sharegpt, not alpaca
    std::string system;
    /// Of alpaca. The question is the prompt and the query, with a newline between them.
    std::string prompt = "instruction", query = "input", response = "output", history;
    /// Of sharegpt.
    std::string messages = "conversations";
    std::string role_tag = "from", content_tag = "value";
    std::string user_tag = "human", assistant_tag = "gpt", system_tag = "system";
    std::string observation_tag = "observation", function_tag = "function_call";
    /// Fields that a record must not use (leave out, or have as null, false or empty), each with
    /// the name of its column: "tools", "images", "kto_tag" and all others that are not read.
    std::vector<std::pair<std::string, std::string>> not_read;

    bool operator==(const record_columns&) const = default;
};

/// Reads the data set of "FILE:NAME" (the last colon counts). As in LLaMA-Factory, where "columns"
/// or "tags" are given, those that they leave out are none. Where the records are (file_name,
/// hf_hub_url, ...) and which of them are taken (split, num_samples, ...) is not looked at. A usage
/// error for another form of `where` or if FILE has no such data set; a data error for what is
/// broken, or for a data set that cannot be read as pairs.
result<record_columns> read_record_columns(const std::string& where);

}  // namespace cuset
