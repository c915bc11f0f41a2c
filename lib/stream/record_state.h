// What a record reader holds while it reads one line: the fields as they stand there
// (record_reader.cpp), from which the pair is chosen once all are read (pair_choice.cpp). Private
// to lib/stream.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/stream/pair_record.h"
#include "json_walk.h"
#include "record_fields.h"

namespace cuset {

using namespace json_walk;

/// A slot of the record that a field of some name fills.
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

/// The error `"FIELD" is WHAT`, of a field that is there with another type.
inline status complain(std::string_view field, std::string_view what) {
    return data_error('"' + std::string(field) + "\" is " + std::string(what));
}

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
    bool has_code = false;              // a member "code", which KernelBench's problems have
    std::array<std::string, 2> unread;  // of "conversations", of "messages"
    std::vector<bool> used;             // of the columns that are not read
    std::vector<chat_turn> messages, conversations, history;
    score_faults score_mistyped;
    tag_faults tag_mistyped;
};

}  // namespace cuset
