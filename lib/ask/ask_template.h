// An ask file: messages with places for a task's members. Private to lib/ask.
//
//   # Lines before the first role are comments.
//   --- system verbatim
//   Braces mean nothing here: {gpu} and {{ stay as they are.
//   --- user
//   {task_name}: {level_prompt}
//   {inputs}
//
//   --- assistant
//   {response}
//
// The last message may be the assistant's: it says how the record's response stands in its turn.
// In a message that is not verbatim, {{ and }} are braces, and a place stands on one line:
//   {NAME}           the member NAME of the record: text, a number or a truth value
//   {level_prompt}   the description of the level, or the member that --prompt-field names
//   {inputs}         a line for each input; {outputs} likewise
//   {inputs:ITEM}    the same with ITEM for a line, where {name}, {dtype}, {shape}, {type} (of
//                    C++), {count} (of elements) and {file} are the array's
//   {context_files}  each file's path and, fenced, its content
//   {file:PATH}      the text of a file, beside the ask file if PATH is relative
// The newline at the end of a message, and of a file, is left out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "built_in.h"
#include "cuset/base/status.h"
#include "cuset/stream/pair_record.h"
#include "task_fields.h"

namespace cuset {

class ask_template {
public:
    /// A data error "PATH:LINE: …" for what is wrong in `text`, the content of the file `path`, or
    /// in a file that it names: a role that is none, an order of roles that no chat template
    /// renders, a brace or a place that cannot be read.
    static result<ask_template> parse(const std::string& path, std::string_view text);

    /// `description`: what {level_prompt} stands for, asked only if the template has it. A data
    /// error says which member is missing, or of another type, and which line of the file names it.
    template <class Description>
    result<std::vector<chat_turn>> render(const task_fields& fields,
                                          const Description& description) const;

    /// What the assistant's turn has around the response: nothing, unless the file says so. Errors
    /// are those of render().
    result<response_frame> frame(const task_fields& fields) const;

    /// A hash of all text that conversations are made of.
    std::uint64_t hash() const { return hash_; }

private:
    enum class place : unsigned char {
        text,
        member,
        level_prompt,
        inputs,
        outputs,
        context_files,
        name,
        dtype,
        shape,
        type,
        count,
        file
    };
    struct piece {
        place what = place::text;
        std::string text;         ///< the text, or the member's name
        std::size_t line = 0;     ///< of the ask file
        std::vector<piece> item;  ///< of inputs and outputs
    };
    struct message {
        std::string role;
        std::vector<piece> pieces;
    };
    class reader;

    struct answer_form {
        std::vector<piece> before, after;
    };

    result<std::string> filled(const piece& p, const task_fields& fields) const;
    result<std::string> text_of(const std::vector<piece>& pieces, const task_fields& fields) const;
    static std::string item_of(const piece& p, const task_array& array);
    status at_line(const piece& p, const status& wrong) const;

    std::string path_;
    std::vector<message> messages_;
    answer_form answer_;
    std::uint64_t hash_ = 0;
};

template <class Description>
result<std::vector<chat_turn>> ask_template::render(const task_fields& fields,
                                                    const Description& description) const {
    std::vector<chat_turn> conversation;
    for (const message& m : messages_) {
        chat_turn& turn = conversation.emplace_back();
        turn.role = m.role;
        for (const piece& p : m.pieces) {
            auto text = p.what == place::level_prompt ? description(fields) : filled(p, fields);
            if (!text) return at_line(p, text.error());
            turn.content += *text;
        }
    }
    return conversation;
}

}  // namespace cuset
