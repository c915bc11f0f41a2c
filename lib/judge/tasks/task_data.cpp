#include "cuset/judge/task_data.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/sandbox/written_folder.h"
#include "programs.h"
#include "tasks/input_seeds.h"
#include "tasks/script_run.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// Each input and reference has a mount, and bubblewrap accepts only a few thousand.
constexpr std::size_t most_files = 1000;

bool names(const std::vector<std::string>& list, const std::string& file) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& name) { return name + ".bin" == file; });
}

}  // namespace

task_data::~task_data() { scratch_folder::remove_tree(folder_); }

result<std::shared_ptr<const task_data>> task_data::make(const task& t,
                                                         const script_setting& setting,
                                                         std::uint64_t set) {
    if (t.generator.empty()) return data_error("the task has no \"gen.py\"");
    CUSET_ASSIGN(scratch_folder scratch, scratch_folder::make(setting.scratch));
    const fs::path work = scratch.path() / "gen", own = scratch.path() / "data";
    for (const fs::path& folder : {work / "data", own}) CUSET_TRY(make_folder(folder));
    std::vector<sandbox_mount> mounts;
    std::vector<std::pair<std::string, std::string>> environment;
    if (set > 0) {
        // Its path is the same inside, since without a sandbox there are no mounts.
        const fs::path seeds = scratch.path() / "seeds";
        CUSET_TRY(make_folder(seeds));
        CUSET_TRY(write_text(seeds / "sitecustomize.py", input_seeds_py));
        mounts.push_back({seeds, seeds});
        environment = {
            {"PYTHONPATH", seeds.string()},
            {inputs_variable, std::to_string(setting.inputs_seed) + ' ' + std::to_string(set)}};
    }
    CUSET_ASSIGN(sandbox_request request,
                 script_request(setting, "gen.py", t.generator, work, std::move(mounts),
                                std::move(environment)));
    const bool is_module = !t.module.empty();
    CUSET_ASSIGN(const run_report report,
                 is_module ? setting.on_device(std::move(request)) : setting.box->run(request));
    if (!report.succeeded())
        return data_error(
            complaint_of(is_module ? "the reference" : "gen.py", report, setting.limits));
    std::shared_ptr<task_data> made(new task_data);
    CUSET_TRY(made->take(t, work, own, setting.limits.file_bytes));
    scratch_folder::remove_tree(work);
    made->folder_ = scratch.release();
    return std::shared_ptr<const task_data>(std::move(made));
}

/// Takes files out of gen.py's folder, which may hold anything, into a folder of ours.
status task_data::take(const task& t, const fs::path& work, const fs::path& own,
                       std::uint64_t most_bytes) {
    CUSET_ASSIGN(const written_folder left, written_folder::open(work));
    const auto data = left.folder("data");
    if (!data) return data_error("gen.py left no folder data");
    const auto found = data->files(most_files);
    if (!found)
        return data_error("gen.py made more than " + std::to_string(most_files) + " files in data");
    for (const auto& name : *found) {
        data_file file{name, own / name};
        // Programs run under different users and read these files through a read-only mount.
        CUSET_ASSIGN(const auto taken, data->take(name, file.path, 0444));
        bytes += taken.bytes;
        // Holes count too: they are bytes to a reader.
        if (bytes > most_bytes)
            return data_error("gen.py made more than " + std::to_string(most_bytes) +
                              " bytes in data");
        if (names(t.inputs, name)) {
            inputs.push_back(std::move(file));
        } else if (!names(t.outputs, name)) {
            references.push_back(std::move(file));
        }
    }
    for (const auto& name : t.inputs) {
        const bool there = std::any_of(inputs.begin(), inputs.end(), [&](const auto& file) {
            return file.name == name + ".bin";
        });
        if (!there) return data_error("gen.py did not make data/" + name + ".bin");
    }
    return {};
}

struct task_data_store::entry {
    const task* the_task;
    std::uint64_t set;
    std::mutex mutex;  // held while the data is made
    std::optional<result<std::shared_ptr<const task_data>>> made;
};

result<std::shared_ptr<const task_data>> task_data_store::get(const task& t, std::uint64_t set) {
    std::shared_ptr<entry> found;
    {
        const std::lock_guard lock(mutex_);
        const auto place = std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) {
            return e->the_task == &t && e->set == set;
        });
        if (place != entries_.end()) {
            entries_.splice(entries_.begin(), entries_, place);
        } else {
            entries_.push_front(std::make_shared<entry>());
            entries_.front()->the_task = &t;
            entries_.front()->set = set;
        }
        found = entries_.front();
    }
    const std::lock_guard lock(found->mutex);
    if (!found->made) {
        found->made.emplace(task_data::make(t, setting_, set));
        make_room();
    }
    return *found->made;
}

void task_data_store::make_room() {
    const std::lock_guard lock(mutex_);
    std::uint64_t bytes = 0;
    for (auto at = entries_.begin(); at != entries_.end();) {
        // An entry that somebody else has is being made, or is about to be handed out.
        const bool is_idle = at->use_count() == 1 && (*at)->made && (*at)->made->is_ok();
        const std::uint64_t size = is_idle ? (**(*at)->made)->bytes : 0;
        bytes += size;
        at = is_idle && bytes > kept_bytes_ ? entries_.erase(at) : std::next(at);
    }
}

}  // namespace cuset
