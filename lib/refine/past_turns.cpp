#include "cuset/refine/past_turns.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "cuset/base/visible_text.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/refine/failure_report.h"
#include "cuset/stream/line_log.h"
#include "cuset/syntax/program_text.h"

namespace cuset {

namespace {

namespace dom = simdjson::dom;

/// What cuset-sample writes of an answer beside the answer.
struct record_of_turn {
    std::string key, parent;
    std::optional<std::size_t> turn;
};

status read(dom::parser& parser, std::string_view line, record_of_turn& record) {
    dom::element root;
    if (parser.parse(line.data(), line.size(), false).get(root)) return data_error("no JSON");
    std::string_view text;
    if (!root["key"].get(text)) record.key = text;
    if (!root["parent"].get(text)) record.parent = text;
    dom::element turn;
    if (root["turn"].get(turn) || turn.is_null()) return {};
    std::uint64_t number = 0;
    if (turn.get(number) || number == 0) return data_error("\"turn\" is no number from 1 on");
    record.turn = number;
    return {};
}

/// Stands for the key of an answer that has none.
std::string name_without_key(std::size_t turn, std::uint64_t sample) {
    return "turn " + std::to_string(turn) + ", sample " + std::to_string(sample);
}

std::string name_of(const std::string& task, std::uint64_t sample) {
    return "sample " + std::to_string(sample) + " of task \"" + visible_text(task) + '"';
}

/// Whether `a` came farther than `b`. Between equals the later turn decides, then the lower number.
bool is_better(const past_answer* a, const past_answer* b) {
    if (a->judged.reached != b->judged.reached) return a->judged.reached > b->judged.reached;
    if (a->turn != b->turn) return a->turn > b->turn;
    return a->answer.sample < b->answer.sample;
}

/// The answer as it stands in a conversation.
std::string shown_answer(const candidate& c) {
    if (c.is_code) return "```cpp\n" + c.answer + "\n```";
    std::string_view answer = std::string_view(c.answer).substr(end_of_reasoning(c.answer));
    answer.remove_prefix(std::min(answer.find_first_not_of(" \t\r\n"), answer.size()));
    return std::string(answer);
}

}  // namespace

result<past_turns> past_turns::read(refine_settings settings) {
    past_turns all(std::move(settings));
    all.turns_.resize(all.settings_.answers.size());
    for (std::size_t i = 0; i < all.turns_.size(); ++i) {
        const std::size_t before = all.last_turn_;
        CUSET_TRY(all.read_turn(i));
        if (i > 0 && !all.turns_[i].empty() && all.last_turn_ <= before)
            return data_error(all.settings_.answers[i] + " has no answers of a later turn than " +
                              all.settings_.answers[i - 1] +
                              ": --answers are given in the order of their turns");
    }
    for (const auto& turn : all.turns_)
        for (const auto& [task, answers] : turn)
            for (const auto& [sample, a] : answers) all.by_key_.emplace(task + '\n' + a.key, &a);
    return all;
}

/// Reads the answers of a turn that have a verdict.
status past_turns::read_turn(std::size_t place) {
    CUSET_TRY(read_answers(place));
    CUSET_ASSIGN(auto verdicts, read_verdicts({settings_.verdicts[place]}));
    answers_by_task& answers = turns_[place];
    turn_counts counts;
    std::uint64_t judged = 0, total = 0;
    for (const auto& [task, samples] : answers) {
        total += samples.size();
        for (const auto& [sample, a] : samples) last_turn_ = std::max(last_turn_, a.turn);
    }
    answers_by_task known;
    for (verdict& v : verdicts) {
        const auto task = answers.find(v.task);
        if (task == answers.end()) continue;
        auto node = task->second.extract(v.sample);
        if (!node) continue;
        ++judged;
        counts.passed += v.passed();
        counts.failed += can_be_mended(v);
        node.mapped().judged = std::move(v);
        known[task->first].insert(std::move(node));
    }
    counts.unjudged = total - counts.passed - counts.failed;
    if (judged == 0 && total > 0)
        return data_error(settings_.verdicts[place] + " has no verdict on an answer of " +
                          settings_.answers[place]);
    answers = std::move(known);
    counts_ = counts;
    return {};
}

status past_turns::read_answers(std::size_t place) {
    candidate_reader candidates;
    dom::parser parser;
    const auto keep = [&](const line& l, const std::string& at) -> status {
        auto found = candidates.read(l.text);
        if (!found) return std::move(found).error().with_prefix(at);
        record_of_turn record;
        if (status wrong = ::cuset::read(parser, l.text, record); !wrong)
            return std::move(wrong).with_prefix(at);
        // A line of CUDABench's results has several answers, and a key is of one.
        if (found->size() > 1) record.key.clear();
        for (candidate& c : *found) {
            const std::string task = c.task;
            const std::uint64_t sample = c.sample;
            const std::size_t turn = record.turn.value_or(place + 1);
            if (record.key.empty()) record.key = name_without_key(turn, sample);
            past_answer a{std::move(c), {}, turn, record.key, record.parent};
            if (found->size() > 1) record.key.clear();
            if (!turns_[place][task].emplace(sample, std::move(a)).second)
                return data_error(at + name_of(task, sample) + " came before");
        }
        return {};
    };
    return for_lines({settings_.answers[place]}, keep);
}

const past_answer* past_turns::parent_of(const past_answer& a) const {
    const auto named = by_key_.find(a.answer.task + '\n' + a.parent);
    if (named != by_key_.end()) return named->second;
    if (!a.parent.empty()) return nullptr;
    // Answers that others made name no parent: the same sample of the turn before.
    for (const answers_by_task& turn : turns_) {
        const auto task = turn.find(a.answer.task);
        if (task == turn.end()) continue;
        const auto sample = task->second.find(a.answer.sample);
        if (sample != task->second.end() && sample->second.turn + 1 == a.turn)
            return &sample->second;
    }
    return nullptr;
}

/// An answer and those that it goes back to, the first first.
result<std::vector<const past_answer*>> past_turns::chain_of(const past_answer& last) const {
    std::vector<const past_answer*> chain{&last};
    while (chain.back()->turn > 1) {
        const past_answer* const parent = parent_of(*chain.back());
        if (parent == nullptr || parent->turn >= chain.back()->turn)
            return data_error(name_of(last.answer.task, last.answer.sample) +
                              ": --history needs its answers of earlier turns, and one of them is "
                              "in no file of --answers, or has no verdict");
        chain.push_back(parent);
    }
    std::ranges::reverse(chain);
    return chain;
}

/// The answers to a task that are asked about.
std::vector<const past_answer*> past_turns::seeds_of(const std::string& task) const {
    std::vector<const past_answer*> seeds;
    const bool searches = settings_.best > 0;
    for (std::size_t i = searches ? 0 : turns_.size() - 1; i < turns_.size(); ++i) {
        const auto answers = turns_[i].find(task);
        if (answers == turns_[i].end()) continue;
        for (const auto& [sample, a] : answers->second) {
            if (searches && a.judged.passed()) return {};
            if (can_be_mended(a.judged)) seeds.push_back(&a);
        }
    }
    if (!searches) return seeds;
    std::ranges::sort(seeds, is_better);
    seeds.resize(std::min(seeds.size(), settings_.best));
    return seeds;
}

std::vector<planned_answer> past_turns::plan(const std::string& task) const {
    std::vector<planned_answer> planned;
    const auto seeds = seeds_of(task);
    if (seeds.empty()) return planned;
    const std::size_t count = settings_.best > 0 ? settings_.samples : seeds.size();
    for (std::size_t i = 0; i < count; ++i) {
        const past_answer& parent = *seeds[i % seeds.size()];
        planned_answer next{
            settings_.best > 0 ? i : parent.answer.sample, last_turn_ + 1, &parent, {&parent}};
        if (settings_.history != shown_history::last) {
            auto chain = chain_of(parent);
            if (chain)
                next.shown = *std::move(chain);
            else
                next.wrong = std::move(chain).error();
        }
        if (settings_.history == shown_history::best)
            next.shown = {*std::ranges::min_element(next.shown, is_better)};
        planned.push_back(std::move(next));
    }
    return planned;
}

result<std::vector<chat_turn>> continued(std::vector<chat_turn> asked, const planned_answer& next,
                                         const feedback& told) {
    for (const past_answer* const a : next.shown) {
        std::string answer = shown_answer(a->answer);
        // Chat templates and servers refuse a turn without text.
        if (answer.empty()) answer = "(no answer)";
        CUSET_ASSIGN(std::string text, told.about(a->answer, a->judged));
        asked.push_back({"assistant", std::move(answer)});
        asked.push_back({"user", std::move(text)});
    }
    return asked;
}

}  // namespace cuset
