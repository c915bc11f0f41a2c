#include "cuset/sample/candidate_log.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace cuset;

namespace {

namespace fs = std::filesystem;

struct own_file {
    own_file() : path(fs::temp_directory_path() / ("cuset-log-" + std::to_string(::getpid()))) {
        fs::remove(path);
    }
    ~own_file() { fs::remove(path); }
    fs::path path;
};

sampled_candidate candidate(const std::string& task, std::uint64_t sample, std::uint64_t key) {
    return {task, sample, "text", 3, "stop", "m", key};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_candidate_is_a_line_of_json) {
    sampled_candidate c = candidate("16", 2, 0xAB);
    BOOST_TEST(to_line(c) ==
               "{\"task\":16,\"sample\":2,\"response\":\"text\",\"tokens\":3,\"finish\":\"stop\","
               "\"model\":\"m\",\"key\":\"00000000000000ab\"}\n");
    c.thought = "\"so\"\xE2\x82";
    BOOST_TEST(to_line(c) ==
               "{\"task\":16,\"sample\":2,\"response\":\"text\",\"thought\":\"\\\"so\\\"\uFFFD\","
               "\"tokens\":3,\"finish\":\"stop\",\"model\":\"m\",\"key\":\"00000000000000ab\"}\n");
    c.thought = {};
    c.task = "k7";
    c.response = "a\xE2\x82 b\xFF\xFE\xE2\x82\xAC\xC3";  // cut characters among whole ones
    c.tokens.reset();
    BOOST_TEST(
        to_line(c).starts_with("{\"task\":\"k7\",\"sample\":2,\"response\":\"a\uFFFD "
                               "b\uFFFD\u20AC\uFFFD\",\"tokens\":null,"));
}

BOOST_AUTO_TEST_CASE(a_score_ends_in_the_text_as_it_is_written) {
    // Tokens: "a", half of a euro sign, its rest, a byte that is none, another, "b", a marker.
    const std::vector<std::int32_t> ids{7, 8, 9, 10, 11, 12, 2};
    const std::vector<float> log_p{0, -0.5F, -1, -2, -3, -1000, -std::log(3.0F)};
    sampled_candidate c = candidate("1", 0, 0);
    c.response =
        "a\xE2\x82\xAC\xFF\xFE"
        "b";
    c.score = candidate_score{{1, 3, 4, 5, 6, 7, 7}, ids, log_p, 0.5, 1, 20};
    const std::string line = to_line(c);
    BOOST_TEST(line.find("\"response\":\"a\u20AC\uFFFD"
                         "b\"") != line.npos,
               line);
    BOOST_TEST(
        line.ends_with(
            "\"key\":\"0000000000000000\",\"score\":{\"model\":\"m\",\"end\":[1,3,4,7,7,8,8],"
            "\"id\":[7,8,9,10,11,12,2],\"confidence\":[1,0.606531,0.367879,0.135335,0.0497871,"
            "2.22507e-308,0.333333],\"temperature\":0.5,\"top_p\":1,\"top_k\":20}}\n"),
        line);
}

BOOST_FIXTURE_TEST_CASE(scores_that_are_needed, own_file) {
    {
        auto log = candidate_log::open(path.string());
        BOOST_REQUIRE(log.is_ok());
        BOOST_TEST(log->append(to_line(candidate("1", 0, 5))).is_ok());
        sampled_candidate scored = candidate("1", 1, 6);
        scored.score.emplace();
        BOOST_TEST(log->append(to_line(scored)).is_ok());
    }
    const auto log = candidate_log::open(path.string());
    BOOST_REQUIRE(log.is_ok());
    BOOST_TEST(log->find("1", 0, 5, false).is_ok());
    BOOST_TEST((log->find("1", 0, 5, true).error().kind() == error_kind::usage));
    BOOST_TEST(log->find("1", 1, 6, true).is_ok());
}

BOOST_FIXTURE_TEST_CASE(what_was_made_is_found_again, own_file) {
    {
        auto log = candidate_log::open(path.string());
        BOOST_REQUIRE(log.is_ok());
        BOOST_TEST(log->append(to_line(candidate("1", 0, 5))).is_ok());
        BOOST_TEST(log->append(to_line(candidate("k", 1, 6))).is_ok());
        // Another has it.
        BOOST_TEST((candidate_log::open(path.string()).error().kind() == error_kind::usage));
    }
    std::ofstream(path, std::ios::app) << "{\"task\":9,\"sam";
    const auto log = candidate_log::open(path.string());
    BOOST_REQUIRE(log.is_ok());
    BOOST_TEST(**log->find("1", 0, 5) == to_line(candidate("1", 0, 5)));
    BOOST_TEST(**log->find("k", 1, 6) == to_line(candidate("k", 1, 6)));
    BOOST_TEST(*log->find("k", 0, 6) == nullptr);
    BOOST_TEST(*log->find("9", 0, 6) == nullptr);
    BOOST_TEST((log->find("1", 0, 6).error().kind() == error_kind::usage));
}

BOOST_FIXTURE_TEST_CASE(other_lines_are_refused, own_file) {
    for (const char* line : {"{}", "[]", "nonsense", "{\"task\":1,\"sample\":-1,\"key\":\"\"}",
                             "{\"task\":1.5,\"sample\":1,\"key\":\"\"}"}) {
        std::ofstream(path) << line << '\n';
        const auto log = candidate_log::open(path.string());
        BOOST_REQUIRE(!log.is_ok());
        BOOST_TEST(log.error().message().find(":1: ") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(lines_come_out_in_order) {
    line_order order;
    std::string ready;
    order.add(2, "c", ready);
    order.add(1, "", ready);
    BOOST_TEST(ready.empty());
    order.add(0, "a", ready);
    BOOST_TEST(ready == "ac");
    order.add(4, "e", ready);
    order.add(3, "d", ready);
    BOOST_TEST(ready == "acde");
}
