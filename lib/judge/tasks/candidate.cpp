#include "cuset/judge/candidate.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "tasks/file_list.h"
#include "tasks/record_fields.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

/// The N of "codeN" or "responseN", from 1; nothing for any other key.
std::optional<std::uint64_t> number_behind(std::string_view key, std::string_view stem) {
    if (!key.starts_with(stem) || key.size() == stem.size() || key[stem.size()] == '0') return {};
    std::uint64_t number = 0;
    const char* end = key.data() + key.size();
    const auto read = std::from_chars(key.data() + stem.size(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number > most_samples) return {};
    return number;
}

result<candidate> own_record(const dom::object& fields) {
    candidate c;
    CUSET_ASSIGN(c.task, id_field(fields, "task"));
    CUSET_ASSIGN(c.sample, sample_field(fields));
    std::string_view answer;
    if (last_field(fields, "response").get(answer))
        return data_error("\"response\" is missing or no string");
    CUSET_TRY(check_length("response", answer));
    c.answer = answer;
    std::int64_t tokens = 0;
    if (!last_field(fields, "tokens").get(tokens) && tokens >= 0)
        c.tokens = static_cast<std::uint64_t>(tokens);
    std::string_view finish;
    c.is_cut = !last_field(fields, "finish").get(finish) && finish == "length";
    return c;
}

result<std::vector<candidate>> cudabench_results(const dom::object& fields) {
    struct texts {
        std::string_view code, response;
    };
    std::map<std::uint64_t, texts> samples;
    for (const auto field : fields) {
        std::string_view text;  // stays empty if the value is null
        const auto code = number_behind(field.key, "code");
        const auto response = number_behind(field.key, "response");
        if (!code && !response) continue;
        if (field.value.get(text) && !field.value.is_null())
            return data_error('"' + std::string(field.key) + "\" is no string");
        CUSET_TRY(check_length(field.key, text));
        (code ? samples[*code].code : samples[*response].response) = text;
    }
    if (samples.empty())
        return data_error("neither \"task\" nor \"code1\" or \"response1\" is there");
    std::vector<candidate> found;
    for (const auto& [number, text] : samples) {
        candidate c;
        CUSET_ASSIGN(c.task, id_field(fields, "id"));
        c.sample = number - 1;
        c.is_code = !text.code.empty();
        c.answer = c.is_code ? text.code : text.response;
        found.push_back(std::move(c));
    }
    return found;
}

}  // namespace

struct candidate_reader::state {
    dom::parser parser;
    solution_files solutions = solution_files::refused;
    std::map<std::string, std::uint64_t> read;  // of each task, solutions without a sample's number

    result<candidate> solution_record(const dom::object& fields);
};

/// {"task_id":"CUDA/0","type":"file","files":[{"path":"a.cu","content":"…"}]}
result<candidate> candidate_reader::state::solution_record(const dom::object& fields) {
    candidate c;
    CUSET_ASSIGN(c.task, id_field(fields, "task_id"));
    std::string_view type;
    if (last_field(fields, "type").get(type) || type != "file")
        return data_error("a solution of the type \"" + std::string(type) +
                          "\": those of the type \"file\" alone are read");
    if (solutions == solution_files::refused)
        return data_error("a solution of files, which cuset-eval alone reads");
    CUSET_TRY(read_files(fields, "files", c.files));
    if (has(fields, "sample")) {
        CUSET_ASSIGN(c.sample, sample_field(fields));
    } else {
        c.sample = read[c.task]++;
        if (c.sample >= most_samples) return data_error("more than 10000 solutions of a task");
    }
    c.is_code = true;
    for (const auto& file : c.files) c.answer += (c.answer.empty() ? "" : "\n") + file.content;
    return c;
}

candidate_reader::candidate_reader(solution_files solutions) : state_(std::make_unique<state>()) {
    state_->solutions = solutions;
}
candidate_reader::candidate_reader(candidate_reader&&) noexcept = default;
candidate_reader::~candidate_reader() = default;

result<std::vector<candidate>> candidate_reader::read(std::string_view line) {
    CUSET_ASSIGN(const dom::object fields, object_of(state_->parser, line));
    const bool is_solution = !has(fields, "task") && has(fields, "task_id") &&
                             (has(fields, "files") || has(fields, "patch"));
    dom::element task;
    if (!is_solution && last_field(fields, "task").get(task)) return cudabench_results(fields);
    CUSET_ASSIGN(candidate c, is_solution ? state_->solution_record(fields) : own_record(fields));
    return std::vector<candidate>{std::move(c)};
}

}  // namespace cuset
