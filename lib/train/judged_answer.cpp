#include "judged_answer.h"

#include <cmath>
#include <string>
#include <string_view>

#include "cuset/stream/json_text.h"
#include "member_value.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

/// An error if `value` is no number from `least` to `most`: a token was then drawn, and its
/// probability may be told, by another distribution than the model's own.
status check_plain(std::string_view name, const dom::element& value, double least, double most) {
    double number = 0;
    if (value.is_null()) return {};
    if (value.get(number) == simdjson::SUCCESS && number >= least && number <= most) return {};
    return data_error('"' + std::string(name) + "\" is " + simdjson::minify(value) +
                      ": the probabilities must be of the plain distribution, drawn with "
                      "temperature 1, top_p 1 and top_k 0");
}

status check_plain_distribution(const pair_record& record, const dom::element& score) {
    struct limits {
        const char* name;
        double least, most;
    };
    for (const auto& [name, least, most] :
         {limits{"temperature", 1, 1}, limits{"top_p", 1, 1}, limits{"top_k", -1, 0}}) {
        dom::parser parser;
        dom::element value;
        if (find_member(record, name, parser, value))
            CUSET_TRY(check_plain(name, value, least, most));
        if (score[name].get(value) == simdjson::SUCCESS)
            CUSET_TRY(check_plain(std::string("score.") + name, value, least, most));
    }
    return {};
}

/// The numbers of an array of the score.
template <class Number, class Value>
status read_numbers(const dom::element& score, const char* name, std::vector<Value>& out) {
    const std::string what = "\"score." + std::string(name) + "\" is no array of numbers";
    dom::array array;
    if (score[name].get(array)) return data_error(what);
    for (const dom::element element : array) {
        Number number{};
        if (element.get(number)) return data_error(what);
        out.push_back(static_cast<Value>(number));
    }
    return {};
}

std::string quoted(std::string_view bytes) {
    std::string text;
    if (simdjson::validate_utf8(bytes))
        append_json_string(bytes, text);
    else
        text = "half a character";
    return text;
}

/// Each token's bytes must be those of the response from the end before to its own; a token that
/// has none there is the template's.
status check_tokens(std::string_view response, const std::vector<std::int64_t>& ids,
                    const std::vector<std::uint64_t>& ends, const tokenizer& words) {
    constexpr std::string_view replaced = "\uFFFD";  // stands for bytes that are no UTF-8
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::string token = "token " + std::to_string(i + 1) + " of \"score\"";
        if (ids[i] < 0 || static_cast<std::uint64_t>(ids[i]) >= words.vocab_size())
            return data_error(token + " has the id " + std::to_string(ids[i]) +
                              ", which this tokenizer lacks");
        if (ends[i] < begin || ends[i] > response.size())
            return data_error(token + " does not end in the response");
        const std::string_view there = response.substr(begin, ends[i] - begin);
        const std::string_view here = words.bytes_of(static_cast<std::int32_t>(ids[i]));
        if (!there.empty() && here != there && there.find(replaced) == there.npos)
            return data_error(token + " is " + quoted(here) +
                              " by this tokenizer, and the response has " + quoted(there) +
                              " there: it is an answer of another model");
        begin = ends[i];
    }
    if (begin != response.size())
        return data_error("the tokens of \"score\" end before the response does");
    return {};
}

}  // namespace

status read_judged_answer(const pair_record& record, const tokenizer& words,
                          judged_answer& answer) {
    answer = {};
    dom::parser parser, score_parser;
    dom::element value, score;
    if (!find_member(record, "advantage", parser, value))
        return data_error("\"advantage\" is missing");
    if (value.get(answer.advantage) || !std::isfinite(answer.advantage))
        return data_error("\"advantage\" is no finite number");
    std::string_view finish;
    if (find_member(record, "finish", parser, value) && value.get(finish) == simdjson::SUCCESS)
        answer.is_truncated = finish == "length";
    if (!find_member(record, "score", score_parser, score))
        return data_error("\"score\" is missing (cuset-sample --confidence writes it)");
    CUSET_TRY(check_plain_distribution(record, score));
    std::vector<std::int64_t> ids;
    std::vector<std::uint64_t> ends;
    std::vector<double> confidences;
    CUSET_TRY((read_numbers<std::int64_t>(score, "id", ids)));
    CUSET_TRY((read_numbers<std::uint64_t>(score, "end", ends)));
    CUSET_TRY((read_numbers<double>(score, "confidence", confidences)));
    if (ids.size() != ends.size() || ids.size() != confidences.size())
        return data_error("\"score\": \"id\", \"end\" and \"confidence\" differ in length");
    if (ids.empty()) return data_error("\"score\" has no token");
    CUSET_TRY(check_tokens(record.response, ids, ends, words));
    for (const double confidence : confidences) {
        if (!(confidence > 0 && confidence <= 1))
            return data_error("\"score.confidence\" lies outside (0, 1]");
        answer.log_p.push_back(static_cast<float>(std::log(confidence)));
    }
    answer.tokens.assign(ids.begin(), ids.end());
    answer.ends.assign(ends.begin(), ends.end());
    return {};
}

}  // namespace cuset
