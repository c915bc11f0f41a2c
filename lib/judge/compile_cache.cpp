#include "compile_cache.h"

#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cuset/stream/json_text.h"
#include "cuset/stream/pair_record.h"
#include "file_text.h"
#include "scratch_folder.h"

namespace cuset {

namespace {

namespace fs = std::filesystem;

/// What is kept.
constexpr std::pair<compile_end, std::string_view> names[] = {
    {compile_end::compiled, "compiled"},
    {compile_end::error, "error"},
    {compile_end::link_error, "link"},
    {compile_end::unsupported, "unsupported"},
};

fs::path place_of(const fs::path& cache, std::string_view key) {
    const std::string name = hexadecimal(fnv1a_64(key));
    return cache / "compile" / name.substr(0, 2) / name.substr(2);
}

std::string as_json(const compilation& result, std::size_t program_bytes) {
    std::string text = "{\"end\":\"";
    for (const auto& [end, name] : names)
        if (end == result.end) text += name;
    text += "\",\"seconds\":";
    append_number(result.seconds, 6, text);
    text += ",\"diagnostic\":";
    append_json_string(result.diagnostic, text);
    text += ",\"note\":";
    append_json_string(result.note, text);
    return text + ",\"program_bytes\":" + std::to_string(program_bytes) + "}\n";
}

}  // namespace

std::optional<compilation> cached_compilation(const fs::path& cache, std::string_view key) {
    const fs::path place = place_of(cache, key);
    if (text_of(place / "key") != key) return {};
    simdjson::dom::parser parser;
    simdjson::dom::object fields;
    std::string_view end, diagnostic, note;
    compilation found;
    std::uint64_t program_bytes = 0;
    const std::string text = text_of(place / "result.json");
    if (text.empty() || parser.parse(text).get(fields) || fields["end"].get(end) ||
        fields["diagnostic"].get(diagnostic) || fields["note"].get(note) ||
        fields["seconds"].get(found.seconds) || fields["program_bytes"].get(program_bytes))
        return {};
    const auto* named = std::find_if(std::begin(names), std::end(names),
                                     [&](const auto& pair) { return pair.second == end; });
    if (named == std::end(names)) return {};
    found.end = named->first;
    found.diagnostic = diagnostic;
    found.note = note;
    found.cached = true;
    if (found.end != compile_end::compiled) return found;
    found.program = place / "program";
    // Entries are not synced: a crash of the machine may leave names without their bytes.
    std::error_code error;
    if (::access(found.program.c_str(), X_OK) != 0 ||
        fs::file_size(found.program, error) != program_bytes || error)
        return {};
    return found;
}

status keep_compilation(const fs::path& cache, std::string_view key, compilation& result) {
    const fs::path place = place_of(cache, key);
    CUSET_ASSIGN(scratch_folder partial, scratch_folder::make(place.parent_path()));
    const fs::path& folder = partial.path();
    std::error_code error;
    CUSET_TRY(write_text(folder / "key", key));
    std::string program;
    if (!result.program.empty()) program = text_of(result.program);
    CUSET_TRY(write_text(folder / "result.json", as_json(result, program.size())));
    if (!result.program.empty()) {
        CUSET_TRY(write_text(folder / "program", program));
        fs::permissions(folder / "program", fs::perms(0755), error);
        if (error) return io_error(folder.string(), error.value());
        result.program = place / "program";
    }
    fs::permissions(folder, fs::perms(0755), error);
    fs::rename(folder, place, error);
    if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
        if (cached_compilation(cache, key)) return {};
        // Another key's, or what was left of one by a hand that cleaned up.
        fs::remove_all(place, error);
        fs::rename(folder, place, error);
    }
    if (error) return io_error(place.string(), error.value());
    static_cast<void>(partial.release());
    return {};
}

}  // namespace cuset
