#include "sibling_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cuset {

std::filesystem::path own_folder() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

std::string become_sibling(std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv((own_folder() / words[0]).c_str(), arguments.data());
    if (errno == ENOENT) ::execvp(words[0].c_str(), arguments.data());
    return words[0] + ": " +
           (errno == ENOENT ? "this build does not have it" : std::strerror(errno));
}

}  // namespace cuset
