// Judges answers that are a number: a count of what a task's own program executes. Private to
// lib/judge.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "cuset/base/status.h"
#include "cuset/judge/candidate.h"
#include "cuset/judge/task.h"
#include "cuset/judge/task_data.h"
#include "cuset/judge/verdict.h"
#include "trial/meant_launches.h"
#include "trial/task_flags.h"
#include "trial/trial.h"

namespace cuset {

/// The right answers, each of which is found once, by running the task's program on the host model.
/// Any number of threads may use it at once.
class right_counts {
public:
    /// An error is a fault of this machine.
    result<right_count> get(const trial_setting& setting, const task& the_task,
                            task_data_store& data, task_flags& flags);

private:
    struct entry {
        std::mutex mutex;  // held while the program runs
        std::optional<right_count> found;
    };
    std::mutex mutex_;
    std::map<const task*, std::shared_ptr<entry>> entries_;
};

/// Fills in what the answer comes to: stage, failure, diagnostic and verdict::count.
void judge_count(const candidate& c, const count_question& asked, const right_count& right,
                 verdict& v);

}  // namespace cuset
