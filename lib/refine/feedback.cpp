#include "cuset/refine/feedback.h"

#include <array>
#include <string_view>
#include <utility>

#include "cuset/base/fd.h"
#include "cuset/refine/failure_report.h"
#include "cuset/stream/json_writer.h"
#include "default_feedback.h"

namespace cuset {

namespace {

using place = std::pair<std::string_view, std::string>;

/// The error of a wrong number would tell the right one: only what the answer said is left.
std::string diagnostic_of(const verdict& v) {
    return v.why == failure::wrong_number ? v.diagnostic.substr(0, v.diagnostic.find(','))
                                          : v.diagnostic;
}

std::array<place, 7> places_of(const candidate& c, const verdict& v) {
    std::string summary = summary_of(v), details = details_of(v, c);
    std::string report = summary;
    if (!details.empty()) report += "\n\n" + details;
    return {{{"report", std::move(report)},
             {"summary", std::move(summary)},
             {"details", std::move(details)},
             {"failure", std::string(name_of(v.why))},
             {"stage", std::string(name_of(v.reached))},
             {"diagnostic", diagnostic_of(v)},
             {"compiler", v.compiler}}};
}

}  // namespace

result<feedback> feedback::open(const std::string& path) {
    std::string text(default_feedback_ask);
    if (!path.empty()) {
        CUSET_ASSIGN(text, read_whole_file(path));
    }
    CUSET_ASSIGN(task_ask form, task_ask::read(path, text));
    feedback made(std::move(form), path);
    // What is wrong with the file shows before a model is asked.
    verdict none;
    none.why = failure::no_code;
    if (auto tried = made.about({}, none); !tried) return std::move(tried).error();
    return made;
}

result<std::string> feedback::about(const candidate& c, const verdict& v) const {
    pair_record record;
    std::array<std::string, std::tuple_size_v<decltype(places_of(c, v))>> texts;
    const auto places = places_of(c, v);
    for (std::size_t i = 0; i < places.size(); ++i) {
        texts[i] = json_of(places[i].second);
        record.members.push_back({std::string(places[i].first), texts[i]});
    }
    CUSET_TRY(form_.apply(record));
    if (record.conversation.size() != 1 || record.conversation.front().role != "user")
        return data_error(path_ + ": a feedback has one message, the user's");
    std::string& text = record.conversation.front().content;
    // Servers refuse a turn without text, which a template of empty parts makes.
    if (text.find_first_not_of(" \t\r\n") == text.npos) text = summary_of(v);
    return std::move(text);
}

}  // namespace cuset
