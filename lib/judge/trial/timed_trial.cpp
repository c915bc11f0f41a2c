#include "trial/timed_trial.h"

#include <utility>

#include "trial/timed_runs.h"

namespace cuset {

namespace {

result<timed_run> run_timed(const trial_setting& setting, const task& the_task,
                            const task_data& made, const std::filesystem::path& program) {
    run_order order(0);
    order.records_activity = true;
    CUSET_ASSIGN(const trial t, run_and_compare(setting, the_task, made, program, order));
    timed_run run{times_of_activity(t.activity), t.run_seconds};
    if (t.failed.why == failure::none) return run;
    run.times = {};
    run.times.fault = "a run that was measured failed: " + std::string(name_of(t.failed.why));
    if (!t.failed.diagnostic.empty()) run.times.fault += ": " + t.failed.diagnostic;
    return run;
}

}  // namespace

result<program_time> time_programs(const trial_setting& setting, const task& the_task,
                                   const task_data& made, const std::filesystem::path& candidate,
                                   const std::filesystem::path& reference, std::uint64_t runs) {
    const auto run_of = [&](const std::filesystem::path& program) {
        return [&] { return run_timed(setting, the_task, made, program); };
    };
    timing_plan plan;
    plan.candidate = run_of(candidate);
    plan.reference = run_of(reference);
    plan.settle = [&] {
        setting.device.acquire();
        status settled = setting.backend.settle_device();
        setting.device.release();
        return settled;
    };
    plan.clock = [&] { return setting.backend.device_clock(); };
    plan.runs = runs;
    return time_in_turn(plan);
}

}  // namespace cuset
