#include "server.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <unordered_map>

#include "cuset/base/log.h"
#include "cuset/base/random_key.h"
#include "cuset/stream/json_text.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/line_log.h"
#include "cuset/text/token_ends.h"

namespace cuset {

namespace {

/// The scores that were made, by the key of all that they depend on: {"key":"…","score":{…}}.
class score_log {
public:
    static result<score_log> open(const std::string& path) {
        std::unordered_map<std::string, std::string> made;
        record_options wanted{
            .parts = record_part::score, .own_key = {}, .prompt_field = {}, .response_field = {}};
        wanted.members = true;
        record_reader reader(wanted);
        pair_record record;
        const auto keep = [&](const line& l, const std::string& place) -> status {
            const status read = reader.read(l, record);
            if (!read || record.members.size() != 2 || record.members[0].key != "key" ||
                record.members[1].key != "score")
                return data_error(place + "no score of cuset-score --endpoint");
            made.insert_or_assign(std::string(record.members[0].json),
                                  std::string(record.members[1].json));
            return {};
        };
        CUSET_ASSIGN(line_log file, line_log::open(path, "{\"key\":", keep));
        return score_log(std::move(file), std::move(made));
    }

    /// Null if there is none.
    const std::string* find(std::uint64_t key) const {
        const auto found = made_.find('"' + hexadecimal(key) + '"');
        return found == made_.end() ? nullptr : &found->second;
    }
    status append(std::uint64_t key, const std::string& score) {
        std::string line;
        json_writer json(line);
        json.begin_object().member("key", hexadecimal(key)).key("score").raw(score).end_object();
        return file_.append(line + '\n');
    }

private:
    score_log(line_log file, std::unordered_map<std::string, std::string> made)
        : file_(std::move(file)), made_(std::move(made)) {}

    line_log file_;
    std::unordered_map<std::string, std::string> made_;
};

/// A record as it is sent: one text or, where the server's template writes it, messages.
struct sent_pair {
    std::string text;          ///< of messages: what the turn has, and no more
    std::size_t turn = 0;      ///< where the scored tokens begin
    std::size_t response = 0;  ///< where the response begins
    /// Where no token may cross: before `turn`, and behind a lead that is encoded apart.
    std::size_t boundary = 0;
    std::vector<server_message> messages;  ///< the last is the turn
    std::uint64_t key = 0;                 ///< of all that is sent
};

/// The tokens of the assistant's turn and its tail, and where they end in the text.
struct turn_tokens {
    std::span<const server_token> tokens;
    std::vector<std::size_t> ends;
};

std::vector<std::optional<std::string>> texts_of(std::span<const server_token> tokens) {
    std::vector<std::optional<std::string>> texts;
    texts.reserve(tokens.size());
    for (const server_token& token : tokens) texts.push_back(token.text);
    return texts;
}

/// Of a pair that was sent as one text: bytes tell where the turn begins.
result<turn_tokens> turn_in_text(const sent_pair& pair, std::span<const server_token> tokens) {
    CUSET_ASSIGN(std::vector<std::size_t> ends,
                 ends_of_tokens(pair.text, texts_of(tokens), tokens_behind::one_made));
    std::size_t first = ends.size(), begin = 0;
    for (std::size_t i = 0; i < ends.size(); begin = ends[i++]) {
        for (const std::size_t boundary : {pair.turn, pair.boundary})
            if (begin < boundary && boundary < ends[i])
                return data_error(
                    "token " + std::to_string(i + 1) +
                    " of the server's text crosses from the prompt into the response: they "
                    "cannot be told apart, and cuset encodes them apart");
        if (begin >= pair.turn) first = std::min(first, i);
    }
    tokens = tokens.subspan(first, ends.size() - first);
    ends.erase(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(first));
    return turn_tokens{tokens, std::move(ends)};
}

/// Of messages: the turn begins behind the tokens of `prompt`, the same messages without it.
result<turn_tokens> turn_behind(const sent_pair& pair, std::span<const server_token> prompt,
                                std::span<const server_token> tokens) {
    // The first token of a prompt has no id, since it has no probability.
    for (std::size_t i = 1; i < prompt.size(); ++i)
        if (i >= tokens.size() || !prompt[i].id || tokens[i].id != prompt[i].id)
            return data_error("token " + std::to_string(i + 1) +
                              " of the server's prompt is another one with the response behind it: "
                              "a token crosses from the prompt into the response, or the server's "
                              "template writes the prompt in another way (--template NAME takes "
                              "one of cuset's)");
    tokens = tokens.subspan(std::min(prompt.size(), tokens.size()));
    CUSET_ASSIGN(std::vector<std::size_t> ends,
                 ends_of_tokens(pair.text, texts_of(tokens), tokens_behind::a_tail));
    // What is left are the tokens that the template puts behind the turn.
    ends.resize(tokens.size(), pair.text.size());
    return turn_tokens{tokens, std::move(ends)};
}

/// The value of "score", or why there is none.
result<std::string> score_of(const sent_pair& pair, const turn_tokens& turn,
                             std::size_t response_bytes, const std::string& model) {
    std::string value;
    json_writer json(value);
    json.begin_object().member("model", model).key("end").begin_array();
    for (const std::size_t end : turn.ends)
        json.value(std::min(std::max(end, pair.response) - pair.response, response_bytes));
    json.end_array();
    const auto has_id = [](const server_token& token) { return token.id.has_value(); };
    if (std::all_of(turn.tokens.begin(), turn.tokens.end(), has_id)) {
        json.key("id").begin_array();
        for (const server_token& token : turn.tokens) json.value(*token.id);
        json.end_array();
    }
    json.key("confidence").begin_array();
    for (const server_token& token : turn.tokens) {
        if (!token.log_probability)
            return data_error(
                "the first token of the response has no probability: nothing stands before it");
        // The least that a reader's double holds stands for anything below it: never 0. Rounding
        // may put a server's probability above 1.
        json.value(std::clamp(std::exp(*token.log_probability), DBL_MIN, 1.0), 6);
    }
    json.end_array().end_object();
    return value;
}

class server_worker final : public record_worker {
public:
    /// Without a template, the server's own is used.
    server_worker(endpoint server, std::optional<chat_template> chat, task_ask ask,
                  std::uint64_t setting_key, std::optional<score_log> kept)
        : server_(std::move(server)),
          chat_(chat),
          ask_(std::move(ask)),
          setting_key_(setting_key),
          kept_(std::move(kept)) {}

    // Enough records that the places for requests are seldom empty.
    std::size_t batch_bytes() const override { return server_.most_in_flight() * 64 * 1024; }

    void process(std::span<pair_record> records, std::span<record_outcome> outcomes) override {
        std::vector<sent_pair> pairs(records.size());
        std::vector<answers> got(records.size());
        struct request {
            std::size_t record;
            bool is_prompt;
        };
        std::vector<request> sent;
        std::size_t next_record = 0;
        std::optional<std::size_t> half_sent;  // a record whose prompt was sent, and no more
        const auto next = [&]() -> result<std::optional<text_to_score>> {
            if (half_sent) {
                const std::size_t i = *std::exchange(half_sent, std::nullopt);
                sent.push_back({i, false});
                return std::optional(text_to_score{{}, pairs[i].messages, false});
            }
            while (next_record < records.size()) {
                const std::size_t i = next_record++;
                outcomes[i].error = prepare(records[i], pairs[i]);
                if (!outcomes[i].error.is_ok()) continue;
                const std::string* score = kept_ ? kept_->find(pairs[i].key) : nullptr;
                if (score) {
                    splice(records[i], "score", *score, outcomes[i].lines);
                    continue;
                }
                sent.push_back({i, !pairs[i].messages.empty()});
                if (pairs[i].messages.empty())
                    return std::optional(text_to_score{pairs[i].text, {}, false});
                half_sent = i;
                text_to_score prompt{{}, pairs[i].messages, true};
                prompt.messages.pop_back();
                return std::optional(std::move(prompt));
            }
            return std::optional<text_to_score>();
        };
        const auto done = [&](std::size_t number, result<scored_tokens> tokens) -> status {
            const auto [i, is_prompt] = sent[number];
            if (!tokens) {
                status reason = std::move(tokens).error();
                // A request that a server cannot answer is a bad record; several in a row mean a
                // bad server.
                if (reason.kind() == error_kind::io) {
                    if (++failures_in_a_row_ == most_failures_in_a_row) return reason;
                    reason = data_error(reason.message());
                }
                outcomes[i].error = std::move(reason);
                return {};
            }
            failures_in_a_row_ = 0;
            (is_prompt ? got[i].prompt : got[i].whole) = *std::move(tokens);
            if (!outcomes[i].error.is_ok()) return {};
            if (!got[i].whole || (!pairs[i].messages.empty() && !got[i].prompt)) return {};
            return finish(records[i], pairs[i], got[i], outcomes[i]);
        };
        const status end = server_.score(next, done);
        if (end.is_ok()) return;
        // The first record without an answer carries the error, which ends the stream. It is no
        // fault of that record, so it cannot be a data error, which could be skipped.
        for (record_outcome& outcome : outcomes)
            if (outcome.lines.empty() && outcome.error.is_ok()) {
                outcome.error = status(end.kind() == error_kind::data ? error_kind::io : end.kind(),
                                       end.message());
                return;
            }
    }

private:
    static constexpr std::size_t most_failures_in_a_row = 8;

    struct answers {
        std::optional<scored_tokens> prompt, whole;
    };

    /// A pair whose answers are there.
    status finish(const pair_record& record, const sent_pair& pair, const answers& got,
                  record_outcome& outcome) {
        const auto turn = got.prompt ? turn_behind(pair, *got.prompt, *got.whole)
                                     : turn_in_text(pair, *got.whole);
        auto score = turn ? score_of(pair, *turn, record.response.size(), server_.model())
                          : result<std::string>(turn.error());
        if (!score) {
            outcome.error = std::move(score).error();
            return {};
        }
        if (kept_) CUSET_TRY(kept_->append(pair.key, *score));
        splice(record, "score", *score, outcome.lines);
        outcome.units = got.whole->size();
        return {};
    }

    status prepare(pair_record& record, sent_pair& pair) {
        CUSET_TRY(ask_.apply(record));
        if (!chat_) {
            for (const chat_turn& turn : record.conversation)
                pair.messages.push_back({turn.role, turn.content});
            pair.text = record.before_response + record.response + record.after_response;
            pair.messages.push_back({"assistant", pair.text});
            pair.response = record.before_response.size();
            pair.key = mixed_key(setting_key_, pair.messages.size());
            for (const server_message& m : pair.messages)
                pair.key = mixed_key(mixed_key(pair.key, fnv1a_64(m.role)), fnv1a_64(m.content));
            return {};
        }
        std::vector<chat_message> messages;
        for (const chat_turn& turn : record.conversation)
            messages.push_back({turn.role, turn.content});
        const std::string turn = record.before_response + record.response + record.after_response;
        CUSET_ASSIGN(const rendered_chat around, chat_->render(messages, turn));
        pair.text = around.prompt + around.lead + turn + around.tail;
        pair.turn = around.prompt.size();
        pair.boundary = pair.turn + (around.lead_is_apart ? around.lead.size() : 0);
        pair.response = pair.turn + around.lead.size() + record.before_response.size();
        pair.key = mixed_key(setting_key_, fnv1a_64(pair.text));
        return {};
    }

    endpoint server_;
    std::optional<chat_template> chat_;
    task_ask ask_;
    std::uint64_t setting_key_;
    std::optional<score_log> kept_;
    std::size_t failures_in_a_row_ = 0;
};

}  // namespace

status check(const server_score_flags& flags) {
    CUSET_TRY(check(flags.server));
    if (flags.server.endpoint.empty())
        return flags.resume.empty() ? status()
                                    : usage_error(
                                          "--resume goes with --endpoint: a model on this "
                                          "machine scores without it");
    if (flags.model.dtype != "auto" || flags.model.device != "auto" ||
        flags.model.quantise != "none" || flags.model.max_tokens != model_flags().max_tokens)
        return usage_error(
            "--adapter, --dtype, --device, --quantize and --max-tokens do not go with --endpoint: "
            "the "
            "server "
            "decides them");
    return {};
}

made_worker server_score_worker(const server_score_flags& flags) {
    CUSET_ASSIGN(task_ask ask, task_ask::open(flags.asked));
    std::optional<chat_template> chat;
    if (flags.model.chat != "auto") {
        CUSET_ASSIGN(chat, chat_template::by_name(flags.model.chat));
    }
    CUSET_ASSIGN(endpoint_options options,
                 to_endpoint_options(flags.server, flags.model.model, kept_in_scoring));
    std::uint64_t key = 0;
    for (const body_member& m : options.body)
        key = mixed_key(mixed_key(key, fnv1a_64(m.key)), fnv1a_64(m.json));
    CUSET_ASSIGN(endpoint server, endpoint::open(std::move(options)));
    log(log_level::note, server.model() + " at " + server.place() +
                             (chat ? ", template " + std::string(chat->name())
                                   : std::string(", with its own template")));
    key = mixed_key(key, fnv1a_64(server.model()));
    std::optional<score_log> kept;
    if (!flags.resume.empty()) {
        CUSET_ASSIGN(kept, score_log::open(flags.resume));
    }
    return made_worker(std::make_unique<server_worker>(std::move(server), chat, std::move(ask), key,
                                                       std::move(kept)));
}

}  // namespace cuset
