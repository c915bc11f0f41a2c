#include "cuset/ask/task_ask.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ask_template.h"
#include "built_in.h"
#include "cuset/base/fd.h"
#include "cuset/stream/json_text.h"
#include "task_fields.h"

namespace cuset {

namespace {

enum class ask_kind : unsigned char {
    automatic,
    plain,
    cudabench,
    computeeval,
    harness,
    kernelbench,
    counting,
    file
};

constexpr std::array<std::pair<std::string_view, ask_kind>, 7> names{{
    {"auto", ask_kind::automatic},
    {"plain", ask_kind::plain},
    {"cudabench", ask_kind::cudabench},
    {"computeeval", ask_kind::computeeval},
    {"harness", ask_kind::harness},
    {"kernelbench", ask_kind::kernelbench},
    {"counting", ask_kind::counting},
}};

std::string level_field(unsigned level) { return "level" + std::to_string(level) + "_prompt"; }

bool has_any(const task_fields& fields, std::initializer_list<std::string_view> keys) {
    return std::any_of(keys.begin(), keys.end(), [&](auto key) { return fields.has(key); });
}

/// Whether a record is a CUDABench task. Programs that check themselves may be stored like one, but
/// their files have no dtype or no shape.
bool is_cudabench(const task_fields& fields) {
    return has_any(fields,
                   {"level1_prompt", "level2_prompt", "level3_prompt", "task_description"}) &&
           fields.are_arrays("outputs") && (!fields.has("inputs") || fields.are_arrays("inputs"));
}

/// Whether a record asks for a count of its own program. The judge takes what has the fields of
/// another format for a task of that.
bool is_counting(const task_fields& fields) {
    if (!fields.has("answer") || !fields.has("bench.cu")) return false;
    if (has_any(fields, {"harness", "test_command"})) return false;
    if (fields.has("problem_id") && fields.has("code")) return false;
    const auto answer = fields.text("answer");
    return answer && answer->starts_with("cost.");
}

ask_kind kind_of(const task_fields& fields) {
    if (has_any(fields, {"messages", "conversations", "instruction"})) return ask_kind::plain;
    // A prompt says itself all that is to be said, but not what is to be counted.
    if (is_counting(fields)) return ask_kind::counting;
    if (!fields.has("prompt")) {
        if (is_cudabench(fields)) return ask_kind::cudabench;
        return fields.has("problem_id") && fields.has("code") ? ask_kind::kernelbench
                                                              : ask_kind::plain;
    }
    if (fields.has("harness")) return ask_kind::harness;
    return has_any(fields, {"build_command", "test_command", "test_files"}) ? ask_kind::computeeval
                                                                            : ask_kind::plain;
}

result<std::string> ask_file(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) {
        std::string known;
        for (const auto& [name, kind] : names) known.append(known.empty() ? "" : ", ").append(name);
        return usage_error("--ask: \"" + path + "\" is neither a file nor one of " + known);
    }
    return read_whole_file(path);
}

}  // namespace

struct task_ask::state {
    ask_options options;
    ask_kind kind = ask_kind::automatic;
    ask_template file;
    std::string cudabench, of_file;  // names of what made a conversation

    status read_file(const std::string& path, std::string_view text) {
        CUSET_ASSIGN(file, ask_template::parse(path, text));
        kind = ask_kind::file;
        of_file = "file " + hexadecimal(file.hash());
        return {};
    }
    result<std::string> prompt(ask_kind asked, const task_fields& fields) const;
    result<std::vector<chat_turn>> conversation(ask_kind asked, const task_fields& fields) const;
    result<response_frame> frame(ask_kind asked, const task_fields& fields,
                                 std::string_view response) const;
    std::string_view name(ask_kind asked) const;
};

task_ask::task_ask(std::unique_ptr<const state> s) : state_(std::move(s)) {}
task_ask::task_ask(task_ask&&) noexcept = default;
task_ask& task_ask::operator=(task_ask&&) noexcept = default;
task_ask::~task_ask() = default;

const ask_options& task_ask::options() const { return state_->options; }

result<task_ask> task_ask::open(ask_options options) {
    auto s = std::make_unique<state>();
    if (options.level != 1 && !options.prompt_field.empty())
        return usage_error("--level has no meaning beside --prompt-field");
    const auto* const named = std::find_if(names.begin(), names.end(),
                                           [&](const auto& n) { return n.first == options.ask; });
    if (named == names.end()) {
        CUSET_ASSIGN(const std::string text, ask_file(options.ask));
        CUSET_TRY(s->read_file(options.ask, text));
    } else {
        s->kind = named->second;
    }
    s->cudabench = options.prompt_field.empty() ? "cudabench level " + std::to_string(options.level)
                                                : "cudabench " + options.prompt_field;
    s->options = std::move(options);
    return task_ask(std::move(s));
}

result<task_ask> task_ask::read(const std::string& path, std::string_view text) {
    auto s = std::make_unique<state>();
    s->options.ask = path;
    CUSET_TRY(s->read_file(path, text));
    return task_ask(std::move(s));
}

void complete(record_options& wanted, const ask_options& options) {
    wanted.parts = wanted.parts | record_part::prompt;
    wanted.prompt_field = options.prompt_field;
    wanted.columns = options.columns;
    wanted.level = options.level;
    wanted.members = true;
}

/// The prompt of a task, which the ask puts among other parts.
result<std::string> task_ask::state::prompt(ask_kind asked, const task_fields& fields) const {
    if (!options.prompt_field.empty()) return fields.text(options.prompt_field);
    if (asked == ask_kind::computeeval || asked == ask_kind::harness) return fields.text("prompt");
    if (asked == ask_kind::kernelbench) return fields.text("code");
    if (asked == ask_kind::counting) return fields.text("bench.cu");
    const bool has_levels = has_any(fields, {"level1_prompt", "level2_prompt", "level3_prompt"});
    if (!has_levels && fields.has("task_description")) return fields.text("task_description");
    return fields.text(level_field(options.level));
}

result<std::vector<chat_turn>> task_ask::state::conversation(ask_kind asked,
                                                             const task_fields& fields) const {
    if (asked == ask_kind::file)
        return file.render(fields, [&](const task_fields& f) { return prompt(asked, f); });
    CUSET_ASSIGN(const std::string text, prompt(asked, fields));
    switch (asked) {
        case ask_kind::cudabench: return cudabench_conversation(fields, text);
        case ask_kind::computeeval: return computeeval_conversation(fields, text);
        case ask_kind::kernelbench: return kernelbench_conversation(fields, text);
        case ask_kind::counting: return counting_conversation(fields, text);
        default: return harness_conversation(fields, text);
    }
}

result<response_frame> task_ask::state::frame(ask_kind asked, const task_fields& fields,
                                              std::string_view response) const {
    switch (asked) {
        case ask_kind::file: return file.frame(fields);
        case ask_kind::cudabench: return frame_of_program(response, "cpp");
        case ask_kind::kernelbench: return frame_of_module(response);
        case ask_kind::counting: return response_frame{};
        default: return frame_of_program(response, fields.is_hip() ? "hip" : "cuda");
    }
}

std::string_view task_ask::state::name(ask_kind asked) const {
    switch (asked) {
        case ask_kind::cudabench: return cudabench;
        case ask_kind::computeeval: return "computeeval";
        case ask_kind::harness: return "harness";
        case ask_kind::kernelbench: return "kernelbench";
        case ask_kind::counting: return "counting";
        case ask_kind::file: return of_file;
        default: return {};
    }
}

status task_ask::apply(pair_record& record, std::string_view* made_by) const {
    const task_fields fields(record, state_->options.gpu);
    ask_kind kind = state_->kind;
    if (kind == ask_kind::automatic)
        kind = state_->options.prompt_field.empty() && !state_->options.columns ? kind_of(fields)
                                                                                : ask_kind::plain;
    if (kind == ask_kind::plain) {
        CUSET_TRY(record.no_prompt);
    } else {
        CUSET_ASSIGN(record.conversation, state_->conversation(kind, fields));
        CUSET_ASSIGN(response_frame frame, state_->frame(kind, fields, record.response));
        record.before_response = std::move(frame.before);
        record.after_response = std::move(frame.after);
    }
    if (const auto& system = state_->options.system) {
        auto& turns = record.conversation;
        if (!turns.empty() && turns.front().role == "system") turns.erase(turns.begin());
        turns.insert(turns.begin(), {"system", *system});
    }
    if (made_by) *made_by = state_->name(kind);
    return {};
}

std::string shown(const std::vector<chat_turn>& conversation) {
    std::string text;
    for (const chat_turn& turn : conversation)
        text += "--- " + turn.role + '\n' + turn.content + '\n';
    return text;
}

}  // namespace cuset
