#include "compile_cache.h"

#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "cuset/stream/json_text.h"
#include "cuset/stream/output_file.h"
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
};

fs::path place_of(const fs::path& cache, std::string_view key) {
    std::array<char, 20> name;
    std::snprintf(name.data(), name.size(), "%016" PRIx64, fnv1a_64(key));
    return cache / "compile" / std::string(name.data(), 2) / (name.data() + 2);
}

std::string as_json(const compilation& result) {
    std::string text = "{\"end\":\"";
    for (const auto& [end, name] : names)
        if (end == result.end) text += name;
    text += "\",\"seconds\":";
    append_number(result.seconds, 6, text);
    text += ",\"diagnostic\":";
    append_json_string(result.diagnostic, text);
    return text + "}\n";
}

}  // namespace

std::optional<compilation> cached_compilation(const fs::path& cache, std::string_view key) {
    const fs::path place = place_of(cache, key);
    if (text_of(place / "key") != key) return {};
    simdjson::dom::parser parser;
    simdjson::dom::object fields;
    std::string_view end, diagnostic;
    compilation found;
    const std::string text = text_of(place / "result.json");
    if (text.empty() || parser.parse(text).get(fields) || fields["end"].get(end) ||
        fields["diagnostic"].get(diagnostic) || fields["seconds"].get(found.seconds))
        return {};
    const auto* named = std::find_if(std::begin(names), std::end(names),
                                     [&](const auto& pair) { return pair.second == end; });
    if (named == std::end(names)) return {};
    found.end = named->first;
    found.diagnostic = diagnostic;
    found.cached = true;
    if (found.end != compile_end::compiled) return found;
    found.program = place / "program";
    if (::access(found.program.c_str(), X_OK) != 0) return {};
    return found;
}

status keep_compilation(const fs::path& cache, std::string_view key, compilation& result) {
    const fs::path place = place_of(cache, key);
    CUSET_ASSIGN(scratch_folder partial, scratch_folder::make(place.parent_path()));
    const fs::path& folder = partial.path();
    std::error_code error;
    CUSET_TRY(write_whole_file((folder / "key").string(), key));
    CUSET_TRY(write_whole_file((folder / "result.json").string(), as_json(result)));
    if (!result.program.empty()) {
        // Synced before the entry has its name: after a crash it is whole or not there.
        CUSET_TRY(write_whole_file((folder / "program").string(), text_of(result.program)));
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
