// The data that a task's gen.py makes: the inputs that its candidates share, and the reference that
// they never see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuset/base/status.h"
#include "cuset/judge/python.h"
#include "cuset/judge/task.h"
#include "cuset/sandbox/sandbox.h"

namespace cuset {

/// How to run the programs of the benchmark.
struct script_setting {
    const sandbox* box;
    python_interpreter python;
    sandbox_limits limits{.seconds = 600};
    bool gpu = false;
    std::filesystem::path scratch;  ///< work folders are made and removed below it
    std::uint64_t inputs_seed = 0;  ///< chooses the seeds of further sets of inputs
    /// Runs a script where the backend's programs run; a task's module needs it.
    std::function<result<run_report>(sandbox_request)> on_device = {};
};

/// One file of data/.
struct data_file {
    std::string name;  ///< with ".bin"
    std::filesystem::path path;
};

/// The files exist as long as the object lives.
class task_data {
public:
    /// Runs gen.py: as it is for set 0, and with other seeds for any other set. A data error if it
    /// fails or takes too long, with its own last words; if it does not make an input that the task
    /// names; or if it makes more than 1,000 files or limits.file_bytes, holes included.
    static result<std::shared_ptr<const task_data>> make(const task& t,
                                                         const script_setting& setting,
                                                         std::uint64_t set = 0);
    ~task_data();

    std::vector<data_file> inputs;      ///< the inputs that the task names
    std::uint64_t bytes = 0;            ///< of all of them
    std::vector<data_file> references;  ///< all other files, except those with names of outputs

private:
    task_data() = default;
    status take(const task& t, const std::filesystem::path& work, const std::filesystem::path& own,
                std::uint64_t most_bytes);
    std::filesystem::path folder_;
};

/// The data of tasks. Each is made once and kept while all of them take no more than `kept_bytes`;
/// beyond that, the least recently used go first, unless somebody is using them. Any number of
/// threads may use it at once.
class task_data_store {
public:
    task_data_store(const script_setting& setting, std::uint64_t kept_bytes)
        : setting_(setting), kept_bytes_(kept_bytes) {}
    /// Errors are those of task_data::make; the same task gives the same error again.
    result<std::shared_ptr<const task_data>> get(const task& t, std::uint64_t set = 0);

private:
    struct entry;
    void make_room();

    const script_setting& setting_;
    std::uint64_t kept_bytes_;
    std::mutex mutex_;
    std::list<std::shared_ptr<entry>> entries_;  // the most recently used comes first
};

}  // namespace cuset
