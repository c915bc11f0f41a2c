// Preferences: each kept answer against the failed ones to its task that are nearest to it.
#include <algorithm>

#include "curation_state.h"
#include "cuset/base/random_key.h"
#include "cuset/curate/token_distance.h"
#include "cuset/stream/json_writer.h"

namespace cuset {

namespace {

/// Beyond so many tokens, programs have nothing in common but their task.
constexpr std::size_t farthest = 5000;

/// The tokens of a response's program; nothing if it has none.
std::optional<std::vector<std::uint64_t>> tokens_of(std::string_view response, code_tokens& code) {
    bool has_code = false;
    const std::string_view program = program_in(response, has_code);
    if (!has_code) return {};
    code.read(program, {.ignore_literals = false, .hashes = true, .names = false});
    std::vector<std::uint64_t> hashes;
    for (const code_token& token : code.tokens()) hashes.push_back(token.hash);
    return hashes;
}

/// A hash of what was asked: later turns of a task are other questions.
std::uint64_t question_of(const pair_record& record) {
    std::uint64_t key = record.conversation.size();
    for (const chat_turn& turn : record.conversation)
        key = mixed_key(mixed_key(key, fnv1a_64(turn.role)), fnv1a_64(turn.content));
    return key;
}

/// A failed answer's program.
struct failed_program {
    std::uint32_t record = 0;
    std::uint64_t question = 0;
    std::vector<std::uint64_t> tokens;
};

/// Whether a limit of tokens ended the answer: what it lacks is no mistake of it.
bool is_cut(const pair_record& record) { return member_text(record, "finish") == "length"; }

json_writer& add_turn(json_writer& json, std::string_view role, std::string_view content) {
    return json.begin_object().member("role", role).member("content", content).end_object();
}

/// The answer as a turn in a list, as TRL has it where the prompt is a list.
std::string answer_turn(std::string_view content) {
    std::string text;
    json_writer json(text);
    add_turn(json.begin_array(), "assistant", content).end_array();
    return text;
}

}  // namespace

status curation::state::find_rivals() {
    record_examiner examiner(options);
    code_tokens code;
    stored_record stored;
    const auto fits = [&](const pair_record& r) {
        return r.response.size() >= options.least_bytes &&
               (options.most_bytes == 0 || r.response.size() <= options.most_bytes) && !is_cut(r);
    };
    std::vector<std::vector<std::uint32_t>> failed(tasks.size()), kept(tasks.size());
    for (std::uint32_t i = 0; i < entries.size(); ++i) {
        const curated_entry& e = entries[i];
        if (e.task == no_number) continue;
        if (e.reason == drop_reason::failed) failed[e.task].push_back(i);
        if (e.reason == drop_reason::none && e.is_mine) kept[e.task].push_back(i);
    }
    for (std::size_t task = 0; task < tasks.size(); ++task) {
        if (kept[task].empty()) continue;
        std::vector<failed_program> programs;
        for (const std::uint32_t i : failed[task]) {
            CUSET_TRY(get(i, stored));
            CUSET_TRY(examiner.read(stored.line));
            if (!fits(examiner.record())) continue;
            if (auto found = tokens_of(examiner.record().response, code))
                programs.push_back({i, question_of(examiner.record()), *std::move(found)});
        }
        for (const std::uint32_t i : kept[task]) {
            CUSET_TRY(get(i, stored));
            CUSET_TRY(examiner.read(stored.line));
            const auto own = tokens_of(examiner.record().response, code);
            std::vector<rival> found;
            std::size_t most = farthest;
            const std::uint64_t asked = question_of(examiner.record());
            for (const auto& [record, question, tokens] : programs) {
                if (!own) break;
                if (question != asked) continue;
                found.push_back({record, token_distance(*own, tokens, most)});
                if (found.size() <= options.rivals) continue;
                std::ranges::stable_sort(found, {}, &rival::distance);
                found.pop_back();
                most = found.back().distance;  // what is not nearer changes nothing
            }
            std::ranges::stable_sort(found, {}, &rival::distance);
            if (found.empty())
                entries[i].reason = drop_reason::no_rival;
            else
                rivals.emplace(i, std::move(found));
        }
    }
    for (curated_entry& e : entries)
        if (e.task == no_number && e.reason == drop_reason::none) e.reason = drop_reason::no_rival;
    return {};
}

status curation::state::write_preferences(std::size_t record, record_examiner& with, output& to,
                                          curation_counts& counts) {
    stored_record stored, other;
    for (const rival& r : rivals[record]) {
        CUSET_TRY(get(r.record, other));
        CUSET_TRY(with.read(other.line));
        const std::string rejected = with.record().response;
        CUSET_TRY(get(record, stored));
        CUSET_TRY(with.read(stored.line));
        const pair_record& chosen = with.record();
        std::string line = "{\"id\":" + json_of(std::string(stored.id) + '-' +
                                                std::to_string(entries[r.record].sample));
        bool is_conversation = false;
        for (const record_member& m : chosen.members) {
            is_conversation |= m.key == "messages";
            if (m.key != "id" && m.key != "response" && m.key != "messages" && m.key != "curate")
                line += ',' + json_of(m.key) + ':' + std::string(m.json);
        }
        if (is_conversation) {
            line += ",\"prompt\":";
            json_writer json(line);
            json.begin_array();
            for (const chat_turn& turn : chosen.conversation)
                add_turn(json, turn.role, turn.content);
            json.end_array();
        }
        const auto add = [&](const char* key, const std::string& answer) {
            line += std::string(",\"") + key +
                    "\":" + (is_conversation ? answer_turn(answer) : json_of(answer));
        };
        add("chosen", chosen.response);
        add("rejected", rejected);
        line += ",\"curate\":";
        append_value(record,
                     std::string(stored.notes) + (stored.notes.empty() ? "" : ",") +
                         "\"rejected\":" + json_of(as_utf8(other.id)) +
                         ",\"distance\":" + std::to_string(r.distance),
                     line);
        CUSET_TRY(to.write(line + "}\n"));
        ++counts.preferences;
    }
    return {};
}

}  // namespace cuset
