#include "cuset/stream/parallel_stages.h"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <vector>

using namespace cuset;

namespace {

using namespace std::chrono_literals;

struct item {
    int number = 0;
    bool is_worked_on = false;
};

/// The numbers below `count`, one by one.
auto numbers(int count) {
    return [next = 0, count]() mutable {
        return next < count ? std::make_unique<item>(item{next++}) : nullptr;
    };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stages)

BOOST_AUTO_TEST_CASE(each_item_once) {
    for (const auto order : {stage_order::as_read, stage_order::as_done})
        for (const int threads : {1, 2, 7}) {
            parallel_stages stages(threads, order);
            std::vector<int> ended(1000);
            int last = -1;
            bool is_in_order = true;
            const auto end = [&](const item& i) {
                BOOST_TEST(i.is_worked_on);
                ++ended[static_cast<std::size_t>(i.number)];
                is_in_order = is_in_order && i.number > std::exchange(last, i.number);
            };
            auto next = numbers(1000);
            BOOST_TEST(
                stages
                    .run<item>([&] { return next(); }, [](item& i) { i.is_worked_on = true; }, end)
                    .is_ok());
            BOOST_TEST((ended == std::vector<int>(1000, 1)));
            if (order == stage_order::as_read) BOOST_TEST(is_in_order);
        }
}

// The first item finishes only after all others have ended.
BOOST_AUTO_TEST_CASE(a_long_item_holds_up_none) {
    parallel_stages stages(2, stage_order::as_done);
    std::promise<void> others;
    auto are_ended = others.get_future();
    int ended = 0, first = -1;
    bool is_in_time = false;
    auto next = numbers(100);
    const auto work = [&](const item& i) {
        if (i.number == 0) is_in_time = are_ended.wait_for(60s) == std::future_status::ready;
    };
    const auto end = [&](const item& i) {
        if (i.number == 0) first = ended;
        if (++ended == 99) others.set_value();
    };
    BOOST_TEST(stages.run<item>([&] { return next(); }, work, end).is_ok());
    BOOST_TEST(is_in_time);
    BOOST_TEST(first == 99);
}

BOOST_AUTO_TEST_CASE(stopped) {
    parallel_stages stages(1, stage_order::as_read);
    auto next = numbers(100);
    int worked = 0, ended = 0;
    const auto read = [&] { return stages.is_stopped() ? nullptr : next(); };
    const auto end = [&](const item&) {
        if (++ended == 3) stages.stop();
    };
    BOOST_TEST(stages
                   .run<item>(
                       read, [&](const item&) { ++worked; }, end)
                   .is_ok());
    BOOST_TEST(worked == 3);
    BOOST_TEST(ended == 3);
}

BOOST_AUTO_TEST_SUITE_END()
