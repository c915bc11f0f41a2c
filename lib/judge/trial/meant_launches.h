// The launches that a question about counts means, among those that a run counted. Private to
// lib/judge.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuset/cost/cost_record.h"
#include "cuset/judge/task.h"
#include "cuset/judge/verdict.h"

namespace cuset {

/// The right answer to a question about counts.
struct right_count {
    /// none, unsupported (the host model lacks what the program needs, or does not count it), or
    /// evaluator (the task is at fault), with the reason.
    failure why = failure::none;
    std::string diagnostic;
    double expected = 0;
    std::optional<bool> hidden_flops;  ///< see has_hidden_flops()
};

right_count no_count(failure why, std::string diagnostic);

struct meant_launches {
    std::vector<const launch_cost*> costs;
    std::uint64_t launches = 0;
    std::uint64_t of_all = 0;  ///< launches of any kernel
    /// Of any kernel too: the runtime tells those beyond 1,000 configurations as one line, which
    /// has no kernel's name.
    std::uint64_t nameless = 0;
};

meant_launches meant_in(const program_cost& cost, const count_question& asked);

/// The sum over launches that are meant.
right_count value_of_meant(const meant_launches& meant, const count_question& asked);

/// The right answer, or the reason why there is none, where the question means all launches.
right_count value_of_all(const program_cost& cost, const count_question& asked);

/// Why no launch is meant; `found` has none.
right_count none_is_meant(const meant_launches& found, const program_cost& cost,
                          const count_question& asked);

}  // namespace cuset
