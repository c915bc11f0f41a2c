#include "cuset/cost/cost_quantity.h"

#include <boost/test/unit_test.hpp>

#include "cuset/cost/cost_record.h"
#include "cuset/stream/json_writer.h"

using namespace cuset;

namespace {

launch_cost some_kernel() {
    launch_cost cost;
    cost.kernel = "k";
    cost.launches = 3;
    cost.fp16 = {.add = 1, .fma = 2, .div = 0, .rcp = 0, .sqrt = 0};
    cost.fp32 = {.add = 10, .fma = 20, .div = 3, .rcp = 1, .sqrt = 2};
    cost.fp64 = {.add = 100, .fma = 200, .div = 7, .rcp = 0, .sqrt = 0};
    cost.functions = {{"expf", 5}};
    cost.bytes_read = 64;
    cost.bytes_written = 32;
    cost.atomics = 9;
    return cost;
}

/// The number behind "name": in a program's cost.
std::string written(std::string_view name, const launch_cost& cost) {
    program_cost all;
    all.kernels = {cost};
    std::string line;
    json_writer json(line);
    write_cost(all, json);
    const std::string key = '"' + std::string(name) + "\":";
    const std::size_t at = line.find(key) + key.size();
    return line.substr(at, line.find_first_of(",}", at) - at);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(quantities)

BOOST_AUTO_TEST_CASE(each_is_the_field_of_a_verdict) {
    std::string names = cost_quantity_names();
    std::size_t count = 0;
    for (std::size_t at = 0; at < names.size(); ++count) {
        const std::size_t end = std::min(names.find(", ", at), names.size());
        const std::string name = names.substr(at, end - at);
        const cost_quantity* const q = cost_quantity_named(name);
        BOOST_REQUIRE(q != nullptr);
        const auto value = static_cast<std::uint64_t>(value_of(*q, some_kernel()));
        BOOST_TEST(std::to_string(value) == written(name.substr(5), some_kernel()), name);
        BOOST_TEST(q->is_of_gpu == name.ends_with("_sass"), name);
        at = std::min(end + 2, names.size());
    }
    BOOST_TEST(count == 10U);
    for (const char* name : {"", "flops", "cost.", "cost.seconds", "cost.flops "})
        BOOST_TEST(cost_quantity_named(name) == nullptr, name);
}

BOOST_AUTO_TEST_CASE(hidden_operations) {
    launch_cost cost;
    cost.fp32 = {.add = 4, .fma = 8, .div = 0, .rcp = 0, .sqrt = 0};
    BOOST_TEST((has_hidden_flops(cost) == std::optional(false)));
    cost.integer_div = 5;  // makes operations too, but of integers
    cost.fp32.sqrt = 1;
    BOOST_TEST((has_hidden_flops(cost) == std::optional(true)));
    cost.fp32.sqrt = 0;
    cost.functions = {{"expf", 1}};
    BOOST_TEST((has_hidden_flops(cost) == std::optional(true)));
    cost.functions = {{"no_such_function", 1}};
    BOOST_TEST((has_hidden_flops(cost) == std::nullopt));
}

BOOST_AUTO_TEST_SUITE_END()
