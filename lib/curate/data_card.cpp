#include "cuset/curate/data_card.h"

#include <algorithm>
#include <array>

#include "cuset/base/visible_text.h"

namespace cuset {

namespace {

std::string_view size_category(std::uint64_t records) {
    return records < 1000          ? "n<1K"
           : records < 10'000      ? "1K<n<10K"
           : records < 100'000     ? "10K<n<100K"
           : records < 1'000'000   ? "100K<n<1M"
           : records < 10'000'000  ? "1M<n<10M"
           : records < 100'000'000 ? "10M<n<100M"
                                   : "100M<n<1B";
}

/// Text in a cell of a table, or in code: no mark of Markdown counts in it.
std::string in_code(std::string_view text) {
    std::string out = "`";
    for (const char c : visible_text(text)) out += c == '`' ? '\'' : c == '|' ? '/' : c;
    return out + '`';
}

/// The Hub refuses a card with another name than those of its list, of which these are SPDX names
/// in lower case.
std::string license_line(const curation_counts& counts) {
    static constexpr std::array<std::string_view, 33> known = {
        "apache-2.0",   "mit",          "bsd-2-clause", "bsd-3-clause", "bsd-3-clause-clear",
        "cc0-1.0",      "cc-by-2.0",    "cc-by-3.0",    "cc-by-4.0",    "cc-by-sa-3.0",
        "cc-by-sa-4.0", "cc-by-nc-4.0", "gpl-2.0",      "gpl-3.0",      "lgpl-2.1",
        "lgpl-3.0",     "agpl-3.0",     "mpl-2.0",      "epl-1.0",      "epl-2.0",
        "eupl-1.1",     "isc",          "unlicense",    "wtfpl",        "zlib",
        "bsl-1.0",      "ncsa",         "artistic-2.0", "ecl-2.0",      "ms-pl",
        "postgresql",   "afl-3.0",      "osl-3.0"};
    if (counts.licenses.size() != 1) return "other";
    std::string name = counts.licenses.begin()->first;
    if (name == "none") return "unknown";
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    // The Hub's names of GNU's licences do not tell these apart.
    for (const std::string_view ending : {"-only", "-or-later"})
        if (name.ends_with(ending)) name.resize(name.size() - ending.size());
    return std::find(known.begin(), known.end(), name) == known.end() ? "other" : name;
}

void append_counts(std::string& out, const std::string& title,
                   const std::map<std::string, std::uint64_t>& counts) {
    if (counts.empty()) return;
    constexpr std::size_t most = 50;
    out += "\n## " + title + "\n\n| | pairs |\n|---|---:|\n";
    std::size_t row = 0;
    std::uint64_t rest = 0;
    for (const auto& [name, count] : counts) {
        if (row++ < most)
            out += "| " + in_code(name) + " | " + std::to_string(count) + " |\n";
        else
            rest += count;
    }
    if (rest > 0) out += "| others | " + std::to_string(rest) + " |\n";
}

/// A word as a shell would take it.
std::string shell_word(const std::string& word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_./=,:+@%").find(c) != std::string_view::npos;
    });
    if (plain) return word;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

}  // namespace

std::string data_card(const curation_counts& counts, const card_options& options) {
    std::string out = "---\nlicense: " + license_line(counts) +
                      "\ntask_categories:\n- text-generation\nlanguage:\n- en\ntags:\n- code\n- "
                      "cuda\n- cuset\nsize_categories:\n- ";
    out += size_category(counts.kept);
    out += "\n---\n\n# Pairs to train on\n\n" + std::to_string(counts.kept) + " pairs of " +
           std::to_string(counts.read) + " records, with " + std::to_string(counts.kernels) +
           " kernels.\n\n## How it was made\n\ncuset " + options.version + ":\n\n    ";
    for (std::size_t i = 0; i < options.command.size(); ++i)
        out += (i > 0 ? " " : "") + visible_text(shell_word(options.command[i]));
    out += "\n\n```\n";
    for (const auto& row : funnel_of(counts)) out += row + '\n';
    out += "```\n\n## Contamination\n\n";
    if (options.benchmarks.empty()) {
        out += "It was not screened against any benchmark.\n";
    } else {
        out += "Screened against " + std::to_string(options.benchmark_tasks) + " tasks of ";
        for (std::size_t i = 0; i < options.benchmarks.size(); ++i)
            out += (i > 0 ? ", " : "") + in_code(options.benchmarks[i]);
        const auto dropped = counts.dropped[static_cast<std::size_t>(drop_reason::benchmark)];
        out += "; " + std::to_string(dropped) + (dropped == 1 ? " record was" : " records were") +
               " dropped.\n";
    }
    if (!counts.sizes.empty()) {
        auto sizes = counts.sizes;
        std::sort(sizes.begin(), sizes.end());
        out += "\n## Lengths of the responses\n\n| quantile | bytes |\n|---:|---:|\n";
        for (const unsigned percent : {0U, 5U, 25U, 50U, 75U, 95U, 100U})
            out += "| " + std::to_string(percent) + " % | " +
                   std::to_string(sizes[(sizes.size() - 1) * percent / 100]) + " |\n";
    }
    append_counts(out, "Licences that programs name", counts.licenses);
    append_counts(out, "Sources", counts.sources);
    append_counts(out, "Device code", counts.languages);
    append_counts(out, "Families", counts.families);
    return out;
}

}  // namespace cuset
