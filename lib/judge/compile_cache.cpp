#include "cuset/judge/compile_cache.h"

#include <fcntl.h>
#include <simdjson.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>

#include "cache_trim.h"
#include "cuset/base/sha256.h"
#include "cuset/base/visible_text.h"
#include "cuset/judge/compiler.h"
#include "cuset/stream/json_writer.h"
#include "cuset/stream/output_file.h"
#include "file_text.h"
#include "scratch_folder.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// The results that are kept.
constexpr std::pair<compile_end, std::string_view> names[] = {
    {compile_end::compiled, "compiled"},
    {compile_end::error, "error"},
    {compile_end::link_error, "link"},
    {compile_end::unsupported, "unsupported"},
};

fs::path place_of(const fs::path& cache, std::string_view key) {
    const std::string name = sha256("cuset compilation").add(key).end().hexadecimal();
    return cache / "compile" / name.substr(0, 2) / name.substr(2);
}

std::string as_json(const compilation& result, std::uint64_t program_bytes) {
    std::string text;
    json_writer json(text);
    json.begin_object();
    for (const auto& [end, name] : names)
        if (end == result.end) json.member("end", name);
    json.member("seconds", result.seconds, 6).member("diagnostic", visible_text(result.diagnostic));
    json.member("said", result.said);
    json.member("note", visible_text(result.note)).member("program_bytes", program_bytes);
    json.end_object();
    return text + '\n';
}

/// Reads an entry without a hold on it; returns nothing if it is not whole.
std::optional<compilation> compilation_at(const fs::path& place) {
    simdjson::dom::parser parser;
    simdjson::dom::object fields;
    std::string_view end, diagnostic, said, note;
    compilation found;
    std::uint64_t program_bytes = 0;
    const std::string text = text_of(place / "result.json");
    if (text.empty() || parser.parse(text).get(fields) || fields["end"].get(end) ||
        fields["diagnostic"].get(diagnostic) || fields["said"].get(said) ||
        fields["note"].get(note) || fields["seconds"].get(found.seconds) ||
        fields["program_bytes"].get(program_bytes))
        return {};
    const auto* named = std::find_if(std::begin(names), std::end(names),
                                     [&](const auto& pair) { return pair.second == end; });
    if (named == std::end(names)) return {};
    found.end = named->first;
    found.diagnostic = diagnostic;
    found.said = said;
    found.note = note;
    found.cached = true;
    if (found.end != compile_end::compiled) return found;
    found.program = place / "program";
    // Entries are not synced: after a crash of the machine, names may exist without their bytes.
    std::error_code error;
    if (::access(found.program.c_str(), X_OK) != 0 ||
        fs::file_size(found.program, error) != program_bytes || error)
        return {};
    return found;
}

bool is_whole_compilation(const fs::path& place) { return compilation_at(place).has_value(); }

}  // namespace

std::shared_ptr<const held_entry> held_entry::take(const fs::path& place, std::string_view key) {
    const fs::path path = place / "key";
    unique_fd file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file) return {};
    // A process with the exclusive lock is about to remove the entry, which is quick. If the file
    // system has no locks, nobody removes anything.
    while (::flock(file.get(), LOCK_SH) != 0 && errno == EINTR) {
    }
    if (!identify(file.get()).is_same_file(identify(path.string())) || text_of(path) != key)
        return {};
    static_cast<void>(::futimens(file.get(), nullptr));
    return std::shared_ptr<const held_entry>(new held_entry(std::move(file)));
}

/// Counts the bytes kept since the cache was last trimmed.
struct compile_cache::tally {
    std::atomic<std::uint64_t> kept = 0;
};

compile_cache::compile_cache(fs::path folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes), tally_(std::make_shared<tally>()) {}

std::optional<compilation> compile_cache::find(std::string_view key) const {
    const fs::path place = place_of(folder_, key);
    auto hold = held_entry::take(place, key);
    if (!hold) return {};
    auto found = compilation_at(place);
    if (found) found->hold = std::move(hold);
    return found;
}

result<std::shared_ptr<const held_entry>> compile_cache::put(
    scratch_folder&& made, const fs::path& place, std::string_view key,
    const std::function<bool(const fs::path&)>& is_whole) const {
    constexpr int tries = 4;  // others may fill the place as soon as it is empty
    scratch_folder mine = std::move(made);
    std::error_code error;
    fs::permissions(mine.path(), fs::perms(0755), error);
    // The hold comes before others can see the entry, so that nobody removes it.
    auto hold = held_entry::take(mine.path(), key);
    for (int i = 0; i < tries; ++i) {
        fs::rename(mine.path(), place, error);
        if (!error) {
            static_cast<void>(mine.release());
            return hold;
        }
        if (error != std::errc::directory_not_empty && error != std::errc::file_exists) break;
        const unique_fd lock = lock_of_removals(folder_, true);
        const auto theirs = held_entry::take(place, key);
        if (theirs && is_whole(place)) return theirs;
        // The rest of an entry, left by a manual clean-up or by a crash of the machine. A process
        // that holds it has no use for it. Without a hold it may have become another entry.
        theirs ? remove_entry(place) : remove_unheld_entry(place);
    }
    return io_error(place.string(), error.value());
}

status compile_cache::keep(std::string_view key, compilation& result) const {
    const fs::path place = place_of(folder_, key);
    CUSET_ASSIGN(scratch_folder partial, scratch_folder::make(place.parent_path()));
    const fs::path folder = partial.path();
    std::error_code error;
    std::uint64_t bytes = 0;
    CUSET_TRY(write_text(folder / "key", key));
    if (!result.program.empty()) {
        // The kernel copies it: a program may be larger than the free memory.
        const fs::path copy = folder / "program";
        if (fs::copy_file(result.program, copy, error)) bytes = fs::file_size(copy, error);
        if (!error) fs::permissions(copy, fs::perms(0755), error);
        if (error) return io_error(copy.string(), error.value());
    }
    CUSET_TRY(write_text(folder / "result.json", as_json(result, bytes)));
    CUSET_ASSIGN(result.hold, put(std::move(partial), place, key, is_whole_compilation));
    if (!result.program.empty()) result.program = place / "program";
    // about the size of its small files and folders
    constexpr std::uint64_t entry_bytes = 16 << 10;
    tally_->kept += bytes + key.size() + entry_bytes;
    if (most_bytes_ > 0 && tally_->kept > most_bytes_ / 8) trim();
    return {};
}

void compile_cache::trim() const {
    const unique_fd lock = lock_of_removals(folder_, false);
    if (!lock) return;
    tally_->kept = 0;
    remove_left_over_work(folder_);
    // Frees enough room for this process to stay within the size until it trims again.
    if (most_bytes_ > 0) remove_oldest_entries(folder_, most_bytes_ - most_bytes_ / 8);
}

}  // namespace cuset
