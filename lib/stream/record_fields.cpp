#include "record_fields.h"

#include "number_array.h"

namespace cuset {
namespace {

using namespace json_walk;

// OpenAI content: a string, null, or parts, of which those without text are not read.
error_code read_content(od::value value, std::string& out, std::string& unread, bool& mistyped) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    out.clear();
    if (type == od::json_type::null) return check(value);
    if (type != od::json_type::array) return read_string(value, out, mistyped);
    return for_each_element(value, mistyped, [&](od::value part) {
        std::string text, kind;
        bool mistyped_text = false, mistyped_kind = false, has_text = false;
        const auto error =
            for_each_member(part, mistyped, [&](std::string_view key, od::value v) -> error_code {
                if (key == "type") return read_string(v, kind, mistyped_kind);
                if (key != "text") return check(v);
                mistyped_text = false;
                has_text = true;
                return read_string(v, text, mistyped_text);
            });
        mistyped |= mistyped_text;
        if (!has_text && unread.empty())
            unread = kind.empty() ? "a part without text" : "a part of the type \"" + kind + '"';
        out += text;
        return error;
    });
}

// The names that conversations have by themselves.
void name_role(chat_turn& turn) {
    if (turn.role == "human") turn.role = "user";
    if (turn.role == "gpt") turn.role = "assistant";
}

void name_role(chat_turn& turn, const record_columns& columns, std::string& unread) {
    if (turn.role == columns.user_tag)
        turn.role = "user";
    else if (turn.role == columns.assistant_tag)
        turn.role = "assistant";
    else if (turn.role == columns.system_tag && !columns.system_tag.empty())
        turn.role = "system";
    else if (unread.empty())
        unread = "a turn of the role \"" + (turn.role.empty() ? "(none)" : turn.role) + '"';
}

error_code read_turn(od::value value, const record_columns* columns, chat_turn& turn,
                     std::string& unread, bool& mistyped) {
    const auto is_role = [&](std::string_view key) {
        return columns ? key == columns->role_tag : key == "role" || key == "from";
    };
    const auto is_content = [&](std::string_view key) {
        return columns ? key == columns->content_tag : key == "content" || key == "value";
    };
    bool mistyped_role = false, mistyped_content = false;
    std::string unread_part, calling;
    const auto error =
        for_each_member(value, mistyped, [&](std::string_view key, od::value v) -> error_code {
            if (is_role(key)) {
                mistyped_role = false;
                return read_string(v, turn.role, mistyped_role);
            }
            if (is_content(key)) {
                mistyped_content = false;
                unread_part.clear();
                return read_content(v, turn.content, unread_part, mistyped_content);
            }
            if (key != "tool_calls" && key != "function_call") return check(v);
            bool used = false;
            const auto wrong = read_use(v, used);
            if (used) calling = key;
            return wrong;
        });
    mistyped |= mistyped_role || mistyped_content;
    if (!calling.empty()) unread_part = "a turn with \"" + calling + '"';
    if (unread.empty()) unread = std::move(unread_part);
    return error;
}

error_code read_span(od::value value, tagged_span& span, bool& mistyped) {
    enum : unsigned { kind = 1, name = 2, begin = 4, end = 8 };
    unsigned good = name;  // may be left out
    const auto reads = [&good](unsigned part, error_code error, bool wrong) {
        good = wrong ? good & ~part : good | part;
        return error;
    };
    const auto error =
        for_each_member(value, mistyped, [&](std::string_view key, od::value v) -> error_code {
            bool wrong = false;
            error_code e = SUCCESS;
            if (key == "kind") return e = read_string(v, span.kind, wrong), reads(kind, e, wrong);
            if (key == "name") return e = read_string(v, span.name, wrong), reads(name, e, wrong);
            if (key == "begin")
                return e = read_number(v, span.begin, wrong), reads(begin, e, wrong);
            if (key == "end") return e = read_number(v, span.end, wrong), reads(end, e, wrong);
            return check(v);
        });
    mistyped |= good != (kind | name | begin | end) || span.end < span.begin;
    return error;
}

// ["index",120,131]
error_code read_run(od::value value, tagged_role& run, bool& mistyped) {
    unsigned place = 0;
    const auto error = for_each_element(value, mistyped, [&](od::value item) -> error_code {
        switch (place++) {
            case 0: return read_string(item, run.role, mistyped);
            case 1: return read_number(item, run.begin, mistyped);
            case 2: return read_number(item, run.end, mistyped);
            default: return check(item);
        }
    });
    mistyped |= place != 3 || run.end < run.begin;
    return error;
}

error_code read_roles(od::value value, pair_record& record, bool& mistyped) {
    record.roles.clear();
    record.has_roles = true;
    mistyped = false;
    std::uint64_t end = 0;
    return for_each_element(value, mistyped, [&](od::value item) {
        tagged_role& run = record.roles.emplace_back();
        const auto error = read_run(item, run, mistyped);
        mistyped |= run.begin < end;
        end = run.end;
        return error;
    });
}

template <class Number>
error_code read_numbers(od::value value, std::vector<Number>& out, bool& mistyped) {
    out.clear();
    mistyped = false;
    if (read_number_array<Number>(start_of(value), [&out](Number n) { out.push_back(n); })) {
        od::array array;
        if (const auto error = value.get_array().get(array)) return error;
        return pass(array);
    }
    // A value of another type, a number of another kind, or broken JSON: the slower path finds out
    // which.
    out.clear();
    return for_each_element(value, mistyped, [&](od::value& item) {
        Number number = 0;
        const auto error = read_number(item, number, mistyped);
        out.push_back(number);
        return error;
    });
}

}  // namespace

error_code read_turns(od::value value, const record_columns* columns, std::vector<chat_turn>& out,
                      std::string& unread, bool& mistyped) {
    out.clear();
    unread.clear();
    return for_each_element(value, mistyped, [&](od::value item) {
        chat_turn& turn = out.emplace_back();
        const auto error = read_turn(item, columns, turn, unread, mistyped);
        if (columns)
            name_role(turn, *columns, unread);
        else
            name_role(turn);
        return error;
    });
}

error_code read_use(od::value value, bool& used) {
    od::json_type type{};
    if (const auto error = value.type().get(type)) return error;
    used = false;
    if (type == od::json_type::array || type == od::json_type::object) {
        const auto see = [&used](od::value v) { return used = true, check(v, 1); };
        bool mistyped = false;
        return type == od::json_type::array
                   ? for_each_element(value, mistyped, see)
                   : for_each_member(value, mistyped,
                                     [&](std::string_view, od::value v) { return see(v); });
    }
    const std::string_view token = trim_end(value.raw_json_token());
    used = token != "null" && token != "false" && token != "\"\"";
    return check(value);
}

error_code read_history(od::value value, std::vector<chat_turn>& out, bool& mistyped) {
    out.clear();
    return for_each_element(value, mistyped, [&](od::value round) {
        const std::size_t first = out.size();
        const auto error = for_each_element(round, mistyped, [&](od::value text) {
            out.push_back({(out.size() - first) % 2 == 0 ? "user" : "assistant", {}});
            return read_string(text, out.back().content, mistyped);
        });
        mistyped |= out.size() - first != 2;
        return error;
    });
}

error_code read_tag(od::value value, bool roles, pair_record& record, tag_faults& faults) {
    record.spans.clear();
    record.roles.clear();
    record.has_tag = record.has_roles = false;
    faults = {};
    bool mistyped_spans = false;
    const auto error =
        for_each_member(value, faults.tag, [&](std::string_view key, od::value v) -> error_code {
            if (key == "roles" && roles) return read_roles(v, record, faults.roles);
            if (key != "spans") return check(v);
            record.spans.clear();
            record.has_tag = true;
            mistyped_spans = false;
            return for_each_element(v, mistyped_spans, [&](od::value item) {
                return read_span(item, record.spans.emplace_back(), mistyped_spans);
            });
        });
    faults.tag |= mistyped_spans;
    return error;
}

error_code read_score(od::value value, std::vector<std::uint64_t>& end,
                      std::vector<double>& confidence, score_faults& mistyped) {
    end.clear();
    confidence.clear();
    return for_each_member(value, mistyped.score,
                           [&](std::string_view key, od::value v) -> error_code {
                               if (key == "end") return read_numbers(v, end, mistyped.end);
                               if (key == "confidence")
                                   return read_numbers(v, confidence, mistyped.confidence);
                               return check(v);
                           });
}

error_code read_window(od::value value, recorded_window& out, bool& mistyped) {
    std::vector<std::uint64_t> range;
    bool mistyped_range = true, mistyped_min = true;
    const auto error =
        for_each_member(value, mistyped, [&](std::string_view key, od::value v) -> error_code {
            if (key == "token") return read_numbers(v, range, mistyped_range);
            if (key != "min") return check(v);
            mistyped_min = false;
            return read_number(v, out.min, mistyped_min);
        });
    mistyped |= mistyped_range || mistyped_min || range.size() != 2 || range[1] < range[0];
    if (range.size() == 2) out.first = range[0], out.last = range[1];
    return error;
}

}  // namespace cuset
