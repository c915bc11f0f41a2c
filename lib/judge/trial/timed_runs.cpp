#include "trial/timed_runs.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cuset/base/format.h"

namespace cuset {

namespace {

/// The figures of one program's runs, in seconds.
struct series {
    std::vector<double> device, kernels, memory, transfers, process;

    void add(const timed_run& run) {
        device.push_back(run.times.device);
        kernels.push_back(run.times.kernels);
        memory.push_back(run.times.memory);
        transfers.push_back(run.times.transfers);
        process.push_back(run.process_seconds);
    }
};

/// Why the program's time is no time of its work; empty if it is.
std::string moved_work(const program_time& time) {
    const double saved = time.reference.median - time.device.median;
    const double longer = time.process.median - time.reference_process.median;
    const double least = std::max({saved, 0.2 * time.reference_process.median, 0.05});
    if (saved <= 0 || longer <= least || time.process.lower <= time.reference_process.upper)
        return {};
    return format(
        "it takes %.3g us less on the GPU than bench.cu, and %.3g ms more in all: work was moved "
        "to "
        "the host",
        saved * 1e6, longer * 1e3);
}

program_time summary_of(const series& candidate, const series& reference) {
    program_time time;
    time.runs = candidate.device.size();
    std::vector<double> ratios;
    for (std::size_t i = 0; i < candidate.device.size(); ++i)
        ratios.push_back(reference.device[i] / candidate.device[i]);
    time.speedup = spread_of(ratios).median;
    time.device = spread_of(candidate.device);
    time.reference = spread_of(reference.device);
    time.kernels = spread_of(candidate.kernels).median;
    time.memory = spread_of(candidate.memory).median;
    time.transfers = spread_of(candidate.transfers).median;
    time.process = spread_of(candidate.process);
    time.reference_process = spread_of(reference.process);
    return time;
}

/// Runs the program once more, behind settle(). Returns why the run does not count; empty if it
/// does.
result<std::string> add_run(const timing_plan& plan, bool is_candidate, series* to) {
    CUSET_TRY(plan.settle());
    CUSET_ASSIGN(const timed_run run, is_candidate ? plan.candidate() : plan.reference());
    if (!run.times.fault.empty())
        return (is_candidate ? std::string() : "bench.cu: ") + run.times.fault;
    if (!(run.times.device > 0))
        return std::string(is_candidate ? "" : "bench.cu: ") + "the GPU's work took no time";
    if (to != nullptr) to->add(run);
    return std::string();
}

}  // namespace

result<program_time> time_in_turn(const timing_plan& plan) {
    program_time time;
    series candidate, reference;
    const auto before = plan.clock();
    for (std::uint64_t pair = 0; pair < plan.warm_ups + plan.runs; ++pair) {
        const bool is_counted = pair >= plan.warm_ups;
        for (const bool is_second : {false, true}) {
            const bool is_candidate = is_second == (pair % 2 == 1);
            series* const to = !is_counted ? nullptr : is_candidate ? &candidate : &reference;
            CUSET_ASSIGN(time.not_timed, add_run(plan, is_candidate, to));
            if (!time.not_timed.empty()) return time;
        }
    }
    program_time found = summary_of(candidate, reference);
    found.clock_before = before;
    found.clock_after = plan.clock();
    time.not_timed = moved_work(found);
    return time.not_timed.empty() ? found : time;
}

}  // namespace cuset
