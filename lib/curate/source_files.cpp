#include "cuset/curate/source_files.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/base/log.h"
#include "cuset/base/sha256.h"
#include "cuset/base/visible_text.h"
#include "cuset/curate/checks.h"
#include "cuset/stream/json_writer.h"
#include "tar_files.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

bool is_source(std::string_view path) { return path.ends_with(".cu"); }

curation_line line_of(const std::string& place, const std::string& path,
                      const std::string& content) {
    code_tokens code;
    code.read(content, {.hashes = false, .names = false});
    const auto comments = comments_of(code);
    std::string text;
    json_writer(text)
        .begin_object()
        .member("id", path)
        .member("path", path)
        .member("license", license_of(comments))
        .member("sha256", sha256_of(content).hexadecimal())
        .member("response", content)
        .end_object();
    curation_line l;
    set_text(l, text);
    l.place = place + ": " + path + ": ";
    return l;
}

}  // namespace

struct source_files::state {
    std::string place;
    std::vector<std::string> paths;  // of a folder
    std::size_t next = 0;
    std::optional<tar_files> archive;
    bool ended = false;
};

source_files::source_files(std::unique_ptr<state> s) : state_(std::move(s)) {}
source_files::source_files(source_files&&) noexcept = default;
source_files& source_files::operator=(source_files&&) noexcept = default;
source_files::~source_files() = default;

result<source_files> source_files::open(const std::string& place) {
    auto s = std::make_unique<state>();
    s->place = place;
    std::error_code failed;
    if (!fs::is_directory(place, failed)) {
        CUSET_ASSIGN(input in, input::open(place));
        s->archive.emplace(std::move(in));
        return source_files(std::move(s));
    }
    for (fs::recursive_directory_iterator at(place, failed), end; !failed && at != end;
         at.increment(failed))
        if (at->symlink_status().type() == fs::file_type::regular && is_source(at->path().string()))
            s->paths.push_back(at->path().lexically_relative(place).string());
    if (failed) return io_error(place, failed.value());
    std::sort(s->paths.begin(), s->paths.end());
    return source_files(std::move(s));
}

result<std::optional<curation_line>> source_files::next() {
    state& s = *state_;
    if (!s.archive) {
        if (s.next == s.paths.size()) return std::optional<curation_line>();
        const std::string& path = s.paths[s.next++];
        CUSET_ASSIGN(const std::string content,
                     read_whole_file((fs::path(s.place) / path).string()));
        return std::optional(line_of(s.place, path, content));
    }
    for (;;) {
        if (s.ended) return std::optional<curation_line>();
        CUSET_ASSIGN(auto file, s.archive->next());
        if (!file) {
            s.ended = true;
            continue;
        }
        if (!is_source(file->path)) continue;
        if (file->is_too_large)
            log(log_level::warning,
                s.place + ": " + visible_text(file->path) + ": more than 64 MiB, and passed over");
        else
            return std::optional(line_of(s.place, file->path, file->content));
    }
}

}  // namespace cuset
