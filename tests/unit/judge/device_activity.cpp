// The times of recorded activity: what programs do to look faster changes nothing, or is a fault.
#include "trial/device_activity.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>

using namespace cuset;

namespace {

std::string recorded(const std::string& records, int launches = 1, int graphs = 0,
                     int dropped = 0) {
    return "activity begin\n" + records + "launches 1\nactivity end " + std::to_string(launches) +
           ' ' + std::to_string(graphs) + ' ' + std::to_string(dropped) + '\n';
}

void is(const std::string& lines, double device, double kernels, double memory, double transfers) {
    const activity_times t = times_of_activity(lines);
    BOOST_TEST_CONTEXT(lines) {
        BOOST_TEST(t.fault == "");
        BOOST_TEST(std::abs(t.device - device * 1e-9) < 1e-15);
        BOOST_TEST(std::abs(t.kernels - kernels * 1e-9) < 1e-15);
        BOOST_TEST(std::abs(t.memory - memory * 1e-9) < 1e-15);
        BOOST_TEST(std::abs(t.transfers - transfers * 1e-9) < 1e-15);
    }
}

void has_fault(const std::string& lines, const std::string& words) {
    const activity_times t = times_of_activity(lines);
    BOOST_TEST(t.fault.find(words) != std::string::npos, lines << t.fault);
    BOOST_TEST(t.device == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(activity_of_a_gpu)

BOOST_AUTO_TEST_CASE(kinds_are_told_apart) {
    is(recorded(
           "activity transfer 1000 1500\nactivity kernel 2000 2100\nactivity memory 2200 2230\n"
           "activity transfer 3000 3500\n"),
       130, 100, 30, 1000);
}

// Work on a side stream, or of another thread: it counts, and what overlaps counts once.
BOOST_AUTO_TEST_CASE(all_streams_count) {
    is(recorded("activity kernel 1000 1010\nactivity kernel 5000 9000\n", 2), 4010, 4010, 0, 0);
    is(recorded("activity kernel 1000 2000\nactivity kernel 1500 2500\nactivity kernel 1600 1700\n",
                3),
       1500, 1500, 0, 0);
    is(recorded("activity kernel 1000 2000\nactivity memory 1900 2100\n"), 1100, 1000, 200, 0);
    // The order in which buffers come says nothing.
    is(recorded("activity kernel 5000 6000\nactivity kernel 1000 2000\n", 2), 2000, 2000, 0, 0);
}

// A kernel that is done in a graph, or by memset and copies on the device.
BOOST_AUTO_TEST_CASE(graphs_and_fills_count) {
    is(recorded("activity kernel 10 20\nactivity kernel 30 40\n", 0, 1), 20, 20, 0, 0);
    is(recorded("activity kernel 10 11\nactivity memory 20 520\n"), 501, 1, 500, 0);
}

BOOST_AUTO_TEST_CASE(what_is_no_time) {
    const std::string kernel = "activity kernel 1000 2000\n";
    has_fault("", "does not use the GPU");
    has_fault("activity refused\n", "CUPTI does not record");
    // _exit(), a signal, or a channel that is full.
    has_fault("activity begin\n" + kernel, "ended without its records");
    has_fault("activity begin\n" + kernel + "activity end 1 0", "ended without its records");
    // A process that the program starts.
    has_fault("activity begin\n" + recorded(kernel), "several processes");
    // Work in a destructor that runs behind the library's end.
    has_fault(recorded(kernel) + "activity late\n", "launches work while it ends");
    has_fault(recorded(kernel, 2), "1 records of 2 launches");
    has_fault(recorded(kernel, 1, 0, 3), "dropped records");
    // A kernel that nobody waited for.
    has_fault(recorded(kernel + "activity kernel 3000 0\n", 2), "not over when the program ended");
    has_fault(recorded("activity kernel 0 0\n"), "not over");
    has_fault(recorded("activity memory 10 20\n", 0), "no kernel ran");
}

// Lines that the program itself wrote to the channel.
BOOST_AUTO_TEST_CASE(forged_lines) {
    const std::string kernel = "activity kernel 1000 2000\n";
    has_fault("activity end 1 0 0\n" + recorded(kernel), "not whole");
    has_fault(recorded(kernel + "activity kernel 10\n"), "not whole");
    has_fault(recorded(kernel + "activity kernel -5 7\n"), "not whole");
    has_fault(recorded(kernel + "activity kernels 5 7\n"), "not whole");
    has_fault(recorded(kernel + "activity kernel 99999999999999999999999 7\n"), "not whole");
    has_fault(recorded(kernel + "activity end 0 0 x\n"), "not whole");
}

BOOST_AUTO_TEST_SUITE_END()
