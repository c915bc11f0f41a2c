// A source file with the files that it includes written in their places, so that the translation
// for the host sees a whole program. Private to lib/judge.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/task_file.h"
#include "cuset/syntax/include_lines.h"

namespace cuset {

/// Where the lines of flat sources come from. Several sources of a program share one, and no two of
/// them have a line of the same number.
class line_origins {
public:
    /// From line `first` on, lines are those of `file` from `line` on.
    void add(std::size_t first, std::string file, std::size_t line);
    /// Rewrites "program.cu(12)", "unit1/program.cu:12" and "line 12" in a message:
    /// "solution.cu(3)", "solution.cu:3", "line 3 of solution.cu".
    std::string in_files(std::string_view message) const;

private:
    struct origin {
        std::size_t first;
        std::string file;
        std::size_t line;
    };
    const origin* of(std::size_t line) const;
    std::vector<origin> origins_;  // by their first lines
};

/// The file of `files` that the line in the file `from` includes as nvcc finds it: beside that file
/// or in `folders`. Null if it is none of them.
const task_file* included_file(const std::vector<task_file>& files,
                               const std::vector<std::string>& folders,
                               const syntax::include_line& what, std::string_view from);

struct flat_source {
    std::string text;
    std::size_t lines = 0;  ///< the number of its last line
};

/// The source `path` of `files`, behind `before` empty lines. Includes of files that are found as
/// nvcc finds them, beside the including file or in `folders`, are replaced; others stay. __LINE__
/// becomes the number of its line in its own file, except in macros. A data
/// error says what stands against it: "an #include whose name a macro gives".
result<flat_source> flatten(const std::vector<task_file>& files, std::string_view path,
                            const std::vector<std::string>& folders, std::size_t before,
                            line_origins& origins);

}  // namespace cuset
