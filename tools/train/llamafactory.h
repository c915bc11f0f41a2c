// What a config file of LLaMA-Factory (0.9.5) names that is no option of cuset-train.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// A name of LLaMA-Factory or transformers. With values, these are what cuset-train does anyway,
/// and no others are accepted.
struct foreign_name {
    std::string_view name;  ///< with dashes
    std::vector<std::string_view> values{};
    std::string_view advice{};
};

const std::vector<foreign_name>& foreign_names();

/// Whether no weight and no figure of a run depends on the name's value.
bool is_without_effect(std::string_view name);

struct data_set_files {
    std::vector<std::string> files;
    std::string columns;  ///< for --columns: the first one's, whose columns all have
};

/// The files of "dataset: NAMES" (with commas between them) in "dataset_dir: FOLDER". A usage error
/// for what would have to be downloaded, parts of a data set, and data sets with different columns.
result<data_set_files> find_data_sets(const std::string& names, const std::string& folder);

}  // namespace cuset
