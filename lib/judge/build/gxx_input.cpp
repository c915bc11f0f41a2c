#include "build/gxx_input.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "build/hip_program.h"
#include "build/nvcc_command.h"
#include "cuset/host/build/gxx_flags.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// Whether a source could only be one of the task's or the answer's files. A build command that is
/// read makes nothing but its program.
bool is_of_work_folder(const std::string& source) {
    const fs::path path(source);
    return path.is_relative() && path.lexically_normal() == path && *path.begin() != "..";
}

void add_options(gxx_input& input, const host_options& options) {
    input.flags.insert(input.flags.end(), options.flags.begin(), options.flags.end());
    input.dialect.extended_lambda |= options.dialect.extended_lambda;
    input.dialect.relaxed_constexpr |= options.dialect.relaxed_constexpr;
    input.fast_math |= options.fast_math;
}

}  // namespace

result<gxx_input> input_of(const program_source& source, const host_options& options,
                           line_origins& origins) {
    gxx_input input;
    if (source.command.empty()) {
        host_flags taken = host_flags_of(source.flags);
        input.sources.push_back(source.files.front().content);
        input.are_host_sources.push_back(false);
        input.flags = std::move(taken.flags);
        input.dialect = taken.dialect;
        input.fast_math = taken.fast_math;
        input.dialect.is_hip = is_hip_program(source);
        add_options(input, options);
        return input;
    }
    CUSET_ASSIGN(const nvcc_command command, read_nvcc_command(source.command, source.files));
    host_flags taken = host_flags_of(command.flags);
    input.flags = std::move(taken.flags);
    input.dialect = taken.dialect;
    input.fast_math = taken.fast_math;
    const bool has_standard =
        std::ranges::any_of(command.flags, [](const auto& f) { return f.starts_with("-std="); });
    input.dialect.is_hip = command.is_hip;
    input.dialect.has_wide_warps = command.has_wide_warps;
    if (has_standard) input.flags.push_back("-std=" + taken.standard);
    if (source.takes_flags) add_options(input, options);
    input.are_apart = command.sources.size() > 1 && !command.relocatable;
    for (const auto& name : command.sources)
        if (is_of_work_folder(name) && !file_named(source.files, name)) {
            input.missing = name;
            return input;
        }
    std::size_t lines = 0;
    for (const auto& name : command.sources) {
        CUSET_ASSIGN(flat_source flat,
                     flatten(source.files, name, command.folders, lines, origins));
        lines = flat.lines;
        input.sources.push_back(std::move(flat.text));
        input.are_host_sources.push_back(!command.is_all_cuda && !name.ends_with(".cu"));
    }
    return input;
}

}  // namespace cuset
