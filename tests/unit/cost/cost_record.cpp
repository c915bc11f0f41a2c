#include "cuset/cost/cost_record.h"

#include <boost/test/unit_test.hpp>

#include "cuset/cost/sass_operations.h"
#include "cuset/cost/time_estimate.h"

using namespace cuset;

namespace {

/// saxpy of n elements in blocks of 256.
launch_cost saxpy(std::uint64_t n) {
    launch_cost cost;
    cost.kernel = "saxpy";
    cost.file = "b.cu";
    cost.line = 12;
    cost.grid = {(n + 255) / 256, 1, 1};
    cost.block = {256, 1, 1};
    cost.launches = 1;
    cost.fp32.fma = n;
    cost.bytes_read = cost.dram_read = 8 * n;
    cost.bytes_written = cost.dram_written = 4 * n;
    cost.sectors = cost.l2_sectors = 12 * n / 32;
    cost.accesses = 3 * n / 32;
    cost.accessing_lanes = 3 * n;
    cost.lane_steps = cost.warp_steps = 10 * n;
    return cost;
}

std::string written(const program_cost& cost) {
    std::string line;
    json_writer json(line);
    write_cost(cost, json);
    return line;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cost)

BOOST_AUTO_TEST_CASE(a_record_comes_back) {
    program_cost cost;
    cost.kernels = {saxpy(1024), saxpy(64)};
    cost.kernels[1].instance = 2;
    cost.kernels[1].functions = {{"expf", 7}};
    cost.kernels[1].not_counted = {"textures"};
    cost.estimated = gpu_model_named("h100");
    cost.reference_seconds = cost.seconds() / 2;
    const auto read = parse_cost(written(cost));
    BOOST_REQUIRE(read);
    BOOST_TEST(written(*read) == written(cost));
    BOOST_TEST(cost_line(*read).ends_with("\t\t\ttextures"));
    cost.kernels[1].not_counted.clear();
    BOOST_TEST(cost_line(cost).ends_with("\t2.000\t"));
    cost.kernels[1].not_counted = {"textures"};
    BOOST_TEST(written(cost).find("\"slowdown\":2") != std::string::npos);
    BOOST_TEST(cost_table(*read).find("saxpy#2\tb.cu:12\t1\t0\t128\t") != std::string::npos);
    BOOST_TEST(costs_left_out(*read) == "saxpy: not counted: textures\n");
    program_cost none;
    none.not_counted = "no kernel ran";
    BOOST_TEST(written(none) == R"({"not_counted":"no kernel ran"})");
    BOOST_TEST(parse_cost(written(none))->not_counted == none.not_counted);
    for (const char* text : {"", "7", "{}", R"({"kernels":[7]})", R"({"kernels":[{"kernel":7}]})",
                             R"({"kernels":[{"kernel":"k","line":-1}]})"})
        BOOST_TEST(!parse_cost(text), text);
}

BOOST_AUTO_TEST_CASE(launches_without_a_configuration_have_no_time) {
    program_cost cost;
    cost.kernels = {saxpy(1024), saxpy(1024)};
    cost.estimated = gpu_model_named("h100");
    cost.reference_seconds = cost.seconds();
    BOOST_TEST(written(cost).find("\"slowdown\":1") != std::string::npos);
    cost.kernels[1].grid = {0, 0, 0};
    BOOST_TEST(cost.seconds() == *cost.reference_seconds / 2);
    BOOST_TEST(written(cost).find("\"slowdown\"") == std::string::npos);
    BOOST_TEST(cost_table(cost).ends_with("\t1.000\t\t\n"));
    BOOST_TEST(written(*parse_cost(written(cost))) == written(cost));
}

BOOST_AUTO_TEST_CASE(instances_have_signatures) {
    program_cost cost;
    cost.kernels = {saxpy(1024)};
    cost.kernels[0].instance = 2;
    cost.kernels[0].signature = "saxpy<float>(int, float*)";
    BOOST_TEST(written(*parse_cost(written(cost))) == written(cost));
    BOOST_TEST(cost_table(cost).find("\nsaxpy<float>(int, float*)#2\tb.cu:12\t") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(sums_are_of_all_launches) {
    const launch_cost cost = saxpy(1000);
    BOOST_TEST(cost.flops() == 2000);
    BOOST_TEST(cost.threads() == 1024);
    BOOST_TEST(cost.coalescing() == 1);
    BOOST_TEST(cost.active_lanes() == 1);
}

BOOST_AUTO_TEST_CASE(functions_become_what_a_gpu_executes) {
    launch_cost cost;
    cost.fp32 = {.add = 3, .fma = 5, .div = 1, .rcp = 1, .sqrt = 1};
    cost.fp64 = {.add = 1, .fma = 0, .div = 2, .rcp = 0, .sqrt = 0};
    cost.functions = {{"expf", 2}, {"nobody", 9}};
    const sass_operations done = sass_operations_of(cost);
    // nvcc 13 for sm_86: a division 10, a reciprocal 5, a root 6, expf 10; one of doubles 15 and 2.
    BOOST_TEST(done.fp32 == 3 + 10 + 10 + 5 + 6 + 2 * 10 + 2 * 2);
    BOOST_TEST(done.fp64 == 1 + 2 * 15);
    BOOST_TEST(done.unknown == std::vector<std::string>{"nobody"},
               boost::test_tools::per_element());
    BOOST_TEST(sass_operations_of(cost, true).fp32 < done.fp32);  // -use_fast_math
    launch_cost fast = cost;
    fast.fast_math = true;
    BOOST_TEST(sass_operations_of(fast).fp32 == sass_operations_of(cost, true).fp32);
}

BOOST_AUTO_TEST_CASE(a_time_is_that_of_the_slowest_part) {
    const gpu_model* const on = gpu_model_named("RTX 3080");
    BOOST_REQUIRE(on != nullptr);
    BOOST_TEST(gpu_model_named("rtx3080") == on);
    BOOST_TEST(gpu_model_named("RTX") == nullptr);
    launch_cost cost = saxpy(1 << 24);
    const time_estimate streaming = estimate_time(cost, *on);
    BOOST_TEST(streaming.bound == "memory");
    BOOST_TEST(streaming.seconds > 12.0 * (1 << 24) / on->memory_bytes);
    cost.fp64.fma = 1ULL << 33;
    BOOST_TEST(estimate_time(cost, *on).bound == "arithmetic");
    BOOST_TEST(estimate_time(cost, *on).seconds > streaming.seconds);
    BOOST_TEST(estimate_time(cost, *gpu_model_named("H100")).seconds <
               estimate_time(cost, *on).seconds);
    BOOST_TEST(estimate_time(saxpy(32), *on).bound == "launch");
    // Twice the launches are the same time each.
    launch_cost twice = saxpy(1 << 24);
    for (std::uint64_t* sum :
         {&twice.launches, &twice.fp32.fma, &twice.dram_read, &twice.dram_written, &twice.sectors,
          &twice.l2_sectors, &twice.accesses, &twice.accessing_lanes})
        *sum *= 2;
    BOOST_TEST(std::abs(estimate_time(twice, *on).seconds / streaming.seconds - 1) < 1e-9);
}

BOOST_AUTO_TEST_SUITE_END()
