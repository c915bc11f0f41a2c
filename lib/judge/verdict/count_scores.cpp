#include "cuset/judge/count_scores.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "cuset/base/format.h"
#include "cuset/base/visible_text.h"

namespace cuset {

namespace {

using group = std::vector<const verdict*>;

std::optional<double> share(std::size_t part, std::size_t whole) {
    if (whole == 0) return {};
    return static_cast<double>(part) / static_cast<double>(whole);
}

std::optional<double> median(std::vector<double> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::optional<double> mean(const std::vector<double>& values) {
    if (values.empty()) return {};
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

/// What answers say of hidden operations, against what is so.
struct confusion {
    std::size_t counts[2][2] = {};  // [is so][is said]

    std::size_t all() const { return counts[0][0] + counts[0][1] + counts[1][0] + counts[1][1]; }
    std::size_t right() const { return counts[0][0] + counts[1][1]; }
    std::optional<double> macro_f1() const {
        std::vector<double> scores;
        for (const std::size_t c : {0U, 1U}) {
            const std::size_t hits = counts[c][c], wrong = counts[c][1 - c] + counts[1 - c][c];
            if (const auto f1 = share(2 * hits, 2 * hits + wrong)) scores.push_back(*f1);
        }
        return mean(scores);
    }
};

count_scores scores_of(const group& verdicts) {
    count_scores scores;
    std::set<std::string_view> tasks;
    std::size_t correct = 0, zeros_right = 0, near = 0, of_magnitude = 0;
    std::vector<double> errors, logarithms;
    confusion hidden;
    for (const verdict* v : verdicts) {
        const count_outcome& count = *v->count;
        tasks.insert(v->task);
        if (!count.expected) {
            ++scores.not_judged;
            continue;
        }
        ++scores.answers;
        correct += v->passed();
        if (count.hidden_flops && count.stated_hidden_flops)
            ++hidden.counts[*count.hidden_flops][*count.stated_hidden_flops];
        if (!count.answer) continue;
        ++scores.numbers;
        const double answer = *count.answer, expected = *count.expected;
        zeros_right += (answer == 0) == (expected == 0);
        if (const auto error = count.relative_error()) {
            errors.push_back(*error);
            near += *error <= 0.1;
        }
        if (answer > 0 && expected > 0)
            logarithms.push_back(std::abs(std::log10(answer / expected)));
        of_magnitude += answer == expected || (answer > 0 && expected > 0 &&
                                               answer <= 10 * expected && expected <= 10 * answer);
    }
    scores.tasks = tasks.size();
    scores.correct = share(correct, scores.answers);
    scores.nonzero_accuracy = share(zeros_right, scores.answers);
    scores.stated = hidden.all();
    scores.hidden_accuracy = share(hidden.right(), hidden.all());
    scores.hidden_macro_f1 = hidden.macro_f1();
    scores.within_10_percent = share(near, scores.answers);
    scores.within_10_times = share(of_magnitude, scores.answers);
    scores.mean_log10_error = mean(logarithms);
    scores.median_relative_error = median(std::move(errors));
    return scores;
}

/// The scores of a group and, where they are two, of its halves.
void add_scores(const group& all, const std::string& quantity, const std::string& category,
                std::vector<count_scores>& scores) {
    const auto add = [&](const group& some, std::optional<bool> hidden) {
        count_scores& s = scores.emplace_back(scores_of(some));
        s.quantity = quantity;
        s.category = category;
        s.hidden_flops = hidden;
    };
    add(all, {});
    group with, without;
    for (const verdict* v : all)
        if (v->count->hidden_flops) (*v->count->hidden_flops ? with : without).push_back(v);
    if (with.empty() || without.empty()) return;
    add(with, true);
    add(without, false);
}

/// The groups by a member of count_outcome, in the order in which their values appear.
std::vector<std::pair<std::string, group>> by(std::string count_outcome::*member,
                                              const group& all) {
    std::vector<std::pair<std::string, group>> groups;
    for (const verdict* v : all) {
        const std::string& value = (*v->count).*member;
        auto at = std::ranges::find_if(groups, [&](const auto& g) { return g.first == value; });
        if (at == groups.end()) at = groups.insert(at, {value, {}});
        at->second.push_back(v);
    }
    return groups;
}

std::string cell(const std::optional<double>& number) {
    return number ? format("%.6g", *number) : std::string();
}

}  // namespace

std::vector<count_scores> score_counts(const std::vector<verdict>& verdicts) {
    group all;
    for (const verdict& v : verdicts)
        if (v.count) all.push_back(&v);
    std::vector<count_scores> scores;
    if (all.empty()) return scores;
    add_scores(all, "", "", scores);
    for (const auto& [quantity, of_quantity] : by(&count_outcome::quantity, all)) {
        add_scores(of_quantity, quantity, "", scores);
        for (const auto& [category, of_category] : by(&count_outcome::category, of_quantity))
            if (!category.empty()) add_scores(of_category, quantity, category, scores);
    }
    return scores;
}

std::string to_table(const std::vector<count_scores>& scores) {
    std::string text =
        "quantity\tcategory\thidden_flops\ttasks\tanswers\tnot_judged\tnumbers\tcorrect\t"
        "nonzero_accuracy\tstated\thidden_accuracy\thidden_macro_f1\twithin_10_percent\t"
        "within_10_times\tmean_log10_error\tmedian_relative_error\n";
    const auto named = [](const std::string& name) {
        return name.empty() ? std::string("all") : visible_text(name);
    };
    for (const count_scores& s : scores) {
        text += named(s.quantity) + '\t' + named(s.category) + '\t';
        text += !s.hidden_flops ? "all" : *s.hidden_flops ? "yes" : "no";
        for (const std::size_t number : {s.tasks, s.answers, s.not_judged, s.numbers})
            text.append("\t").append(std::to_string(number));
        text.append("\t").append(cell(s.correct)).append("\t").append(cell(s.nonzero_accuracy));
        text.append("\t").append(std::to_string(s.stated));
        for (const auto& number : {s.hidden_accuracy, s.hidden_macro_f1, s.within_10_percent,
                                   s.within_10_times, s.mean_log10_error, s.median_relative_error})
            text.append("\t").append(cell(number));
        text += '\n';
    }
    return text;
}

}  // namespace cuset
