// The files that cuset-train --config reads.
#pragma once

#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/cli/option_table.h"

namespace cuset {

/// What a file says that is no option's value.
struct config_facts {
    /// What a run.json says of the run that made it, beside its settings, in hexadecimal. Empty: it
    /// says nothing, or the file is no run.json.
    std::string data_hash, model_hash;
    bool was_extended = false;
    /// LLaMA-Factory's "dataset" and "dataset_dir", for a command line that names no file, and the
    /// place of the former as a message begins with it.
    std::string data_sets, data_folder, data_place;
    /// One line of what was taken from LLaMA-Factory's names otherwise than by the same name, and
    /// of what has no effect; empty if there is nothing of it.
    std::string note;
    bool has_stage = false;  ///< "stage: sft", which does not choose the objective
};

/// Reads a file of settings, in YAML (of which JSON is a part), into option words. A file is either
/// a mapping of names to values or the run.json of a run, whose "settings" is such a mapping with
/// facts of the run in between. A name is
///   - an option's long form or alias, with dashes or underscores. A flag's value is true or false.
///   - X, where --no-X is a flag, with true or false;
///   - a name of LLaMA-Factory's that means the same as an option with another kind of value, a
///     setting of its that is always so in cuset-train, such as "stage: sft", or one on which no
///     result depends.
/// null is no setting. Everything else is a usage error with file and line: other names (with what
/// to use instead where LLaMA-Factory has the name), values that the option refuses, lists and
/// mappings, and two entries for one option.
result<std::vector<std::string>> read_train_config(const program& p, const std::string& path,
                                                   config_facts& facts);

}  // namespace cuset
