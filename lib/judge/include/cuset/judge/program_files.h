// The files of a program on this machine's disk, gathered so that a sandbox can compile them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/compiler.h"

namespace cuset {

struct program_paths {
    std::vector<std::string> sources;      ///< compiled and linked together; at least one
    std::vector<std::string> folders;      ///< nvcc's -I
    std::vector<std::string> definitions;  ///< nvcc's -D: "NAME" or "NAME=VALUE"
};

/// A program with the headers that its sources include: those beside the including file and in the
/// folders, as nvcc finds them. What is below /usr is left where it is, since compilers see it
/// there.
class program_files {
public:
    /// An error of io for a source that cannot be read; a usage error for one that is no regular
    /// file.
    static result<program_files> read(const program_paths& paths);

    const program_source& source() const { return source_; }

    /// A message of a compiler or of the backend, with the files as the user named them; headers
    /// are named from the current folder, or with their whole path if they are not below it.
    std::string in_users_files(std::string_view message) const;

    /// The name that the user gave the first source.
    const std::string& first() const { return names_.front().second; }

private:
    program_source source_;
    std::vector<std::pair<std::string, std::string>> names_;  // in `source_`, and the user's
};

}  // namespace cuset
