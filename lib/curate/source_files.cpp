#include "cuset/curate/source_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <map>
#include <vector>

#include "cuset/base/fd.h"
#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "cuset/base/sha256.h"
#include "cuset/base/visible_text.h"
#include "cuset/curate/checks.h"
#include "cuset/curate/licenses.h"
#include "cuset/stream/json_writer.h"
#include "cuset/syntax/program_text.h"
#include "tar_files.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

bool may_be_source(std::string_view path) { return !ending_of_source(path).empty(); }

/// Many a header has nothing of CUDA.
bool is_source(std::string_view path, std::string_view content) {
    return path.ends_with(".cu") || path.ends_with(".hip") ||
           has_name(content, std::array{std::string_view("__global__")});
}

/// Where the first byte is that is no UTF-8: "line 3, byte 0xe9"; empty if there is none.
std::string place_of_bad_byte(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        if (next_character(text, at) != ill_formed) continue;
        const auto line = 1 + std::count(text.begin(), text.begin() + begin, '\n');
        return "line " + std::to_string(line) +
               format(", byte 0x%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(text[begin])));
    }
    return {};
}

std::string from_latin1(std::string_view text) {
    std::string out;
    for (const char c : text) append_utf8(static_cast<unsigned char>(c), out);
    return out;
}

/// The licences of folders, by the files that state them.
class folder_licenses {
public:
    static bool is_one(std::string_view path) {
        return ending_of_source(path).empty() &&
               is_license_file(fs::path(path).filename().native());
    }
    void add(const std::string& path, std::string_view content) {
        std::string license = license_in(content);
        if (license == "none") license = "unknown";  // it is there to say something
        const auto [at, is_new] = found_.try_emplace(folder_of(path), statement{license, path});
        if (!is_new && at->second.license != license) at->second.license += " AND " + license;
    }
    struct statement {
        std::string license, file;
    };
    /// That of the nearest folder around the file; null if there is none.
    const statement* around(const std::string& path) const {
        for (std::string folder = folder_of(path);; folder = folder_of(folder)) {
            if (const auto at = found_.find(folder); at != found_.end()) return &at->second;
            if (folder.empty() || folder == "/") return nullptr;
        }
    }

private:
    static std::string folder_of(const std::string& path) {
        return fs::path(path).parent_path().string();
    }
    std::map<std::string, statement> found_;
};

curation_line line_of(const std::string& place, const std::string& path, const std::string& bytes,
                      bool reads_latin1, const folder_licenses& licenses) {
    const std::string bad = place_of_bad_byte(bytes);
    const std::string content = reads_latin1 && !bad.empty() ? from_latin1(bytes) : bytes;
    code_tokens code;
    code.read(content, {.hashes = false, .names = false});
    std::string license = license_of(comments_of(code));
    const folder_licenses::statement* around = nullptr;
    if (license == "none" || license == "unknown") around = licenses.around(path);
    if (around != nullptr) license = around->license;
    std::string text;
    json_writer json(text);
    json.begin_object().member("id", path).member("path", path).member("license", license);
    if (around != nullptr) json.member("license_file", around->file);
    json.member("sha256", sha256_of(bytes).hexadecimal()).member("response", content).end_object();
    curation_line l;
    set_text(l, text);
    l.place = place + ": " + path + ": ";
    if (!reads_latin1 && !bad.empty()) l.place += bad + " (--encoding latin1 reads such files): ";
    return l;
}

}  // namespace

std::string_view ending_of_source(std::string_view path) {
    constexpr std::string_view endings[] = {".cu", ".hip", ".cuh", ".h", ".hpp", ".hh", ".inl"};
    const auto* const found = std::find_if(std::begin(endings), std::end(endings),
                                           [&](auto ending) { return path.ends_with(ending); });
    return found == std::end(endings) ? std::string_view() : *found;
}

struct source_files::state {
    std::string place;
    bool reads_latin1 = false;
    folder_licenses licenses;
    std::vector<std::string> paths;  // of a folder
    std::size_t next = 0;
    std::optional<tar_files> archive;
    bool ended = false;
};

source_files::source_files(std::unique_ptr<state> s) : state_(std::move(s)) {}
source_files::source_files(source_files&&) noexcept = default;
source_files& source_files::operator=(source_files&&) noexcept = default;
source_files::~source_files() = default;

result<source_files> source_files::open(const std::string& place, bool reads_latin1) {
    auto s = std::make_unique<state>();
    s->place = place;
    s->reads_latin1 = reads_latin1;
    std::error_code failed;
    if (!fs::is_directory(place, failed)) {
        // The licence may stand behind the files. Standard input is read once, and in its order.
        if (place != "-") {
            CUSET_ASSIGN(input in, input::open(place));
            tar_files archive(std::move(in));
            for (;;) {
                CUSET_ASSIGN(const auto file, archive.next());
                if (!file) break;
                if (folder_licenses::is_one(file->path)) s->licenses.add(file->path, file->content);
            }
        }
        CUSET_ASSIGN(input in, input::open(place));
        s->archive.emplace(std::move(in));
        return source_files(std::move(s));
    }
    std::vector<std::string> statements;
    for (fs::recursive_directory_iterator at(place, failed), end; !failed && at != end;
         at.increment(failed)) {
        if (at->symlink_status().type() != fs::file_type::regular) continue;
        std::string path = at->path().lexically_relative(place).string();
        if (may_be_source(path))
            s->paths.push_back(std::move(path));
        else if (folder_licenses::is_one(path))
            statements.push_back(std::move(path));
    }
    if (failed) return io_error(place, failed.value());
    std::sort(s->paths.begin(), s->paths.end());
    std::sort(statements.begin(), statements.end());
    for (const std::string& path : statements) {
        CUSET_ASSIGN(const std::string content, read_whole_file((fs::path(place) / path).string()));
        s->licenses.add(path, content);
    }
    return source_files(std::move(s));
}

result<std::optional<curation_line>> source_files::next() {
    state& s = *state_;
    if (!s.archive) {
        while (s.next < s.paths.size()) {
            const std::string& path = s.paths[s.next++];
            CUSET_ASSIGN(const std::string content,
                         read_whole_file((fs::path(s.place) / path).string()));
            if (is_source(path, content))
                return std::optional(line_of(s.place, path, content, s.reads_latin1, s.licenses));
        }
        return std::optional<curation_line>();
    }
    for (;;) {
        if (s.ended) return std::optional<curation_line>();
        CUSET_ASSIGN(auto file, s.archive->next());
        if (!file) {
            s.ended = true;
            continue;
        }
        if (folder_licenses::is_one(file->path) && s.place == "-")
            s.licenses.add(file->path, file->content);
        if (!may_be_source(file->path)) continue;
        if (file->is_too_large)
            log(log_level::warning,
                s.place + ": " + visible_text(file->path) + ": more than 64 MiB, and passed over");
        else if (is_source(file->path, file->content))
            return std::optional(
                line_of(s.place, file->path, file->content, s.reads_latin1, s.licenses));
    }
}

}  // namespace cuset
