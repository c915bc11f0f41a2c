// The files of a folder that a program works on as copies. Private to lib/judge.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cuset/base/status.h"

namespace cuset {

/// Copies the folders, files and links of a folder into a new one.
status copy_files(const std::filesystem::path& from, const std::filesystem::path& to);

/// Copies into `folder` the files that a program, whose processes have all ended, has made in
/// `work` or that differ from those in `given`, each at once under its name. Links, and names in
/// `but`, are left out, and no link in `folder` is followed. Files that are gone from `work` stay.
status keep_files(const std::filesystem::path& work, const std::filesystem::path& given,
                  const std::filesystem::path& folder, const std::vector<std::string>& but);

}  // namespace cuset
