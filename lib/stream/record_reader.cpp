#include <simdjson.h>

#include <array>
#include <cstring>
#include <optional>

#include "cuset/stream/json_text.h"
#include "cuset/stream/pair_record.h"

namespace cuset {
namespace {

namespace od = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

static_assert(line_padding >= simdjson::SIMDJSON_PADDING);

constexpr int depth_limit = 1024;  // of nested arrays and objects; each costs a stack frame

std::string_view trim_end(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// The inside of the string whose opening quote stands just before `raw`.
std::string_view string_inside(const char* raw) {
    const char* end = raw;
    while (*end != '"') end += *end == '\\' ? 2 : 1;
    return {raw, static_cast<std::size_t>(end - raw)};
}

// simdjson 3.0 refuses some lone surrogates and turns others into bytes that are not UTF-8.
bool may_hold_surrogate(std::string_view inside) {
    for (std::size_t at = 0; (at = inside.find("\\u", at)) != std::string_view::npos; at += 2)
        if (at + 2 < inside.size() && (inside[at + 2] | 0x20) == 'd') return true;
    return false;
}

// Walks a value and checks all of it: On-Demand by itself looks only at what it is asked for.
error_code check_value(od::value value, int depth);

error_code check_string(od::value& value) {
    const std::string_view token = trim_end(value.raw_json_token());
    const auto decoded = value.get_string();
    if (decoded.error() != simdjson::STRING_ERROR) return decoded.error();
    std::string scratch;
    return decode_json_string(token.substr(1, token.size() - 2), scratch) ? SUCCESS
                                                                          : simdjson::STRING_ERROR;
}

error_code decode_key(od::field& field, std::string& storage, std::string_view& key) {
    const char* const raw = field.key().raw();
    const auto decoded = field.unescaped_key();
    if (decoded.error() == SUCCESS) {
        key = decoded.value_unsafe();
        return SUCCESS;
    }
    if (decoded.error() != simdjson::STRING_ERROR) return decoded.error();
    storage.clear();
    if (!decode_json_string(string_inside(raw), storage)) return simdjson::STRING_ERROR;
    key = storage;
    return SUCCESS;
}

bool is_plain_scalar(std::string_view token) {
    return token == "true" || token == "false" || token == "null" || is_json_number(token);
}

error_code check_array(od::array array, int depth) {
    for (auto element : array) {
        od::value value;
        if (const auto error = element.get(value)) return error;
        if (const auto error = check_value(value, depth)) return error;
    }
    return SUCCESS;
}

error_code check_object(od::object object, int depth) {
    std::string storage;
    for (auto member : object) {
        od::field field;
        if (const auto error = std::move(member).get(field)) return error;
        std::string_view key;
        if (const auto error = decode_key(field, storage, key)) return error;
        if (const auto error = check_value(field.value(), depth)) return error;
    }
    return SUCCESS;
}

error_code check_value(od::value value, int depth) {
    if (depth == depth_limit) return simdjson::DEPTH_ERROR;
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    switch (type) {
        case od::json_type::array: {
            od::array array;
            if (const auto error = value.get_array().get(array)) return error;
            return check_array(array, depth + 1);
        }
        case od::json_type::object: {
            od::object object;
            if (const auto error = value.get_object().get(object)) return error;
            return check_object(object, depth + 1);
        }
        case od::json_type::string: return check_string(value);
        default:
            return is_plain_scalar(trim_end(value.raw_json_token())) ? SUCCESS
                                                                     : simdjson::TAPE_ERROR;
    }
}

error_code read_string(od::value value, std::string& out) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    if (type != od::json_type::string) return simdjson::INCORRECT_TYPE;
    const std::string_view token = trim_end(value.raw_json_token());
    const std::string_view inside = token.substr(1, token.size() - 2);
    const auto decoded = value.get_string();
    out.clear();
    if (decoded.error() == SUCCESS && !may_hold_surrogate(inside)) {
        out.assign(decoded.value_unsafe());
        return SUCCESS;
    }
    if (decoded.error() != SUCCESS && decoded.error() != simdjson::STRING_ERROR)
        return decoded.error();
    return decode_json_string(inside, out) ? SUCCESS : simdjson::STRING_ERROR;
}

// Calls visit(key, value) for each member; visit consumes the value or leaves it alone.
template <class Visit>
error_code for_each_member(od::value value, Visit visit) {
    od::object object;
    if (const auto error = value.get_object().get(object)) return error;
    std::string storage;
    for (auto member : object) {
        od::field field;
        if (const auto error = std::move(member).get(field)) return error;
        std::string_view key;
        if (const auto error = decode_key(field, storage, key)) return error;
        if (const auto error = visit(key, field.value())) return error;
    }
    return SUCCESS;
}

template <class Visit>
error_code for_each_element(od::value value, Visit visit) {
    od::array array;
    if (const auto error = value.get_array().get(array)) return error;
    for (auto element : array) {
        od::value item;
        if (const auto error = element.get(item)) return error;
        if (const auto error = visit(item)) return error;
    }
    return SUCCESS;
}

// OpenAI content: a string, null (a turn that only called tools), or text parts.
error_code read_content(od::value value, std::string& out) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    out.clear();
    if (type == od::json_type::null) return check_value(value, 0);
    if (type != od::json_type::array) return read_string(value, out);
    return for_each_element(value, [&out](od::value part) {
        std::string text;
        const auto error = for_each_member(part, [&text](std::string_view key, od::value v) {
            return key == "text" ? read_string(v, text) : check_value(v, 0);
        });
        out += text;
        return error;
    });
}

// "messages" ("role", "content") and "conversations" ("from", "value").
error_code read_turns(od::value value, std::vector<chat_turn>& turns) {
    turns.clear();
    return for_each_element(value, [&turns](od::value item) {
        chat_turn turn;
        const auto error = for_each_member(item, [&turn](std::string_view key, od::value v) {
            if (key == "role" || key == "from") return read_string(v, turn.role);
            if (key == "content" || key == "value") return read_content(v, turn.content);
            return check_value(v, 0);
        });
        if (turn.role == "human") turn.role = "user";
        if (turn.role == "gpt") turn.role = "assistant";
        turns.push_back(std::move(turn));
        return error;
    });
}

// Alpaca's "history": [[question, answer], ...].
error_code read_history(od::value value, std::vector<chat_turn>& turns) {
    turns.clear();
    return for_each_element(value, [&turns](od::value round) {
        const std::size_t first = turns.size();
        const auto error = for_each_element(round, [&](od::value text) {
            turns.push_back({(turns.size() - first) % 2 == 0 ? "user" : "assistant", {}});
            return read_string(text, turns.back().content);
        });
        if (error == SUCCESS && turns.size() - first != 2) return simdjson::INCORRECT_TYPE;
        return error;
    });
}

error_code read_spans(od::value value, std::vector<tagged_span>& spans) {
    return for_each_element(value, [&spans](od::value item) {
        tagged_span span;
        unsigned seen = 0;
        const auto error = for_each_member(item, [&](std::string_view key, od::value v) {
            if (key == "kind") return seen |= 1, read_string(v, span.kind);
            if (key == "name") return read_string(v, span.name);
            if (key == "begin") return seen |= 2, v.get_uint64().get(span.begin);
            if (key == "end") return seen |= 4, v.get_uint64().get(span.end);
            return check_value(v, 0);
        });
        if (error) return error;
        if (seen != 7 || span.end < span.begin) return simdjson::INCORRECT_TYPE;
        spans.push_back(std::move(span));
        return SUCCESS;
    });
}

status json_error(error_code error) {
    if (error == simdjson::UTF8_ERROR) return data_error("invalid UTF-8");
    if (error == simdjson::CAPACITY) return data_error("line is longer than 4 GiB");
    if (error == simdjson::MEMALLOC) return data_error("line is too long for the memory there is");
    if (error == simdjson::DEPTH_ERROR)
        return data_error("nested more than " + std::to_string(depth_limit) + " deep");
    return data_error("not valid JSON");
}

// A slot of the record that a field of some name fills.
enum field_name : unsigned char {
    field_id,
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
    field_count,
};
constexpr std::array<std::string_view, field_count> default_names = {
    "id",     "prompt", "response", "messages",      "conversations", "instruction", "input",
    "output", "system", "history",  "level1_prompt", "bench.cu",      "tag",         "score"};

}  // namespace

struct record_reader::state {
    explicit state(record_options o);
    error_code read_field(unsigned slot, od::value value, pair_record& record);
    error_code read_score(od::value value, pair_record& record);
    status choose_pair(pair_record& record);
    status fail(error_code error, std::string_view field) const;
    status missing(field_name slot) const;
    bool wants(record_part part) const { return includes(options.parts, part); }

    record_options options;
    od::parser parser;
    std::array<std::string, field_count> names;
    std::array<bool, field_count> seen{};
    std::array<bool, field_count> mistyped{};   // there, but no string
    std::array<std::string, field_count> text;  // of the fields that are plain strings
    std::vector<chat_turn> messages, conversations, history;
    std::string_view wrong_type;  // what a nested reader calls the field it could not read
};

record_reader::state::state(record_options o) : options(std::move(o)) {
    for (std::size_t i = 0; i < field_count; ++i) names[i] = default_names[i];
    if (!options.prompt_field.empty()) {
        names[field_task_prompt].clear();
        names[field_prompt] = options.prompt_field;
    }
    if (!options.response_field.empty()) {
        for (const auto other :
             {field_messages, field_conversations, field_output, field_task_response})
            names[other].clear();
        names[field_response] = options.response_field;
    }
}

record_reader::record_reader(record_options options)
    : state_(std::make_unique<state>(std::move(options))) {}
record_reader::record_reader(record_reader&&) noexcept = default;
record_reader::~record_reader() = default;

error_code record_reader::state::read_score(od::value value, pair_record& record) {
    record.token_end.clear();
    record.confidence.clear();
    return for_each_member(value, [&](std::string_view key, od::value v) -> error_code {
        if (key == "end") {
            wrong_type = "score.end";
            record.token_end.clear();
            return for_each_element(v, [&record](od::value item) {
                std::uint64_t end = 0;
                const auto error = item.get_uint64().get(end);
                record.token_end.push_back(end);
                return error;
            });
        }
        if (key == "confidence") {
            wrong_type = "score.confidence";
            record.confidence.clear();
            return for_each_element(v, [&record](od::value item) {
                double confidence = 0;
                const auto error = item.get_double().get(confidence);
                record.confidence.push_back(confidence);
                return error;
            });
        }
        return check_value(v, 0);
    });
}

error_code record_reader::state::read_field(unsigned slot, od::value value, pair_record& record) {
    seen[slot] = true;
    wrong_type = {};
    switch (slot) {
        case field_id: {
            od::json_type type{};
            if (const auto error = value.type().get(type)) return error;
            const std::string_view token = trim_end(value.raw_json_token());
            record.id_json.assign(token);
            if (type == od::json_type::string) return read_string(value, record.id);
            if (type == od::json_type::null) {
                seen[field_id] = false;
                return check_value(value, 0);
            }
            record.id.assign(token);
            return is_json_number(token) ? SUCCESS : simdjson::INCORRECT_TYPE;
        }
        case field_messages: return read_turns(value, messages);
        case field_conversations: return read_turns(value, conversations);
        case field_history: return read_history(value, history);
        case field_tag:
            if (!wants(record_part::tag)) return check_value(value, 1);
            record.spans.clear();
            record.has_tag = false;
            return for_each_member(value, [&](std::string_view key, od::value v) {
                if (key != "spans") return check_value(v, 0);
                wrong_type = "tag.spans";
                record.has_tag = true;
                record.spans.clear();
                return read_spans(v, record.spans);
            });
        case field_score:
            if (!wants(record_part::score)) return check_value(value, 1);
            return read_score(value, record);
        default: {
            // Only a pair's fields have to be strings, and only where they serve: "input" may be
            // anything in a record that has a "response".
            const auto error = read_string(value, text[slot]);
            mistyped[slot] = error == simdjson::INCORRECT_TYPE;
            if (!mistyped[slot]) return error;
            seen[slot] = false;
            return check_value(value, 1);
        }
    }
}

status record_reader::state::fail(error_code error, std::string_view field) const {
    if (error != simdjson::INCORRECT_TYPE && error != simdjson::NUMBER_ERROR &&
        error != simdjson::NUMBER_OUT_OF_RANGE)
        return json_error(error);
    const std::string_view name = wrong_type.empty() ? field : wrong_type;
    const auto complain = [&](std::string_view what) {
        return data_error('"' + std::string(name) + "\" is " + std::string(what));
    };
    if (name == "id") return complain("neither a string nor a number");
    if (name == "score.end") return complain("not an array of byte offsets");
    if (name == "score.confidence") return complain("not an array of numbers");
    if (name == "tag.spans") return complain("not an array of spans (kind, name, begin, end)");
    if (name == "tag" || name == "score") return complain("not an object");
    return complain("not an array of turns");
}

status record_reader::state::missing(field_name slot) const {
    return data_error('"' + names[slot] +
                      (mistyped[slot] ? "\" is not a string" : "\" is missing"));
}

// Chooses the pair among the fields that the line had.
status record_reader::state::choose_pair(pair_record& record) {
    record.conversation.clear();
    const auto from_turns = [&](std::vector<chat_turn>& turns, field_name slot) -> status {
        std::size_t last = turns.size();
        while (last > 0 && turns[last - 1].role != "assistant") --last;
        if (last == 0) return data_error('"' + names[slot] + "\" has no assistant turn");
        record.response.swap(turns[last - 1].content);
        turns.resize(last - 1);
        record.conversation.swap(turns);
        return {};
    };
    // The response is in `answer`; the question is the first of the fields that is there.
    const auto from_fields = [&](field_name answer, field_name question,
                                 field_name other_question) -> status {
        record.response.swap(text[answer]);
        if (!wants(record_part::prompt)) return {};
        const field_name asked = seen[question] ? question : other_question;
        if (!seen[asked]) return missing(question);
        record.conversation.push_back({"user", std::move(text[asked])});
        return {};
    };

    if (mistyped[field_response]) return missing(field_response);
    if (seen[field_response]) return from_fields(field_response, field_prompt, field_task_prompt);
    if (seen[field_messages]) return from_turns(messages, field_messages);
    if (seen[field_conversations]) return from_turns(conversations, field_conversations);
    if (seen[field_output]) {
        if (wants(record_part::prompt) && seen[field_system] && !text[field_system].empty())
            record.conversation.push_back({"system", std::move(text[field_system])});
        if (wants(record_part::prompt) && seen[field_history])
            for (chat_turn& turn : history) record.conversation.push_back(std::move(turn));
        std::string& question = text[field_instruction];
        if (seen[field_input] && !text[field_input].empty())
            question += (question.empty() ? "" : "\n") + text[field_input];
        return from_fields(field_output, field_instruction, field_instruction);
    }
    if (seen[field_task_response])
        return from_fields(field_task_response, field_prompt, field_task_prompt);
    return missing(field_response);
}

status record_reader::read(const line& l, pair_record& record) {
    state& s = *state_;
    record.line = l.text;
    record.number = l.number;
    record.has_own_key = record.has_tag = false;
    record.is_empty_object = true;
    s.seen.fill(false);
    s.mistyped.fill(false);

    od::document document;
    const simdjson::padded_string_view padded(l.text.data(), l.text.size(),
                                              l.text.size() + line_padding);
    if (const auto error = s.parser.iterate(padded).get(document)) return json_error(error);
    if (l.text.find_first_not_of(" \t\r") != l.text.find('{')) {
        return data_error("not a JSON object");
    }
    od::object object;
    if (const auto error = document.get_object().get(object)) return json_error(error);

    std::string storage;
    for (auto member : object) {
        od::field field;
        if (const auto error = std::move(member).get(field)) return json_error(error);
        record.is_empty_object = false;
        std::string_view key;
        if (const auto error = decode_key(field, storage, key)) return json_error(error);
        od::value value = field.value();

        if (key == s.options.own_key) {
            const std::string_view token = value.raw_json_token();
            record.own_begin = static_cast<std::size_t>(token.data() - l.text.data());
            record.has_own_key = true;
            od::json_type type{};
            if (const auto error = value.type().get(type)) return json_error(error);
            if (const auto error = check_value(value, 1)) return json_error(error);
            record.own_end = record.own_begin + trim_end(token).size();
            if (type == od::json_type::array || type == od::json_type::object) {
                const char* next = nullptr;
                if (const auto error = document.current_location().get(next))
                    return json_error(error);
                const auto length = static_cast<std::size_t>(next - l.text.data());
                record.own_end = trim_end(l.text.substr(0, length)).size();
            }
            continue;
        }
        unsigned slot = 0;
        while (slot < field_count && (s.names[slot].empty() || key != s.names[slot])) ++slot;
        const auto error =
            slot < field_count ? s.read_field(slot, value, record) : check_value(value, 1);
        if (error) return s.fail(error, slot < field_count ? s.names[slot] : key);
    }
    // Out of bounds is where a document that ends with its object stands now.
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
        return data_error("not valid JSON");
    record.closing_brace = trim_end(l.text).size() - 1;

    if (!s.seen[field_id]) record.id = record.id_json = std::to_string(l.number);
    if (s.wants(record_part::response) || s.wants(record_part::prompt))
        CUSET_TRY(s.choose_pair(record));
    if (s.wants(record_part::score)) {
        if (!s.seen[field_score])
            return data_error("\"score\" is missing (pipe the records through cuset-score)");
        if (record.token_end.size() != record.confidence.size())
            return data_error("\"score\": \"end\" and \"confidence\" differ in length");
        for (std::size_t i = 0; i < record.confidence.size(); ++i) {
            if (!(record.confidence[i] >= 0 && record.confidence[i] <= 1))
                return data_error("\"score.confidence\" lies outside [0, 1]");
            if (i > 0 && record.token_end[i] < record.token_end[i - 1])
                return data_error("\"score.end\" falls");
        }
    }
    return {};
}

void splice(const pair_record& record, std::string_view own_key, std::string_view value,
            std::string& out) {
    if (record.has_own_key) {
        out += record.line.substr(0, record.own_begin);
        out += value;
        out += record.line.substr(record.own_end);
    } else {
        out += record.line.substr(0, record.closing_brace);
        if (!record.is_empty_object) out += ',';
        append_json_string(own_key, out);
        out += ':';
        out += value;
        out += record.line.substr(record.closing_brace);
    }
    out += '\n';
}

std::uint64_t fnv1a_64(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001b3;
    }
    return hash;
}

}  // namespace cuset
