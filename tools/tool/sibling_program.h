// The tools stand in one folder, and one may become another: "cuset tag" is cuset-tag.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cuset {

/// The folder of this program; empty if the system does not tell it.
std::filesystem::path own_folder();

/// Becomes the program words[0] with the other words as its arguments: the one beside this program,
/// so that both are of one version, or else the one on the PATH. Returns only if there is none, or
/// if it cannot be started, with a message that names it.
std::string become_sibling(std::vector<std::string> words);

}  // namespace cuset
