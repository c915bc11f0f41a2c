// What a table of conditions is read from: names of files, verdicts, figures, families.
#include <simdjson.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <tuple>
#include <utility>

#include "cuset/judge/condition_table.h"
#include "cuset/judge/verdict_log.h"
#include "cuset/sandbox/text_lines.h"
#include "cuset/stream/line_log.h"
#include "tasks/record_fields.h"
#include "tasks/task_formats.h"

namespace cuset {

namespace {

std::vector<std::string_view> split_at(std::string_view text, char mark) {
    std::vector<std::string_view> parts;
    for (std::size_t end; (end = text.find(mark)) != text.npos; text.remove_prefix(end + 1))
        parts.push_back(text.substr(0, end));
    parts.push_back(text);
    return parts;
}

/// The columns of a TSV of figures, by its heading.
class figure_columns {
public:
    status read(std::string_view heading) {
        const auto names = split_at(heading, '\t');
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const auto found = std::find(names.begin(), names.end(), wanted[i]);
            if (found == names.end())
                return data_error("no column \"" + std::string(wanted[i]) +
                                  "\": figures have the columns condition, seed, measure, value");
            places_[i] = static_cast<std::size_t>(found - names.begin());
        }
        count_ = names.size();
        return {};
    }

    result<condition_figure> figure_of(std::string_view line) const {
        const auto cells = split_at(line, '\t');
        if (cells.size() != count_)
            return data_error(std::to_string(cells.size()) + " columns, and the heading has " +
                              std::to_string(count_));
        const auto cell = [&](std::size_t i) { return cells[places_[i]]; };
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (cell(i).empty()) return data_error(std::string(wanted[i]) + " is empty");
        condition_figure figure{std::string(cell(0)), std::string(cell(1)), std::string(cell(2)),
                                0};
        const std::string_view number = cell(3);
        const char* const end = number.data() + number.size();
        const auto [stop, error] = std::from_chars(number.data(), end, figure.value);
        if (error != std::errc() || stop != end || !std::isfinite(figure.value))
            return data_error('\'' + std::string(number) + "' is no finite number");
        return figure;
    }

    bool is_read() const { return count_ > 0; }

private:
    static constexpr std::array<std::string_view, 4> wanted{"condition", "seed", "measure",
                                                            "value"};
    std::array<std::size_t, 4> places_{};
    std::size_t count_ = 0;
};

}  // namespace

result<condition_files> read_condition(std::string_view text) {
    const std::string_view head = text.substr(0, text.find_first_of("/,"));
    const std::size_t end = head.rfind('=');
    const auto wrong = [&](const std::string& why) {
        return usage_error('\'' + std::string(text) + "': " + why +
                           " (a condition is NAME=VERDICTS[,VERDICTS...])");
    };
    if (end == head.npos) return wrong("it names no condition");
    if (end == 0) return wrong("its name is empty");
    condition_files made{std::string(text.substr(0, end)), {}};
    for (const auto file : split_at(text.substr(end + 1), ',')) {
        if (file.empty()) return wrong("a file's name is empty");
        if (file == "-") return wrong("standard input is no file of a condition");
        if (std::find(made.files.begin(), made.files.end(), file) != made.files.end())
            return wrong(std::string(file) + " stands for two seeds");
        made.files.emplace_back(file);
    }
    return made;
}

result<condition_runs> read_runs(const condition_files& files) {
    condition_runs made;
    made.name = files.name;
    for (const auto& file : files.files) {
        CUSET_ASSIGN(auto verdicts, read_verdicts({file}));
        if (verdicts.empty()) return data_error(file + ": no verdicts");
        auto& runs = is_checked(verdicts.front().setting) ? made.checked : made.runs;
        runs.push_back({file, std::move(verdicts)});
    }
    if (made.runs.empty()) std::swap(made.runs, made.checked);
    if (!made.checked.empty() && made.checked.size() != made.runs.size())
        return usage_error(made.name + ": " + std::to_string(made.runs.size()) +
                           " files without --check and " + std::to_string(made.checked.size()) +
                           " with it: give one of each for every seed");
    return made;
}

result<std::vector<condition_figure>> read_figures(const std::string& path) {
    std::vector<condition_figure> figures;
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    figure_columns columns;
    // lib/stream's readers take records alone, and refuse a TSV.
    std::ifstream file(path, std::ios::binary);
    if (!file) return io_error(path, errno);
    std::ostringstream whole;
    whole << file.rdbuf();
    const std::string text = std::move(whole).str();
    std::string_view rest = text;
    if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
    for (std::size_t number = 1; !rest.empty(); ++number) {
        std::string_view row = take_line(rest);
        if (row.ends_with('\r')) row.remove_suffix(1);
        if (row.empty()) continue;
        const std::string place = path + ':' + std::to_string(number) + ": ";
        if (!columns.is_read()) {
            status read = columns.read(row);
            if (!read) return std::move(read).with_prefix(place);
            continue;
        }
        auto read = columns.figure_of(row);
        if (!read) return std::move(read).error().with_prefix(place);
        if (!seen.emplace(read->condition, read->seed, read->measure).second)
            return data_error(place + read->measure + " of condition " + read->condition +
                              ", seed " + read->seed + " was there before");
        figures.push_back(std::move(read).value());
    }
    if (figures.empty()) return data_error(path + ": no figures");
    return figures;
}

result<std::optional<std::map<std::string, std::string>>> read_families(const std::string& path,
                                                                        const std::string& field,
                                                                        bool is_optional) {
    std::map<std::string, std::string> families;
    simdjson::dom::parser parser;
    std::string first_without;
    const auto take = [&](const line& l, const std::string& place) -> status {
        auto fields = object_of(parser, l.text);
        if (!fields) return std::move(fields).error().with_prefix(place);
        auto id = task_id_of(*fields);
        if (!id) return std::move(id).error().with_prefix(place);
        auto family = id_field(*fields, field);
        if (family)
            families.emplace(std::move(id).value(), std::move(family).value());
        else if (first_without.empty())
            first_without = place + family.error().message();
        return {};
    };
    CUSET_TRY(for_lines({path}, take, longest_line));
    if (families.empty() && is_optional) return std::optional<std::map<std::string, std::string>>();
    if (!first_without.empty())
        return data_error(first_without + ": --family needs it in each task");
    return std::optional(std::move(families));
}

}  // namespace cuset
