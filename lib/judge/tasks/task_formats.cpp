#include "tasks/task_formats.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "build/shell_words.h"
#include "cuset/syntax/include_lines.h"
#include "tasks/file_list.h"
#include "tasks/module_problem.h"
#include "tasks/record_fields.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

constexpr const char* harness_file = "harness.cu";
constexpr const char* harness_program = "harness";
constexpr const char* solution_file = "solution.cu";
constexpr double most_seconds = 3600;

/// No two files of a task may have one path, nor one be in the other.
status check_paths(const build_plan& plan, std::vector<std::string> taken) {
    for (const auto* files : {&plan.context, &plan.tests})
        for (const auto& file : *files) {
            for (const auto& other : taken)
                if (other == file.path || are_in_each_other(other, file.path))
                    return data_error("the paths " + other + " and " + file.path +
                                      " do not go together");
            taken.push_back(file.path);
        }
    return {};
}

status read_seconds(const dom::object& fields, double& out) {
    constexpr const char* key = "timeout_seconds";
    if (!has(fields, key)) return {};
    if (last_field(fields, key).get(out) || !std::isfinite(out) || out <= 0 || out > most_seconds)
        return of_field(key, "is no number above 0 and up to 3600");
    return {};
}

/// Whether a flag of nvcc names another program than the one that is run.
bool names_output(std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    return name == "-o" || name == "--output-file" || name == "-output-file";
}

/// A text of words, or an array of them.
status read_flags(const dom::object& fields, const char* key, std::string& out) {
    if (!has(fields, key)) return {};
    dom::element value;
    if (last_field(fields, key).get(value)) return {};
    const auto add = [&](std::string_view word) -> status {
        if (names_output(word))
            return of_field(key, "has " + std::string(word) + ": the program's name is fixed");
        out += ' ' + shell_quoted(word);
        return {};
    };
    if (std::string_view text; !value.get(text)) {
        const auto words = shell_words(text);
        if (!words) return of_field(key, "has " + words.error().message());
        for (const auto& word : *words) CUSET_TRY(add(word.text));
        return {};
    }
    dom::array array;
    if (value.get(array)) return of_field(key, "is neither a string nor an array of strings");
    for (const dom::element element : array) {
        std::string_view word;
        if (element.get(word)) return of_field(key, "is neither a string nor an array of strings");
        CUSET_TRY(add(word));
    }
    return {};
}

status read_names(const dom::element& value, std::vector<std::string>& out) {
    const auto wrong = [] {
        return of_field(
            "source_references",
            "is neither a string, nor an array of strings, nor an object with \"any\" or "
            "\"all\"");
    };
    if (value.is_null()) return {};
    if (std::string_view text; !value.get(text)) {
        out.emplace_back(text);
        return {};
    }
    dom::array array;
    if (value.get(array)) return wrong();
    for (const dom::element element : array) {
        std::string_view text;
        if (element.get(text)) return wrong();
        out.emplace_back(text);
    }
    return {};
}

status read_references(const dom::object& fields, build_plan& plan) {
    dom::element value;
    if (last_field(fields, "source_references").get(value)) return {};
    dom::object both;
    if (value.get(both)) return read_names(value, plan.all_references);
    if (dom::element any; !last_field(both, "any").get(any))
        CUSET_TRY(read_names(any, plan.any_references));
    if (dom::element all; !last_field(both, "all").get(all))
        CUSET_TRY(read_names(all, plan.all_references));
    return {};
}

/// A version as text, or as a number.
status read_version(const dom::object& fields, const char* key, std::string& out) {
    if (!has(fields, key)) return {};
    dom::element value;
    if (last_field(fields, key).get(value)) return {};
    std::string_view text;
    double number = 0;
    if (!value.get(text)) {
        out = text;
    } else if (!value.get(number)) {
        const auto tenths = static_cast<long>(std::lround(number * 10));
        out = std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10);
    } else {
        return of_field(key, "is no version");
    }
    if (out.find_first_not_of("0123456789.") != out.npos) return of_field(key, "is no version");
    return {};
}

}  // namespace

status read_text(const dom::object& fields, const char* key, std::string& out) {
    dom::element value;
    if (last_field(fields, key).get(value) || value.is_null()) return {};
    std::string_view text;
    if (value.get(text)) return data_error('"' + std::string(key) + "\" is no string");
    CUSET_TRY(check_length(key, text));
    out = text;
    return {};
}

status read_language(const dom::object& fields, task& t) {
    std::string language = "cuda";
    CUSET_TRY(read_text(fields, "lang", language));
    t.is_hip = language == "hip";
    if (t.is_hip || language == "cuda") return {};
    return of_field("lang", "is neither \"cuda\" nor \"hip\"");
}

bool is_harness_task(const dom::object& fields) { return has(fields, "harness"); }
bool is_compute_eval(const dom::object& fields) { return has(fields, "test_command"); }
bool is_kernel_bench(const dom::object& fields) {
    return has(fields, "problem_id") && has(fields, "code");
}

result<std::string> task_id_of(const dom::object& fields) {
    if (has(fields, "id") || is_harness_task(fields)) return id_field(fields, "id");
    if (is_compute_eval(fields)) return id_field(fields, "task_id");
    if (!is_kernel_bench(fields)) return id_field(fields, "id");
    CUSET_ASSIGN(std::string id, id_field(fields, "problem_id"));
    if (!has(fields, "level")) return id;
    // Problems are counted in each level.
    CUSET_ASSIGN(const std::string level, id_field(fields, "level"));
    return level + '/' + id;
}

status read_harness_task(const dom::object& fields, task& t) {
    build_plan plan;
    std::string harness, flags, known;
    CUSET_TRY(read_text(fields, "harness", harness));
    CUSET_TRY(read_text(fields, "task_name", t.family));
    CUSET_TRY(read_language(fields, t));
    CUSET_TRY(read_files(fields, "context_files", plan.context));
    CUSET_TRY(read_flags(fields, "nvcc_flags", flags));
    CUSET_TRY(read_seconds(fields, plan.seconds));
    CUSET_TRY(read_text(fields, "bench.cu", known));
    if (!known.empty()) plan.solution.push_back({solution_file, std::move(known)});
    CUSET_TRY(check_paths(plan, {harness_file, harness_program, solution_file}));
    plan.build_command = t.is_hip ? "hipcc -o " : "nvcc -o ";
    (plan.build_command += harness_program).append(" ").append(harness_file);
    const auto lines = syntax::live_includes(harness);
    const bool is_included = std::any_of(lines.begin(), lines.end(), [](const auto& line) {
        return syntax::includes_beside(line, solution_file);
    });
    if (!is_included) plan.build_command += std::string(" ") + solution_file;
    plan.build_command += flags;
    plan.tests.push_back({harness_file, std::move(harness)});
    plan.takes_flags = true;
    plan.test_command = std::string("./") + harness_program;
    t.build = std::move(plan);
    return {};
}

status read_compute_eval(const dom::object& fields, task& t) {
    build_plan plan;
    std::string type = "cuda_cpp";
    CUSET_TRY(read_text(fields, "type", type));
    CUSET_TRY(read_text(fields, "group", t.family));
    CUSET_TRY(read_files(fields, "context_files", plan.context));
    CUSET_TRY(read_files(fields, "test_files", plan.tests));
    CUSET_TRY(read_text(fields, "build_command", plan.build_command));
    CUSET_TRY(read_text(fields, "test_command", plan.test_command));
    CUSET_TRY(read_seconds(fields, plan.seconds));
    CUSET_TRY(read_version(fields, "min_cuda_toolkit", plan.toolkit));
    CUSET_TRY(read_version(fields, "compute_capability", plan.capability));
    CUSET_TRY(read_references(fields, plan));
    CUSET_TRY(check_paths(plan, {}));
    if (has(fields, "baseline_solution")) {
        dom::object solution;
        if (last_field(fields, "baseline_solution").get(solution))
            return of_field("baseline_solution", "is no object");
        if (!has(solution, "files")) return of_field("baseline_solution", "has no array \"files\"");
        CUSET_TRY(read_files(solution, "files", plan.solution));
    }
    if (type != "cuda_cpp") {
        t.unsupported = "a ComputeEval problem of type " + type;
    } else if (plan.build_command.empty()) {
        t.unsupported = "a ComputeEval problem without a build_command";
    }
    t.build = std::move(plan);
    return {};
}

status read_kernel_bench(const dom::object& fields, task& t) {
    std::string code;
    std::optional<double> tolerance;
    CUSET_TRY(read_text(fields, "name", t.family));
    CUSET_TRY(read_text(fields, "code", code));
    if (code.find_first_not_of(" \t\r\n") == code.npos) return of_field("code", "is blank");
    if (has(fields, "tolerance")) {
        double value = 0;
        if (last_field(fields, "tolerance").get(value) || !std::isfinite(value) || value < 0)
            return of_field("tolerance", "is no number of 0 or more");
        tolerance = value;
    }
    set_module(std::move(code), tolerance, t);
    return {};
}

}  // namespace cuset
