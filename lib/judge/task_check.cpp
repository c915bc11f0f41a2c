#include "cuset/judge/task_check.h"

#include <simdjson.h>

#include <functional>
#include <utility>

#include "comparison.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/line_log.h"
#include "record_fields.h"
#include "run_failure.h"
#include "scratch_folder.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

struct spoiled_output {
    std::string_view weakness;
    /// Of the reference's size, the size that is kept.
    std::uintmax_t (*size)(std::uintmax_t);
    bool zero;
};

constexpr spoiled_output spoiled_outputs[] = {
    {"passes_empty_output", [](std::uintmax_t) { return std::uintmax_t{0}; }, false},
    {"passes_zero_output", [](std::uintmax_t size) { return size; }, true},
    {"passes_truncated_output", [](std::uintmax_t size) { return size / 2; }, false},
};

/// Copies the outputs from one work folder to another and spoils one of them.
std::error_code spoil(const task& t, const std::string& spoiled, const spoiled_output& how,
                      const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::create_directories(to / "data", error);
    for (const auto& name : t.outputs) {
        const fs::path file = to / "data" / (name + ".bin");
        if (!error) fs::copy_file(from / "data" / (name + ".bin"), file, error);
        if (!error) fs::permissions(file, fs::perms(0644), error);
        if (error) break;
        if (name != spoiled) continue;
        const auto size = fs::file_size(file, error);
        if (!error && how.zero) fs::resize_file(file, 0, error);
        if (!error) fs::resize_file(file, how.size(size), error);
    }
    return error;
}

/// compare.py's part, which needs a reference for each output.
status check_comparer(const task& t, const judge& judging, std::vector<weakness>& found) {
    const auto made = judging.data_of(t);
    if (!made) {
        if (made.error().kind() != error_kind::data) return made.error();
        found.push_back({"generator_fails", made.error().message()});
        return {};
    }
    const script_setting& scripts = judging.scripts();
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(scripts.scratch));
    const fs::path reference = scratch.path() / "reference";
    CUSET_ASSIGN(const auto passes, reference_passes(t, **made, reference, scripts));
    if (!passes) return {};
    if (!*passes) {
        found.push_back({"rejects_reference", {}});
        return {};
    }
    for (const auto& how : spoiled_outputs) {
        for (const auto& name : t.outputs) {
            const fs::path work = scratch.path() / (std::string(how.weakness) + '-' + name);
            if (const auto error = spoil(t, name, how, reference, work))
                return io_error(work.string(), error.value());
            CUSET_ASSIGN(const comparison done, compare_outputs(t, **made, work, scripts));
            if (!done.passed) continue;
            found.push_back({std::string(how.weakness), name + ".bin"});
            break;
        }
    }
    return {};
}

}  // namespace

result<task_findings> check_task(const task& t, const judge& judging) {
    task_findings findings;
    std::vector<weakness>& found = findings.weak;
    if (t.comparer.empty()) found.push_back({"no_comparer", {}});
    if (t.outputs.empty()) found.push_back({"no_outputs", {}});
    candidate own;
    own.task = t.id;
    own.answer = t.program;
    own.is_code = true;
    CUSET_ASSIGN(const verdict v, judging.decide(own, t));
    const bool is_told_below = v.why == failure::evaluator && v.reached < stage::ran;
    if (v.why == failure::evaluator && says_no_device(v.diagnostic))
        return unsupported("no GPU for bench.cu: " + v.diagnostic);
    if (v.why == failure::unsupported) {
        findings.unsupported = v.diagnostic;
    } else if (!v.passed() && !is_told_below) {
        found.push_back({"program_fails", std::string(name_of(v.why)) + ": " + v.diagnostic});
    }
    if (!t.comparer.empty() && !t.outputs.empty()) CUSET_TRY(check_comparer(t, judging, found));
    return findings;
}

std::string to_line(const task& t, const task_findings& found) {
    std::string line = "{\"task\":";
    append_id(t.id, line);
    line += ",\"family\":";
    append_json_string(t.family, line);
    for (const auto& [key, member] : {std::pair{",\"weak\":[", &weakness::name},
                                      std::pair{",\"detail\":[", &weakness::detail}}) {
        line += key;
        for (const auto& w : found.weak) {
            if (line.back() != '[') line += ',';
            append_json_string(w.*member, line);
        }
        line += ']';
    }
    if (!found.unsupported.empty()) {
        line += ",\"unsupported\":";
        append_json_string(found.unsupported, line);
    }
    return line + "}\n";
}

result<std::vector<std::string>> read_weak_tasks(const std::string& path) {
    simdjson::dom::parser parser;
    std::vector<std::string> ids;
    const auto read = [&](const line& l) -> status {
        CUSET_ASSIGN(const auto fields, object_of(parser, l.text));
        CUSET_ASSIGN(std::string id, id_field(fields, "task"));
        simdjson::dom::array weak;
        if (fields["weak"].get(weak)) return data_error("\"weak\" is missing or no array");
        if (weak.size() > 0) ids.push_back(std::move(id));
        return {};
    };
    CUSET_TRY(for_lines({path}, [&](const line& l, const std::string& place) {
        return read(l).with_prefix(place);
    }));
    return ids;
}

}  // namespace cuset
