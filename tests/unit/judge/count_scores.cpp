// The scores of answers that are a number, against values worked out by hand.
#include "cuset/judge/count_scores.h"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace cuset;

namespace {

struct number {
    const char* task;
    std::optional<double> expected, answer;
    std::optional<bool> hidden{}, stated{};
    const char* quantity = "cost.flops";
    const char* category = "";
};

/// An answer passes within a tenth.
std::vector<verdict> made(const std::vector<number>& numbers) {
    std::vector<verdict> all;
    for (const number& n : numbers) {
        verdict& v = all.emplace_back();
        v.task = n.task;
        v.count = count_outcome{n.quantity, n.category, n.expected, n.answer, n.hidden, n.stated};
        const auto error = v.count->relative_error();
        v.why = !n.expected              ? failure::unsupported
                : error && *error <= 0.1 ? failure::none
                : n.answer               ? failure::wrong_number
                                         : failure::no_number;
    }
    return all;
}

bool is_near(const std::optional<double>& found, double wanted) {
    return found && std::abs(*found - wanted) < 1e-12;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(scores_of_counts)

BOOST_AUTO_TEST_CASE(by_hand) {
    const auto scores = score_counts(made({{"a", 100, 100},
                                           {"a", 100, 105},
                                           {"b", 100, 1000},
                                           {"b", 100, 0.5},
                                           {"b", 100, {}},
                                           {"c", 0, 0},
                                           {"c", 0, 7},
                                           {"c", 10, 0},
                                           {"d", {}, 1}}));
    BOOST_REQUIRE(scores.size() == 2U);  // of all, and of the one quantity
    const count_scores& s = scores[0];
    BOOST_TEST((s.tasks == 4U && s.answers == 8U && s.not_judged == 1U && s.numbers == 7U));
    BOOST_TEST(is_near(s.correct, 3.0 / 8));
    // The answer without a number and the two that have 0 at the wrong place are wrong.
    BOOST_TEST(is_near(s.nonzero_accuracy, 5.0 / 8));
    BOOST_TEST(is_near(s.within_10_percent, 3.0 / 8));
    BOOST_TEST(is_near(s.within_10_times, 4.0 / 8));
    // |log10| of 1, 1.05, 10 and 0.005.
    BOOST_TEST(is_near(s.mean_log10_error, (std::log10(1.05) + 1 + std::log10(200.0)) / 4));
    // 0, 0, 0.05, 0.995, 1, 9
    BOOST_TEST(is_near(s.median_relative_error, (0.05 + 0.995) / 2));
    BOOST_TEST((s.stated == 0U && !s.hidden_accuracy && !s.hidden_macro_f1));
}

BOOST_AUTO_TEST_CASE(what_is_said_of_hidden_operations) {
    const auto scores = score_counts(made({{"a", 1, 1, true, true},
                                           {"a", 1, 1, true, true},
                                           {"a", 1, 1, true, false},
                                           {"b", 1, 1, false, false},
                                           {"b", 1, {}, false, true},
                                           {"b", 1, 1, false, {}},
                                           {"c", 1, 1, {}, true}}));
    BOOST_REQUIRE(scores.size() == 6U);  // each with those that have some, and those that have none
    BOOST_TEST(scores[0].stated == 5U);
    BOOST_TEST(is_near(scores[0].hidden_accuracy, 3.0 / 5));
    // F1 of "yes": 2 hits, 1 missed, 1 too much; of "no": 1 hit, 1 missed, 1 too much.
    BOOST_TEST(is_near(scores[0].hidden_macro_f1, (4.0 / 6 + 2.0 / 4) / 2));
    BOOST_TEST((scores[1].hidden_flops == std::optional(true) && scores[1].answers == 3U));
    BOOST_TEST((scores[2].hidden_flops == std::optional(false) && scores[2].answers == 3U));
    BOOST_TEST(is_near(scores[2].hidden_accuracy, 0.5));
}

BOOST_AUTO_TEST_CASE(groups_and_the_table) {
    std::vector<verdict> all = made({{"a", 1, 1, {}, {}, "cost.fp32", "maps"},
                                     {"b", 1, 2, {}, {}, "cost.fp64", "a\tb"},
                                     {"c", 1, {}, {}, {}, "cost.fp32"}});
    all.emplace_back();  // a verdict on a program
    const auto scores = score_counts(all);
    std::string names;
    for (const auto& s : scores) names += s.quantity + '/' + s.category + ' ';
    BOOST_TEST(names == "/ cost.fp32/ cost.fp32/maps cost.fp64/ cost.fp64/a\tb ");
    const std::string table = to_table(scores);
    BOOST_TEST(
        table.find("\nall\tall\tall\t3\t3\t0\t2\t0.333333\t0.666667\t0\t\t\t0.333333\t0.666667\t"
                   "0.150515\t0.5\n") != table.npos,
        table);
    BOOST_TEST(table.find("\ncost.fp64\ta\\tb\tall\t1\t") != table.npos, table);
    BOOST_TEST(score_counts({}).empty());
    BOOST_TEST(score_counts({verdict()}).empty());
}

BOOST_AUTO_TEST_SUITE_END()
