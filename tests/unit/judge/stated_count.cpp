#include "tasks/stated_count.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>

using namespace cuset;

namespace {

void is_number(const char* text, double number) {
    const auto found = last_number(text);
    BOOST_TEST_CONTEXT(text) {
        BOOST_REQUIRE(found);
        BOOST_TEST(*found == number);
    }
}

void is_none(const char* text) {
    const auto found = last_number(text);
    BOOST_TEST(!found, text << ": " << found.value_or(0));
}

void states(const std::string& answer, std::optional<double> number, std::optional<bool> hidden) {
    const stated_count found = read_stated_count(answer, "sp_flop_count");
    BOOST_TEST((found.number == number), answer << ": " << found.number.value_or(-1));
    BOOST_TEST((found.has_hidden_flops == hidden), answer);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stated_counts)

BOOST_AUTO_TEST_CASE(forms_of_a_number) {
    for (const char* text : {"1048576",
                             "1,048,576",
                             "1_048_576",
                             "2^20",
                             "2**20",
                             "2^{20}",
                             "$2^{20}$",
                             "4 * 262144",
                             "1{,}048{,}576",
                             "1\\,048\\,576",
                             "The count is **1,048,576**.",
                             "*1048576*",
                             "`1048576`",
                             "1048576 FLOPs",
                             "n = 3, so 1048576",
                             "1024*1024",
                             "1024 × 1024",
                             "1024 \\times 1024",
                             "1024·2^10",
                             "=1048576.",
                             "(1048576)",
                             "4096 x 256 = 1048576",
                             "4096 x 256",
                             "* 1048576",
                             "1.048576e6",
                             "1.048576E+06",
                             "1.048576 × 10^6",
                             "1.048576 \\times 10^{6}",
                             "1.048576 million",
                             "1048576 (all of them)",
                             "2^4^2*16",
                             "**Answer:** 1048576",
                             "- 1048576",
                             "**total** **1048576**",
                             "1\n048576\n1048576",
                             "≈1048576",
                             "≈ 1048576",
                             "“1048576”",
                             "1048576。",
                             "1.048576 × 10⁶",
                             "2²⁰",
                             "+1048576",
                             "1048576\u00A0FLOPs",
                             "1\u202F048\u202F576 FLOPs",
                             "1’048’576",
                             "1048576 floating-point operations",
                             "1048576 FLOPs/thread",
                             "1048576 FLOPs — as I said",
                             "1048576 FLOPs - as I said",
                             "1048576 (2^20)",
                             "1.048576 Million",
                             "1.048576 M FLOPs",
                             "1.048576 MFLOPs",
                             "1000 threads * 2 = 1048576"})
        is_number(text, 1048576);
    is_number("0", 0);
    is_number("0.0", 0);
    is_number("1e3", 1000);
    is_number("2048 = 2*n", 2048);
    is_number("between 10 and 20", 20);
    is_number("1.5 billion", 1.5e9);
}

BOOST_AUTO_TEST_CASE(what_is_no_number) {
    for (const char* text :
         {"",       "2*n",   "2 * n",   "n*2",     "n^2",    "n**2",      "2n",  "fp32",
          "32-bit", "sm_90", "2*(n+1)", "(n+1)*2", "1+2",    "1000-2000", "7/2", "one",
          "2^n",    "2^{n}", "0x400",   "1e999",   "10^400", "-5",        "3 +", "gridDim.x*4"})
        is_none(text);
    // Of what may be another number nothing is taken, not even a part.
    for (const char* text : {"2^(20)",
                             "4*(256*1024)",
                             "so 5: (1024) * 1024",
                             "1000 threads * 2",
                             "1000 CUDA threads * 2",
                             "1 048 576",
                             "1.048.576",
                             "1,2",
                             "1,0485",
                             "12,3456",
                             "5 thousandths",
                             "5 millions",
                             "1 MB",
                             "4 n",
                             "5 %",
                             "10⁻⁶",
                             "1000–2000",
                             "log2(1024)",
                             "4 times 256",
                             "√1024",
                             "5 blocks, 192 + 128"})
        is_none(text);
}

BOOST_AUTO_TEST_CASE(an_object_decides) {
    states(R"({"answer": 2048, "hidden_flops": false})", 2048, false);
    states("I count 3 of them.\n```json\n{\"answer\": 2048,\n \"hidden_flops\": true}\n```\nOf 7.",
           2048, true);
    states(R"({"answer": "2,048"})", 2048, {});
    states(R"({"answer": 2,048, "hidden_flops": "yes"})", 2048, true);
    states(R"({"answer": 2^11})", 2048, {});
    states(R"({"answer": 2^{11}})", 2048, {});
    states(R"({"answer": 2*n} of 64)", {}, {});
    states(R"({"answer": null, "hidden_flops": true})", {}, true);
    states(R"({"answer": +2048})", 2048, {});
    states(R"({"answer": “2048”})", 2048, {});
    states(R"({"answer": 2048 FLOPs})", 2048, {});
    states(R"({"answer": 2048 (4*512)})", 2048, {});
    states(R"({"answer": (1024) * 1024})", {}, {});
    states(R"({"answer": 1000 threads * 2})", {}, {});
    states(R"({"answer": 1 048 576})", {}, {});
    states(R"({"answer": 2^(20)})", {}, {});
    states(R"({"Answer": 2048, "Hidden_FLOPs": true} 7)", 2048, true);
    states(R"({"answer": 1}, better {"answer": 2})", 2, {});
    states(R"({"sp_flop_count": 5, "dp_flop_count": 6})", 5, {});
    states(R"(the "answer" is 2048)", 2048, {});
    states("<think>{\"answer\": 1}</think> 2048", 2048, {});
    states("<think>2048", {}, {});
    states("nothing to count", {}, {});
    states("", {}, {});
}

BOOST_AUTO_TEST_SUITE_END()
