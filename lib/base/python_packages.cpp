#include "cuset/base/python_packages.h"

#include <algorithm>
#include <fstream>

namespace cuset {

namespace fs = std::filesystem;

namespace {

/// The prefix of the Python below an environment that shows its packages too; empty if this is
/// none.
fs::path prefix_below(const fs::path& environment) {
    std::ifstream file(environment / "pyvenv.cfg");
    bool shows = false;
    fs::path below;
    for (std::string line; std::getline(file, line);) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos) continue;
        const std::string name = line.substr(0, line.find_last_not_of(" \t", equals - 1) + 1);
        const std::string value = line.substr(std::min(line.size(), equals + 2));
        if (name == "home") below = fs::path(value).parent_path();
        if (name == "include-system-site-packages") shows = value == "true";
    }
    return shows ? below : fs::path();
}

}  // namespace

std::vector<fs::path> folders_in(const fs::path& folder, const std::string& start) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored))
        if (at->path().filename().string().starts_with(start)) found.push_back(at->path());
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<fs::path> package_folders(const fs::path& prefix) {
    std::vector<fs::path> found;
    if (prefix.empty()) return found;
    for (const char* const name : {"lib", "lib64"})
        for (const fs::path& python : folders_in(prefix / name, "python3"))
            for (const char* const packages : {"site-packages", "dist-packages"})
                found.push_back(python / packages);
    found.push_back(prefix);
    const fs::path below = prefix_below(prefix);
    for (const fs::path& more : {below, below == "/usr" ? fs::path("/usr/local") : fs::path()}) {
        const std::vector<fs::path> folders = package_folders(more);
        found.insert(found.end(), folders.begin(), folders.end());
    }
    return found;
}

fs::path program_prefix() {
    std::error_code error;
    return fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
}

}  // namespace cuset
