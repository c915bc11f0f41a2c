#include "cuset/curate/candidate_join.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "cuset/judge/candidate.h"
#include "cuset/judge/task.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/line_log.h"

namespace cuset {

namespace {

/// What counts of a verdict.
struct known_verdict {
    stage reached = stage::answered;
    failure why = failure::none;
    double seconds = 0;
    digest task;
};

struct asked_task {
    std::vector<chat_turn> conversation;
    std::string id_json;  ///< as the tasks' file has it
    std::string family;
    digest hash;
};

std::string place_of(const std::string& task, std::uint64_t sample) {
    return std::to_string(sample) + ' ' + task;
}

std::string json_of_id(const std::string& id) {
    std::string text;
    json_writer(text).id(id);
    return text;
}

/// The members of a candidate's record that its pair has from elsewhere.
bool is_made_anew(std::string_view key) {
    static constexpr std::array<std::string_view, 10> keys = {
        "id",     "task",     "sample",   "family",        "system",
        "prompt", "response", "messages", "conversations", "curate"};
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

record_options question_options() {
    record_options wanted;
    wanted.parts = record_part::prompt;
    wanted.questions = true;
    wanted.members = true;
    return wanted;
}

/// What a later turn's answer was asked, by its own record: "messages" beside "turn". Empty for any
/// other answer.
result<std::vector<chat_turn>> asked_in_turn(const pair_record& candidate) {
    static thread_local record_reader reader(question_options());
    static thread_local pair_record question;
    const auto member = [&](std::string_view key) {
        return std::find_if(candidate.members.begin(), candidate.members.end(),
                            [&](const record_member& m) { return m.key == key; });
    };
    const auto messages = member("messages");
    if (member("turn") == candidate.members.end() || messages == candidate.members.end())
        return std::vector<chat_turn>();
    // The reader would take the candidate's response for the answer to another field.
    std::string text = "{\"messages\":" + std::string(messages->json) + '}';
    const std::size_t length = text.size();
    text.resize(length + line_padding);
    CUSET_TRY(reader.read({std::string_view(text).substr(0, length), candidate.number}, question));
    CUSET_TRY(question.no_prompt);
    return std::move(question.conversation);
}

drop_reason reason_of(const known_verdict& v, wanted_stage wanted) {
    const stage least = wanted == wanted_stage::compiled ? stage::compiled
                        : wanted == wanted_stage::ran    ? stage::ran
                                                         : stage::correct;
    if (v.why == failure::evaluator) return drop_reason::not_judged;
    if (v.reached >= least) return drop_reason::none;
    return v.why == failure::unsupported ? drop_reason::not_judged : drop_reason::failed;
}

}  // namespace

bool append_question(const std::vector<chat_turn>& conversation, const std::string& response,
                     std::string& members) {
    const std::size_t systems = !conversation.empty() && conversation.front().role == "system";
    if (conversation.size() == systems + 1 && conversation.back().role == "user") {
        if (systems > 0) members += "\"system\":" + json_of(conversation.front().content) + ',';
        members += "\"prompt\":" + json_of(conversation.back().content) + ',';
        return false;
    }
    members += "\"messages\":";
    json_writer json(members);
    json.begin_array();
    for (const chat_turn& turn : conversation)
        json.begin_object().member("role", turn.role).member("content", turn.content).end_object();
    json.begin_object().member("role", "assistant").member("content", response).end_object();
    json.end_array();
    members += ',';
    return true;
}

struct candidate_join::state {
    join_options options;
    std::unordered_map<std::string, asked_task> tasks;
    std::unordered_map<std::string, known_verdict> verdicts;

    status read_tasks();
    status read_verdict_files();
    /// `in_turn`: what was asked in a later turn, or nothing.
    made_pair pair_of(const candidate& c, const pair_record* record,
                      const std::vector<chat_turn>& in_turn) const;
};

candidate_join::candidate_join(std::unique_ptr<const state> s) : state_(std::move(s)) {}
candidate_join::candidate_join(candidate_join&&) noexcept = default;
candidate_join& candidate_join::operator=(candidate_join&&) noexcept = default;
candidate_join::~candidate_join() = default;

status candidate_join::state::read_tasks() {
    record_options wanted = question_options();
    complete(wanted, options.ask);
    CUSET_TRY(check(wanted));
    CUSET_ASSIGN(const task_ask ask, task_ask::open(options.ask));
    record_reader reader(wanted);
    pair_record record;
    const auto visit = [&](const line& l, const std::string& at) -> status {
        status read = reader.read(l, record);
        if (read) read = ask.apply(record);
        if (!read) return std::move(read).with_prefix(at);
        asked_task t{record.conversation, json_of_id(record.id), {}, {}};
        if (!tasks.emplace(record.id, std::move(t)).second)
            return data_error(at + "task \"" + record.id + "\" came before");
        return {};
    };
    return for_lines({options.tasks}, visit);
}

status candidate_join::state::read_verdict_files() {
    // The judge's own reading of the tasks: their families, and hashes that verdicts have too.
    CUSET_ASSIGN(const task_set judged, task_set::read(options.tasks));
    for (const task& t : judged.tasks())
        if (const auto asked = tasks.find(t.id); asked != tasks.end()) {
            asked->second.family = t.family;
            asked->second.hash = t.hash();
        }
    CUSET_ASSIGN(const std::vector<verdict> all, read_verdicts(options.verdicts));
    if (all.empty()) return {};
    const evaluation_setting& setting = all.front().setting;
    if (options.stage == wanted_stage::checked && !is_checked(setting))
        return usage_error("--stage checked needs the verdicts of cuset-eval --check (these: " +
                           describe(setting) + ')');
    if (options.stage != wanted_stage::compiled && setting.backend == "compile-only")
        return usage_error("verdicts of --compile-only tell --stage compiled alone");
    for (const verdict& v : all)
        verdicts.insert_or_assign(place_of(v.task, v.sample),
                                  known_verdict{v.reached, v.why, v.run_seconds, v.task_hash});
    return {};
}

result<candidate_join> candidate_join::open(join_options options) {
    auto s = std::make_unique<state>();
    s->options = std::move(options);
    if (s->options.tasks == "-") return usage_error("--tasks: standard input is no FILE");
    CUSET_TRY(s->read_tasks());
    if (!s->options.verdicts.empty()) CUSET_TRY(s->read_verdict_files());
    return candidate_join(std::move(s));
}

made_pair candidate_join::state::pair_of(const candidate& c, const pair_record* record,
                                         const std::vector<chat_turn>& in_turn) const {
    made_pair pair;
    const auto task = tasks.find(c.task);
    const bool has_task = task != tasks.end();
    std::string id = c.task + '/' + std::to_string(c.sample);
    if (!in_turn.empty())
        for (const record_member& m : record->members)
            if (m.key == "turn") id += '/' + std::string(m.json);
    std::string line = "{\"id\":" + json_of(id);
    line += ",\"task\":" + (has_task ? task->second.id_json : json_of_id(c.task));
    line += ",\"sample\":" + std::to_string(c.sample) + ',';
    // A code of CUDABench's results stands without its fence.
    const std::string response = c.is_code ? "```cpp\n" + c.answer + "\n```" : c.answer;
    bool has_response = false;
    if (has_task) {
        if (!task->second.family.empty())
            line += "\"family\":" + json_of(task->second.family) + ',';
        has_response =
            append_question(in_turn.empty() ? task->second.conversation : in_turn, response, line);
    }
    if (!has_response) line += "\"response\":" + json_of(response) + ',';
    line.back() = '}';
    if (record != nullptr) {
        line.pop_back();
        for (const record_member& m : record->members)
            if (!is_made_anew(m.key)) line += ',' + json_of(m.key) + ':' + std::string(m.json);
        line += '}';
    }
    set_text(pair.line, line);
    if (!has_task) {
        pair.reason = drop_reason::no_task;
        return pair;
    }
    if (options.verdicts.empty()) return pair;
    const auto verdict = verdicts.find(place_of(c.task, c.sample));
    if (verdict == verdicts.end()) {
        pair.reason = drop_reason::no_verdict;
        return pair;
    }
    const known_verdict& v = verdict->second;
    pair.notes = "\"stage\":" + json_of(name_of(v.reached));
    if (v.why != failure::none) pair.notes += ",\"failure\":" + json_of(name_of(v.why));
    if (v.reached >= stage::ran) pair.seconds = v.seconds;
    pair.reason =
        v.task == task->second.hash ? reason_of(v, options.stage) : drop_reason::other_task;
    return pair;
}

status candidate_join::make(const curation_line& l, std::vector<made_pair>& pairs) const {
    static thread_local candidate_reader candidates;
    static thread_local record_reader members(question_options());
    static thread_local pair_record record;
    CUSET_ASSIGN(const std::vector<candidate> found, candidates.read(l.view()));
    const bool is_alone = found.size() == 1 && !found.front().is_code;
    std::vector<chat_turn> in_turn;
    if (is_alone) {
        CUSET_TRY(members.read({.text = l.view(), .number = 1}, record));
        CUSET_ASSIGN(in_turn, asked_in_turn(record));
    }
    for (const candidate& c : found)
        pairs.push_back(state_->pair_of(c, is_alone ? &record : nullptr, in_turn));
    for (made_pair& p : pairs) p.line.place = l.place;
    return {};
}

}  // namespace cuset
