#include "cuset/judge/judge.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string_view>
#include <utility>

#include "cuset/base/visible_text.h"
#include "cuset/host/hip.h"
#include "tasks/answer.h"
#include "tasks/script_run.h"
#include "trial/asked_flags.h"
#include "trial/build_trial.h"
#include "trial/cost_count.h"
#include "trial/count_trial.h"
#include "trial/launches_in_source.h"
#include "trial/module_trial.h"
#include "trial/profiled_trial.h"
#include "trial/race_search.h"
#include "trial/task_flags.h"
#include "trial/timed_trial.h"
#include "trial/trial.h"
#include "trial/untimed_source.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

judge_options with_rule(judge_options options) {
    if (is_of_cudabench(options.rule)) {
        options.fence = fence_choice::first;  // not used
        options.accept_no_launch = true;
    }
    return options;
}

program_time not_timed(std::string why) {
    program_time none;
    none.not_timed = std::move(why);
    return none;
}

std::uint64_t input_bytes(const task_data& made) {
    std::uint64_t bytes = 0;
    for (const auto& file : made.inputs) {
        std::error_code error;
        const std::uintmax_t size = fs::file_size(file.path, error);
        if (!error) bytes += size;
    }
    return bytes;
}

bool may_launch(const task& the_task, std::string_view source) {
    return the_task.is_hip ? can_launch(with_cuda_names(source)) : can_launch(source);
}

}  // namespace

struct judge::state {
    const program_backend& backend;
    script_setting scripts;
    judge_options options;
    evaluation_setting setting;
    task_data_store data;
    task_flags flags_of_tasks;
    right_counts counts_of_tasks;
    std::counting_semaphore<> device;  // one place for each program that may run
    struct reference {
        std::mutex mutex;  // held while it is tried
        std::optional<std::string> fault;
        bool is_counted = false;
        std::optional<double> seconds;  // estimated
    };
    std::mutex references_mutex;
    std::map<std::pair<const task*, std::uint64_t>, std::shared_ptr<reference>> references;

    state(const program_backend& b, script_setting s, judge_options o)
        : backend(b),
          scripts(std::move(s)),
          options(with_rule(o)),
          setting{options.compile_only ? "compile-only" : b.description().name,
                  b.description().toolchain, options.rule,
                  options.compile_only ? 1 : options.inputs},
          data(scripts, options.kept_bytes),
          flags_of_tasks(backend, is_of_cudabench(options.rule)),
          device(static_cast<std::ptrdiff_t>(options.concurrent_runs)) {
        scripts.on_device = [this](sandbox_request request) {
            device.acquire();
            auto report = backend.run_on_device(std::move(request));
            device.release();
            return report;
        };
    }

    /// What a diagnostic begins with where it is of other inputs than the first.
    std::string words_for_set(std::uint64_t set) const {
        return set == 0 ? std::string()
                        : "inputs " + std::to_string(set + 1) + " of " +
                              std::to_string(setting.inputs) + ": ";
    }
    /// For runs of the task's own program, or of an answer to it.
    trial_setting setting_of(const task& the_task, std::string_view source) {
        return {.backend = backend,
                .scripts = scripts,
                .limits = options.run_limits,
                .device = device,
                .rule = options.rule,
                .sources = {source},
                .is_hip = the_task.is_hip};
    }
    result<verdict> decide(const candidate& c, const task& the_task);
    /// Returns the failure up to compiling, or none; `compiled` is then whole.
    result<failure> compile(const candidate& c, const task& the_task, std::string_view& source,
                            flag_list& flags, compilation& compiled, verdict& v);
    /// Returns whether the backend's runtime has said if the results come from kernels.
    result<bool> run(const task& the_task, std::string_view source, const fs::path& program,
                     verdict& v);
    std::shared_ptr<reference> reference_of(const task& the_task, std::uint64_t set);
    /// Why bench.cu does not pass a set of inputs; empty if it does. Tried once for each set.
    result<std::string> reference_fault(const task& the_task, std::uint64_t set,
                                        const task_data& made);
    result<std::string> tried_reference(const task& the_task, const task_data& made);
    /// If it failed in a way that a race may cause: runs it with the threads of each warp in step,
    /// and takes that verdict if it passes.
    status try_in_step(const task& the_task, std::string_view source, const flag_list& flags,
                       verdict& v);
    /// Shows the program and its verdict to a look (race_search.h), which can run it on that set of
    /// the task's inputs.
    using searched_look = decltype(search_for_races);
    status search(const task& the_task, std::string_view source, const flag_list& flags,
                  std::uint64_t set, searched_look look, verdict& v);
    /// What a program that passed costs, and how that compares with the task's own.
    status count(const task& the_task, std::string_view source, const flag_list& flags, verdict& v);
    /// The estimated seconds of the task's own program; nothing where it is not counted.
    status count_reference(const task& the_task, const flag_list& flags, const fs::path& program,
                           verdict& own);
    result<std::optional<double>> reference_seconds(const task& the_task);
    /// How long a program that passed takes, beside the task's own.
    status time(const task& the_task, std::string_view source, const flag_list& flags,
                const fs::path& program, verdict& v);
    /// How near a program that passed comes to the GPU's roofline.
    status profile(const task& the_task, std::string_view source, const flag_list& flags,
                   const fs::path& program, verdict& v);
    /// The line of a bad access, by the first set of inputs whose run has one.
    status name_line(const task& the_task, std::string_view source, const flag_list& flags,
                     verdict& v);
    /// A stricter compiler may refuse a program that passed.
    status confirm(const task& the_task, std::string_view source, flag_list& flags, verdict& v);
};

judge::judge(const program_backend& backend, script_setting scripts, judge_options options)
    : state_(std::make_unique<state>(backend, std::move(scripts), options)) {}
judge::~judge() = default;

evaluation_setting judge::setting() const { return state_->setting; }
const script_setting& judge::scripts() const { return state_->scripts; }
result<std::shared_ptr<const task_data>> judge::data_of(const task& the_task,
                                                        std::uint64_t set) const {
    return state_->data.get(the_task, set);
}
std::uint64_t judge::inputs() const { return state_->setting.inputs; }

judge::keys judge::keys_of(const candidate& c, const task& the_task) const {
    const auto& o = state_->options;
    sha256 hash("cuset verdict");
    hash.add(c.answer).add_number(c.is_code).add(the_task.hash());
    for (const auto& file : c.files) hash.add(file.path).add(file.content);
    hash.add(state_->setting.backend).add(state_->setting.toolchain);
    hash.add_number(static_cast<std::uint64_t>(o.fence)).add_number(o.accept_no_launch);
    hash.add(name_of(o.rule));
    if (!is_of_cudabench(o.rule)) hash.add("flags of tasks");
    if (!o.compile_only) {
        hash.add_real(o.run_limits.seconds).add_number(o.run_limits.memory_bytes);
        for (const std::uint64_t seed : state_->backend.description().orders) hash.add_number(seed);
        hash.add_number(o.inputs);
        if (o.counts) hash.add("counts").add(o.estimated ? o.estimated->name : "");
        if (o.timed_runs > 0) hash.add("times").add_number(o.timed_runs);
        if (o.profiles) hash.add("profile");
        if (o.counts || the_task.question) hash.add(state_->backend.description().counting);
        if (o.inputs > 1) hash.add_number(state_->scripts.inputs_seed);
    }
    const digest plain = hash.end();
    return {plain,
            sha256("cuset verdict within a limit").add(plain).add_real(o.compile_seconds).end()};
}

result<failure> judge::state::compile(const candidate& c, const task& the_task,
                                      std::string_view& source, flag_list& flags,
                                      compilation& compiled, verdict& v) {
    source = program_in(c, options);
    if (source.empty()) {
        v.diagnostic = why_no_program(c, options);
        return failure::no_code;
    }
    v.reached = stage::extracted;
    CUSET_ASSIGN(compiled, flags_of_tasks.compile(the_task, source, flags));
    v.compile_seconds = compiled.seconds;
    v.diagnostic = compiled.diagnostic;
    v.compiler = compiled.messages;
    if (compiled.end == compile_end::compiled) v.reached = stage::compiled;
    return failure_of(compiled.end);
}

result<verdict> judge::decide(const candidate& c, const task& the_task) const {
    CUSET_ASSIGN(verdict v, state_->decide(c, the_task));
    const keys k = keys_of(c, the_task);
    const bool limited = v.why == failure::compile_timeout || v.why == failure::compile_limit;
    v.key = limited ? k.limited : k.plain;
    v.is_cut = c.is_cut;
    if (c.is_cut && !v.passed() && v.why != failure::evaluator)
        v.diagnostic = with_note(std::move(v.diagnostic), "a limit of tokens ended the answer");
    v.diagnostic = visible_text(v.diagnostic);  // a program may have said it
    for (finding& f : v.findings) f.message = visible_text(f.message);
    return v;
}

result<verdict> judge::state::decide(const candidate& c, const task& the_task) {
    verdict v;
    v.task = the_task.id;
    v.family = the_task.family;
    v.sample = c.sample;
    v.tokens = c.tokens;
    v.task_hash = the_task.hash();
    v.setting = setting;
    if (!the_task.unsupported.empty()) {
        v.reached = stage::extracted;
        v.why = failure::unsupported;
        v.diagnostic = the_task.unsupported;
        return v;
    }
    const trial_setting plain{backend, scripts, options.run_limits, device};
    if (the_task.question) {
        right_count right;
        if (options.compile_only) {
            right.why = failure::unsupported;
            right.diagnostic = "counts, for which programs have to run";
        } else {
            CUSET_ASSIGN(right, counts_of_tasks.get(plain, the_task, data, flags_of_tasks));
        }
        judge_count(c, *the_task.question, right, v);
        return v;
    }
    if (the_task.build || !the_task.module.empty()) {
        CUSET_TRY(the_task.build ? judge_build(plain, options, c, the_task, v)
                                 : judge_module(plain, options, c, the_task, data, v));
        if (v.passed() && options.counts)
            v.cost.not_counted = "tasks that build programs of files, and modules, are not counted";
        if (v.passed() && options.timed_runs > 0)
            v.time = not_timed("tasks that build programs of files, and modules, are not timed");
        if (v.passed() && options.profiles)
            v.profile = {"tasks that build programs of files, and modules, are not profiled"};
        return v;
    }
    std::string_view source;
    flag_list flags;
    compilation compiled;
    CUSET_ASSIGN(v.why, compile(c, the_task, source, flags, compiled, v));
    if (!v.passed() || options.compile_only) return v;
    CUSET_ASSIGN(const bool is_known, run(the_task, source, compiled.program, v));
    CUSET_TRY(try_in_step(the_task, source, flags, v));
    CUSET_TRY(name_line(the_task, source, flags, v));
    excuse(v, backend, source, the_task.is_hip);
    // A compiler's warning is shown only if something is wrong.
    if (!v.passed() && v.why != failure::evaluator)
        v.diagnostic = with_note(std::move(v.diagnostic), compiled.note);
    if (v.passed() && !options.accept_no_launch && !is_known && !may_launch(the_task, source)) {
        v.why = failure::no_kernel_launch;
        v.diagnostic = "the results are right, but the source launches no kernel";
        v.reached = stage::ran;
    }
    if (v.passed()) CUSET_TRY(confirm(the_task, source, flags, v));
    // A program that passed on the task's first inputs may race.
    if (v.passed()) CUSET_TRY(search(the_task, source, flags, 0, search_for_races, v));
    if (v.passed() && options.counts) CUSET_TRY(count(the_task, source, flags, v));
    if (v.passed() && options.timed_runs > 0)
        CUSET_TRY(time(the_task, source, flags, compiled.program, v));
    if (v.passed() && options.profiles)
        CUSET_TRY(profile(the_task, source, flags, compiled.program, v));
    if (!flags.empty() && v.why != failure::evaluator)
        v.diagnostic += (v.diagnostic.empty() ? "" : "; ") + flags_note(flags);
    return v;
}

status judge::state::try_in_step(const task& the_task, std::string_view source,
                                 const flag_list& flags, verdict& v) {
    if (!may_rely_on_steps(v.why)) return {};
    CUSET_ASSIGN(
        const compilation stepping,
        backend.compile(single_file(source, flags, the_task.is_hip), program_form::in_step));
    if (stepping.end != compile_end::compiled) return {};
    verdict again = v;
    again.run_seconds = again.compare_seconds = 0;
    CUSET_ASSIGN([[maybe_unused]] const bool is_known,
                 run(the_task, source, stepping.program, again));
    v.compile_seconds += stepping.seconds;
    v.run_seconds += again.run_seconds;
    v.compare_seconds += again.compare_seconds;
    if (again.passed()) pass_in_step(v);
    return {};
}

status judge::state::search(const task& the_task, std::string_view source, const flag_list& flags,
                            std::uint64_t set, searched_look look, verdict& v) {
    CUSET_ASSIGN(const auto made, data.get(the_task, set));
    const auto run_once = [&](const trial_setting& once, const compilation& built,
                              run_order order) {
        return once.compares ? run_and_compare(once, the_task, *made, built.program, order)
                             : run_without_comparing(once, *made, built.program, order);
    };
    return look(setting_of(the_task, source), single_file(source, flags, the_task.is_hip), run_once,
                v);
}

status judge::state::count(const task& the_task, std::string_view source, const flag_list& flags,
                           verdict& v) {
    CUSET_TRY(search(the_task, source, flags, 0, count_costs, v));
    v.cost.estimated = options.estimated;
    if (options.estimated != nullptr && !v.cost.kernels.empty()) {
        CUSET_ASSIGN(v.cost.reference_seconds, reference_seconds(the_task));
    }
    return {};
}

/// The plain run tells how long the one that counts may take, and in which order it is right.
status judge::state::count_reference(const task& the_task, const flag_list& flags,
                                     const fs::path& program, verdict& own) {
    CUSET_ASSIGN(const auto made, data.get(the_task, 0));
    CUSET_ASSIGN(const trial plain,
                 try_program(setting_of(the_task, the_task.program), the_task, *made, program));
    if (plain.failed.why != failure::none) return {};
    own.run_seconds = plain.run_seconds;
    own.order = plain.order;
    return search(the_task, the_task.program, flags, 0, count_costs, own);
}

result<std::optional<double>> judge::state::reference_seconds(const task& the_task) {
    if (the_task.program.empty()) return std::optional<double>();
    const auto found = reference_of(the_task, 0);
    const std::lock_guard lock(found->mutex);
    if (!found->is_counted) {
        verdict own;
        flag_list flags;
        CUSET_ASSIGN(const compilation compiled,
                     flags_of_tasks.compile(the_task, the_task.program, flags));
        if (compiled.end == compile_end::compiled)
            CUSET_TRY(count_reference(the_task, flags, compiled.program, own));
        own.cost.estimated = options.estimated;
        if (!own.cost.kernels.empty()) found->seconds = own.cost.seconds();
        found->is_counted = true;
    }
    return found->seconds;
}

status judge::state::time(const task& the_task, std::string_view source, const flag_list& flags,
                          const fs::path& program, verdict& v) {
    if (the_task.program.empty()) {
        v.time = not_timed("the task has no bench.cu");
        return {};
    }
    if (const std::string name = name_that_hinders_timing(source, flags); !name.empty()) {
        v.time = not_timed("the program has " + name + ", with which times could be forged");
        return {};
    }
    flag_list own_flags;
    CUSET_ASSIGN(const compilation own,
                 flags_of_tasks.compile(the_task, the_task.program, own_flags));
    if (own.end != compile_end::compiled) {
        v.time = not_timed("bench.cu does not compile: " + own.diagnostic);
        return {};
    }
    CUSET_ASSIGN(const auto made, data.get(the_task, 0));
    const trial_setting runs{backend, scripts, options.run_limits, device, false, options.rule};
    CUSET_ASSIGN(v.time,
                 time_programs(runs, the_task, *made, program, own.program, options.timed_runs));
    v.time->not_timed = visible_text(v.time->not_timed);  // a program may have said it
    return {};
}

status judge::state::profile(const task& the_task, std::string_view source, const flag_list& flags,
                             const fs::path& program, verdict& v) {
    CUSET_ASSIGN(const auto made, data.get(the_task, 0));
    const trial_setting run{backend, scripts, options.run_limits, device, false, options.rule};
    CUSET_ASSIGN(v.profile, profile_program(run, the_task, *made, {source, flags, program}));
    return {};
}

status judge::state::name_line(const task& the_task, std::string_view source,
                               const flag_list& flags, verdict& v) {
    for (std::uint64_t set = 0;
         v.why == failure::illegal_address && line_in(v.diagnostic) == 0 && set < setting.inputs;
         ++set) {
        const std::string before = v.diagnostic;
        CUSET_TRY(search(the_task, source, flags, set, name_line_of_fault, v));
        if (v.diagnostic != before) v.diagnostic = words_for_set(set) + v.diagnostic;
    }
    return {};
}

status judge::state::confirm(const task& the_task, std::string_view source, flag_list& flags,
                             verdict& v) {
    CUSET_ASSIGN(compilation strict, flags_of_tasks.confirm(the_task, source, flags));
    v.compile_seconds += strict.seconds;
    if (strict.end == compile_end::compiled) return {};
    v.why = failure_of(strict.end);
    v.diagnostic = std::move(strict.diagnostic);
    v.compiler = std::move(strict.messages);
    v.reached = stage::extracted;
    return {};
}

result<bool> judge::state::run(const task& the_task, std::string_view source,
                               const fs::path& program, verdict& v) {
    const auto evaluators = [&](std::string message) {
        v.why = failure::evaluator;
        v.reached = std::min(v.reached, stage::ran);  // an earlier set of inputs may have passed
        v.diagnostic = std::move(message);
        return false;
    };
    if (the_task.comparer.empty()) return evaluators("the task has no \"compare.py\"");
    if (the_task.outputs.empty()) return evaluators("the task names no outputs");
    // A program holds all of its data at least once.
    if (the_task.declared_bytes > options.run_limits.memory_bytes)
        return evaluators("its inputs and outputs have " + gibibytes(the_task.declared_bytes) +
                          ", and a program may take " + gibibytes(options.run_limits.memory_bytes) +
                          " (--memory)");
    bool counts_kernels = false;
    for (std::uint64_t set = 0; set < setting.inputs; ++set) {
        const std::string which = words_for_set(set);
        const auto made = data.get(the_task, set);
        if (!made) {
            if (made.error().kind() != error_kind::data) return made.error();
            return evaluators(which + made.error().message());
        }
        if (const std::uint64_t bytes = input_bytes(**made);
            bytes > options.run_limits.memory_bytes)
            return evaluators(which + "gen.py made inputs of " + gibibytes(bytes) +
                              ", and a program may take " +
                              gibibytes(options.run_limits.memory_bytes) + " (--memory)");
        if (set > 0) {
            CUSET_ASSIGN(const std::string fault, reference_fault(the_task, set, **made));
            if (!fault.empty()) return evaluators(which + "bench.cu itself fails: " + fault);
        }
        trial_setting setting_of_run = setting_of(the_task, source);
        setting_of_run.needs_kernels = set == 0 && !options.accept_no_launch;
        CUSET_ASSIGN(trial t, try_program(setting_of_run, the_task, **made, program));
        v.run_seconds += t.run_seconds;
        v.compare_seconds += t.compare_seconds;
        v.reached = t.reached;
        v.why = t.failed.why;
        v.diagnostic = t.failed.diagnostic.empty() ? std::string() : which + t.failed.diagnostic;
        v.findings = std::move(t.findings);
        if (!t.order.empty()) v.order = t.order;
        if (set == 0) counts_kernels = t.counts_kernels;
        if (!v.passed()) break;
    }
    return counts_kernels;
}

std::shared_ptr<judge::state::reference> judge::state::reference_of(const task& the_task,
                                                                    std::uint64_t set) {
    const std::lock_guard lock(references_mutex);
    auto& place = references[{&the_task, set}];
    if (!place) place = std::make_shared<reference>();
    return place;
}

result<std::string> judge::state::reference_fault(const task& the_task, std::uint64_t set,
                                                  const task_data& made) {
    if (the_task.program.empty()) return std::string();
    const auto found = reference_of(the_task, set);
    const std::lock_guard lock(found->mutex);
    if (!found->fault) {
        CUSET_ASSIGN(found->fault, tried_reference(the_task, made));
    }
    return *found->fault;
}

result<std::string> judge::state::tried_reference(const task& the_task, const task_data& made) {
    const auto fault_text = [](failure why, const std::string& diagnostic) {
        // A program that the backend does not model says nothing about the inputs.
        if (why == failure::none || why == failure::unsupported) return std::string();
        return std::string(name_of(why)) + (diagnostic.empty() ? "" : ": " + diagnostic);
    };
    flag_list flags;
    CUSET_ASSIGN(const compilation compiled,
                 flags_of_tasks.compile(the_task, the_task.program, flags));
    if (compiled.end != compile_end::compiled)
        return fault_text(failure_of(compiled.end), compiled.diagnostic);
    CUSET_ASSIGN(const trial t, try_program(setting_of(the_task, the_task.program), the_task, made,
                                            compiled.program));
    return fault_text(t.failed.why, t.failed.diagnostic);
}

}  // namespace cuset
