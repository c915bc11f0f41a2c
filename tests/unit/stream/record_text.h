// A line read as a record, in the form of one string.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "cuset/stream/pair_record.h"
#include "files_and_lines.h"

namespace cuset::test {

inline constexpr auto both = record_part::response | record_part::prompt;

inline record_options options(record_part parts = record_part::response,
                              std::string own_key = "tag") {
    return {
        .parts = parts, .own_key = std::move(own_key), .prompt_field = {}, .response_field = {}};
}

/// The line as a record, in one string: "role:content|...>response", or the error.
inline std::string read(std::string_view text, const record_options& o = options(both)) {
    record_reader reader(o);
    pair_record record;
    // A line before it leaves its traces in every buffer; none may show.
    const padded_line before(
        R"({"id":"old","prompt":"old","response":"old","messages":[{"role":"assistant","content":"o"}],)"
        R"("tag":{"spans":[{"kind":"kernel","begin":0,"end":1}]},"score":{"end":[1],"confidence":[0]},"window":1,)"
        R"("instruction":"old","input":"old","output":"old","system":"old","history":[["a","b"]],"bench.cu":"old"})",
        6);
    static_cast<void>(reader.read(before.get(), record));
    const padded_line padded(text);
    const status s = reader.read(padded.get(), record);
    if (!s) return s.message();
    std::string out;
    for (const chat_turn& turn : record.conversation) out += turn.role + ':' + turn.content + '|';
    return out + '>' + record.response;
}

inline std::string id(std::string_view text) {
    record_reader reader(options());
    pair_record record;
    const padded_line padded(text);
    const status s = reader.read(padded.get(), record);
    return s ? record.id : s.message();
}

inline std::string spliced(std::string_view text, std::string_view own_key = "tag",
                           std::string_view value = "V") {
    record_reader reader(options(record_part::tag, std::string(own_key)));
    pair_record record;
    const padded_line padded(text);
    const status s = reader.read(padded.get(), record);
    if (!s) return s.message();
    std::string out;
    splice(record, own_key, value, out);
    return out;
}

inline bool is_broken(std::string_view text) { return read(text) == "not valid JSON"; }

}  // namespace cuset::test
