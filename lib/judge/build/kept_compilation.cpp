#include "build/kept_compilation.h"

#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "cuset/base/sha256.h"
#include "cuset/base/visible_text.h"
#include "cuset/sandbox/file_text.h"
#include "cuset/sandbox/scratch_folder.h"
#include "cuset/stream/json_writer.h"

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
    json.member("said", result.messages);
    json.member("note", visible_text(result.note)).member("program_bytes", program_bytes);
    json.end_object();
    return text + '\n';
}

/// Reads an entry without a hold on it; returns nothing if it is not whole.
std::optional<compilation> compilation_at(const fs::path& place) {
    simdjson::dom::parser parser;
    simdjson::dom::object fields;
    std::string_view end, diagnostic, messages, note;
    compilation found;
    std::uint64_t program_bytes = 0;
    const std::string text = text_of(place / "result.json");
    if (text.empty() || parser.parse(text).get(fields) || fields["end"].get(end) ||
        fields["diagnostic"].get(diagnostic) || fields["said"].get(messages) ||
        fields["note"].get(note) || fields["seconds"].get(found.seconds) ||
        fields["program_bytes"].get(program_bytes))
        return {};
    const auto* named = std::find_if(std::begin(names), std::end(names),
                                     [&](const auto& pair) { return pair.second == end; });
    if (named == std::end(names)) return {};
    found.end = named->first;
    found.diagnostic = diagnostic;
    found.messages = messages;
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

std::optional<compilation> find_compilation(const entry_cache& cache, std::string_view key) {
    const fs::path place = place_of(cache.folder(), key);
    auto hold = held_entry::take(place, key);
    if (!hold) return {};
    auto found = compilation_at(place);
    if (found) found->hold = std::move(hold);
    return found;
}

status keep_compilation(const entry_cache& cache, std::string_view key, compilation& result) {
    const fs::path place = place_of(cache.folder(), key);
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
    CUSET_ASSIGN(result.hold, cache.put(std::move(partial), place, key, is_whole_compilation));
    if (!result.program.empty()) result.program = place / "program";
    // about the size of its small files and folders
    constexpr std::uint64_t entry_bytes = 16 << 10;
    cache.count_kept(bytes + key.size() + entry_bytes);
    return {};
}

}  // namespace cuset
