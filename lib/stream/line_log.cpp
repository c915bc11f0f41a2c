#include "cuset/stream/line_log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "cuset/base/log.h"
#include "cuset/stream/output_file.h"

namespace cuset {

namespace {

constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";

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

status for_lines(const std::vector<std::string>& paths, const line_log::visitor& visit) {
    std::vector<input> inputs;
    for (const auto& path : paths) {
        CUSET_ASSIGN(input file, input::open(path));
        inputs.push_back(std::move(file));
    }
    line_reader lines(std::move(inputs));
    for (line_batch batch;;) {
        CUSET_ASSIGN(const bool more, lines.next(batch));
        if (!more) return {};
        for (const line& l : batch.lines)
            CUSET_TRY(visit(
                l, lines.source(batch.source).name() + ':' + std::to_string(l.number) + ": "));
    }
}

result<line_log> line_log::open(const std::string& path, const visitor& visit) {
    line_log made;
    made.name_ = path;
    made.file_ = unique_fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!made.file_) return io_error(path, errno);
    if (!identify(made.file_.get()).is_regular)
        return usage_error(path + " is no plain file, and a run could not go on from it");
    if (::flock(made.file_.get(), LOCK_EX | LOCK_NB) != 0)
        return usage_error(path + ": another run writes to it");
    std::array<char, 4> first{};
    if (::pread(made.file_.get(), first.data(), first.size(), 0) == 4 &&
        std::string_view(first.data(), 4) == zstd_magic)
        return usage_error(path + " is compressed: lines are appended to plain text");
    CUSET_TRY(cut_open_line(made.file_.get(), path));
    CUSET_TRY(for_lines({path}, visit));
    return made;
}

status line_log::sync() {
    if (::fsync(file_.get()) != 0) return io_error(name_, errno);
    return {};
}

}  // namespace cuset
