#include "record_state.h"

namespace cuset {
namespace {

static_assert(line_padding >= simdjson::SIMDJSON_PADDING);

status json_error(error_code error) {
    if (error == simdjson::UTF8_ERROR) return data_error("invalid UTF-8");
    if (error == simdjson::CAPACITY) return data_error("line is longer than 4 GiB");
    if (error == simdjson::MEMALLOC) return data_error("line is too long for the memory there is");
    if (error == simdjson::DEPTH_ERROR)
        return data_error("nested more than " + std::to_string(depth_limit) + " deep");
    return data_error("not valid JSON");
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

constexpr std::array<std::string_view, field_count> default_names = {
    "id",       "task_id",       "problem_id",  "level", "prompt", "response",
    "messages", "conversations", "instruction", "input", "output", "system",
    "history",  "level1_prompt", "bench.cu",    "tag",   "score",  "window"};

}  // namespace

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
        case field_messages: return read_turns(value, nullptr, messages, unread[1], mistyped[slot]);
        case field_conversations:
            return read_turns(value, options.columns ? &*options.columns : nullptr, conversations,
                              unread[0], mistyped[slot]);
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
    s.unread.fill({});
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
