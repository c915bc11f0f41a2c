#include "cuset/judge/program_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "build/hip_program.h"
#include "build/shell_words.h"
#include "cuset/base/fd.h"
#include "cuset/host/hip.h"
#include "cuset/syntax/include_lines.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// Files as large as this are no sources; a program with its headers may have 16 MiB.
constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;

bool is_of_system(const fs::path& path) { return path.native().starts_with("/usr/"); }

fs::path plain(const std::string& path) { return fs::absolute(path).lexically_normal(); }

/// Links are not followed, since a header beside a link is not one beside its target.
bool is_file(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && fs::file_size(path, error) <= most_bytes;
}

struct found_file {
    fs::path path;
    std::string shown, content;
};

class gatherer {
public:
    explicit gatherer(const std::vector<std::string>& folders) {
        for (const auto& folder : folders)
            if (const fs::path whole = plain(folder); !is_of_system(whole))
                folders_.push_back(whole);
    }

    status add_source(const std::string& name) {
        const fs::path path = plain(name);
        std::error_code error;
        const auto about = fs::status(path, error);
        if (!fs::exists(about)) return io_error(name, error ? error.value() : ENOENT);
        if (!fs::is_regular_file(about)) return usage_error(name + " is no file");
        if (fs::file_size(path, error) > most_bytes)
            return usage_error(name + " has more than 16 MiB");
        return add(path, name);
    }

    /// Reads what the files so far include, and what that includes.
    status add_headers() {
        for (std::size_t i = 0; i < files.size(); ++i) {
            const fs::path folder = files[i].path.parent_path();
            for (const auto& line : syntax::live_includes(files[i].content)) {
                const fs::path header = find(line, folder);
                if (!header.empty()) CUSET_TRY(add(header, shown(header)));
            }
        }
        return {};
    }

    std::vector<found_file> files;

private:
    fs::path find(const syntax::include_line& line, const fs::path& folder) const {
        if (line.name.starts_with('/')) return {};
        std::vector<fs::path> places;
        if (line.is_quoted) places.push_back(folder);
        places.insert(places.end(), folders_.begin(), folders_.end());
        for (const auto& place : places)
            if (const fs::path header = (place / line.name).lexically_normal(); is_file(header))
                return header;
        return {};
    }

    status add(const fs::path& path, std::string name) {
        const bool is_known =
            std::ranges::any_of(files, [&](const found_file& known) { return known.path == path; });
        if (is_known) return {};
        CUSET_ASSIGN(std::string content, read_whole_file(path.string()));
        files.push_back({path, std::move(name), std::move(content)});
        return {};
    }

    static std::string shown(const fs::path& path) {
        std::error_code error;
        const std::string below = path.lexically_relative(fs::current_path(error)).string();
        return below.empty() || below.starts_with("..") ? path.string() : below;
    }

    std::vector<fs::path> folders_;
};

/// The folder that all of these are in.
fs::path folder_around(const std::vector<found_file>& files) {
    fs::path common = files.front().path.parent_path();
    const auto is_outside = [&](const found_file& file) {
        return file.path.lexically_relative(common).native().starts_with("..");
    };
    while (std::ranges::any_of(files, is_outside)) common = common.parent_path();
    return common;
}

bool is_part_of_path(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("_+-/.").find(c) != std::string_view::npos;
}

}  // namespace

result<program_files> program_files::read(const program_paths& paths) {
    gatherer gathered(paths.folders);
    for (const auto& source : paths.sources) CUSET_TRY(gathered.add_source(source));
    const auto sources = static_cast<std::ptrdiff_t>(gathered.files.size());
    CUSET_TRY(gathered.add_headers());
    std::vector<found_file>& files = gathered.files;
    flag_list flags;
    for (const auto& folder : paths.folders)
        if (const fs::path whole = plain(folder); is_of_system(whole))
            flags.push_back("-I" + whole.string());
    for (const auto& definition : paths.definitions) flags.push_back("-D" + definition);
    program_files made;
    const bool is_hip = std::any_of(files.begin(), files.begin() + sources, [](const auto& file) {
        return file.path.extension() == ".hip";
    });
    // A file of HIP's name is for hipcc, even if it does not look so.
    if (files.size() == 1 && (!is_hip || is_hip_source(files.front().content))) {
        made.source_ = file_of_any_language(files.front().content, std::move(flags));
        made.names_ = {{"program.cu", files.front().shown}};
        return made;
    }
    const fs::path root = folder_around(files);
    made.source_.program = "program";
    made.source_.takes_flags = true;
    std::string words;
    std::vector<std::string> paths_of_sources, folders_below;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string path = files[i].path.lexically_relative(root).string();
        if (static_cast<std::ptrdiff_t>(i) < sources) {
            words += ' ' + shell_quoted("./" + path);
            paths_of_sources.push_back(path);
        }
        made.names_.emplace_back(path, files[i].shown);
        made.source_.files.push_back({path, std::move(files[i].content)});
    }
    for (const auto& folder : paths.folders) {
        const fs::path whole = plain(folder);
        const fs::path below = whole.lexically_relative(root);
        if (is_of_system(whole) || below.empty() || below.native().starts_with("..")) continue;
        words += ' ' + shell_quoted("-I" + below.string());
        folders_below.push_back(below.string());
    }
    for (const auto& flag : flags) words += ' ' + shell_quoted(flag);
    const bool is_for_hipcc =
        is_hip || std::ranges::any_of(paths_of_sources, [&](const std::string& path) {
            return includes_hip(made.source_.files, path, folders_below, paths.definitions);
        });
    made.source_.command = (is_for_hipcc ? "hipcc -o " : "nvcc -o ") + made.source_.program + words;
    return made;
}

std::string program_files::in_users_files(std::string_view message) const {
    std::string out;
    for (std::size_t at = 0; at < message.size();) {
        std::string_view rest = message.substr(at);
        const bool begins = at == 0 || !is_part_of_path(message[at - 1]);
        const std::size_t dots = begins && rest.starts_with("./") ? 2 : 0;
        rest.remove_prefix(dots);
        const auto named = std::ranges::find_if(names_, [&](const auto& name) {
            const std::size_t end = name.first.size();
            return rest.starts_with(name.first) &&
                   (rest.size() == end || !is_part_of_path(rest[end]) ||
                    (rest[end] == '.' && rest.size() == end + 1));
        });
        if (!begins || named == names_.end()) {
            out += message[at++];
        } else {
            out += named->second;
            at += dots + named->first.size();
        }
    }
    return out;
}

}  // namespace cuset
