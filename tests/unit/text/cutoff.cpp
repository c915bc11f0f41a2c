#include "cuset/text/cutoff.h"

#include <boost/test/unit_test.hpp>

namespace {

struct row {
    std::size_t source, target, cutoff, kept_source, kept_target;
};

// From LLaMA-Factory 0.9.5's infer_seqlen, run in Python; the first rows are those of its own
// tests.
constexpr row rows[] = {
    {3000, 2000, 1000, 600, 400},
    {2000, 3000, 1000, 400, 600},
    {1000, 100, 1000, 900, 100},
    {100, 1000, 1000, 100, 900},
    {100, 500, 1000, 100, 500},
    {500, 100, 1000, 500, 100},
    {500, 100, 600, 500, 100},
    {10, 600, 600, 10, 590},
    {5, 10, 0, 0, 0},
    {0, 7, 4, 0, 4},
    {7, 0, 4, 4, 0},
    {0, 0, 0, 0, 0},
    {0, 0, 9, 0, 0},
    {2048, 2048, 4096, 2048, 2048},
    {4000, 2100, 4096, 2686, 1410},
    {3, 6, 7, 3, 4},
    {1, 1, 1, 1, 0},
    {29, 20, 49, 29, 20},
};

BOOST_AUTO_TEST_CASE(as_llama_factory) {
    for (const row& r : rows) {
        const cuset::kept_lengths kept = cuset::infer_seqlen(r.source, r.target, r.cutoff);
        BOOST_TEST_CONTEXT(r.source << " + " << r.target << " in " << r.cutoff) {
            BOOST_TEST(kept.source == r.kept_source);
            BOOST_TEST(kept.target == r.kept_target);
        }
    }
}

BOOST_AUTO_TEST_CASE(never_more_than_the_cutoff) {
    for (std::size_t source = 0; source < 40; ++source) {
        for (std::size_t target = 0; target < 40; ++target) {
            for (std::size_t cutoff = 0; cutoff < 90; ++cutoff) {
                const auto kept = cuset::infer_seqlen(source, target, cutoff);
                BOOST_TEST(kept.source <= source);
                BOOST_TEST(kept.target <= target);
                BOOST_TEST(kept.source + kept.target <= cutoff);
            }
        }
    }
}

}  // namespace
