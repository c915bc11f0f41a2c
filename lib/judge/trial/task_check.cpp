#include "cuset/judge/task_check.h"

#include <simdjson.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <functional>
#include <iterator>
#include <utility>

#include "cuset/base/visible_text.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/line_log.h"
#include "tasks/module_problem.h"
#include "tasks/record_fields.h"
#include "trial/comparison.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

struct spoiled_output {
    std::string_view weakness;
    /// The content of the output, in the reference's size; `keep` is the reference itself.
    enum class content : unsigned char { keep, zero, ones } of;
    std::uintmax_t (*size)(std::uintmax_t);
};

constexpr spoiled_output spoiled_outputs[] = {
    {"passes_empty_output", spoiled_output::content::zero,
     [](std::uintmax_t) { return std::uintmax_t{0}; }},
    {"passes_zero_output", spoiled_output::content::zero, [](std::uintmax_t size) { return size; }},
    // NaN for floats of any width.
    {"passes_nan_output", spoiled_output::content::ones, [](std::uintmax_t size) { return size; }},
    {"passes_truncated_output", spoiled_output::content::keep,
     [](std::uintmax_t size) { return size / 2; }},
};

status write_ones(const fs::path& file, std::uintmax_t size) {
    const std::string ones(1 << 20, '\xff');
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    for (std::uintmax_t done = 0; out && done < size; done += ones.size())
        out.write(ones.data(),
                  static_cast<std::streamsize>(std::min<std::uintmax_t>(ones.size(), size - done)));
    out.close();
    return out ? status() : io_error(file.string(), errno);
}

/// Puts a file of our own in the place of an output's reference.
status spoil(const fs::path& reference, const spoiled_output& how, const fs::path& file) {
    using content = spoiled_output::content;
    std::error_code error;
    const auto size = fs::file_size(reference, error);
    if (!error && how.of == content::ones) return write_ones(file, size);
    if (!error && how.of == content::zero) CUSET_TRY(write_text(file, {}));
    if (!error && how.of == content::keep) fs::copy_file(reference, file, error);
    if (!error) fs::permissions(file, fs::perms(0644), error);
    if (!error) fs::resize_file(file, how.size(size), error);
    return error ? io_error(file.string(), error.value()) : status();
}

/// A reference of only ones cannot be spoiled by ones.
bool is_ones(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::all_of(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(),
                       [](char c) { return c == '\xff'; });
}

bool are_equal(const std::vector<data_file>& a, const std::vector<data_file>& b) {
    using byte = std::istreambuf_iterator<char>;
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](const data_file& x, const data_file& y) {
               std::ifstream first(x.path, std::ios::binary), second(y.path, std::ios::binary);
               return std::equal(byte(first), byte(), byte(second), byte());
           });
}

/// Checks compare.py, which needs a reference for each output.
status check_comparer(const task& t, const judge& judging, std::vector<weakness>& found) {
    const auto made = judging.data_of(t);
    if (!made) {
        if (made.error().kind() != error_kind::data) return made.error();
        found.push_back({"generator_fails", made.error().message()});
        return {};
    }
    if (judging.inputs() > 1) {
        const auto others = judging.data_of(t, 1);
        if (others && are_equal((*made)->inputs, (*others)->inputs))
            found.push_back({"inputs_do_not_vary", {}});
    }
    const script_setting& scripts = judging.scripts();
    const auto passing = passing_references(t, **made, scripts.scratch, scripts, protocol::cuset);
    if (!passing && passing.error().kind() != error_kind::data) return passing.error();
    if (passing && !*passing) return {};
    if (!passing || (*passing)->empty()) {
        found.push_back({"rejects_reference", passing ? "" : passing.error().message()});
        return {};
    }
    const std::vector<data_file>& references = **passing;
    for (const auto& how : spoiled_outputs) {
        for (std::size_t i = 0; i < t.outputs.size(); ++i) {
            if (how.of == spoiled_output::content::ones && is_ones(references[i].path)) continue;
            CUSET_ASSIGN(const scratch_folder work, scratch_folder::make(scripts.scratch));
            std::vector<data_file> outputs = references;
            outputs[i].path = work.path() / "spoiled.bin";
            CUSET_TRY(spoil(references[i].path, how, outputs[i].path));
            CUSET_TRY(make_folder(work.path() / "run/data"));
            const auto done =
                compare_outputs(t, **made, work.path() / "run", scripts, protocol::cuset, outputs);
            if (!done && done.error().kind() != error_kind::data) return done.error();
            if (!done || !done->passed) continue;
            found.push_back({std::string(how.weakness), t.outputs[i] + ".bin"});
            break;
        }
    }
    return {};
}

/// Checks a task that is built from files.
result<task_findings> check_build(const task& t, const judge& judging) {
    task_findings findings;
    candidate own;
    own.task = t.id;
    own.is_code = true;
    own.files = t.build->solution;
    if (own.files.empty()) {
        findings.weak.push_back({"no_solution", {}});
    } else {
        CUSET_ASSIGN(const verdict v, judging.decide(own, t));
        if (v.why == failure::unsupported) {
            findings.unsupported = v.diagnostic;
        } else if (!v.passed()) {
            findings.weak.push_back(
                {"program_fails", std::string(name_of(v.why)) + ": " + v.diagnostic});
        }
    }
    own.files.clear();  // the answer's one file is then empty
    CUSET_ASSIGN(const verdict empty, judging.decide(own, t));
    if (empty.reached == stage::correct) findings.weak.push_back({"passes_empty_solution", {}});
    return findings;
}

/// Checks a KernelBench problem, which knows a right answer: itself.
result<task_findings> check_module(const task& t, const judge& judging) {
    task_findings findings;
    candidate own;
    own.task = t.id;
    own.is_code = true;
    own.answer = own_answer(t);
    CUSET_ASSIGN(const verdict v, judging.decide(own, t));
    if (v.why == failure::unsupported) {
        findings.unsupported = v.diagnostic;
    } else if (v.why == failure::evaluator) {
        findings.weak.push_back({"generator_fails", v.diagnostic});
    } else if (!v.passed()) {
        findings.weak.push_back(
            {"program_fails", std::string(name_of(v.why)) + ": " + v.diagnostic});
    }
    return findings;
}

/// Checks a task whose answer is a number: whether its program can be counted.
result<task_findings> check_question(const task& t, const judge& judging) {
    task_findings findings;
    candidate none;
    none.task = t.id;
    CUSET_ASSIGN(const verdict v, judging.decide(none, t));
    if (v.why == failure::unsupported) findings.unsupported = v.diagnostic;
    if (v.why == failure::evaluator) findings.weak.push_back({"program_fails", v.diagnostic});
    return findings;
}

}  // namespace

result<task_findings> check_task(const task& t, const judge& judging) {
    task_findings findings;
    if (!t.unsupported.empty()) {
        findings.unsupported = t.unsupported;
        return findings;
    }
    if (t.question) return check_question(t, judging);
    if (t.build) return check_build(t, judging);
    if (!t.module.empty()) return check_module(t, judging);
    std::vector<weakness>& found = findings.weak;
    if (t.comparer.empty()) found.push_back({"no_comparer", {}});
    if (t.outputs.empty()) found.push_back({"no_outputs", {}});
    candidate own;
    own.task = t.id;
    own.answer = t.program;
    own.is_code = true;
    CUSET_ASSIGN(const verdict v, judging.decide(own, t));
    const bool is_told_below = v.why == failure::evaluator && v.reached < stage::ran;
    if (v.why == failure::unsupported) {
        findings.unsupported = v.diagnostic;
    } else if (!v.passed() && !is_told_below) {
        found.push_back({"program_fails", std::string(name_of(v.why)) + ": " + v.diagnostic});
    }
    if (!t.comparer.empty() && !t.outputs.empty()) CUSET_TRY(check_comparer(t, judging, found));
    const bool is_told = std::any_of(found.begin(), found.end(), [](const weakness& w) {
        return w.name == "no_comparer" || w.name == "no_outputs" || w.name == "generator_fails";
    });
    if (is_told_below && !is_told) {
        found.push_back({"program_fails", std::string(name_of(v.why)) + ": " + v.diagnostic});
    }
    return findings;
}

std::string to_line(const task& t, const task_findings& found) {
    std::string line;
    json_writer json(line);
    json.begin_object().key("task").id(t.id).member("family", t.family);
    for (const auto& [key, member] :
         {std::pair{"weak", &weakness::name}, std::pair{"detail", &weakness::detail}}) {
        json.key(key).begin_array();
        for (const auto& w : found.weak)
            json.value(visible_text(w.*member));  // gen.py may have said it
        json.end_array();
    }
    if (!found.unsupported.empty()) json.member("unsupported", found.unsupported);
    json.end_object();
    return line + '\n';
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
    const auto read_at = [&](const line& l, const std::string& place) {
        return read(l).with_prefix(place);
    };
    CUSET_TRY(for_lines({path}, read_at, longest_line));
    return ids;
}

}  // namespace cuset
