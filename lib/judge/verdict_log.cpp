#include "cuset/judge/verdict_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>
#include <string_view>

#include "cuset/base/log.h"
#include "cuset/stream/line_reader.h"
#include "cuset/stream/output_file.h"

namespace cuset {

namespace {

constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

std::string place_of(const std::string& task, std::uint64_t sample) {
    return std::to_string(sample) + ' ' + task;
}

/// Calls visit for each verdict of the inputs.
status for_verdicts(const std::vector<std::string>& paths,
                    const std::function<status(verdict, const std::string& where)>& visit) {
    std::vector<input> inputs;
    for (const auto& path : paths) {
        CUSET_ASSIGN(input file, input::open(path));
        inputs.push_back(std::move(file));
    }
    line_reader lines(std::move(inputs));
    verdict_reader reader;
    for (line_batch batch;;) {
        CUSET_ASSIGN(const bool more, lines.next(batch));
        if (!more) return {};
        for (const line& l : batch.lines) {
            const std::string where =
                lines.source(batch.source).name() + ':' + std::to_string(l.number) + ": ";
            auto read = reader.read(l.text);
            if (!read) return std::move(read).error().with_prefix(where);
            CUSET_TRY(visit(std::move(read).value(), where));
        }
    }
}

/// Cuts off what stands behind the last newline.
status cut_open_line(int file, const std::string& name) {
    off_t end = ::lseek(file, 0, SEEK_END);
    const off_t before = end;
    for (std::array<char, 4096> bytes; end > 0;) {
        const off_t begin =
            end > static_cast<off_t>(bytes.size()) ? end - static_cast<off_t>(bytes.size()) : 0;
        const auto size = static_cast<std::size_t>(end - begin);
        const ssize_t got = ::pread(file, bytes.data(), size, begin);
        if (got != static_cast<ssize_t>(size)) return io_error(name, got < 0 ? errno : EIO);
        const std::size_t at = std::string_view(bytes.data(), size).rfind('\n');
        if (at != std::string_view::npos) {
            end = begin + static_cast<off_t>(at) + 1;
            break;
        }
        end = begin;
    }
    if (end == before) return {};
    log(log_level::note, name + ": its last line was cut off and is left out");
    if (::ftruncate(file, end) != 0) return io_error(name, errno);
    return {};
}

}  // namespace

result<verdict_log> verdict_log::open(const std::string& path) {
    verdict_log made;
    made.name_ = path;
    made.file_ = unique_fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!made.file_) return io_error(path, errno);
    if (!identify(made.file_.get()).is_regular)
        return usage_error(path + ": verdicts are kept in a plain file");
    if (::flock(made.file_.get(), LOCK_EX | LOCK_NB) != 0)
        return usage_error(path + ": another evaluation writes to it");
    std::array<char, 4> first{};
    if (::pread(made.file_.get(), first.data(), first.size(), 0) == 4 &&
        std::string_view(first.data(), 4) == zstd_magic)
        return usage_error(path + " is compressed: verdicts are appended to plain text");
    CUSET_TRY(cut_open_line(made.file_.get(), path));
    CUSET_TRY(for_verdicts({path}, [&](verdict v, const std::string&) {
        std::string place = place_of(v.task, v.sample);
        made.last_.insert_or_assign(std::move(place), std::move(v));
        return status();
    }));
    return made;
}

const verdict* verdict_log::find(const std::string& task, std::uint64_t sample,
                                 std::uint64_t key) const {
    const auto found = last_.find(place_of(task, sample));
    if (found == last_.end() || found->second.key != key || found->second.why == failure::evaluator)
        return nullptr;
    return &found->second;
}

status verdict_log::append(const verdict& v) { return write_all(file_.get(), to_line(v), name_); }

status verdict_log::sync() {
    if (::fsync(file_.get()) != 0) return io_error(name_, errno);
    return {};
}

result<std::vector<verdict>> read_verdicts(const std::vector<std::string>& paths) {
    std::vector<verdict> all;
    std::unordered_map<std::string, std::size_t> places;
    CUSET_TRY(for_verdicts(paths, [&](verdict v, const std::string& where) {
        if (!all.empty() && v.setting != all.front().setting)
            return data_error(where + "verdicts of another setting (" + v.setting.backend + ", " +
                              v.setting.toolchain + ", tasks " + hexadecimal(v.setting.tasks) +
                              ") than those before (" + all.front().setting.backend + ", " +
                              all.front().setting.toolchain + ", tasks " +
                              hexadecimal(all.front().setting.tasks) + ')');
        const auto [place, is_new] = places.emplace(place_of(v.task, v.sample), all.size());
        if (is_new) {
            all.push_back(std::move(v));
        } else {
            all[place->second] = std::move(v);
        }
        return status();
    }));
    return all;
}

}  // namespace cuset
