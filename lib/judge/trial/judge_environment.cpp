#include "cuset/judge/judge_environment.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cuset/base/log.h"
#include "cuset/base/processors.h"
#include "cuset/base/visible_text.h"
#include "cuset/host/architectures.h"
#include "cuset/host/build/gxx_flags.h"
#include "cuset/judge/gpu_backend.h"
#include "cuset/judge/host_backend.h"

namespace cuset {

namespace {

using environment_options = judge_environment_options;

/// The parts of a backend.
struct machine {
    std::optional<toolkit> kit;
    std::optional<gpu> device;
    bool is_host = false;
};

/// On the host backend nvcc only confirms, and may be missing.
result<std::optional<toolkit>> find_toolkit(const environment_options& options, bool is_needed) {
    if (options.nvcc == "none" && !is_needed) return std::optional<toolkit>();
    auto found = toolkit::find(options.nvcc);
    if (found) return std::optional<toolkit>(std::move(found).value());
    const bool is_asked_for = options.nvcc != environment_options().nvcc;
    if (is_needed || is_asked_for) return found.error();
    return std::optional<toolkit>();
}

result<machine> choose(const environment_options& options) {
    machine m;
    const bool is_gpu =
        options.backend == backend_choice::gpu || (options.backend == backend_choice::automatic &&
                                                   !options.checked && !options.launcher.empty());
    m.is_host = options.backend == backend_choice::host || options.checked;
    // Looks first for what is missing most often, so that no work is in vain.
    CUSET_ASSIGN(m.kit, find_toolkit(options, is_gpu));
    if (options.launcher.empty() && (options.runs_programs || options.runs_scripts))
        m.device = find_gpu();
    if (!is_gpu && !m.is_host) m.is_host = options.runs_programs ? !m.device : !m.kit;
    if (m.is_host) return m;
    if (!m.kit) {
        CUSET_ASSIGN(m.kit, find_toolkit(options, true));
    }
    if (options.runs_programs && !m.device && options.launcher.empty())
        return unsupported(std::string("there is no GPU here: --backend host models one") +
                           (options.runs_scripts
                                ? ", --compile-only judges compiling alone, and --launcher runs "
                                  "programs elsewhere"
                                : ""));
    return m;
}

result<std::unique_ptr<program_backend>> open_host(const environment_options& given, machine found,
                                                   const judge_environment& made,
                                                   const entry_cache& cache) {
    host_options options;
    if (!given.architecture.empty()) options.architecture = given.architecture;
    if (cuda_arch_of(options.architecture).empty())
        return usage_error("--arch " + given.architecture + ": the host backend models " +
                           host_architectures());
    host_flags taken = host_flags_of(given.nvcc_flags);
    for (const auto& flag : taken.ignored)
        log(log_level::note, "--nvcc-flags: the host backend's g++ ignores " + flag);
    options.flags = std::move(taken.flags);
    options.standard = std::move(taken.standard);
    options.dialect = taken.dialect;
    options.fast_math = taken.fast_math;
    options.compile_limits.seconds = given.compile_seconds;
    options.checked = given.checked;
    options.searches = given.searches;
    options.l2_bytes = given.l2_bytes;
    options.multiprocessors = given.multiprocessors;
    options.counted_launches = given.counted_launches;
    options.schedules = given.schedules;
    options.seed = given.seed;
    const int cores = usable_processors();
    options.build_threads = given.threads > 0 ? given.threads : cores;
    const std::int64_t at_once = std::min(static_cast<std::int64_t>(given.concurrent_runs),
                                          std::int64_t{options.build_threads});
    if (given.launcher.empty())
        options.run_threads = static_cast<std::size_t>(std::max<std::int64_t>(1, cores / at_once));
    if (given.gives_nvcc_flags) options.nvcc_flags = {"-arch=" + options.architecture};
    options.nvcc_flags.insert(options.nvcc_flags.end(), given.nvcc_flags.begin(),
                              given.nvcc_flags.end());
    options.nvcc = std::move(found.kit);
    CUSET_ASSIGN(auto opened, host_backend::open(made.box, std::move(options), cache,
                                                 made.scratch.path(), given.launcher));
    return std::unique_ptr<program_backend>(std::move(opened));
}

result<std::unique_ptr<program_backend>> open_gpu(const environment_options& given, machine found,
                                                  const judge_environment& made,
                                                  const entry_cache& cache) {
    compile_options options;
    options.limits.seconds = given.compile_seconds;
    if (!given.gives_nvcc_flags && !given.architecture.empty())
        return usage_error(
            "--arch does not go with --protocol cudabench on a GPU: it gives nvcc no flags");
    std::string arch = given.architecture;
    if (arch.empty() && found.device && given.runs_programs && given.gives_nvcc_flags)
        arch = found.device->architecture;
    if (!arch.empty()) options.flags.push_back("-arch=" + arch);
    options.flags.insert(options.flags.end(), given.nvcc_flags.begin(), given.nvcc_flags.end());
    auto opened = std::make_unique<gpu_backend>(made.box, std::move(*found.kit), std::move(options),
                                                cache, made.scratch.path(), given.launcher);
    if (given.runs_programs) {
        CUSET_TRY(opened->check());
        CUSET_TRY(opened->count_launches());
        if (given.times) CUSET_TRY(opened->record_activity());
        if (given.profiles) CUSET_TRY(opened->prepare_profiling());
    }
    return std::unique_ptr<program_backend>(std::move(opened));
}

result<std::filesystem::path> cache_folder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
        return std::filesystem::path(cache) / "cuset";
    const char* home = std::getenv("HOME");
    if (home == nullptr || *home == '\0')
        return usage_error(
            "neither XDG_CACHE_HOME nor HOME is set: there is no place for the cache");
    return std::filesystem::path(home) / ".cache" / "cuset";
}

}  // namespace

backend_choice backend_named(std::string_view name) {
    return name == "gpu"    ? backend_choice::gpu
           : name == "host" ? backend_choice::host
                            : backend_choice::automatic;
}

result<std::unique_ptr<judge_environment>> judge_environment::open(
    const judge_environment_options& options) {
    CUSET_ASSIGN(machine found, choose(options));
    if (options.times && found.is_host)
        return unsupported(
            "--time needs a GPU, and there is none here: the host backend has no "
            "times (--estimate has estimates)");
    if (options.profiles && found.is_host)
        return unsupported("--profile ncu needs a GPU, and there is none here");
    CUSET_ASSIGN(sandbox box, sandbox::open(options.unsafe_no_sandbox));
    CUSET_ASSIGN(scratch_root scratch, scratch_root::make(std::filesystem::temp_directory_path()));
    auto made = std::make_unique<judge_environment>(
        judge_environment{.box = std::move(box), .scratch = std::move(scratch)});
    made->run_limits.seconds = options.run_seconds;
    made->run_limits.memory_bytes =
        options.run_memory > 0 ? options.run_memory : std::uint64_t{found.is_host ? 16U : 8U} << 30;
    // A work folder is in memory: it may hold as much, and no less than any sandbox's.
    made->run_limits.file_bytes =
        std::max(sandbox_limits().file_bytes, made->run_limits.memory_bytes);
    made->scripts.box = &made->box;
    made->scripts.gpu = found.device.has_value();
    made->scripts.scratch = made->scratch.path();
    made->scripts.limits.seconds = options.script_seconds;
    made->scripts.limits.file_bytes = made->run_limits.file_bytes;
    made->scripts.limits.memory_bytes = options.script_memory;
    made->scripts.inputs_seed = options.seed;
    const std::string device = found.device && !found.is_host ? ", " + found.device->name : "";
    CUSET_ASSIGN(auto folder, cache_folder());
    const entry_cache cache(std::move(folder), options.cache_bytes);
    if (found.is_host) {
        CUSET_ASSIGN(made->backend, open_host(options, std::move(found), *made, cache));
    } else {
        CUSET_ASSIGN(made->backend, open_gpu(options, std::move(found), *made, cache));
    }
    cache.trim();  // while the runtime is held
    if (options.runs_scripts) {
        CUSET_ASSIGN(made->scripts.python, python_interpreter::find(options.python));
        CUSET_TRY(made->scripts.python.check(made->box, made->scratch.path() / "python"));
    }
    CUSET_TRY(made->backend->check());
    if (!options.tells_backend) return made;
    const backend_description about = made->backend->description();
    log(log_level::note, "backend " + about.name + ": " + about.toolchain + device);
    return made;
}

status judge_environment::check_modules(const std::vector<const task*>& tasks,
                                        bool all_needed) const {
    std::vector<std::string_view> programs;
    std::vector<const task*> owners;  // of the programs
    std::set<std::string_view> hindered;
    for (const task* const t : tasks) {
        if (t->build || !t->unsupported.empty()) continue;
        if (!t->module.empty() && !backend->description().has_device) continue;
        for (const auto* text : {&t->generator, &t->comparer}) {
            if (!t->module.empty() && text == &t->comparer) continue;  // imports the same
            programs.push_back(*text);
            owners.push_back(t);
        }
    }
    if (programs.empty()) return {};
    CUSET_ASSIGN(const auto missing,
                 scripts.python.missing_modules(box, scratch.path() / "modules", programs));
    std::map<std::string, std::set<std::string_view>> users;
    for (std::size_t i = 0; i < programs.size(); ++i)
        for (const auto& name : missing[i]) {
            users[name].insert(owners[i]->id);
            hindered.insert(owners[i]->id);
        }
    if (users.empty()) return {};
    std::string names;
    for (const auto& [name, ids] : users)
        names += (names.empty() ? "" : ", ") + visible_text(name) + " (task " +
                 visible_text(*ids.begin()) +
                 (ids.size() > 1 ? " and " + std::to_string(ids.size() - 1) + " more" : "") + ')';
    const std::string message = scripts.python.program.string() +
                                " lacks modules that gen.py or compare.py import: " + names;
    constexpr const char* advice = "; --python names another Python";
    if (all_needed) return data_error(message + advice);
    if (hindered.size() == tasks.size()) return unsupported(message + advice);
    log(log_level::warning, message);
    return {};
}

}  // namespace cuset
