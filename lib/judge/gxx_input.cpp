#include "gxx_input.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "nvcc_command.h"

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
}

}  // namespace

gxx_input input_of(std::string_view source, const flag_list& flags, const host_options& options) {
    host_flags taken = host_flags_of(flags);
    gxx_input input;
    input.sources.emplace_back(source);
    input.flags = std::move(taken.flags);
    input.dialect = taken.dialect;
    add_options(input, options);
    return input;
}

result<gxx_input> input_of(const build_request& request, const host_options& options,
                           line_origins& origins) {
    CUSET_ASSIGN(const nvcc_command command, read_nvcc_command(request.command, request.files));
    gxx_input input;
    host_flags taken = host_flags_of(command.flags);
    input.flags = std::move(taken.flags);
    input.dialect = taken.dialect;
    const bool has_standard =
        std::ranges::any_of(command.flags, [](const auto& f) { return f.starts_with("-std="); });
    if (has_standard) input.flags.push_back("-std=" + taken.standard);
    if (request.takes_flags) add_options(input, options);
    input.are_apart = command.sources.size() > 1 && !command.relocatable;
    for (const auto& source : command.sources)
        if (is_of_work_folder(source) && !file_named(request.files, source)) {
            input.missing = source;
            return input;
        }
    std::size_t lines = 0;
    for (const auto& source : command.sources) {
        CUSET_ASSIGN(flat_source flat,
                     flatten(request.files, source, command.folders, lines, origins));
        lines = flat.lines;
        input.sources.push_back(std::move(flat.text));
    }
    return input;
}

}  // namespace cuset
