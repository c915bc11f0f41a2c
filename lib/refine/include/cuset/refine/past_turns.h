// The answers of earlier turns with their verdicts, and which of them are asked about again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/verdict.h"
#include "cuset/refine/feedback.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

/// The answers that a conversation shows before it asks again.
enum class shown_history : unsigned char {
    last,  ///< the one that is asked about
    all,   ///< all from the first turn on
    best,  ///< of all, the one that came farthest; of several, the latest
};

struct refine_settings {
    std::vector<std::string> answers;   ///< files of candidates, one for each turn, in their order
    std::vector<std::string> verdicts;  ///< files of verdicts on them, in the same order
    shown_history history = shown_history::last;
    /// 0: each answer of the last turn that failed is asked about. Else the N answers of a task, of
    /// all turns, that came farthest, unless one passed.
    std::size_t best = 0;
    std::uint64_t samples = 1;  ///< answers to a task; with `best` alone
};

struct past_answer {
    candidate answer;
    verdict judged;
    std::size_t turn = 1;  ///< the record's "turn", or the place of its file, from 1
    /// The record's. Without one, the key is the answer's turn and sample, and the parent empty.
    std::string key, parent;
};

/// An answer that is to be made.
struct planned_answer {
    std::uint64_t sample = 0;               ///< its number in the task
    std::size_t turn = 2;                   ///< the one after the latest that any file has
    const past_answer* parent = nullptr;    ///< the answer that it mends
    std::vector<const past_answer*> shown;  ///< in the order of their turns, at least one
    status wrong{};  ///< a data error: the history needs an answer that no file has
};

struct turn_counts {
    std::uint64_t passed = 0;    ///< in the last turn, as the rest
    std::uint64_t failed = 0;    ///< by a fault of their own
    std::uint64_t unjudged = 0;  ///< unsupported, a fault of the evaluator, or without a verdict
};

class past_turns {
public:
    /// Reads all files. Errors have the file's name: those of candidates and verdicts, and a data
    /// error for a sample that a file has twice, for files that are not in the order of their
    /// turns, and for verdicts on none of the answers.
    static result<past_turns> read(refine_settings settings);

    /// The answers to make for a task, by their samples; none if no answer to it failed.
    std::vector<planned_answer> plan(const std::string& task) const;

    const turn_counts& counts() const { return counts_; }

private:
    using answers_by_sample = std::map<std::uint64_t, past_answer>;
    using answers_by_task = std::unordered_map<std::string, answers_by_sample>;

    explicit past_turns(refine_settings settings) : settings_(std::move(settings)) {}
    status read_turn(std::size_t place);
    status read_answers(std::size_t place);
    const past_answer* parent_of(const past_answer& a) const;
    result<std::vector<const past_answer*>> chain_of(const past_answer& last) const;
    std::vector<const past_answer*> seeds_of(const std::string& task) const;

    refine_settings settings_;
    std::vector<answers_by_task> turns_;
    std::unordered_map<std::string, const past_answer*> by_key_;
    turn_counts counts_;
    std::size_t last_turn_ = 1;
};

/// The conversation that ends with the last feedback: what the task was asked, then each shown
/// answer, without its thoughts, and the feedback about it.
result<std::vector<chat_turn>> continued(std::vector<chat_turn> asked, const planned_answer& next,
                                         const feedback& told);

}  // namespace cuset
