#include "trial/count_trial.h"

#include <utility>

#include "cuset/base/format.h"
#include "cuset/judge/compiler.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "tasks/stated_count.h"
#include "trial/cost_count.h"

namespace cuset {

namespace {

/// The runs of one task's program.
class counted_runs {
public:
    counted_runs(const trial_setting& setting, const task& the_task, const task_data* made,
                 const flag_list& flags)
        : setting_(setting),
          task_(the_task),
          made_(made),
          source_(single_file(the_task.program, flags, the_task.is_hip)) {}

    /// Of the first so many launches; 0: of all.
    result<verdict> count(std::uint64_t launches) const;

private:
    result<trial> run_once(const trial_setting& setting, const compilation& made,
                           run_order order) const;

    const trial_setting& setting_;
    const task& task_;
    const task_data* made_;  // null: the task has no inputs
    program_source source_;
};

result<trial> counted_runs::run_once(const trial_setting& setting, const compilation& made,
                                     run_order order) const {
    trial t;
    CUSET_ASSIGN(const scratch_folder scratch, scratch_folder::make(setting.scripts.scratch));
    sandbox_request request;
    request.work = scratch.path() / "run";
    CUSET_TRY(make_folder(request.work / "data"));
    if (made_ != nullptr)
        for (const auto& file : made_->inputs)
            request.mounts.push_back({file.path, "/job/data/" + file.name});
    const auto& words = task_.question->arguments;
    request.command = {"./program"};
    request.command.insert(request.command.end(), words.begin(), words.end());
    CUSET_ASSIGN([[maybe_unused]] const program_outcome outcome,
                 run_program(setting, made.program, std::move(request), order, "program", t));
    return t;
}

result<verdict> counted_runs::count(std::uint64_t launches) const {
    verdict v;
    v.reached = stage::extracted;
    CUSET_TRY(run_counted(
        setting_, source_,
        [&](const trial_setting& once, const compilation& made, run_order order) {
            order.counted_launches = launches;
            return run_once(once, made, order);
        },
        v));
    // A program that ends itself with another code may be right all the same.
    if (v.why == failure::wrong_exit) v.why = failure::none;
    return v;
}

/// Why a run's counts are not to be had; `none` if they are.
right_count fault_of(const verdict& v) {
    if (v.why == failure::unsupported)
        return no_count(failure::unsupported, "bench.cu: " + v.diagnostic);
    if (!v.passed()) {
        std::string text = "bench.cu itself fails: ";
        text += name_of(v.why);
        if (!v.diagnostic.empty()) text += ": " + v.diagnostic;
        return no_count(failure::evaluator, std::move(text));
    }
    return {};
}

/// Finds the first launch that is meant by counting the first 1, 2, 4, … launches, and then between
/// two of these numbers: what is counted last has one launch more than what lacks it.
result<right_count> count_first(const counted_runs& runs, const count_question& asked) {
    constexpr std::uint64_t most = std::uint64_t{1} << 30;
    std::uint64_t without = 0, with = 1;
    verdict v;
    meant_launches meant;
    for (bool is_found = false;;) {
        const std::uint64_t launches = is_found ? without + (with - without) / 2 : with;
        CUSET_ASSIGN(verdict counted, runs.count(launches));
        if (right_count fault = fault_of(counted); fault.why != failure::none) return fault;
        meant_launches found = meant_in(counted.cost, asked);
        if (found.launches > 0) {
            is_found = true;
            with = launches;
            v = std::move(counted);
            meant = meant_in(v.cost, asked);
            if (meant.launches == 1) return value_of_meant(meant, asked);
        } else if (is_found) {
            without = launches;
        } else if (found.nameless > 0 || found.of_all < launches || launches >= most) {
            return none_is_meant(found, counted.cost, asked);
        } else {
            without = launches;
            with = 2 * launches;
        }
        if (is_found && with - without <= 1)
            return no_count(failure::evaluator, "bench.cu does not launch its kernels twice alike");
    }
}

result<right_count> count_all(const counted_runs& runs, const count_question& asked) {
    CUSET_ASSIGN(const verdict v, runs.count(0));
    if (right_count fault = fault_of(v); fault.why != failure::none) return fault;
    return value_of_all(v.cost, asked);
}

result<right_count> count_program(const trial_setting& setting, const task& the_task,
                                  task_data_store& data, task_flags& flags_of_tasks) {
    if (setting.backend.description().name != "host")
        return no_count(failure::unsupported, "counts, which the host backend alone makes");
    std::shared_ptr<const task_data> made;
    if (!the_task.generator.empty()) {
        auto inputs = data.get(the_task);
        if (!inputs && inputs.error().kind() != error_kind::data) return inputs.error();
        if (!inputs) return no_count(failure::evaluator, inputs.error().message());
        made = *inputs;
    }
    flag_list flags;
    CUSET_ASSIGN([[maybe_unused]] const compilation compiled,
                 flags_of_tasks.compile(the_task, the_task.program, flags));
    const counted_runs runs(setting, the_task, made.get(), flags);
    return the_task.question->all_launches ? count_all(runs, *the_task.question)
                                           : count_first(runs, *the_task.question);
}

/// In the words of the record.
std::string shown(double number) { return format("%.15g", number); }

}  // namespace

result<right_count> right_counts::get(const trial_setting& setting, const task& the_task,
                                      task_data_store& data, task_flags& flags) {
    std::shared_ptr<entry> place;
    {
        const std::lock_guard lock(mutex_);
        auto& at = entries_[&the_task];
        if (!at) at = std::make_shared<entry>();
        place = at;
    }
    const std::lock_guard lock(place->mutex);
    if (!place->found) {
        CUSET_ASSIGN(place->found, count_program(setting, the_task, data, flags));
    }
    return *place->found;
}

void judge_count(const candidate& c, const count_question& asked, const right_count& right,
                 verdict& v) {
    count_outcome& count = v.count.emplace();
    count.quantity = asked.quantity;
    count.category = asked.category;
    // Benchmarks ask for both widths at once, and have a name for each.
    const std::string_view other = asked.quantity.starts_with("cost.fp32")   ? "sp_flop_count"
                                   : asked.quantity.starts_with("cost.fp64") ? "dp_flop_count"
                                                                             : "";
    const stated_count stated = read_stated_count(c.answer, other);
    count.answer = stated.number;
    count.stated_hidden_flops = stated.has_hidden_flops;
    if (right.why != failure::none) {
        v.why = right.why;
        v.reached = right.why == failure::unsupported ? stage::extracted : stage::answered;
        v.diagnostic = right.diagnostic;
        return;
    }
    count.expected = right.expected;
    count.hidden_flops = right.hidden_flops;
    if (!stated.number) {
        v.why = failure::no_number;
        v.diagnostic = "the answer states no number";
        return;
    }
    const auto error = count.relative_error();
    v.reached = stage::correct;
    if (error && *error <= asked.tolerance) return;
    v.why = failure::wrong_number;
    v.reached = stage::extracted;  // nothing of an answer is compiled
    v.diagnostic = "the answer is " + shown(*stated.number);
    v.diagnostic += error ? ", whose relative error is " + format("%.4g", *error) +
                                "; the task allows " + format("%.4g", asked.tolerance)
                          : ", and the count is 0";
}

}  // namespace cuset
