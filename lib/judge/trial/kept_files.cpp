#include "trial/kept_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace cuset {

namespace {

namespace fs = std::filesystem;

bool is_same(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(b, error))) return false;
    if (fs::file_size(a, error) != fs::file_size(b, error) || error) return false;
    std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
    return first && second &&
           std::equal(std::istreambuf_iterator<char>(first), std::istreambuf_iterator<char>(),
                      std::istreambuf_iterator<char>(second));
}

/// Nobody sees a part of it, and a link at its place is replaced, not followed.
status put(const fs::path& from, const fs::path& place) {
    std::error_code error;
    const fs::path partial = place.string() + ".cuset-run";
    fs::remove(partial, error);
    fs::copy_file(from, partial, error);
    if (!error) fs::permissions(partial, fs::status(partial).permissions() & fs::perms::all, error);
    if (!error) fs::rename(partial, place, error);
    if (!error) return {};
    std::error_code ignored;
    fs::remove(partial, ignored);
    return io_error(place.string(), error.value());
}

}  // namespace

status copy_files(const fs::path& from, const fs::path& to) {
    std::error_code error;
    fs::create_directories(to, error);
    if (!error)
        fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
    return error ? io_error(from.string(), error.value()) : status();
}

status keep_files(const fs::path& work, const fs::path& given, const fs::path& folder,
                  const std::vector<std::string>& but) {
    std::error_code error;
    for (fs::recursive_directory_iterator
             at(work, fs::directory_options::skip_permission_denied, error),
         end;
         !error && at != end; at.increment(error)) {
        const fs::path name = at->path().lexically_relative(work);
        const auto kind = at->symlink_status();
        const fs::path place = folder / name;
        if (at.depth() == 0 && std::ranges::find(but, name.string()) != but.end()) {
            at.disable_recursion_pending();
        } else if (fs::is_directory(kind)) {
            const auto there = fs::symlink_status(place);
            if (!fs::exists(there)) {
                fs::create_directory(place, error);
                if (error) return io_error(place.string(), error.value());
            } else if (!fs::is_directory(there)) {
                at.disable_recursion_pending();
            }
        } else if (fs::is_regular_file(kind) && !is_same(at->path(), given / name)) {
            CUSET_TRY(put(at->path(), place));
        }
    }
    return error ? io_error(work.string(), error.value()) : status();
}

}  // namespace cuset
