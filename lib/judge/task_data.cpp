#include "cuset/judge/task_data.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "scratch_folder.h"
#include "script_run.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

bool names(const std::vector<std::string>& list, const std::string& file) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& name) { return name + ".bin" == file; });
}

}  // namespace

task_data::~task_data() { scratch_folder::remove_tree(folder_); }

result<std::shared_ptr<const task_data>> task_data::make(const task& t,
                                                         const script_setting& setting) {
    CUSET_ASSIGN(scratch_folder scratch, scratch_folder::make(setting.scratch));
    const fs::path work = scratch.path() / "gen", data = work / "data";
    std::error_code error;
    if (!fs::create_directories(data, error)) return io_error(data.string(), error.value());
    std::shared_ptr<task_data> made(new task_data);
    if (t.generator.empty()) return data_error("the task has no \"gen.py\"");
    CUSET_ASSIGN(const run_report report, run_script(setting, "gen.py", t.generator, work, {}));
    if (report.end != run_end::exited || report.code != 0)
        return data_error(complaint_of("gen.py", report, setting.limits));
    for (fs::directory_iterator at(data, error), end; !error && at != end; at.increment(error)) {
        struct stat about {};
        if (::lstat(at->path().c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
        // Every program's own user reads them, through a mount that nobody writes to.
        if (::chmod(at->path().c_str(), 0444) != 0) return io_error(at->path().string(), errno);
        made->bytes += static_cast<std::uint64_t>(about.st_size);
        data_file file{at->path().filename().string(), at->path()};
        if (names(t.inputs, file.name)) {
            made->inputs.push_back(std::move(file));
        } else if (!names(t.outputs, file.name)) {
            made->references.push_back(std::move(file));
        }
    }
    if (error) return io_error(data.string(), error.value());
    for (const auto& name : t.inputs) {
        const bool there =
            std::any_of(made->inputs.begin(), made->inputs.end(),
                        [&](const auto& file) { return file.name == name + ".bin"; });
        if (!there) return data_error("gen.py did not make data/" + name + ".bin");
    }
    const auto by_name = [](const data_file& a, const data_file& b) { return a.name < b.name; };
    std::sort(made->inputs.begin(), made->inputs.end(), by_name);
    std::sort(made->references.begin(), made->references.end(), by_name);
    made->folder_ = scratch.release();
    return std::shared_ptr<const task_data>(std::move(made));
}

struct task_data_store::entry {
    const task* of;
    std::mutex mutex;  // held while the data is made
    std::optional<result<std::shared_ptr<const task_data>>> made;
};

result<std::shared_ptr<const task_data>> task_data_store::get(const task& t) {
    std::shared_ptr<entry> found;
    {
        const std::lock_guard lock(mutex_);
        const auto place = std::find_if(entries_.begin(), entries_.end(),
                                        [&](const auto& e) { return e->of == &t; });
        if (place != entries_.end()) {
            entries_.splice(entries_.begin(), entries_, place);
        } else {
            entries_.push_front(std::make_shared<entry>());
            entries_.front()->of = &t;
        }
        found = entries_.front();
    }
    const std::lock_guard lock(found->mutex);
    if (!found->made) {
        found->made.emplace(task_data::make(t, setting_));
        make_room();
    }
    return *found->made;
}

void task_data_store::make_room() {
    const std::lock_guard lock(mutex_);
    std::uint64_t bytes = 0;
    for (auto at = entries_.begin(); at != entries_.end();) {
        // An entry that somebody else has is being made, or about to be handed out.
        const bool is_idle = at->use_count() == 1 && (*at)->made && (*at)->made->is_ok();
        const std::uint64_t size = is_idle ? (**(*at)->made)->bytes : 0;
        bytes += size;
        at = is_idle && bytes > kept_bytes_ ? entries_.erase(at) : std::next(at);
    }
}

}  // namespace cuset
