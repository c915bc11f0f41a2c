#include "sources.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unordered_map>

#include "cuset/base/log.h"
#include "cuset/base/sha256.h"
#include "cuset/endpoint/endpoint.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/line_log.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

namespace {

constexpr std::string_view ask_for_hip = R"(--- user
Translate this file from CUDA to HIP, for hipcc. It must do the same. Answer with the whole file.

```cuda
{source}
```
)";
constexpr std::string_view ask_for_cuda = R"(--- user
Translate this file from HIP to CUDA, for nvcc. It must do the same. Answer with the whole file.

```hip
{source}
```
)";

/// A source's record, and what the ask file makes of it.
class source_asker {
public:
    static result<source_asker> open(const curate_flags& flags) {
        CUSET_ASSIGN(ask_options options, to_ask_options(flags.ask, flags.fields));
        record_options wanted;
        wanted.parts = record_part::prompt;
        wanted.questions = true;
        complete(wanted, options);
        if (options.ask == curate_flags().ask.ask) {
            CUSET_ASSIGN(
                task_ask ask,
                task_ask::read("--pairs", flags.pairs == "cuda-hip" ? ask_for_hip : ask_for_cuda));
            return source_asker(std::move(wanted), std::move(ask));
        }
        CUSET_ASSIGN(task_ask ask, task_ask::open(std::move(options)));
        return source_asker(std::move(wanted), std::move(ask));
    }

    /// Whether a record has the other language's text. A line that is no record has it too, and
    /// read() tells what is wrong.
    bool has_twin(const curation_line& l) const {
        pair_record record;
        record_reader reader(wanted_);
        if (!reader.read({.text = l.view(), .number = 1}, record)) return true;
        return std::ranges::any_of(
            record.members, [](const record_member& member) { return member.key == "source"; });
    }
    /// Sets the record's conversation. `l` outlives it.
    status read(const curation_line& l, pair_record& record) const {
        record_reader reader(wanted_);
        CUSET_TRY(reader.read({.text = l.view(), .number = 1}, record));
        return ask_.apply(record);
    }

private:
    source_asker(record_options wanted, task_ask ask)
        : wanted_(std::move(wanted)), ask_(std::move(ask)) {}
    record_options wanted_;
    task_ask ask_;
};

/// The record's line with a question before its members.
std::string with_question(const std::vector<chat_turn>& conversation, const std::string& line) {
    std::string members = "{";
    append_question(conversation, {}, members);
    return members + line.substr(1);
}

/// The text without a model's reasoning and the white space that follows it; as it is without
/// reasoning. Empty if nothing but white space is left.
std::string_view behind_reasoning(std::string_view text) {
    const std::size_t end = end_of_reasoning(text);
    const std::size_t first = text.find_first_not_of(" \t\r\n", end);
    if (first == text.npos) return {};
    return end > 0 ? text.substr(first) : text;
}

status check_turns(const std::vector<chat_turn>& conversation) {
    const std::size_t systems = !conversation.empty() && conversation.front().role == "system";
    if (conversation.size() == systems + 1 && conversation.back().role == "user") return {};
    return usage_error("--ask: the prompt of a source is one turn of the user");
}

/// What a server wrote.
struct instruction {
    std::string text;     ///< with the reasoning in it, where the server has not taken it out
    bool is_cut = false;  ///< a limit of tokens ended it
};

/// A line of the file of --resume.
std::string kept_line(const std::string& key, const instruction& received) {
    std::string line;
    json_writer json(line);
    json.begin_object().member("id", key).member("instruction", received.text);
    if (received.is_cut) json.member("finish", "length");
    json.end_object();
    return line + '\n';
}

bool is_cut(const pair_record& kept) {
    return std::any_of(kept.members.begin(), kept.members.end(), [](const record_member& m) {
        return m.key == "finish" && m.json == "\"length\"";
    });
}

/// Instructions that an earlier run received, by the key of their question.
struct kept_answers {
    std::unordered_map<std::string, instruction> texts;
    std::optional<line_log> file;

    static result<kept_answers> open(const std::string& path) {
        kept_answers kept;
        if (path.empty()) return kept;
        record_options wanted;
        wanted.parts = record_part::prompt;
        wanted.prompt_field = "instruction";
        wanted.questions = wanted.members = true;
        const auto reader = std::make_shared<record_reader>(wanted);
        pair_record record;
        const auto visit = [&](const line& l, const std::string& place) -> status {
            status read = reader->read(l, record);
            if (read) read = record.no_prompt;
            if (!read) return std::move(read).with_prefix(place);
            kept.texts.insert_or_assign(
                record.id, instruction{record.conversation.back().content, is_cut(record)});
            return {};
        };
        CUSET_ASSIGN(kept.file, line_log::open(path, "{\"id\":", visit));
        return kept;
    }
};

}  // namespace

result<pair_maker> open_prompt_maker(const curate_flags& flags) {
    CUSET_ASSIGN(source_asker opened, source_asker::open(flags));
    const auto asker = std::make_shared<const source_asker>(std::move(opened));
    const bool needs_twin = flags.pairs != curate_flags().pairs;
    return pair_maker(
        [asker, needs_twin](const curation_line& l, std::vector<made_pair>& pairs) -> status {
            made_pair pair;
            if (needs_twin && !asker->has_twin(l)) {
                pair.line = l;
                pair.reason = drop_reason::no_twin;
                pairs.push_back(std::move(pair));
                return {};
            }
            pair_record record;
            CUSET_TRY(asker->read(l, record));
            CUSET_TRY(check_turns(record.conversation));
            set_text(pair.line, with_question(record.conversation, std::string(l.view())));
            pair.line.place = l.place;
            pairs.push_back(std::move(pair));
            return {};
        });
}

status ask_instructions(const curate_flags& flags, curation& work) {
    CUSET_ASSIGN(const source_asker asker, source_asker::open(flags));
    endpoint_options options;
    options.url = flags.endpoint;
    options.model = flags.model;
    if (const char* key = std::getenv(flags.key_variable.c_str())) options.key = key;
    options.concurrency = static_cast<std::size_t>(flags.concurrency);
    options.requests_per_minute = static_cast<std::size_t>(flags.requests_per_minute);
    options.attempts = static_cast<std::size_t>(flags.attempts);
    options.timeout_seconds = flags.request_timeout;
    CUSET_ASSIGN(endpoint server, endpoint::open(std::move(options)));
    CUSET_ASSIGN(kept_answers kept, kept_answers::open(flags.resume));

    // Numbers alone: lines are read again when their turn comes.
    std::vector<std::size_t> records;
    CUSET_TRY(work.for_kept([&](std::size_t record) {
        records.push_back(record);
        return status();
    }));
    struct asked {
        std::size_t record;
        std::string line, key;
    };
    std::unordered_map<std::size_t, asked> at_work;
    std::size_t next_record = 0, drawn = 0, failures = 0, passed_on = 0;
    const auto finish = [&](const asked& a, const instruction& received) -> status {
        if (received.is_cut || is_cut_in_reasoning(received.text))
            return work.drop(a.record, drop_reason::cut_instruction, {});
        const std::string_view text = behind_reasoning(received.text);
        if (text.empty())
            return work.drop(a.record, drop_reason::no_instruction, "\"message\":\"no answer\"");
        return work.replace(a.record, with_question({{"user", std::string(text)}}, a.line));
    };
    const auto draw = [&]() -> result<std::optional<completion_request>> {
        while (next_record < records.size()) {
            asked a{records[next_record++], {}, {}};
            CUSET_TRY(work.line_of(a.record, a.line));
            curation_line l;
            set_text(l, a.line);
            pair_record record;
            CUSET_TRY(asker.read(l, record));
            CUSET_TRY(check_turns(record.conversation));
            completion_request request;
            for (chat_turn& turn : record.conversation)
                request.messages.push_back({std::move(turn.role), std::move(turn.content)});
            request.max_new_tokens = static_cast<std::size_t>(flags.max_new_tokens);
            request.temperature = flags.temperature;
            a.key = sha256("instruction")
                        .add(server.model())
                        .add(request.messages.size() > 1 ? request.messages.front().content : "")
                        .add(request.messages.back().content)
                        .add_number(request.max_new_tokens)
                        .add_real(request.temperature)
                        .end()
                        .hexadecimal();
            request.seed = fnv1a_64(a.key);
            if (const auto known = kept.texts.find(a.key); known != kept.texts.end()) {
                ++passed_on;
                CUSET_TRY(finish(a, known->second));
                continue;
            }
            at_work.emplace(drawn++, std::move(a));
            return std::optional(std::move(request));
        }
        return std::optional<completion_request>();
    };
    constexpr std::size_t most_failures = 8;
    const auto done = [&](std::size_t number, result<completion> answer) -> status {
        const asked a = std::move(at_work.extract(number).mapped());
        if (!answer) {
            const status& why = answer.error();
            if (why.kind() != error_kind::data &&
                (why.kind() != error_kind::io || ++failures == most_failures))
                return why;
            return work.drop(a.record, drop_reason::no_instruction,
                             "\"message\":" + json_of(why.message()));
        }
        failures = 0;
        const instruction received{std::move(answer->text), answer->finish == "length"};
        if (kept.file) CUSET_TRY(kept.file->append(kept_line(a.key, received)));
        return finish(a, received);
    };
    CUSET_TRY(server.run(draw, done));
    if (kept.file) CUSET_TRY(kept.file->sync());
    if (passed_on > 0)
        log(log_level::note,
            std::to_string(passed_on) + " instructions were already in " + flags.resume);
    return {};
}

}  // namespace cuset
