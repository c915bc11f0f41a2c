// The pool of threads that lib/model's CPU passes run on. Also built under ThreadSanitizer.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "row_tasks.h"

namespace cuset {

BOOST_AUTO_TEST_SUITE(task_pools)

// Plain stores, which the next round reads on other threads: a race unless run() orders them.
BOOST_AUTO_TEST_CASE(each_task_once_and_seen_by_the_next_round) {
    for (int threads : {1, 2, 5}) {
        task_pool pool(threads);
        BOOST_TEST(pool.threads() == threads);
        for (std::int64_t count : {0, 1, 3, 1000}) {
            std::vector<int> values(static_cast<std::size_t>(count), 0);
            for (int round = 0; round < 50; ++round)
                pool.run(count, [&](std::int64_t i) {
                    ++values[static_cast<std::size_t>(count - 1 - i)];
                });
            BOOST_TEST(std::accumulate(values.begin(), values.end(), 0L) == 50 * count);
        }
    }
}

BOOST_AUTO_TEST_CASE(each_thread_has_an_index_of_its_own) {
    task_pool pool(3);
    std::vector<std::atomic<int>> inside(3);
    std::atomic<bool> shared = false;
    pool.run(3000, [&](std::int64_t) {
        std::atomic<int>& mine = inside.at(task_pool::thread_index());
        if (mine.fetch_add(1) != 0) shared = true;
        mine.fetch_sub(1);
    });
    BOOST_TEST(!shared);
}

BOOST_AUTO_TEST_CASE(what_a_task_throws_comes_after_the_others) {
    task_pool pool(3);
    for (int round = 0; round < 20; ++round) {
        std::vector<int> values(100, 0);
        BOOST_CHECK_THROW(pool.run(100,
                                   [&](std::int64_t i) {
                                       values[static_cast<std::size_t>(i)] = 1;
                                       if (i % 40 == 7) throw std::runtime_error("seventh");
                                   }),
                          std::runtime_error);
        BOOST_TEST(std::accumulate(values.begin(), values.end(), 0) == 100);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cuset
