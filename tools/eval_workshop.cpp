#include "eval_workshop.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cuset/base/log.h"
#include "cuset/base/processors.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/host_backend.h"
#include "cuset/stream/pair_record.h"

namespace cuset {

namespace {

/// The parts of a backend.
struct machine {
    std::optional<toolkit> kit;
    std::optional<gpu> device;
    bool is_host = false;
};

bool runs(const eval_flags& flags) { return !flags.compile_only; }

/// Whether nvcc gets the source and the program's name alone.
bool takes_no_flags(const eval_flags& flags) { return flags.protocol == "cudabench"; }

/// On the host backend nvcc only confirms, and may be missing.
result<std::optional<toolkit>> find_toolkit(const eval_flags& flags, bool is_needed) {
    if (flags.nvcc == "none" && !is_needed) return std::optional<toolkit>();
    auto found = toolkit::find(flags.nvcc);
    if (found) return std::optional<toolkit>(std::move(found).value());
    const bool is_asked_for = flags.nvcc != eval_flags().nvcc;
    if (is_needed || is_asked_for) return found.error();
    return std::optional<toolkit>();
}

result<machine> choose(const eval_flags& flags) {
    machine m;
    const bool is_gpu = flags.backend == "gpu" ||
                        (flags.backend == "auto" && !flags.check && !flags.launcher.empty());
    m.is_host = flags.backend == "host" || flags.check;
    // Looks first for what is missing most often, so that no work is in vain.
    CUSET_ASSIGN(m.kit, find_toolkit(flags, is_gpu));
    if (flags.launcher.empty() && (runs(flags) || flags.check_tasks)) m.device = find_gpu();
    if (!is_gpu && !m.is_host) m.is_host = runs(flags) ? !m.device : !m.kit;
    if (m.is_host) return m;
    if (!m.kit) {
        CUSET_ASSIGN(m.kit, find_toolkit(flags, true));
    }
    if (runs(flags) && !m.device && flags.launcher.empty())
        return unsupported(
            "there is no GPU here: --backend host models one, --compile-only judges compiling "
            "alone, and --launcher runs programs elsewhere");
    return m;
}

result<std::unique_ptr<program_backend>> open_host(const eval_flags& flags, machine found,
                                                   const workshop& made,
                                                   const compile_cache& cache) {
    host_options options;
    if (!flags.arch.empty()) options.architecture = flags.arch;
    if (cuda_arch_of(options.architecture).empty())
        return usage_error("--arch " + flags.arch + ": the host backend models " +
                           host_architectures());
    const auto words = words_of(flags.nvcc_flags);
    host_flags taken = host_flags_of(words);
    for (const auto& flag : taken.ignored)
        log(log_level::note, "--nvcc-flags: the host backend's g++ ignores " + flag);
    options.flags = std::move(taken.flags);
    options.standard = std::move(taken.standard);
    options.dialect = taken.dialect;
    options.compile_limits.seconds = flags.compile_timeout;
    options.checked = flags.check;
    options.schedules = schedules_of(flags);
    options.seed = static_cast<std::uint64_t>(flags.seed);
    const std::int64_t cores = usable_processors();
    const std::int64_t threads = flags.stream.threads > 0 ? flags.stream.threads : cores;
    options.build_threads = static_cast<int>(threads);
    const std::int64_t at_once = std::min(flags.concurrent_runs, threads);
    if (flags.launcher.empty())
        options.run_threads = static_cast<std::size_t>(std::max<std::int64_t>(1, cores / at_once));
    if (!takes_no_flags(flags)) options.nvcc_flags = {"-arch=" + options.architecture};
    options.nvcc_flags.insert(options.nvcc_flags.end(), words.begin(), words.end());
    options.nvcc = std::move(found.kit);
    CUSET_ASSIGN(auto opened, host_backend::open(made.box, std::move(options), cache,
                                                 made.scratch.path(), words_of(flags.launcher)));
    return std::unique_ptr<program_backend>(std::move(opened));
}

result<std::unique_ptr<program_backend>> open_gpu(const eval_flags& flags, machine found,
                                                  const workshop& made,
                                                  const compile_cache& cache) {
    compile_options options;
    options.limits.seconds = flags.compile_timeout;
    if (takes_no_flags(flags) && !flags.arch.empty())
        return usage_error("--arch does not go with --protocol " + flags.protocol +
                           " on a GPU: it gives nvcc no flags");
    const bool is_told = flags.arch.empty() && found.device && runs(flags);
    const std::string arch =
        is_told && !takes_no_flags(flags) ? found.device->architecture : flags.arch;
    if (!arch.empty()) options.flags.push_back("-arch=" + arch);
    for (auto& flag : words_of(flags.nvcc_flags)) options.flags.push_back(std::move(flag));
    auto opened =
        std::make_unique<gpu_backend>(made.box, std::move(*found.kit), std::move(options), cache,
                                      made.scratch.path(), words_of(flags.launcher));
    if (runs(flags)) {
        CUSET_TRY(opened->check());
        CUSET_TRY(opened->count_launches());
    }
    return std::unique_ptr<program_backend>(std::move(opened));
}

}  // namespace

result<std::unique_ptr<workshop>> open_workshop(const eval_flags& flags) {
    CUSET_ASSIGN(machine found, choose(flags));
    CUSET_ASSIGN(sandbox box, sandbox::open(flags.unsafe_no_sandbox));
    CUSET_ASSIGN(scratch_root scratch, scratch_root::make(std::filesystem::temp_directory_path()));
    auto made = std::make_unique<workshop>(workshop{std::move(box), std::move(scratch), {}, {}});
    made->scripts.box = &made->box;
    made->scripts.gpu = found.device.has_value();
    made->scripts.scratch = made->scratch.path();
    made->scripts.limits.seconds = flags.task_timeout;
    made->scripts.limits.file_bytes = most_file_bytes(flags, found.is_host);
    made->scripts.inputs_seed = static_cast<std::uint64_t>(flags.seed);
    made->scripts.limits.memory_bytes = static_cast<std::uint64_t>(flags.task_memory) << 30;
    const std::string device = found.device && !found.is_host ? ", " + found.device->name : "";
    CUSET_ASSIGN(auto folder, cache_folder());
    const compile_cache cache(std::move(folder), static_cast<std::uint64_t>(flags.cache_size)
                                                     << 30);
    if (found.is_host) {
        CUSET_ASSIGN(made->backend, open_host(flags, std::move(found), *made, cache));
    } else {
        CUSET_ASSIGN(made->backend, open_gpu(flags, std::move(found), *made, cache));
    }
    cache.trim();  // while the runtime is held
    if (runs(flags) || flags.check_tasks) {
        CUSET_ASSIGN(made->scripts.python, python_interpreter::find(flags.python));
        CUSET_TRY(made->scripts.python.check(made->box, made->scratch.path() / "python"));
    }
    CUSET_TRY(made->backend->check());
    log(log_level::note, "backend " + std::string(made->backend->name()) + ": " +
                             made->backend->toolchain() + device);
    return made;
}

status check_modules(const eval_flags& flags, const task_set& tasks, const workshop& shop) {
    std::vector<std::string_view> programs;
    std::vector<const task*> of;
    std::set<std::string_view> hindered;
    std::size_t mine = 0;
    for (const auto& t : tasks.tasks()) {
        if (!is_in_shard(t.id, flags.stream.shard_index, flags.stream.shard_count)) continue;
        ++mine;
        if (t.build || !t.unsupported.empty()) continue;
        if (!t.module.empty() && !shop.backend->has_device()) continue;
        for (const auto* text : {&t.generator, &t.comparer}) {
            if (!t.module.empty() && text == &t.comparer) continue;  // imports the same
            programs.push_back(*text);
            of.push_back(&t);
        }
    }
    if (programs.empty()) return {};
    CUSET_ASSIGN(const auto missing, shop.scripts.python.missing_modules(
                                         shop.box, shop.scratch.path() / "modules", programs));
    std::map<std::string, std::set<std::string_view>> users;
    for (std::size_t i = 0; i < programs.size(); ++i)
        for (const auto& name : missing[i]) {
            users[name].insert(of[i]->id);
            hindered.insert(of[i]->id);
        }
    if (users.empty()) return {};
    std::string names;
    for (const auto& [name, ids] : users)
        names += (names.empty() ? "" : ", ") + visible_text(name) + " (task " +
                 visible_text(*ids.begin()) +
                 (ids.size() > 1 ? " and " + std::to_string(ids.size() - 1) + " more" : "") + ')';
    const std::string said = shop.scripts.python.program.string() +
                             " lacks modules that gen.py or compare.py import: " + names;
    if (hindered.size() == mine) return unsupported(said + "; --python names another Python");
    log(log_level::warning, said);
    return {};
}

}  // namespace cuset
