// Measuring in turn, with programs and clocks that are functions of the test.
#include "trial/timed_runs.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

using namespace cuset;

namespace {

/// What both programs do, run by run.
struct bench {
    std::string order;  ///< "c" and "r" for the runs, "s" for settling
    std::size_t count = 0;
    std::function<timed_run(bool is_candidate, std::size_t run)> run_of;
    std::vector<std::uint64_t> clocks{1980, 1900};

    timing_plan plan(std::uint64_t runs) {
        timing_plan p;
        p.candidate = [this]() -> result<timed_run> {
            order += 'c';
            return run_of(true, count++);
        };
        p.reference = [this]() -> result<timed_run> {
            order += 'r';
            return run_of(false, count++);
        };
        p.settle = [this] {
            order += 's';
            return status::ok();
        };
        p.clock = [this, i = std::size_t{0}]() mutable -> std::optional<std::uint64_t> {
            if (i >= clocks.size()) return {};
            return clocks[i++];
        };
        p.runs = runs;
        return p;
    }
};

timed_run lasting(double device, double process = 0.3) {
    return {{device, device, 0, 1e-3, {}}, process};
}

bool is(double found, double wanted) { return std::abs(found / wanted - 1) < 1e-9; }

}  // namespace

BOOST_AUTO_TEST_SUITE(runs_in_turn)

BOOST_AUTO_TEST_CASE(order_and_medians) {
    bench b;
    // The first run is slow, as that of a device which sleeps: it warms up, and does not count.
    b.run_of = [](bool is_candidate, std::size_t run) {
        return lasting((is_candidate ? 50e-6 : 100e-6) * (run == 0 ? 1000 : 1));
    };
    const auto time = time_in_turn(b.plan(3));
    BOOST_REQUIRE(time);
    BOOST_TEST(b.order ==
               "scsr"
               "srsc"
               "scsr"
               "srsc"
               "scsr");
    BOOST_TEST(time->not_timed == "");
    BOOST_TEST((time->runs == 3U && is(time->speedup, 2)));
    BOOST_TEST((is(time->device.median, 50e-6) && is(time->device.upper, 50e-6)));
    BOOST_TEST((is(time->reference.median, 100e-6) && is(time->transfers, 1e-3)));
    BOOST_TEST((time->clock_before == 1980U && time->clock_after == 1900U));
}

// A clock that falls all the time makes each run slower than the one before.
BOOST_AUTO_TEST_CASE(drifts_cancel) {
    bench b;
    b.run_of = [](bool, std::size_t run) {
        return lasting(100e-6 * (1 + 0.01 * static_cast<double>(run)));
    };
    const auto time = time_in_turn(b.plan(20));
    BOOST_REQUIRE(time);
    BOOST_TEST(std::abs(time->speedup - 1) < 1e-3, time->speedup);
}

BOOST_AUTO_TEST_CASE(a_fault_ends_it) {
    bench b;
    b.run_of = [](bool is_candidate, std::size_t run) {
        timed_run r = lasting(1e-6);
        if (run == 6) r.times = {0, 0, 0, 0, is_candidate ? "wrong" : "why"};
        return r;
    };
    auto time = time_in_turn(b.plan(20));
    BOOST_REQUIRE(time);
    BOOST_TEST(time->not_timed == "bench.cu: why");  // the seventh run is bench.cu's
    BOOST_TEST((time->runs == 0 && b.count == 7));
    b.run_of = [](bool is_candidate, std::size_t) { return lasting(is_candidate ? 0 : 1e-6); };
    time = time_in_turn(b.plan(20));
    BOOST_REQUIRE(time);
    BOOST_TEST(time->not_timed == "the GPU's work took no time");
}

BOOST_AUTO_TEST_CASE(an_error_of_the_machine) {
    bench b;
    b.run_of = [](bool, std::size_t) { return lasting(1e-6); };
    auto plan = b.plan(3);
    plan.settle = [] { return io_error("/tmp", 28); };
    BOOST_TEST(!time_in_turn(plan));
}

// The results are computed by the host, and a kernel only touches them.
BOOST_AUTO_TEST_CASE(work_that_was_moved_to_the_host) {
    bench b;
    const auto with = [&](double device, double process) {
        b.run_of = [=](bool is_candidate, std::size_t run) {
            const double noise = 0.001 * static_cast<double>(run % 3);
            return is_candidate ? lasting(device, process + noise) : lasting(10e-3, 0.3 + noise);
        };
        const auto time = time_in_turn(b.plan(9));
        BOOST_REQUIRE(time);
        return time->not_timed;
    };
    BOOST_TEST(with(1e-6, 0.9).find("work was moved to the host") != std::string::npos);
    BOOST_TEST(with(1e-6, 0.29) == "");   // faster in all
    BOOST_TEST(with(1e-6, 0.301) == "");  // within the spread
    BOOST_TEST(with(11e-3, 0.9) == "");   // it is slower on the device too, and hides nothing
    BOOST_TEST(with(1e-6, 0.355) == "");  // by less than a fifth
    BOOST_TEST(with(1e-6, 0.305) == "");  // longer by less than it saves
}

BOOST_AUTO_TEST_SUITE_END()
