#include "cuset/train/batch_plan.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>

using namespace cuset;

namespace {

std::vector<std::size_t> epoch_of(batch_plan& plan, std::size_t epoch) {
    std::vector<std::size_t> all;
    for (std::size_t step = 0; step < plan.steps_per_epoch(); ++step) {
        const auto part = plan.step_samples(epoch, step);
        BOOST_TEST(!part.empty());
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_epoch_takes_every_sample_once) {
    for (const std::size_t samples : {1u, 2u, 7u, 48u, 1000u}) {
        for (const std::size_t batch : {1u, 3u, 8u}) {
            batch_plan plan({.batch = batch, .accumulate = 2, .processes = 1, .seed = 5}, samples);
            BOOST_TEST(plan.steps_per_epoch() == (samples + 2 * batch - 1) / (2 * batch));
            auto first = epoch_of(plan, 0), second = epoch_of(plan, 1);
            if (samples > 20) BOOST_TEST(first != second);
            BOOST_TEST(epoch_of(plan, 0) == first);  // planned again after another epoch
            std::sort(first.begin(), first.end());
            for (std::size_t i = 0; i < samples; ++i) BOOST_TEST(first[i] == i);
        }
    }
}

BOOST_AUTO_TEST_CASE(without_shuffling_the_order_is_the_files) {
    batch_plan plan({.batch = 4, .shuffle = false}, 10);
    const auto order = epoch_of(plan, 3);
    for (std::size_t i = 0; i < 10; ++i) BOOST_TEST(order[i] == i);
    BOOST_TEST(plan.step_samples(3, 2).size() == 2u);
}

// The same step whether one process takes it or three.
BOOST_AUTO_TEST_CASE(processes_share_a_step) {
    batch_plan one({.batch = 6}, 50), three({.batch = 2, .processes = 3}, 50);
    BOOST_TEST(one.steps_per_epoch() == three.steps_per_epoch());
    for (std::size_t step = 0; step < one.steps_per_epoch(); ++step) {
        const auto whole = one.step_samples(2, step);
        std::vector<std::size_t> joined;
        for (std::size_t rank = 0; rank < 3; ++rank) {
            const auto part = share_of(three.step_samples(2, step), rank, 3);
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
