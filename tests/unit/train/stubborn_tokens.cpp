// Tokens that stay below τ from one epoch to the next.
#include "cuset/train/stubborn_tokens.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

namespace {

/// One token of prompt, then the response.
data_set of_responses(const std::vector<std::vector<std::int32_t>>& responses) {
    data_set data;
    for (const auto& response : responses) {
        std::vector<std::int32_t> tokens{0};
        tokens.insert(tokens.end(), response.begin(), response.end());
        data.pairs.push_back({"", tokens, 1, {}});
    }
    return data;
}

using flags = std::vector<bool>;
using low = std::vector<bool>;

}  // namespace

BOOST_AUTO_TEST_SUITE(stubborn)

BOOST_AUTO_TEST_CASE(nothing_in_the_first_epoch) {
    const data_set data = of_responses({{7, 8}, {7}});
    stubborn_tokens tokens(data);
    tokens.enter(0);
    tokens.see(0, low{1, 1});
    tokens.see(1, low{1});
    tokens.enter(0);
    BOOST_TEST((tokens.droppable(0) == flags{false, false}));
}

BOOST_AUTO_TEST_CASE(low_ids_of_two_samples) {
    // 7 is low in two samples, 8 twice in one, 9 in one and not in the other.
    const data_set data = of_responses({{7, 8, 8, 9, 7}, {7, 9}});
    stubborn_tokens tokens(data);
    tokens.see(0, low{1, 1, 1, 1, 0});
    tokens.see(1, low{1, 0});
    tokens.enter(1);
    BOOST_TEST((tokens.droppable(0) == flags{true, false, false, false, false}));
    BOOST_TEST((tokens.droppable(1) == flags{true, false}));
    // It is learned in one of the samples: then it is no longer one of two.
    tokens.see(0, low{1, 0, 0, 0, 0});
    tokens.see(1, low{0, 0});
    tokens.enter(2);
    BOOST_TEST((tokens.droppable(0) == flags(5)));
    BOOST_TEST((tokens.droppable(1) == flags(2)));
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_from_its_state) {
    const data_set data = of_responses({{7, 8}, {7, 8}});
    stubborn_tokens whole(data), before(data), after(data);
    for (stubborn_tokens* one : {&whole, &before}) {
        one->see(0, low{1, 1});
        one->see(1, low{1, 1});
        one->enter(1);
        one->see(0, low{0, 1});  // stopped in the middle of an epoch
    }
    const std::vector<float> state = before.state();
    BOOST_TEST((state == std::vector<float>{2, 3, 2, 2}));
    BOOST_REQUIRE(after.restore(state, 1).is_ok());
    for (stubborn_tokens* one : {&whole, &after}) {
        one->enter(1);
        one->see(1, low{1, 1});
        one->enter(2);
    }
    BOOST_TEST((whole.droppable(0) == flags{false, true}));
    BOOST_TEST((after.droppable(0) == whole.droppable(0)));
    BOOST_TEST((after.droppable(1) == whole.droppable(1)));
}

BOOST_AUTO_TEST_CASE(a_state_of_other_data) {
    const data_set data = of_responses({{7, 8}});
    stubborn_tokens tokens(data);
    BOOST_TEST(!tokens.restore(std::vector<float>{0}, 0).is_ok());
    BOOST_TEST(!tokens.restore(std::vector<float>{0, 0, 0}, 0).is_ok());
    BOOST_TEST(!tokens.restore(std::vector<float>{0, 4}, 0).is_ok());
    BOOST_TEST(!tokens.restore(std::vector<float>{0, 0.5F}, 0).is_ok());
}

BOOST_AUTO_TEST_SUITE_END()
