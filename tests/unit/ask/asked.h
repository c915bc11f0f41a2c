// A record's conversation in the form of one string, and ask files in a folder of their own.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "cuset/ask/task_ask.h"
#include "cuset/stream/pair_record.h"

namespace cuset::test {

/// The record after an ask made its conversation, and what made it.
struct asked_record {
    pair_record record;
    std::string made_by;
};

inline result<asked_record> apply_ask(std::string_view json, const ask_options& options,
                                      record_part parts = {}) {
    CUSET_ASSIGN(const task_ask ask, task_ask::open(options));
    record_options wanted{
        .parts = parts, .own_key = {}, .questions = true, .prompt_field = {}, .response_field = {}};
    complete(wanted, options);
    record_reader reader(wanted);
    std::string padded(json);
    padded.append(line_padding, '\0');
    asked_record asked;
    CUSET_TRY(reader.read({std::string_view(padded).substr(0, json.size()), 1}, asked.record));
    std::string_view by;
    CUSET_TRY(ask.apply(asked.record, &by));
    asked.made_by = by;
    asked.record.line = {};
    asked.record.members.clear();
    return asked;
}

/// "role:content|role:content|" of the record, or the error.
inline std::string asked(std::string_view json, const ask_options& options = {}) {
    const auto a = apply_ask(json, options);
    if (!a) return a.error().message();
    std::string out;
    for (const auto& turn : a->record.conversation) out += turn.role + ':' + turn.content + '|';
    return out;
}

/// The assistant's turn, with the response between | and |, or the error.
inline std::string answered(std::string_view json, const ask_options& options = {}) {
    const auto a = apply_ask(json, options, record_part::response);
    if (!a) return a.error().message();
    const pair_record& r = a->record;
    return r.before_response + '|' + r.response + '|' + r.after_response;
}

/// What made the conversation.
inline std::string made_by(std::string_view json, const ask_options& options = {}) {
    const auto a = apply_ask(json, options);
    return a ? a->made_by : std::string();
}

/// A folder that is removed with the object.
class folder {
public:
    folder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "cuset-ask-XXXXXX").string();
        path_ = ::mkdtemp(pattern.data());
    }
    ~folder() { std::filesystem::remove_all(path_); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;

    std::string write(const std::string& name, std::string_view text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

}  // namespace cuset::test
