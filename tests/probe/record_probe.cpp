// Shows how the record reader reads each line of standard input, for tests that compare it with
// another parser: {"line", "error"} or {"line", "id", "conversation", "response", "spliced"}.
// "spliced" is the line with "own" set to [0].
#include <cstdio>
#include <string>

#include "cuset/stream/json_text.h"
#include "cuset/stream/line_reader.h"
#include "cuset/stream/pair_record.h"

using namespace cuset;

namespace {

void append_member(std::string_view key, std::string_view text, std::string& out) {
    out += ',';
    append_json_string(key, out);
    out += ':';
    append_json_string(text, out);
}

std::string describe(const status& read, const pair_record& record) {
    std::string out = "{\"line\":" + std::to_string(record.number);
    if (!read) {
        append_member("error", read.message(), out);
        return out + "}\n";
    }
    append_member("id", record.id, out);
    append_member("response", record.response, out);
    out += ",\"conversation\":[";
    for (const chat_turn& turn : record.conversation) {
        if (out.back() != '[') out += ',';
        out += '[';
        append_json_string(turn.role, out);
        out += ',';
        append_json_string(turn.content, out);
        out += ']';
    }
    out += ']';
    std::string spliced;
    splice(record, "own", "[0]", spliced);
    append_member("spliced", spliced, out);
    return out + "}\n";
}

}  // namespace

int main() {
    auto in = input::open("-");
    if (!in) return 2;
    std::vector<input> inputs;
    inputs.push_back(std::move(in).value());
    line_reader lines(std::move(inputs), 4096);
    record_reader reader({.parts = record_part::response | record_part::prompt,
                          .own_key = "own",
                          .prompt_field = {},
                          .response_field = {}});
    line_batch batch;
    pair_record record;
    for (;;) {
        const auto more = lines.next(batch);
        if (!more) return 1;
        if (!more.value()) return 0;
        for (const line& l : batch.lines) {
            const std::string text = describe(reader.read(l, record), record);
            std::fwrite(text.data(), 1, text.size(), stdout);
        }
    }
}
