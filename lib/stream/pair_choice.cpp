#include "cuset/stream/json_text.h"
#include "missing_field.h"
#include "record_state.h"

namespace cuset {

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
    if (!unread[slot == field_messages].empty())
        return data_error('"' + names[slot] + "\" has " + unread[slot == field_messages] +
                          ", which is not read");
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

}  // namespace cuset
