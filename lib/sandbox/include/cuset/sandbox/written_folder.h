// Files that an untrusted program has written. Nothing else reads them: neither what a script made,
// nor a program's outputs, nor what a compiler left.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/base/status.h"

namespace cuset {

/// An open folder. Names are looked up only in it, no link is followed, and rights that the program
/// has removed from its folders and files are restored. All processes that could change it have
/// ended.
class written_folder {
public:
    /// Opens the former work folder of such a program. Its parents belong to this process, so that
    /// the path leads to it.
    static result<written_folder> open(const std::filesystem::path& work);

    /// A folder in it; nothing if there is none of this name, or if it is something else.
    std::optional<written_folder> folder(const std::string& name) const;

    /// The names of its plain files, sorted; nothing if it holds more than `most` entries.
    std::optional<std::vector<std::string>> files(std::size_t most) const;

    /// Moves a plain file to `place`, which is on the same disk in a folder of this process, and
    /// does not exist yet. The file then belongs to this process, with these rights. If it cannot
    /// be moved, the program is the cause: "is missing", "is a folder". An error is a fault of this
    /// machine.
    struct taken {
        std::uint64_t bytes = 0;
        std::string obstacle;  ///< empty: it was moved
    };
    result<taken> take(const std::string& name, const std::filesystem::path& place,
                       mode_t rights) const;

private:
    explicit written_folder(unique_fd folder) : folder_(std::move(folder)) {}
    unique_fd folder_;
};

}  // namespace cuset
