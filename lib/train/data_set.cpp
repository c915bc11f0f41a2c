#include "cuset/train/data_set.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "cuset/base/random_key.h"
#include "cuset/model/config.h"
#include "cuset/region/sensitive_tokens.h"
#include "cuset/syntax/tagger.h"
#include "cuset/text/encoded_pair.h"
#include "judged_answer.h"
#include "member_value.h"
#include "preference_record.h"

namespace cuset {

namespace {

class encoding_worker final : public record_worker {
public:
    encoding_worker(data_set& data, const data_set_options& options, const task_ask& ask,
                    const tokenizer& words, const chat_template& chat)
        : data_(data), options_(options), ask_(ask), words_(words), chat_(chat) {}

    void process(std::span<pair_record> records, std::span<record_outcome> outcomes) override {
        for (std::size_t i = 0; i < records.size(); ++i) outcomes[i].error = add(records[i]);
    }

private:
    status add(pair_record& record) {
        if (options_.most_records > 0 && read_[record.source]++ >= options_.most_records) return {};
        switch (options_.form) {
            case record_form::preferences: return add_preference(record);
            case record_form::judged_answers: return add_answer(record);
            case record_form::pairs: break;
        }
        return add_pair(record);
    }

    status add_pair(pair_record& record) {
        if (options_.masks.needs_tags && !record.has_tag) {
            return data_error(
                "\"tag\" is missing (pipe the records through cuset-tag, or give --no-cuda-mask)");
        }
        CUSET_TRY(encode(record));
        if (lacks_a_side()) {
            ++data_.without_response;
            return {};
        }
        std::vector<bool> sensitive, left_out;
        CUSET_TRY(read_masks(options_.masks, record, encoded_.ends, sensitive, left_out));
        CUSET_ASSIGN(const double weight, weight_of(record));
        return keep({record.id, encoded_.ids, encoded_.prompt_length, std::move(sensitive),
                     std::move(left_out), weight});
    }

    result<double> weight_of(const pair_record& record) const {
        const std::string& field = options_.weight_field;
        if (field.empty()) return 1.0;
        simdjson::dom::parser parser;
        simdjson::dom::element value;
        if (!find_member(record, field, parser, value))
            return data_error('"' + field + "\" is missing");
        double weight = 0;
        // The kernels' factors are floats.
        if (value.get(weight) || !(weight >= 0 && weight <= std::numeric_limits<float>::max()))
            return data_error('"' + field + "\" is no finite number of at least 0");
        return weight;
    }

    status add_preference(pair_record& record) {
        std::string rejected;
        CUSET_TRY(read_preference(record, rejected));
        CUSET_TRY(encode(record));
        bool is_whole = !lacks_a_side();
        training_pair pair{record.id, encoded_.ids, encoded_.prompt_length,
                           code_tokens(record.response, encoded_.ends)};
        record.response = std::move(rejected);
        CUSET_TRY(encode(record));
        is_whole = is_whole && !lacks_a_side();
        if (!is_whole) {
            ++data_.without_response;
            return {};
        }
        pair.rejected = encoded_.ids;
        pair.rejected_prompt_length = encoded_.prompt_length;
        pair.rejected_sensitive = code_tokens(record.response, encoded_.ends);
        return keep(std::move(pair));
    }

    status add_answer(pair_record& record) {
        judged_answer answer;
        CUSET_TRY(read_judged_answer(record, words_, answer));
        CUSET_TRY(make_conversation(record));
        training_pair pair{record.id, {}, 0, code_tokens(record.response, answer.ends)};
        CUSET_TRY(encode_prompt(words_, chat_, messages_, pair.tokens));
        pair.prompt_length = pair.tokens.size();
        if (pair.prompt_length == 0) return data_error("the prompt has no token");
        pair.tokens.insert(pair.tokens.end(), answer.tokens.begin(), answer.tokens.end());
        if (pair.tokens.size() > options_.max_tokens)
            return data_error("prompt and answer have " + std::to_string(pair.tokens.size()) +
                              " tokens, more than --max-tokens " +
                              std::to_string(options_.max_tokens));
        pair.advantage = answer.advantage;
        pair.old_log_p = std::move(answer.log_p);
        pair.is_masked = answer.is_truncated && !options_.keeps_truncated;
        return keep(std::move(pair));
    }

    /// The tokens in kernels and launch configurations, if they are wanted.
    std::vector<bool> code_tokens(std::string_view response, std::span<const std::size_t> ends) {
        if (!options_.finds_code) return {};
        std::vector<byte_span> spans;
        for (const code_span& span : tagger_.tag(response).spans)
            spans.push_back({span.begin, span.end});
        return sensitive_tokens(ends, spans);
    }

    status make_conversation(pair_record& record) {
        asked_ = {};
        CUSET_TRY(ask_.apply(record, &asked_));
        messages_.clear();
        for (const chat_turn& turn : record.conversation)
            messages_.push_back({turn.role, turn.content});
        return {};
    }

    /// Makes tokens of the record's conversation and response.
    status encode(pair_record& record) {
        CUSET_TRY(make_conversation(record));
        CUSET_TRY(encode_pair(words_, chat_, messages_,
                              {record.response, record.before_response, record.after_response},
                              options_.max_tokens, encoded_));
        if (encoded_.prompt_cut > 0) ++data_.cut_prompts;
        if (encoded_.response_cut > 0 && data_.cut_responses++ == 0)
            data_.first_cut_response = record.id;
        return {};
    }

    /// Whether the cut-off left no prompt or no response.
    bool lacks_a_side() const {
        return encoded_.prompt_length == 0 || encoded_.prompt_length == encoded_.ids.size();
    }

    status keep(training_pair pair) {
        for (const auto* side : {&pair.tokens, &pair.rejected})
            for (const std::int32_t token : *side) CUSET_TRY(check_token(token, options_.vocab));
        if (!asked_.empty() && !data_.asks.contains(asked_)) data_.asks.emplace(asked_);
        for (const std::int32_t id : pair.tokens) mix(static_cast<std::uint64_t>(id));
        for (const bool flag : pair.sensitive) mix(flag ? 1 : 0);
        for (const bool flag : pair.left_out) mix(flag ? 1 : 0);
        mix(pair.prompt_length);
        for (const std::int32_t id : pair.rejected) mix(static_cast<std::uint64_t>(id));
        if (!pair.rejected.empty()) mix(pair.rejected_prompt_length);
        for (const bool flag : pair.rejected_sensitive) mix(flag ? 1 : 0);
        if (!options_.weight_field.empty()) mix(std::bit_cast<std::uint64_t>(pair.weight));
        for (const float log_p : pair.old_log_p) mix(std::bit_cast<std::uint32_t>(log_p));
        if (!pair.old_log_p.empty()) {
            mix(std::bit_cast<std::uint64_t>(pair.advantage));
            mix(pair.is_masked ? 1 : 0);
        }
        mix(fnv1a_64(pair.id));
        data_.pairs.push_back(std::move(pair));
        return {};
    }

    void mix(std::uint64_t value) { data_.hash = (data_.hash ^ value) * 0x100000001b3U; }

    data_set& data_;
    const data_set_options& options_;
    const task_ask& ask_;
    const tokenizer& words_;
    const chat_template& chat_;
    std::map<std::size_t, std::size_t> read_;  // records of each input
    std::vector<chat_message> messages_;
    std::string_view asked_;  // what made the last conversation
    encoded_pair encoded_;
    tagger tagger_;
};

}  // namespace

std::size_t data_set::longest() const {
    std::size_t most = 0;
    for (const auto& pair : pairs) most = std::max(most, pair.length());
    return most;
}

std::size_t data_set::response_tokens() const {
    std::size_t count = 0;
    for (const auto& pair : pairs) count += pair.response_tokens();
    return count;
}

result<data_set> read_data_set(stream_options stream, const data_set_options& options,
                               const task_ask& ask, const tokenizer& words,
                               const chat_template& chat) {
    data_set data;
    data.hash = 0xcbf29ce484222325U;
    // One worker keeps the records in order; nothing is written of them.
    stream.threads = 1;
    stream.output.reset();
    record_options wanted{.parts = record_part::response | record_part::tag,
                          .own_key = "",
                          .prompt_field = {},
                          .response_field = options.response_field};
    if (options.form == record_form::preferences) {
        wanted.parts = record_part::prompt;
        wanted.questions = true;
    }
    if (options.masks.needs_roles()) wanted.parts = wanted.parts | record_part::roles;
    complete(wanted, ask.options());
    const auto make_worker = [&] {
        return made_worker(std::make_unique<encoding_worker>(data, options, ask, words, chat));
    };
    CUSET_ASSIGN(data.summary, filter_records(stream, wanted, make_worker));
    return data;
}

data_set hold_out(data_set& data, double size, std::uint64_t seed) {
    data_set held_out;
    const std::size_t all = data.pairs.size();
    if (all < 2) return held_out;
    const double wanted = size < 1 ? std::ceil(size * static_cast<double>(all)) : size;
    const auto count = static_cast<std::size_t>(std::min(wanted, static_cast<double>(all - 1)));
    // Takes the pairs with the smallest random numbers.
    std::vector<std::size_t> order(all);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::uint64_t key = mixed_key(seed, SIZE_MAX);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(mixed_key(key, a), a) < std::pair(mixed_key(key, b), b);
    });
    std::vector<bool> chosen(all);
    for (std::size_t i = 0; i < count; ++i) chosen[order[i]] = true;
    std::vector<training_pair> kept;
    for (std::size_t i = 0; i < all; ++i)
        (chosen[i] ? held_out.pairs : kept).push_back(std::move(data.pairs[i]));
    data.pairs = std::move(kept);
    held_out.hash = mixed_key(data.hash, count);
    return held_out;
}

}  // namespace cuset
