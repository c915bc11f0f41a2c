// Turns tasks into samples to make, and answers into candidates in the order of the tasks.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cuset/ask/task_ask.h"
#include "cuset/base/status.h"
#include "cuset/refine/feedback.h"
#include "cuset/refine/past_turns.h"
#include "cuset/sample/candidate_log.h"
#include "cuset/stream/line_source.h"
#include "cuset/stream/output.h"
#include "cuset/stream/pair_record.h"
#include "cuset/stream/progress.h"
#include "cuset/text/chat_template.h"

namespace cuset {

/// A question in the form that the answering side needs.
struct question {
    std::string task;
    std::vector<chat_message> conversation;
    line_source::kept_line line;
    std::shared_ptr<const std::vector<std::int32_t>> tokens;  ///< set for a model on this machine
    std::size_t turn = 1;
    std::string parent = {};  ///< of a later turn: the key of the answer that is mended
};

/// How later turns are made.
struct refinement {
    past_turns past;
    feedback told;
};

struct wanted_sample {
    std::shared_ptr<const question> of;
    std::uint64_t sample = 0;
    std::size_t order = 0;  ///< position in the output, from 0
    std::uint64_t key = 0;  ///< key of the candidate's record
    std::uint64_t random_key = 0;
};

struct feed_options {
    std::uint64_t samples = 1;
    std::uint64_t seed = 0;
    std::uint64_t setting_key = 0;           ///< a hash of all else that answers depend on
    std::string model;                       ///< the model's name in records
    bool needs_scores = false;               ///< those in the log must have them
    std::optional<refinement> refined = {};  ///< then answers that failed are asked about again
};

/// What is read of a task that is asked so.
record_options what_is_read(const ask_options& asked);

class sample_feed {
public:
    /// Prepares a question; a data error makes its line a bad one.
    using preparation = std::function<status(question&)>;

    sample_feed(feed_options options, task_ask ask, line_source lines, output out,
                std::optional<candidate_log> kept, preparation prepare);

    /// The next sample that is not in the log yet; candidates in the log go to the output.
    result<std::optional<wanted_sample>> next();
    /// Whether next() would wait for the writer of our input.
    bool would_wait() const { return next_planned_ == planned_.size() && lines_.would_wait(); }
    /// Writes a candidate to the log, and to the output when its turn comes.
    status deliver(const wanted_sample& what, std::string_view response,
                   std::optional<std::uint64_t> tokens, std::string_view finish,
                   std::optional<candidate_score> score = {}, std::string_view thought = {});
    /// Sets the line of a task aside, or returns the error: there will be no answer.
    status fail(const wanted_sample& what, status reason);
    /// Counts tokens that were made, for the progress line.
    void count(std::uint64_t tokens);
    /// Writes a text for people to the output, in place of candidates.
    status show(std::string_view text) { return out_.write(text); }
    status finish();

    std::uint64_t records() const { return lines_.records(); }
    std::uint64_t rejected() const { return lines_.rejected(); }
    std::uint64_t passed_on() const { return passed_on_; }
    /// Answers of the last turn that failed; 0 without refinement.
    std::uint64_t failed_before() const {
        return options_.refined ? options_.refined->past.counts().failed : 0;
    }
    std::uint64_t planned() const { return planned_in_all_; }  ///< samples, up to here

private:
    /// A sample of the task that was read last.
    struct planned_sample {
        std::shared_ptr<const question> of;
        std::uint64_t sample = 0;
    };

    result<bool> next_task();
    status plan_samples();
    status plan_turns(const question& asked);
    status emit(std::size_t order, std::string line);

    feed_options options_;
    task_ask ask_;
    line_source lines_;
    output out_;
    std::optional<candidate_log> kept_;
    preparation prepare_;
    record_reader reader_;
    pair_record record_;
    std::vector<planned_sample> planned_;
    std::size_t next_planned_ = 0;
    status left_out_;  ///< why a turn of this task cannot be asked
    std::uint64_t planned_in_all_ = 0;
    std::size_t next_order_ = 0;
    std::unordered_set<std::string> seen_, set_aside_;
    line_order order_;
    progress_meter progress_{"tokens"};
    std::uint64_t tokens_ = 0, passed_on_ = 0, delivered_ = 0;
};

}  // namespace cuset
