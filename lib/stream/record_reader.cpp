#include <array>

#include "cuset/stream/json_text.h"
#include "cuset/stream/pair_record.h"
#include "json_walk.h"
#include "missing_field.h"
#include "record_fields.h"

namespace cuset {
namespace {

using namespace json_walk;

static_assert(line_padding >= simdjson::SIMDJSON_PADDING);

status json_error(error_code error) {
    if (error == simdjson::UTF8_ERROR) return data_error("invalid UTF-8");
    if (error == simdjson::CAPACITY) return data_error("line is longer than 4 GiB");
    if (error == simdjson::MEMALLOC) return data_error("line is too long for the memory there is");
    if (error == simdjson::DEPTH_ERROR)
        return data_error("nested more than " + std::to_string(depth_limit) + " deep");
    return data_error("not valid JSON");
}

status complain(std::string_view field, std::string_view what) {
    return data_error('"' + std::string(field) + "\" is " + std::string(what));
}

// Finds the end of a value that has just been read. `token` is its first token.
error_code find_end(od::document& document, std::string_view line, std::string_view token,
                    std::size_t& end) {
    end = static_cast<std::size_t>(token.data() - line.data()) + trim_end(token).size();
    if (!token.starts_with('{') && !token.starts_with('[')) return SUCCESS;
    const char* next = nullptr;
    if (const auto error = document.current_location().get(next)) return error;
    const auto length = static_cast<std::size_t>(next - line.data());
    end = trim_end(line.substr(0, length)).size();
    return SUCCESS;
}

// A slot of the record that a field of some name fills.
enum field_name : unsigned char {
    field_id,
    field_task_id,
    field_problem_id,
    field_level,
    field_prompt,
    field_response,
    field_messages,
    field_conversations,
    field_instruction,
    field_input,
    field_output,
    field_system,
    field_history,
    field_task_prompt,
    field_task_response,
    field_tag,
    field_score,
    field_window,
    field_count,
};
constexpr std::array<std::string_view, field_count> default_names = {
    "id",       "task_id",       "problem_id",  "level", "prompt", "response",
    "messages", "conversations", "instruction", "input", "output", "system",
    "history",  "level1_prompt", "bench.cu",    "tag",   "score",  "window"};

}  // namespace

struct record_reader::state {
    explicit state(record_options o);
    void rename(field_name slot, const std::string& name);
    void take_columns(const record_columns& columns);
    status check_columns() const;
    unsigned slot_of(std::string_view key) const;
    error_code read_field(unsigned slot, od::value value, pair_record& record);
    error_code read_id(od::value value, std::string& id, bool& mistyped_id);
    error_code find_own_value(od::document& document, od::value value, pair_record& record) const;
    error_code read_member(od::document& document, std::string_view key, od::value value,
                           pair_record& record);
    error_code read_value(od::document& document, std::string_view key, od::value value,
                          pair_record& record);
    status choose_pair(pair_record& record);
    status set_prompt(status chosen, pair_record& record) const;
    status choose_turns(std::vector<chat_turn>& turns, field_name slot, pair_record& record) const;
    status choose_alpaca(pair_record& record);
    status add_system(pair_record& record);
    status choose_prompt(field_name first, field_name second, pair_record& record);
    status missing(field_name slot, const pair_record& record) const;
    status check_string_field(field_name slot, const pair_record& record) const;
    status check_score(const pair_record& record) const;
    bool is_read(field_name slot) const { return seen[slot] && !mistyped[slot]; }
    bool wants(record_part part) const { return includes(options.parts, part); }

    record_options options;
    od::parser parser;
    std::array<std::string, field_count> names;
    std::array<bool, field_count> seen{};       // there, and not null
    std::array<bool, field_count> mistyped{};   // there, but of another type
    std::array<std::string, field_count> text;  // of the fields that are plain strings
    std::string task_id, problem_id, level;
    bool has_code = false;    // a member "code", which KernelBench's problems have
    std::string unread_role;  // of the turns, if there are columns
    std::vector<bool> used;   // of the columns that are not read
    std::vector<chat_turn> messages, conversations, history;
    score_faults score_mistyped;
    tag_faults tag_mistyped;
};

record_reader::state::state(record_options o) : options(std::move(o)) {
    for (std::size_t i = 0; i < field_count; ++i) names[i] = default_names[i];
    names[field_task_prompt] = "level" + std::to_string(options.level) + "_prompt";
    if (options.columns) take_columns(*options.columns);
    if (!options.prompt_field.empty()) {
        for (const auto other : {field_messages, field_conversations, field_task_prompt})
            names[other].clear();
        rename(field_prompt, options.prompt_field);
    }
    if (!options.response_field.empty()) {
        for (const auto other :
             {field_messages, field_conversations, field_output, field_task_response})
            names[other].clear();
        rename(field_response, options.response_field);
    }
}

// A field that was named by an option has no other meaning.
void record_reader::state::rename(field_name slot, const std::string& name) {
    for (std::size_t i = field_id + 1; i < field_count; ++i)
        if (names[i] == name) names[i].clear();
    names[slot] = name;
}

// The fields of pairs have no other names then.
void record_reader::state::take_columns(const record_columns& columns) {
    for (std::size_t i = field_prompt; i <= field_task_response; ++i) names[i].clear();
    rename(field_system, columns.system);
    if (columns.is_conversation) {
        rename(field_conversations, columns.messages);
        return;
    }
    rename(field_instruction, columns.prompt);
    rename(field_input, columns.query);
    rename(field_output, columns.response);
    rename(field_history, columns.history);
}

namespace {

status check(const record_columns& columns, const record_options& options) {
    const auto complain_of = [](const std::string& what) {
        return usage_error("--columns: " + what);
    };
    if (!options.prompt_field.empty() || !options.response_field.empty())
        return complain_of("it goes with neither --prompt-field nor --response-field");
    for (const std::string& field :
         columns.is_conversation ? std::vector{columns.messages, columns.system}
                                 : std::vector{columns.prompt, columns.query, columns.response,
                                               columns.history, columns.system})
        if (!field.empty() && (field == "id" || field == "tag" || field == "score" ||
                               field == "window" || field == options.own_key))
            return complain_of('"' + field + "\" has another meaning here");
    if (!columns.is_conversation && columns.response.empty() && !options.questions)
        return complain_of("the data set has no response");
    return {};
}

}  // namespace

status check(const record_options& options) {
    if (options.columns) return check(*options.columns, options);
    const std::string &prompt = options.prompt_field, &response = options.response_field;
    const auto taken = [&](const std::string& field) {
        return !field.empty() &&
               (field == "id" || field == "tag" || field == "score" || field == options.own_key);
    };
    if (taken(response)) return usage_error("--response-field: \"" + response + "\" is no text");
    if (taken(prompt)) return usage_error("--prompt-field: \"" + prompt + "\" is no text");
    if (!prompt.empty() && prompt == (response.empty() ? "response" : response))
        return usage_error("--prompt-field: \"" + prompt + "\" is the response");
    return {};
}

record_reader::record_reader(record_options options)
    : state_(std::make_unique<state>(std::move(options))) {}
record_reader::record_reader(record_reader&&) noexcept = default;
record_reader::~record_reader() = default;

unsigned record_reader::state::slot_of(std::string_view key) const {
    unsigned slot = 0;
    while (slot < field_count && (names[slot].empty() || key != names[slot])) ++slot;
    return slot;
}

error_code record_reader::state::read_id(od::value value, std::string& id, bool& mistyped_id) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    const std::string_view token = trim_end(value.raw_json_token());
    if (type == od::json_type::string) return read_string(value, id, mistyped_id);
    id.assign(token);
    mistyped_id = type != od::json_type::number;
    return check(value);
}

error_code record_reader::state::read_field(unsigned slot, od::value value, pair_record& record) {
    // The last of duplicate keys counts, whatever the ones before it were.
    mistyped[slot] = false;
    bool null = false;
    if (const auto error = is_null(value, null)) return error;
    seen[slot] = !null;
    if (null) {
        if (slot == field_tag) record.has_tag = record.has_roles = false;
        if (slot == field_window) record.has_window = false;
        return check(value);
    }
    switch (slot) {
        case field_id: return read_id(value, record.id, mistyped[slot]);
        case field_task_id: return read_id(value, task_id, mistyped[slot]);
        case field_problem_id: return read_id(value, problem_id, mistyped[slot]);
        case field_level: return read_id(value, level, mistyped[slot]);
        case field_messages:
            return read_turns(value, nullptr, messages, unread_role, mistyped[slot]);
        case field_conversations:
            return read_turns(value, options.columns ? &*options.columns : nullptr, conversations,
                              unread_role, mistyped[slot]);
        case field_history: return read_history(value, history, mistyped[slot]);
        case field_tag:
            if (!wants(record_part::tag)) return check(value, 1);
            return read_tag(value, wants(record_part::roles), record, tag_mistyped);
        case field_score:
            if (!wants(record_part::score)) return check(value, 1);
            score_mistyped = {};
            return read_score(value, record.token_end, record.confidence, score_mistyped);
        case field_window:
            if (!wants(record_part::window)) return check(value, 1);
            record.has_window = true;
            return read_window(value, record.window, mistyped[slot]);
        default: return read_string(value, text[slot], mistyped[slot]);
    }
}

status record_reader::state::missing(field_name slot, const pair_record& record) const {
    // Columns are named in a file.
    std::string_view option;
    if (slot == field_response && !options.columns) option = "--response-field";
    if (slot == field_prompt && !options.columns) option = "--prompt-field";
    // Their names are there already where a prompt may well be missing.
    std::vector<std::string> there;
    if (!options.members)
        there = top_level_keys(record.line);
    else
        for (const record_member& member : record.members)
            if (member.json != "null") there.push_back(member.key);
    return missing_field(names[slot], there, option);
}

// Only fields that are used must exist with the right type: "input" may be anything in a record
// that has a "response".
status record_reader::state::check_string_field(field_name slot, const pair_record& record) const {
    if (!seen[slot]) return missing(slot, record);
    if (mistyped[slot]) return complain(names[slot], "not a string");
    return {};
}

status record_reader::state::choose_turns(std::vector<chat_turn>& turns, field_name slot,
                                          pair_record& record) const {
    if (mistyped[slot]) return complain(names[slot], "not an array of turns");
    if (options.columns && !unread_role.empty())
        return data_error('"' + names[slot] + "\" has a turn of the role \"" + unread_role +
                          "\", which is not read");
    std::size_t last = turns.size();
    if (options.questions && last > 0 && turns[last - 1].role == "user") {
        record.conversation.swap(turns);
        return {};
    }
    while (last > 0 && turns[last - 1].role != "assistant") --last;
    if (last == 0) return data_error('"' + names[slot] + "\" has no assistant turn");
    record.response.swap(turns[last - 1].content);
    turns.resize(last - 1);
    record.conversation.swap(turns);
    return {};
}

// The question is the first of two fields that exists.
status record_reader::state::choose_prompt(field_name first, field_name second,
                                           pair_record& record) {
    if (!wants(record_part::prompt)) return {};
    const field_name asked = seen[first] || !seen[second] ? first : second;
    CUSET_TRY(check_string_field(asked, record));
    record.conversation.push_back({"user", std::move(text[asked])});
    return {};
}

status record_reader::state::choose_alpaca(pair_record& record) {
    if (!options.prompt_field.empty()) return choose_prompt(field_prompt, field_prompt, record);
    if (!wants(record_part::prompt)) return {};
    if (!names[field_instruction].empty()) CUSET_TRY(check_string_field(field_instruction, record));
    if (mistyped[field_input]) return complain(names[field_input], "not a string");
    if (mistyped[field_history]) return complain(names[field_history], "not an array of turns");

    if (seen[field_history])
        for (chat_turn& turn : history) record.conversation.push_back(std::move(turn));
    std::string question;
    if (seen[field_instruction]) question = std::move(text[field_instruction]);
    if (seen[field_input] && !text[field_input].empty())
        question += (question.empty() ? "" : "\n") + text[field_input];
    record.conversation.push_back({"user", std::move(question)});
    return {};
}

// "system" stands beside every form of a prompt. A conversation's own system message goes before
// it, and where a field is named as the prompt there is no other.
status record_reader::state::add_system(pair_record& record) {
    auto& turns = record.conversation;
    if (!wants(record_part::prompt) || !options.prompt_field.empty() || !seen[field_system] ||
        !record.no_prompt)
        return {};
    if (mistyped[field_system]) return complain(names[field_system], "not a string");
    if (!text[field_system].empty() && (turns.empty() || turns.front().role != "system"))
        turns.insert(turns.begin(), {"system", std::move(text[field_system])});
    return {};
}

// A record that lacks a prompt is bad, unless the caller makes prompts of members.
status record_reader::state::set_prompt(status chosen, pair_record& record) const {
    if (chosen || !options.members) return chosen;
    record.conversation.clear();
    record.no_prompt = std::move(chosen);
    return {};
}

// What a record holds and nobody reads would be missing from its conversation.
status record_reader::state::check_columns() const {
    for (std::size_t i = 0; i < used.size(); ++i) {
        const auto& [field, column] = options.columns->not_read[i];
        if (used[i])
            return data_error('"' + field + "\" holds \"" + column +
                              "\" of the data set, which "
                              "is not read");
    }
    return {};
}

// Chooses the pair among the fields of the line.
status record_reader::state::choose_pair(pair_record& record) {
    record.conversation.clear();
    record.no_prompt = {};
    CUSET_TRY(check_columns());
    const auto take = [&](field_name answer) -> status {
        CUSET_TRY(check_string_field(answer, record));
        record.response.swap(text[answer]);
        return {};
    };
    if (seen[field_response]) {
        CUSET_TRY(take(field_response));
        return set_prompt(choose_prompt(field_prompt, field_task_prompt, record), record);
    }
    if (seen[field_messages]) return choose_turns(messages, field_messages, record);
    if (seen[field_conversations]) return choose_turns(conversations, field_conversations, record);
    if (seen[field_output]) {
        CUSET_TRY(take(field_output));
        return set_prompt(choose_alpaca(record), record);
    }
    if (seen[field_task_response]) {
        CUSET_TRY(take(field_task_response));
        return set_prompt(choose_prompt(field_prompt, field_task_prompt, record), record);
    }
    if (options.questions) {
        record.response.clear();
        const bool alpaca = (seen[field_instruction] && !seen[field_prompt]) || options.columns;
        return set_prompt(
            alpaca ? choose_alpaca(record) : choose_prompt(field_prompt, field_task_prompt, record),
            record);
    }
    const auto answer = !options.columns                   ? field_response
                        : options.columns->is_conversation ? field_conversations
                                                           : field_output;
    return missing(answer, record);
}

status record_reader::state::check_score(const pair_record& record) const {
    if (!seen[field_score])
        return data_error("\"score\" is missing (pipe the records through cuset-score)");
    if (score_mistyped.score) return complain("score", "not an object");
    if (score_mistyped.end) return complain("score.end", "not an array of byte offsets");
    if (score_mistyped.confidence) return complain("score.confidence", "not an array of numbers");
    if (record.token_end.size() != record.confidence.size())
        return data_error("\"score\": \"end\" and \"confidence\" differ in length");
    for (std::size_t i = 0; i < record.confidence.size(); ++i) {
        if (!(record.confidence[i] >= 0 && record.confidence[i] <= 1))
            return data_error("\"score.confidence\" lies outside [0, 1]");
        if (i > 0 && record.token_end[i] < record.token_end[i - 1])
            return data_error("\"score.end\" falls");
    }
    return {};
}

// Checks the value under the tool's own key and notes its place.
error_code record_reader::state::find_own_value(od::document& document, od::value value,
                                                pair_record& record) const {
    const std::string_view token = value.raw_json_token();
    record.has_own_key = true;
    record.own_begin = static_cast<std::size_t>(token.data() - record.line.data());
    if (const auto error = check(value, 1)) return error;
    return find_end(document, record.line, token, record.own_end);
}

error_code record_reader::state::read_value(od::document& document, std::string_view key,
                                            od::value value, pair_record& record) {
    if (key == options.own_key) return find_own_value(document, value, record);
    const unsigned slot = slot_of(key);
    for (std::size_t i = 0; i < used.size() && slot == field_count; ++i)
        if (options.columns->not_read[i].first == key) {
            bool is_used = false;
            const auto error = read_use(value, is_used);
            used[i] = is_used;
            return error;
        }
    return slot < field_count ? read_field(slot, value, record) : check(value, 1);
}

error_code record_reader::state::read_member(od::document& document, std::string_view key,
                                             od::value value, pair_record& record) {
    if (!options.members) return read_value(document, key, value, record);
    std::string name(key);
    const std::string_view token = value.raw_json_token();
    if (const auto error = read_value(document, key, value, record)) return error;
    std::size_t end = 0;
    if (const auto error = find_end(document, record.line, token, end)) return error;
    const auto begin = static_cast<std::size_t>(token.data() - record.line.data());
    record.members.push_back({std::move(name), record.line.substr(begin, end - begin)});
    return SUCCESS;
}

status record_reader::read(const line& l, pair_record& record) {
    state& s = *state_;
    record.line = l.text;
    record.number = l.number;
    record.has_own_key = record.has_roles = record.has_tag = record.has_window = false;
    record.is_empty_object = true;
    record.members.clear();
    record.before_response.clear();
    record.after_response.clear();
    s.seen.fill(false);
    s.mistyped.fill(false);
    s.unread_role.clear();
    s.has_code = false;
    s.used.assign(s.options.columns ? s.options.columns->not_read.size() : 0, false);

    od::document document;
    const simdjson::padded_string_view padded(l.text.data(), l.text.size(),
                                              l.text.size() + line_padding);
    if (const auto error = s.parser.iterate(padded).get(document)) return json_error(error);
    const std::size_t brace = l.text.find('{');
    if (l.text.find_first_not_of(" \t\r") != brace) return data_error("not a JSON object");
    if (trim_end(l.text).size() == brace + 1)
        return data_error("this record takes several lines: jq -c writes it on one");
    od::object object;
    if (const auto error = document.get_object().get(object)) return json_error(error);

    std::string storage;
    for (auto member : object) {
        od::field field;
        if (const auto error = std::move(member).get(field)) return json_error(error);
        record.is_empty_object = false;
        std::string_view key;
        if (const auto error = decode_key(field, storage, key)) return json_error(error);
        s.has_code |= key == "code";
        if (const auto error = s.read_member(document, key, field.value(), record))
            return json_error(error);
    }
    // A document that ends with its object is out of bounds now.
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
        return data_error("not valid JSON");
    record.closing_brace = trim_end(l.text).size() - 1;

    if (s.mistyped[field_id]) return complain("id", "neither a string nor a number");
    record.has_id = true;
    if (!s.seen[field_id]) {
        record.has_id = true;
        if (s.is_read(field_task_id)) {
            record.id = s.task_id;
        } else if (s.has_code && s.is_read(field_problem_id)) {
            record.id = (s.is_read(field_level) ? s.level + '/' : std::string()) + s.problem_id;
        } else {
            record.has_id = false;
            record.id = std::to_string(l.number);
        }
    }
    if (s.wants(record_part::response) || s.wants(record_part::prompt)) {
        CUSET_TRY(s.choose_pair(record));
        CUSET_TRY(s.add_system(record));
    }
    if (s.wants(record_part::tag) && s.seen[field_tag] && s.tag_mistyped.tag)
        return complain("tag", "not an object with an array of spans (kind, name, begin, end)");
    if (s.wants(record_part::tag) && s.seen[field_tag] && s.tag_mistyped.roles)
        return complain("tag.roles", "not an array of [role, begin, end] that do not overlap");
    if (s.wants(record_part::score)) CUSET_TRY(s.check_score(record));
    if (s.wants(record_part::window) && s.mistyped[field_window])
        return complain("window", "not an object with a range of tokens and their mean (min)");
    return {};
}

}  // namespace cuset
