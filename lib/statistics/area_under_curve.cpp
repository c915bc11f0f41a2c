#include "cuset/statistics/area_under_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace cuset {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Whether two measures differ by no more than the rounding of their sums. `above` is not less.
bool are_tied(double below, double above) { return above - below <= 1e-12 * std::abs(below); }

/// On how many pairs with an answer of the other side each answer is on the right side; ties are
/// halves. In the order of the answers.
std::vector<double> right_pairs(std::span<const ranked_answer> answers) {
    std::vector<std::size_t> order(answers.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return answers[a].measure < answers[b].measure;
    });
    std::vector<double> right(answers.size());
    std::size_t passed = 0;
    for (const ranked_answer& a : answers) passed += a.passed;
    double passed_below = 0, failed_below = 0;
    for (std::size_t i = 0; i < order.size();) {
        std::size_t end = i;
        double passed_here = 0, failed_here = 0;
        for (;
             end < order.size() && are_tied(answers[order[i]].measure, answers[order[end]].measure);
             ++end)
            (answers[order[end]].passed ? passed_here : failed_here) += 1;
        for (; i < end; ++i)
            right[order[i]] = answers[order[i]].passed
                                  ? failed_below + failed_here / 2
                                  : static_cast<double>(passed) - passed_below - passed_here / 2;
        passed_below += passed_here;
        failed_below += failed_here;
    }
    return right;
}

/// The area and the influence of each family on it.
struct influences {
    double area = none;
    std::vector<double> of_family;
};

influences of_all_pairs(std::span<const ranked_answer> answers) {
    double passed = 0, sum = 0;
    for (const ranked_answer& a : answers) passed += a.passed ? 1 : 0;
    const double failed = static_cast<double>(answers.size()) - passed;
    if (passed == 0 || failed == 0) return {};
    const std::vector<double> right = right_pairs(answers);
    for (std::size_t i = 0; i < answers.size(); ++i)
        if (answers[i].passed) sum += right[i];
    influences found{sum / (passed * failed), {}};
    std::map<std::size_t, double> families;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const double own = answers[i].passed ? passed : failed, other = passed + failed - own;
        families[answers[i].family] += (right[i] / other - found.area) / own;
    }
    for (const auto& [family, influence] : families) found.of_family.push_back(influence);
    return found;
}

influences of_one_task(std::span<const ranked_answer> answers) {
    std::map<std::size_t, std::vector<ranked_answer>> tasks;
    for (const ranked_answer& a : answers) tasks[a.task].push_back(a);
    struct family_pairs {
        double right = 0, all = 0;
    };
    std::map<std::size_t, family_pairs> families;
    family_pairs sum;
    for (const auto& [task, own] : tasks) {
        double passed = 0, right = 0;
        const std::vector<double> rights = right_pairs(own);
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (!own[i].passed) continue;
            passed += 1;
            right += rights[i];
        }
        const double all = passed * (static_cast<double>(own.size()) - passed);
        if (all == 0) continue;
        family_pairs& family = families[own.front().family];
        family.right += right;
        family.all += all;
        sum.right += right;
        sum.all += all;
    }
    if (sum.all == 0) return {};
    influences found{sum.right / sum.all, {}};
    for (const auto& [family, own] : families)
        found.of_family.push_back((own.right - found.area * own.all) / sum.all);
    return found;
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

rate area_under_curve(std::span<const ranked_answer> answers, answer_pairs pairs) {
    const influences found =
        pairs == answer_pairs::all ? of_all_pairs(answers) : of_one_task(answers);
    rate area{found.area, none, none, none};
    const auto families = static_cast<double>(found.of_family.size());
    double squares = 0;
    for (const double influence : found.of_family) squares += influence * influence;
    // What rounding leaves of influences that are 0.
    if (families < 2 || !(squares > 1e-24)) return area;
    area.error = std::sqrt(families / (families - 1) * squares);
    const double a = area.mean, logit = std::log(a / (1 - a));
    const double half =
        student_quantile(found.of_family.size(), 0.975) * area.error / (a * (1 - a));
    area.low = logistic(logit - half);
    area.high = logistic(logit + half);
    return area;
}

}  // namespace cuset
