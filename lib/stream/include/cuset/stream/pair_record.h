// The prompt/response record (ARCHITECTURE.md, Streams and records), read from a raw JSON line that
// is kept as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/stream/line_reader.h"
#include "cuset/stream/record_columns.h"

namespace cuset {

/// The parts of a record that a tool needs. The rest of the line is checked to be JSON, and stays
/// as it is.
enum class record_part : unsigned {
    response = 1,
    prompt = 2,   ///< the conversation before the response
    tag = 4,      ///< tag.spans, if there is a tag
    score = 8,    ///< score.end and score.confidence, required
    window = 16,  ///< window.token and window.min, if there is a window
    roles = 32,   ///< tag.roles, if there are any; with tag
};
constexpr record_part operator|(record_part a, record_part b) {
    return static_cast<record_part>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
constexpr bool includes(record_part set, record_part part) {
    return (static_cast<unsigned>(set) & static_cast<unsigned>(part)) != 0;
}

struct record_options {
    record_part parts = record_part::response;
    std::string own_key;  ///< the key this tool adds or replaces
    /// Whether a record may be a question alone: a prompt, or a conversation that ends with the
    /// user's turn.
    bool questions = false;
    /// If not empty, these fields and no others are used: with a prompt field, conversations do not
    /// count; with a response field, nothing else is a response.
    std::string prompt_field, response_field;
    /// If there are any, these fields and no others are used.
    std::optional<record_columns> columns = {};
    /// Which of CUDABench's three descriptions is a task's prompt: 1 is "level1_prompt".
    unsigned level = 1;
    /// Whether the record's members are noted, and a record without a prompt is no error: the
    /// prompt is then made of the members.
    bool members = false;
};

/// A usage error if the options contradict each other: one field for both, a field with another
/// meaning ("id", "tag", "score" or the tool's own key), "response" as the prompt while it is the
/// response, columns beside named fields, or columns without a response where one is read.
status check(const record_options& options);

struct chat_turn {
    std::string role;  ///< system, user, assistant, tool
    std::string content;
};

/// A top-level member of a record.
struct record_member {
    std::string key;
    std::string_view json;  ///< its value in the line, checked to be JSON
};

struct tagged_span {
    std::string kind;  ///< kernel or launch
    std::string name;
    std::uint64_t begin = 0, end = 0;  ///< bytes of the response
};

struct tagged_role {
    std::string role;                  ///< not checked: a name of cuset/syntax/roles.h
    std::uint64_t begin = 0, end = 0;  ///< bytes of the response
};

struct recorded_window {
    std::uint64_t first = 0, last = 0;  ///< tokens, half open; not compared with the score's
    double min = 0;                     ///< their mean confidence
};

/// One record. Views point into the line; everything else is owned and reused from one read to the
/// next.
struct pair_record {
    std::string_view line;
    std::uint64_t number = 0;
    std::size_t source = 0;  ///< which of the stream's inputs it came from; filter_records sets it

    std::string id;       ///< as text, or what record_reader takes for it; else the line's number
    bool has_id = false;  ///< it is not the line's number
    std::string response;
    std::vector<chat_turn> conversation;  ///< all before the response
    /// What the assistant's turn has around the response, such as the lines of a fence. Empty after
    /// a read: whoever makes the conversation sets them.
    std::string before_response, after_response;

    std::vector<record_member> members;  ///< in the line's order, if they were asked for
    status no_prompt;                    ///< then: why the conversation is not there, or success

    bool has_tag = false;
    std::vector<tagged_span> spans;
    bool has_roles = false;
    std::vector<tagged_role> roles;        ///< sorted, without overlaps
    std::vector<std::uint64_t> token_end;  ///< score.end, never falling
    std::vector<double> confidence;        ///< score.confidence, as many, each in [0, 1]

    bool has_window = false;
    recorded_window window;

    // The place of the tool's own value. It replaces [own_begin, own_end) of the line or, if the
    // key is not there yet, is inserted before the closing brace at `closing_brace`.
    bool has_own_key = false;
    std::size_t own_begin = 0, own_end = 0;
    std::size_t closing_brace = 0;
    bool is_empty_object = false;
};

/// Reads records; keeps its parser and buffers. One for each thread.
///
/// Accepted pairs: "prompt" and "response"; "messages" (OpenAI; content a string or text parts);
/// "conversations" (ShareGPT); "instruction", "input", "output", "history" (Alpaca); a CUDABench
/// task ("level1_prompt", "bench.cu"). Tried in this order, by which response is there; "system"
/// beside them is the system message, unless there is one or a field is named as the prompt;
/// record_options::columns names other fields and roles. Of duplicate keys the last counts. A
/// record's id is its "id" or, where that is missing and "task_id" (ComputeEval) is a string or a
/// number, that; where both are missing, "LEVEL/PROBLEM_ID" of "level" and "problem_id" beside
/// "code" (KernelBench), or the latter alone.
class record_reader {
public:
    explicit record_reader(record_options options);
    record_reader(record_reader&&) noexcept;
    ~record_reader();

    /// The line must have line_padding readable bytes behind it. A data error says what is wrong
    /// with the record, without the file's name and the line number.
    status read(const line& l, pair_record& record);

private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Appends the record's line to `out` with `value` (JSON) under the tool's own key, and a newline.
/// Every other byte stays as it is.
void splice(const pair_record& record, std::string_view own_key, std::string_view value,
            std::string& out);

/// FNV-1a, 64 bits, of an id's text: what --shard takes the remainder of.
std::uint64_t fnv1a_64(std::string_view text);

/// Whether a record of this id is of shard `index` of `count`.
inline bool is_in_shard(std::string_view id, std::uint64_t index, std::uint64_t count) {
    return fnv1a_64(id) % count == index;
}

}  // namespace cuset
