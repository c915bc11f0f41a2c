#include "cuset/judge/verdict_log.h"

#include <functional>
#include <unordered_set>

#include "tasks/record_fields.h"

namespace cuset {

namespace {

std::string place_of(const std::string& task, std::uint64_t sample) {
    return std::to_string(sample) + ' ' + task;
}

using verdict_visitor = std::function<status(verdict, const std::string& place)>;

line_log::visitor for_verdicts(verdict_visitor visit) {
    return [visit = std::move(visit), reader = std::make_shared<verdict_reader>()](
               const line& l, const std::string& place) -> status {
        auto read = reader->read(l.text);
        if (!read) return std::move(read).error().with_prefix(place);
        return visit(std::move(read).value(), place);
    };
}

}  // namespace

result<verdict_log> verdict_log::open(const std::string& path, const evaluation_setting& setting) {
    std::unordered_map<std::string, verdict> last;
    std::size_t replaced = 0;
    const auto rule_of = [](const evaluation_setting& s) {
        std::string text = "--protocol " + std::string(name_of(s.rule));
        if (s.inputs > 1) text += " --inputs " + std::to_string(s.inputs);
        return text;
    };
    const auto keep = [&](verdict v, const std::string& at) -> status {
        if (v.setting.rule != setting.rule || v.setting.inputs != setting.inputs)
            return usage_error(at + "this verdict was made with " + rule_of(v.setting) +
                               ", and this run has " + rule_of(setting) +
                               ": --verdicts needs another file");
        std::string place = place_of(v.task, v.sample);
        if (!last.insert_or_assign(std::move(place), std::move(v)).second) ++replaced;
        return status();
    };
    CUSET_ASSIGN(line_log file,
                 line_log::open(path, "{\"task\":", for_verdicts(keep), longest_line));
    return verdict_log(std::move(file), path, std::move(last), replaced);
}

status verdict_log::append(const verdict& v) {
    if (last_.contains(place_of(v.task, v.sample))) ++replaced_;
    return file_.append(to_line(v));
}

status verdict_log::remove_replaced() {
    if (replaced_ == 0) return {};
    std::unordered_map<std::string, std::uint64_t> last_line;
    verdict_reader reader;
    const auto find_last = [&](const line& l, const std::string& at) -> status {
        const auto v = reader.read(l.text);
        if (!v) return status(v.error()).with_prefix(at);
        last_line.insert_or_assign(place_of(v->task, v->sample), l.number);
        return {};
    };
    CUSET_TRY(for_lines({path_}, find_last, longest_line));
    std::unordered_set<std::uint64_t> kept;
    for (const auto& [place, number] : last_line) kept.insert(number);
    replaced_ = 0;
    return file_.keep([&](const line& l) { return kept.contains(l.number); }, longest_line);
}

const verdict* verdict_log::find(const std::string& task, std::uint64_t sample,
                                 const digest& key) const {
    const auto found = last_.find(place_of(task, sample));
    if (found == last_.end() || found->second.key != key || found->second.why == failure::evaluator)
        return nullptr;
    return &found->second;
}

bool verdict_log::has(const std::string& task, std::uint64_t sample) const {
    const auto found = last_.find(place_of(task, sample));
    return found != last_.end() && found->second.why != failure::evaluator;
}

result<std::vector<verdict>> read_verdicts(const std::vector<std::string>& paths) {
    std::vector<verdict> all;
    std::unordered_map<std::string, std::size_t> places;
    std::size_t first_of_file = 0;
    const std::string* file = nullptr;
    const auto keep = [&](verdict v, const std::string& at) -> status {
        const auto [place, is_new] = places.emplace(place_of(v.task, v.sample), all.size());
        if (is_new) {
            all.push_back(std::move(v));
        } else if (place->second < first_of_file) {
            return usage_error(at + "sample " + std::to_string(v.sample) + " of task \"" + v.task +
                               "\" has a verdict in a file before " + *file +
                               " too: these are no parts of one sharded run (--table NAME=FILE "
                               "NAME=FILE reports several models)");
        } else {
            all[place->second] = std::move(v);
        }
        return {};
    };
    for (const auto& path : paths) {
        file = &path;
        first_of_file = all.size();
        CUSET_TRY(for_lines({path}, for_verdicts(keep), longest_line));
    }
    for (const auto& v : all)
        if (v.setting != all.front().setting)
            return data_error("verdicts of several settings: " + describe(all.front().setting) +
                              " (task " + all.front().task + "), and " + describe(v.setting) +
                              " (task " + v.task + ')');
    return all;
}

}  // namespace cuset
