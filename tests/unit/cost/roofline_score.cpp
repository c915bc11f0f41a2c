// Nsight Compute's table and CUDABench's score of it, against values worked out by hand.
#include "cuset/cost/roofline_score.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <string>
#include <vector>

using namespace cuset;

namespace {

const std::string names =
    R"("ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Section Name",)"
    R"("Metric Name","Metric Unit","Metric Value")"
    "\n";

std::string row(const std::string& kernel, ncu_metric metric, const std::string& unit,
                const std::string& value, const std::string& id = "0") {
    std::string text = "\"" + id;
    text += R"(","4711","program","127.0.0.1",")" + kernel;
    text += R"(","1","7","Command line profiler metrics",")";
    text += name_of(metric);
    return text + "\",\"" + unit + "\",\"" + value + "\"\n";
}

/// A launch on a GPU of 1,000 ffma and 512 bytes a cycle, at 1 GHz and 2 GHz: 2 TFLOP/s, 1.024
/// TB/s.
std::string launch(const std::string& kernel, const std::string& ffma, const std::string& gigabytes,
                   const std::string& fadd = "0", const std::string& fmul = "0") {
    return row(kernel, ncu_metric::peak_bytes, "byte/cycle", "512") +
           row(kernel, ncu_metric::memory_clock, "cycle/nsecond", "2.00") +
           row(kernel, ncu_metric::peak_ffma, "inst/cycle", "1,000") +
           row(kernel, ncu_metric::clock, "cycle/nsecond", "1.00") +
           row(kernel, ncu_metric::bytes, "Gbyte/second", gigabytes) +
           row(kernel, ncu_metric::fadd, "inst/cycle", fadd) +
           row(kernel, ncu_metric::fmul, "inst/cycle", fmul) +
           row(kernel, ncu_metric::ffma, "inst/cycle", ffma) +
           row(kernel, ncu_metric::partition_clock, "cycle/nsecond", "1.00");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    BOOST_REQUIRE_MESSAGE(at != text.npos, from);
    return text.replace(at, from.size(), to);
}

roofline_score scored(const std::string& text) {
    const auto kernels = read_ncu_table(text);
    BOOST_TEST_INFO(text);
    BOOST_REQUIRE(kernels);
    const auto score = score_of(*kernels);
    BOOST_REQUIRE(score);
    return *score;
}

bool is(double found, double wanted) { return std::abs(found - wanted) <= 1e-12 * wanted; }

void refused(const std::string& text, const std::string& message) {
    const auto kernels = read_ncu_table(text);
    BOOST_TEST_INFO(text);
    BOOST_REQUIRE(!kernels);
    BOOST_TEST(kernels.error().message() == message);
    BOOST_TEST((kernels.error().kind() == error_kind::data));
}

const std::string ffma_name =
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum.per_cycle_elapsed";

}  // namespace

BOOST_AUTO_TEST_SUITE(roofline)

BOOST_AUTO_TEST_CASE(by_hand) {
    // 2 · 100 + 3 + 1 operations a cycle, at 1 GHz; half of what memory can do.
    const roofline_score s = scored(
        "==PROF== Connected to process 4711 (/job/program)\n"
        "==PROF== Profiling \"k\" - 0: 0%....50%....100% - 4 passes\n" +
        names + launch("k(int, float *)", "100", "512", "3", "1") +
        "==PROF== Disconnected from process 4711\n");
    BOOST_TEST(s.kernel == "k(int, float *)");
    BOOST_TEST((s.kernels == 1 && s.launches == 1));
    BOOST_TEST(is(s.flops, 204e9));
    BOOST_TEST(is(s.bytes, 512e9));
    BOOST_TEST(is(s.peak_flops, 2e12));
    BOOST_TEST(is(s.peak_bytes, 1.024e12));
    BOOST_TEST(is(s.bandwidth_utilization, 0.5));
    BOOST_TEST(is(s.compute_efficiency, 0.102));
    BOOST_TEST(is(s.score, 0.5));
}

BOOST_AUTO_TEST_CASE(roofs) {
    BOOST_TEST(is(scored(names + launch("k", "750", "102.4")).score, 0.75));  // of arithmetic
    BOOST_TEST(is(scored(names + launch("k", "0", "256")).score, 0.25));      // no operation
    BOOST_TEST(is(scored(names + launch("k", "500", "0")).score, 0.5));       // no traffic
    BOOST_TEST(scored(names + launch("k", "0", "0")).score == 0);
}

BOOST_AUTO_TEST_CASE(launches_are_averaged) {
    // The clocks' mean is 1.5 GHz, and that of operations 200 a cycle.
    const std::string slower = launch("k", "50", "256"), faster = launch("k", "150", "512");
    const std::string partition = "smsp__cycles_elapsed.avg.per_second\",\"cycle/nsecond\",\"";
    const roofline_score s =
        scored(names + slower + replaced(faster, partition + "1.00", partition + "2.00"));
    BOOST_TEST((s.launches == 2 && s.kernels == 1));
    BOOST_TEST(is(s.flops, 300e9));
    BOOST_TEST(is(s.bytes, 384e9));
    BOOST_TEST(is(s.peak_flops, 2e12));
}

BOOST_AUTO_TEST_CASE(the_kernel_with_most_operations) {
    const std::string others = launch("copies", "0", "1,000") + launch("copies", "0", "1,000");
    BOOST_TEST(scored(names + others + launch("works", "10", "102.4")).kernel == "works");
    BOOST_TEST(scored(names + launch("works", "10", "102.4") + others).kernels == 2);
    // Without any, the one with the greatest sum of bytes a second, as CUDABench has it.
    const std::string once = launch("once", "0", "900");
    const std::string often = launch("often", "0", "500") + launch("often", "0", "500");
    BOOST_TEST(scored(names + often + once).kernel == "often");
    BOOST_TEST(scored(names + launch("b", "7", "2") + launch("a", "7", "1")).kernel == "a");
}

BOOST_AUTO_TEST_CASE(units) {
    const std::string usual = names + launch("k", "100", "512");
    const roofline_score s = scored(usual);
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {R"("byte/cycle","512")", R"("Kbyte/cycle","0.512")"},
             {R"("cycle/nsecond","2.00")", R"("Ghz","2")"},
             {R"("cycle/nsecond","2.00")", R"("hz","2,000,000,000")"},
             {R"("cycle/nsecond","2.00")", R"("Hz","2000000000.0")"},
             {R"("cycle/nsecond","2.00")", R"("Mhz","2,000")"},
             {R"("cycle/nsecond","2.00")", R"("cycle/usecond","2,000.00")"},
             {R"("cycle/nsecond","2.00")", R"("cycle/ns","2")"},
             {R"("cycle/nsecond","2.00")", R"("cycle/second","2,000,000,000.00")"},
             {R"("Gbyte/second","512")", R"("Tbyte/second","0.512")"},
             {R"("Gbyte/second","512")", R"("Gbyte/s","512")"},
             {R"("Gbyte/second","512")", R"("Mbyte/second","512,000")"},
             {R"("Gbyte/second","512")", R"("byte/second","512,000,000,000")"},
             {R"("inst/cycle","1,000")", R"("Kinst/cycle","1")"}}) {
        const roofline_score same = scored(replaced(usual, from, to));
        BOOST_TEST(is(same.score, s.score), to);
        BOOST_TEST(is(same.peak_flops, s.peak_flops), to);
        BOOST_TEST(is(same.bytes, s.bytes), to);
    }
    const std::string of_ffma = "ncu: " + ffma_name + " of kernel k";
    for (const char* unit : {"inst", "byte/cycle", "%", "", "K", "Xinst/cycle", "inst/second"})
        refused(replaced(usual, R"("inst/cycle","100")", '"' + std::string(unit) + "\",\"100\""),
                of_ffma + " has an unknown unit: \"" + unit + '"');
    refused(replaced(usual, R"("Gbyte/second")", R"("Gbyte/hour")"),
            "ncu: dram__bytes.sum.per_second of kernel k has an unknown unit: \"Gbyte/hour\"");
}

BOOST_AUTO_TEST_CASE(numbers) {
    const std::string usual = names + launch("k", "100", "512");
    const std::string of_ffma = "ncu: " + ffma_name + " of kernel k";
    BOOST_TEST(is(scored(replaced(usual, "\"100\"", "\"1,234.50\"")).flops, 2469e9));
    BOOST_TEST(is(scored(replaced(usual, "\"100\"", "\"1e2\"")).flops, 200e9));
    for (const char* text : {"5,81", "1,00", "1,0000", ",100", "1,000,00", "1.0,000", "12x", "nan",
                             "inf", "-1", "1 000"})
        refused(replaced(usual, "\"100\"", '"' + std::string(text) + '"'),
                of_ffma + " is no number: \"" + text + '"');
    for (const char* text : {"n/a", "N/A", ""})
        refused(replaced(usual, "\"100\"", '"' + std::string(text) + '"'),
                of_ffma + " has no value here (n/a)");
}

BOOST_AUTO_TEST_CASE(names_of_kernels) {
    // Template arguments have commas, and characters may be quotes.
    const auto kernels = read_ncu_table(names + launch("k<'\"\"', A<int, 3>>", "1", "1"));
    BOOST_REQUIRE(kernels);
    BOOST_TEST(kernels->front().name == "k<'\"', A<int, 3>>");
    BOOST_TEST(scored(names + launch("a\x1b[1m", "1", "1")).kernel == "a\\x1b[1m");
}

BOOST_AUTO_TEST_CASE(what_counts_not) {
    // Metrics that the score does not use may be n/a, and others may be there.
    std::string other = replaced(row("k", ncu_metric::ffma, "", "n/a"), ffma_name, "gpu__time.sum");
    const std::string text = "text of the program\n" + names + launch("k", "100", "512") + other;
    BOOST_TEST(is(scored(text).score, 0.5));
    BOOST_TEST(is(scored(replaced(text, "\n\"0\"", "\r\n\"0\"")).score, 0.5));
}

BOOST_AUTO_TEST_CASE(broken) {
    const std::string usual = names + launch("k", "100", "512");
    refused("", "ncu profiled no kernel");
    refused("==PROF== Connected\n==WARNING== No kernels were profiled.\n",
            "ncu profiled no kernel");
    refused(names, "ncu profiled no kernel");
    refused(launch("k", "1", "1"), "line 1 of ncu's table is broken");  // without names
    refused(usual.substr(0, usual.size() - 3), "line 10 of ncu's table is broken");
    refused(replaced(usual, ",\"7\",", ",7,"), "line 2 of ncu's table is broken");
    refused(replaced(usual, ",\"7\",", ","), "line 2 of ncu's table is broken");
    refused(replaced(usual, ",\"7\",", ",\"7\"\"8\",,"), "line 2 of ncu's table is broken");
    // As many cut off that a launch lacks a metric, or all do.
    const std::string last = row("k", ncu_metric::partition_clock, "cycle/nsecond", "1.00");
    refused(replaced(usual, last, ""), "ncu: kernel k lacks smsp__cycles_elapsed.avg.per_second");
    refused(replaced(usual + launch("k", "1", "1"), last, ""),
            "ncu: kernel k lacks some of smsp__cycles_elapsed.avg.per_second");
    const auto kernels = read_ncu_table(replaced(usual, "\"512\"", "\"0\""));
    BOOST_REQUIRE(kernels);
    const auto score = score_of(*kernels);
    BOOST_REQUIRE(!score);
    BOOST_TEST(score.error().message() == "ncu tells a peak of 0 for kernel k");
}

BOOST_AUTO_TEST_CASE(what_is_asked) {
    const std::string list = ncu_metric_list();
    BOOST_TEST(std::ranges::count(list, ',') == 13);  // CUDABench's are 14
    for (std::size_t i = 0; i < ncu_metric_count; ++i)
        BOOST_TEST(list.find(name_of(static_cast<ncu_metric>(i))) != list.npos);
}

BOOST_AUTO_TEST_SUITE_END()
