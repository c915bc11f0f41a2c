#include "cuset/train/batch_plan.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

using namespace cuset;

namespace {

std::vector<std::size_t> epoch_of(batch_plan& plan, std::size_t epoch) {
    std::vector<std::size_t> all;
    const std::size_t first = plan.steps_in(static_cast<double>(epoch));
    const std::size_t last = plan.steps_in(static_cast<double>(epoch + 1));
    for (std::size_t number = first; number < last; ++number) {
        const auto step = plan.at(number);
        BOOST_TEST(step.epoch == epoch);
        BOOST_TEST(!step.samples.empty());
        all.insert(all.end(), step.samples.begin(), step.samples.end());
    }
    return all;
}

std::vector<std::size_t> lengths_of(std::size_t samples) {
    return std::vector<std::size_t>(samples, 10);
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_epoch_takes_every_sample_once) {
    for (const std::size_t samples : {1u, 2u, 7u, 48u, 1000u}) {
        for (const std::size_t batch : {1u, 3u, 8u}) {
            batch_plan plan({.batch = batch, .accumulate = 2, .processes = 1, .seed = 5},
                            lengths_of(samples));
            BOOST_TEST(plan.steps_in(1) == (samples + 2 * batch - 1) / (2 * batch));
            auto first = epoch_of(plan, 0), second = epoch_of(plan, 1);
            if (samples > 20) BOOST_TEST(first != second);
            BOOST_TEST(epoch_of(plan, 0) == first);  // planned again after another epoch
            std::sort(first.begin(), first.end());
            for (std::size_t i = 0; i < samples; ++i) BOOST_TEST(first[i] == i);
        }
    }
}

BOOST_AUTO_TEST_CASE(without_shuffling_the_order_is_the_files) {
    batch_plan plan({.batch = 4, .shuffle = false}, lengths_of(10));
    const auto order = epoch_of(plan, 3);
    for (std::size_t i = 0; i < 10; ++i) BOOST_TEST(order[i] == i);
    BOOST_TEST(plan.at(11).samples.size() == 2u);
    BOOST_TEST(plan.at(11).epochs_done == 4.0);
}

BOOST_AUTO_TEST_CASE(a_part_of_an_epoch_is_rounded_up_to_steps) {
    batch_plan plan({.batch = 4}, lengths_of(10));
    BOOST_TEST(plan.steps_in(0.5) == 2u);
    BOOST_TEST(plan.steps_in(2.01) == 7u);
    BOOST_TEST(plan.steps_in(3) == 9u);
    BOOST_TEST(plan.steps_in(1e6) == 3000000u);
    const auto late = plan.at(2999999);
    BOOST_TEST(late.epoch == 999999u);
    BOOST_TEST(late.samples.size() == 2u);
    BOOST_TEST(plan.at(1).epoch == 0u);
}

// Every step fits the budget and could not take the next sample too; no sample is lost.
BOOST_AUTO_TEST_CASE(a_token_budget_fills_steps) {
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < 60; ++i) lengths.push_back(5 + i * 7 % 31);
    lengths.push_back(500);  // longer than the budget: a step of its own
    batch_plan plan({.processes = 2, .tokens = 50, .seed = 3}, lengths);
    for (const std::size_t epoch : {0u, 1u}) {
        auto all = epoch_of(plan, epoch);
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < lengths.size(); ++i) BOOST_TEST(all[i] == i);
    }
    std::size_t before = SIZE_MAX;
    for (std::size_t number = 0; number < plan.steps_in(1); ++number) {
        std::size_t tokens = 0;
        const auto step = plan.at(number);
        for (const std::size_t i : step.samples) tokens += lengths[i];
        BOOST_TEST((tokens <= 100 || step.samples.size() == 1));
        if (before != SIZE_MAX) BOOST_TEST(before + lengths[step.samples[0]] > 100);
        before = tokens;
    }
}

// A step is the same for one process as for three.
BOOST_AUTO_TEST_CASE(processes_share_a_step) {
    batch_plan one({.batch = 6}, lengths_of(50)),
        three({.batch = 2, .processes = 3}, lengths_of(50));
    BOOST_TEST(one.steps_in(3) == three.steps_in(3));
    for (std::size_t number = 0; number < one.steps_in(3); ++number) {
        const auto whole = one.at(number).samples;
        std::vector<std::size_t> joined;
        for (std::size_t rank = 0; rank < 3; ++rank) {
            const auto part = share_of(three.at(number).samples, rank, 3);
            joined.insert(joined.end(), part.begin(), part.end());
        }
        std::vector<std::size_t> expected(whole.begin(), whole.end());
        std::sort(expected.begin(), expected.end());
        std::sort(joined.begin(), joined.end());
        BOOST_TEST(joined == expected);
    }
}

BOOST_AUTO_TEST_CASE(passes_hold_what_fits) {
    const auto cut = [](std::vector<std::size_t> lengths, std::size_t most) {
        return cut_passes(lengths, most);
    };
    using ends = std::vector<std::size_t>;
    BOOST_TEST(cut({}, 10) == ends{});
    BOOST_TEST(cut({5, 5, 1}, 10) == (ends{2, 3}));
    BOOST_TEST(cut({50, 5, 5, 50}, 10) == (ends{1, 3, 4}));
    BOOST_TEST(cut({1, 1, 1}, 1) == (ends{1, 2, 3}));
    BOOST_TEST(cut({1, 1, 1}, 100) == (ends{3}));
}
