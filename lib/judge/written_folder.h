// Files that a program which nobody trusts has written. Private to lib/judge, whose one way to them
// this is: to what gen.py made, to a program's outputs, to what a compiler left.
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

/// An open folder. Names are looked up in it and nowhere else, no link is followed, and the rights
/// that the program has taken from its folders and files are taken back. All processes that could
/// change it have ended.
class written_folder {
public:
    /// The folder that was such a program's work folder: its parents are this process's own, so
    /// that the path leads to it.
    static result<written_folder> open(const std::filesystem::path& work);

    /// A folder in it; nothing where there is none of this name, or something else.
    std::optional<written_folder> folder(const std::string& name) const;

    /// The names of its plain files, sorted; nothing where it holds more than `most` things.
    std::optional<std::vector<std::string>> files(std::size_t most) const;

    /// Moves a plain file to `place`, which lies on the same disk in a folder of this process's own
    /// and is no file yet: it is this process's then, with these rights. Why it cannot be had is
    /// the program's doing: "is missing", "is a folder". An error is this machine's.
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
