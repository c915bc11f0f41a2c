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

status keep_compilation(const fs::path& cache, std::string_view key, const fs::path& partial,
                        compilation& result) {
    const fs::path place = place_of(cache, key);
    std::error_code error;
    fs::create_directories(place.parent_path(), error);
    if (!fs::create_directory(partial, error)) return io_error(partial.string(), error.value());
    CUSET_TRY(write_whole_file((partial / "key").string(), key));
    CUSET_TRY(write_whole_file((partial / "result.json").string(), as_json(result)));
    if (!result.program.empty()) {
        fs::rename(result.program, partial / "program", error);
        if (error) return io_error(result.program.string(), error.value());
        result.program = place / "program";
    }
    fs::rename(partial, place, error);
    if (error == std::errc::directory_not_empty || error == std::errc::file_exists) {
        if (cached_compilation(cache, key)) return {};
        // Another key's, or what was left of one by a hand that cleaned up.
        fs::remove_all(place, error);
        fs::rename(partial, place, error);
    }
    if (error) return io_error(place.string(), error.value());
    return {};
}

}  // namespace cuset
