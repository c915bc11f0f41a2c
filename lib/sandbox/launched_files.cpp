#include "launched_files.h"

#include <utility>

#include "cuset/stream/output_file.h"
#include "sandbox_command.h"

namespace cuset {

namespace fs = std::filesystem;

result<launched_files> launched_files::make(const sandbox_request& request,
                                            const unique_fd& filter) {
    launched_files made;
    made.folder_ = request.work.string() + ".sandbox";
    std::error_code error;
    fs::create_directories(made.folder_, error);
    if (error) return io_error(made.folder_.string(), error.value());
    CUSET_ASSIGN(const std::string program, read_all(filter.get(), "seccomp filter"));
    CUSET_TRY(write_whole_file((made.folder_ / "filter").string(), program));
    return made;
}

launched_files::launched_files(launched_files&& other) noexcept
    : folder_(std::exchange(other.folder_, {})) {}

launched_files& launched_files::operator=(launched_files&& other) noexcept {
    std::swap(folder_, other.folder_);
    return *this;
}

launched_files::~launched_files() {
    std::error_code error;
    if (!folder_.empty()) fs::remove_all(folder_, error);
}

std::vector<std::string> launched_files::command(const sandbox_request& request,
                                                 const std::vector<std::string>& sandboxed) const {
    std::vector<std::string> words = request.launcher;
    std::string open = "exec " + std::to_string(filter_descriptor) + "<\"$1\" " +
                       std::to_string(info_descriptor) + ">\"$2\"";
    if (request.channel) open += ' ' + std::to_string(channel_descriptor) + ">>\"$3\"";
    open += "; shift 3; exec env -i";
    for (const std::string name : device_variables)
        open += " ${" + name + "+" + name + "=\"$" + name + "\"}";
    open += " \"$@\"";
    words.insert(words.end(), {"sh", "-c", open, "sh", (folder_ / "filter").string(),
                               status().string(), channel().string()});
    words.insert(words.end(), sandboxed.begin(), sandboxed.end());
    return words;
}

fs::path launched_files::status() const {
    return folder_.empty() ? fs::path() : folder_ / "status";
}

fs::path launched_files::channel() const {
    return folder_.empty() ? fs::path() : folder_ / "channel";
}

}  // namespace cuset
