// Tokens that a confidence mask leaves out.
#include "cuset/train/mask_watch.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

namespace {

data_set of_lengths(const std::vector<std::size_t>& lengths) {
    data_set data;
    for (const std::size_t n : lengths)
        data.pairs.push_back({"", std::vector<std::int32_t>(n), 1, {}});
    return data;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mask_watch)

BOOST_AUTO_TEST_CASE(samples_from_all_over_the_data) {
    const auto chosen = watched_samples(of_lengths(std::vector<std::size_t>(100, 10)), 100);
    BOOST_TEST(chosen.size() == 10U);
    BOOST_TEST((chosen.front() == 0U && chosen[5] == 50U && chosen.back() == 90U));
    BOOST_TEST(watched_samples(of_lengths({5000, 5000}), 4096).size() == 1U);
    BOOST_TEST(watched_samples(of_lengths({3, 4, 5}), 4096).size() == 3U);
    // Long samples among short ones do not break the limit.
    BOOST_TEST(watched_samples(of_lengths({90, 1, 1, 90, 1, 1}), 100).size() == 3U);
}

// The rule of the kernels: kernels/both_sides.h.
BOOST_AUTO_TEST_CASE(tokens_without_a_coefficient) {
    objective_settings s;
    BOOST_TEST((is_dropped(s, 0.1, false) && !is_dropped(s, 0.1000001, false)));
    BOOST_TEST(!is_dropped(s, 0.05, true));
    s.lambda = 0;
    BOOST_TEST(is_dropped(s, 0.05, true));
    s.lambda = 1;
    s.cuda_mask = false;
    BOOST_TEST(is_dropped(s, 0.05, true));
    s.confidence_mask = false;
    BOOST_TEST((!is_dropped(s, 0.05, false) && !has_confidence_mask(s)));
    s.kind = objective_kind::profit;
    BOOST_TEST((is_dropped(s, 0.0999, true) && !is_dropped(s, 0.1, false)));
    s.kind = objective_kind::sft;
    BOOST_TEST((!is_dropped(s, 0, false) && !has_confidence_mask(s)));
}

BOOST_AUTO_TEST_CASE(counts_and_warning) {
    std::vector<float> first(100), now(100);
    for (std::size_t i = 0; i < 8; ++i) first[i] = 1;
    for (std::size_t i = 3; i < 20; ++i) now[i] = 1;  // 5 of the first 8, and others
    const dropped_counts counts = count_dropped(first, now);
    BOOST_TEST((counts.tokens == 100U && counts.at_first == 8U && counts.still == 5U));
    const std::vector<double> steps{0.081, 0.0746};
    const std::string said = warning_of(counts, {}, steps, 14);
    for (const char* words : {"tau 0.1", "5.0 %", "100 watched", "left out 8", "and 5 of",
                              "step 14", "8.1, 7.5 %", "cold start"})
        BOOST_TEST(said.find(words) != std::string::npos, words << " in " << said);
    BOOST_TEST(warning_of({1000, 40, 19}, {}, steps, 14).empty());   // 1.9 %
    BOOST_TEST(!warning_of({1000, 80, 20}, {}, steps, 14).empty());  // 2 %, and a quarter
    BOOST_TEST(warning_of({1000, 200, 49}, {}, steps, 14).empty());  // less than a quarter
    // Runs of examples/evidence: from the chat model, which taught nothing, and from a warm start.
    BOOST_TEST(!warning_of({2912, 423, 167}, {}, steps, 72).empty());
    BOOST_TEST(warning_of({2912, 18, 8}, {}, steps, 72).empty());
    BOOST_TEST(warning_of({1000, 0, 0}, {}, steps, 14).empty());
    BOOST_TEST(warning_of({}, {}, {}, 1).empty());
}

BOOST_AUTO_TEST_SUITE_END()
