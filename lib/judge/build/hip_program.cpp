#include "build/hip_program.h"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "build/flat_source.h"
#include "build/nvcc_command.h"
#include "build/shell_words.h"
#include "cuset/host/hip.h"

namespace cuset {

namespace {

std::vector<std::string> definitions_in(const flag_list& flags) {
    std::vector<std::string> found;
    for (const std::string& flag : flags)
        if (flag.starts_with("-D")) found.push_back(flag.substr(2));
    return found;
}

}  // namespace

bool is_hip_program(const program_source& source) {
    if (source.command.empty()) return source.is_hip;
    return is_command_of_hipcc(source.command);
}

bool is_command_of_hipcc(std::string_view command) {
    const auto words = shell_words(command);
    return words && !words->empty() && is_call_of(words->front().text, "hipcc");
}

bool includes_hip(const std::vector<task_file>& files, std::string_view path,
                  const std::vector<std::string>& folders,
                  const std::vector<std::string>& definitions) {
    std::unordered_map<std::string, std::size_t> defined;  // and by how many files
    for (const std::string& each : definitions) ++defined[each.substr(0, each.find_first_of("=("))];
    for (const task_file& file : files)
        for (std::string& name : names_that_are_defined(file.content)) ++defined[std::move(name)];
    std::vector<const task_file*> found{file_named(files, path)};
    std::unordered_set<const task_file*> seen{nullptr};
    while (!found.empty()) {
        const task_file* const file = found.back();
        found.pop_back();
        if (!seen.insert(file).second) continue;
        const auto is_free = [&](const std::string& name) { return defined[name] < 2; };
        for (const syntax::include_line& line : unconditional_includes(file->content, is_free)) {
            if (const task_file* own = included_file(files, folders, line, file->path))
                found.push_back(own);
            else if (line.name.starts_with("hip/"))
                return true;
        }
    }
    return false;
}

program_source file_of_any_language(std::string_view text, flag_list flags) {
    program_source made = single_file(text, std::move(flags));
    made.is_hip = includes_hip(made.files, made.files.front().path, {}, definitions_in(made.flags));
    return made;
}

}  // namespace cuset
