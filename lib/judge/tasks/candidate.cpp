#include "cuset/judge/candidate.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <map>

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
};

candidate_reader::candidate_reader() : state_(std::make_unique<state>()) {}
candidate_reader::candidate_reader(candidate_reader&&) noexcept = default;
candidate_reader::~candidate_reader() = default;

result<std::vector<candidate>> candidate_reader::read(std::string_view line) {
    CUSET_ASSIGN(const dom::object fields, object_of(state_->parser, line));
    dom::element task;
    if (last_field(fields, "task").get(task)) return cudabench_results(fields);
    CUSET_ASSIGN(candidate c, own_record(fields));
    return std::vector<candidate>{std::move(c)};
}

}  // namespace cuset
