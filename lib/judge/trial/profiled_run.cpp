#include "trial/profiled_run.h"

#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"
#include "cuset/cost/ncu_table.h"
#include "cuset/cost/roofline_score.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/program_path.h"
#include "cuset/sandbox/text_lines.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view heading = "profile\n";
constexpr std::string_view error_mark = "==ERROR==";

/// Where NVIDIA's packages put what the toolkit's ncu calls.
constexpr const char* usual_folder = "/opt/nvidia/nsight-compute";

/// A name that a program cannot guess.
std::string log_name() {
    std::random_device random;
    std::string name = ".ncu-";
    for (int i = 0; i < 4; ++i) name += format("%08x", static_cast<unsigned>(random()));
    return name;
}

void add_mount(const fs::path& folder, sandbox_request& request) {
    std::error_code error;
    if (folder.native().starts_with("/usr/") || !fs::is_directory(folder, error)) return;
    for (const auto& mount : request.mounts)
        if (mount.host == folder) return;
    request.mounts.push_back({folder, folder});
}

/// What ncu wrote. The program, which has ended, could have put something else in its place.
std::string log_in(const fs::path& place) {
    constexpr std::size_t most = std::size_t{64} << 20;
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(place, error))) return {};
    return text_of(place, most);
}

/// The lines of ncu's messages, in what else a program may have printed.
std::string messages_in(std::string_view text) {
    std::string messages;
    while (!text.empty())
        if (const std::string_view line = take_line(text); line.starts_with("=="))
            messages.append(line) += '\n';
    return messages;
}

/// The first error of ncu, or that of the program where there is no other; empty if there is none.
std::string error_in(std::string_view text) {
    constexpr std::string_view of_program = "The application returned an error code (";
    constexpr std::size_t longest = 300;
    std::string first, ended;
    while (!text.empty()) {
        std::string_view line = take_line(text);
        if (!line.starts_with(error_mark)) continue;
        line.remove_prefix(error_mark.size());
        if (line.find("ERR_NVGPUCTRPERM") != line.npos)
            return "the GPU's driver lets this user read no counters (ERR_NVGPUCTRPERM)";
        const std::size_t at = line.find(of_program);
        if (at != line.npos) {
            const std::string_view code = line.substr(at + of_program.size());
            ended = "under ncu the program ends with exit code ";
            ended += visible_text(code.substr(0, code.find(')')));
        } else if (first.empty()) {
            first = "ncu:" + visible_text(beginning_of(line, longest));
        }
    }
    return first.empty() ? ended : first;
}

result<roofline_score> score_in(std::string_view text) {
    CUSET_ASSIGN(const auto kernels, read_ncu_table(text));
    return score_of(kernels);
}

}  // namespace

fs::path find_profiler(const toolkit& kit) {
    fs::path found = program_in_path("ncu");
    std::error_code error;
    if (found.empty() && fs::exists(kit.root / "bin/ncu", error)) found = kit.root / "bin/ncu";
    if (found.empty()) return {};
    const fs::path real = fs::canonical(found, error);
    return error ? found : real;
}

result<run_report> run_profiled(const sandbox& box, const fs::path& profiler, const toolkit& kit,
                                sandbox_request request) {
    const std::string log = log_name();
    // Base units, since ncu rounds to two digits behind the point.
    std::vector<std::string> command{
        profiler.string(), "--csv", "--print-units", "base",
        "--log-file",      log,     "--metrics",     ncu_metric_list()};
    command.insert(command.end(), request.command.begin(), request.command.end());
    request.command = std::move(command);
    request.loopback = true;
    add_mount(kit.root, request);
    add_mount(usual_folder, request);
    if (profiler.has_parent_path() && !profiler.native().starts_with(usual_folder))
        add_mount(profiler.parent_path(), request);
    const fs::path place = request.work / log;
    CUSET_ASSIGN(run_report report, box.run(request));
    std::string text = log_in(place);
    if (text.empty()) text = messages_in(report.err) + messages_in(report.out);
    report.channel_output = std::string(heading) + text;
    return report;
}

std::string_view profile_in(std::string_view channel_output) {
    if (!channel_output.starts_with(heading)) return {};
    return channel_output.substr(heading.size());
}

program_profile profile_of(std::string_view text) {
    program_profile profile;
    profile.not_profiled = error_in(text);
    if (!profile.not_profiled.empty()) return profile;
    auto score = score_in(text);
    if (score)
        profile.roofline = std::move(score).value();
    else
        profile.not_profiled = score.error().message();
    return profile;
}

}  // namespace cuset
