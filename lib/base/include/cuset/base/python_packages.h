// Where pip puts the packages of a Python environment.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cuset {

/// The folders below `folder` whose names begin with `start`, in the order of their names.
std::vector<std::filesystem::path> folders_in(const std::filesystem::path& folder,
                                              const std::string& start);

/// The folders where pip puts packages, of an environment with this prefix, and after them those of
/// the environment below it, if it shows them. `pip install --target` puts packages into the prefix
/// itself. Empty for an empty prefix.
std::vector<std::filesystem::path> package_folders(const std::filesystem::path& prefix);

/// The prefix that the running program is installed in: the folder above its own.
std::filesystem::path program_prefix();

}  // namespace cuset
