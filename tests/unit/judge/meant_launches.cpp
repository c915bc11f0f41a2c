#include "trial/meant_launches.h"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace cuset;

namespace {

launch_cost launched(std::string kernel, std::uint64_t launches, std::uint64_t additions) {
    launch_cost cost;
    cost.kernel = std::move(kernel);
    cost.launches = launches;
    cost.fp32.add = additions;
    cost.block = {32, 1, 1};
    return cost;
}

/// What the runtime tells of launches beyond 1,000 configurations.
launch_cost others(std::uint64_t launches, std::uint64_t additions) {
    launch_cost cost = launched("(other launches)", launches, additions);
    cost.grid = cost.block = {0, 0, 0};
    cost.not_counted = {"the time of launches beyond 1,000 configurations"};
    return cost;
}

count_question about(std::string kernel, bool all) {
    count_question asked;
    asked.quantity = "cost.flops";
    asked.kernel = std::move(kernel);
    asked.all_launches = all;
    return asked;
}

bool is_told_together(const right_count& right) {
    return right.why == failure::unsupported &&
           right.diagnostic.find("more than 1,000 configurations") != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(launches_that_are_meant)

BOOST_AUTO_TEST_CASE(sums_over_all_launches) {
    program_cost cost;
    cost.kernels = {launched("k", 2, 64), launched("j", 1, 5), launched("k", 1, 100)};
    BOOST_TEST(value_of_all(cost, about("ns::k<float>", true)).expected == 164);
    BOOST_TEST(value_of_all(cost, about("", true)).expected == 169);
    const right_count none = value_of_all(cost, about("other", true));
    BOOST_TEST((none.why == failure::evaluator));
    BOOST_TEST(none.diagnostic ==
               "bench.cu does not launch the kernel \"other\"; it launches k, j");
}

BOOST_AUTO_TEST_CASE(launches_that_are_told_together) {
    program_cost cost;
    cost.kernels = {launched("k", 1, 64), others(10, 300)};
    BOOST_TEST(is_told_together(value_of_all(cost, about("k", true))));
    BOOST_TEST(is_told_together(value_of_all(cost, about("other", true))));
    // Whose they are does not matter to the sum over a whole program, unless it asks for a shape.
    const right_count sum = value_of_all(cost, about("", true));
    BOOST_TEST((sum.why == failure::none), sum.diagnostic);
    BOOST_TEST(sum.expected == 364);
    count_question of_a_block = about("", true);
    of_a_block.block = {32, 1, 1};
    BOOST_TEST(is_told_together(value_of_all(cost, of_a_block)));
    cost.kernels.back().not_counted.insert(cost.kernels.back().not_counted.begin(), "tensor cores");
    BOOST_TEST(value_of_all(cost, about("", true)).diagnostic ==
               "(other launches): not counted: tensor cores");
}

BOOST_AUTO_TEST_CASE(a_first_launch_among_them_is_not_known) {
    program_cost cost;
    cost.kernels = {launched("k", 1000, 64), others(24, 300)};
    const meant_launches found = meant_in(cost, about("late", false));
    BOOST_TEST(found.launches == 0U);
    BOOST_TEST(found.of_all == 1024U);  // as many as were to be counted
    BOOST_TEST(is_told_together(none_is_meant(found, cost, about("late", false))));
    BOOST_TEST(meant_in(cost, about("k", false)).launches == 1000U);
    BOOST_TEST(meant_in(cost, about("", false)).launches == 1000U);
}

BOOST_AUTO_TEST_SUITE_END()
