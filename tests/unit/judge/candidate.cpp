#include "cuset/judge/candidate.h"

#include <boost/test/unit_test.hpp>

#include "cuset/stream/line_reader.h"

using namespace cuset;

namespace {

result<std::vector<candidate>> read(std::string line) {
    const std::size_t size = line.size();
    line.append(line_padding, ' ');
    candidate_reader reader;
    return reader.read(std::string_view(line).substr(0, size));
}

void refused(const std::string& line, const std::string& words) {
    const auto read_line = read(line);
    BOOST_TEST_CONTEXT(line) {
        BOOST_REQUIRE(!read_line);
        BOOST_TEST((read_line.error().kind() == error_kind::data));
        BOOST_TEST(read_line.error().message().find(words) != std::string::npos,
                   read_line.error().message());
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(candidates)

BOOST_AUTO_TEST_CASE(own_records) {
    const auto one = read(R"({"task":16,"sample":2,"response":"a\nb","tokens":743})");
    BOOST_REQUIRE(one.is_ok());
    BOOST_REQUIRE(one->size() == 1U);
    const candidate& c = one->front();
    BOOST_TEST((c.task == "16" && c.sample == 2U && c.answer == "a\nb" && !c.is_code));
    BOOST_TEST(c.tokens.value() == 743U);
    BOOST_TEST(!c.is_cut);
    for (const char* finish : {"stop", "length"}) {
        const auto ended = read(R"({"task":16,"sample":2,"response":"a","finish":")" +
                                std::string(finish) + "\"}");
        BOOST_TEST((ended.is_ok() && ended->front().is_cut == (finish[0] == 'l')));
    }
    const auto bare = read(R"({"task":"x","sample":0,"response":""})");
    BOOST_REQUIRE(bare.is_ok());
    BOOST_TEST((bare->front().task == "x" && !bare->front().tokens));
}

BOOST_AUTO_TEST_CASE(cudabench_results) {
    // Out of order, an empty first code, a null and a key that only looks like one.
    const auto all =
        read(R"({"id":7,"code10":"ten","code1":"","response1":"one","code2":"two","response2":"r",)"
             R"("response3":"three","code4":null,"code05":"no","codes":3,"response":"no"})");
    BOOST_REQUIRE(all.is_ok());
    BOOST_REQUIRE(all->size() == 5U);
    const auto is = [&](std::size_t i, std::uint64_t sample, const char* text, bool code) {
        const candidate& c = (*all)[i];
        BOOST_TEST((c.task == "7" && c.sample == sample && c.answer == text && c.is_code == code),
                   i << ": " << c.sample << ' ' << c.answer);
    };
    is(0, 0, "one", false);
    is(1, 1, "two", true);
    is(2, 2, "three", false);
    is(3, 3, "", false);
    is(4, 9, "ten", true);
}

BOOST_AUTO_TEST_CASE(half_a_character_is_replaced) {
    candidate_reader reader;
    for (const char* half : {"\\ud800", "\\udc00"}) {
        std::string text =
            "{\"task\":\"k" + std::string(half) + "\",\"sample\":0,\"response\":\"a" + half + "\"}";
        const std::size_t size = text.size();
        text.append(line_padding, '\0');
        const auto found = reader.read(std::string_view(text).substr(0, size));
        BOOST_REQUIRE(found.is_ok());
        BOOST_TEST(found->front().answer == "a\uFFFD");
        BOOST_TEST(found->front().task == "k\uFFFD");
    }
}

BOOST_AUTO_TEST_CASE(answers_have_a_size) {
    const std::string most(16 << 20, 'x');
    BOOST_TEST(read("{\"task\":1,\"sample\":0,\"response\":\"" + most + "\"}").is_ok());
    BOOST_TEST(
        read("{\"id\":1,\"code1\":\"" + most + "\",\"response1\":\"" + most + "\"}").is_ok());
    for (const auto& [begin, name] :
         {std::pair{"{\"task\":1,\"sample\":0,\"response\":\"", "\"response\""},
          {"{\"id\":1,\"code2\":\"", "\"code2\""},
          {"{\"id\":1,\"response1\":\"", "\"response1\""}}) {
        const auto refused_one = read(begin + most + "x\"}");
        BOOST_REQUIRE(!refused_one);
        BOOST_TEST((refused_one.error().message() == std::string(name) + " is larger than 16 MiB"));
    }
}

BOOST_AUTO_TEST_CASE(bad_lines) {
    refused("", "no JSON");
    refused("3", "no JSON object");
    refused(R"({"task":1,"response":"x"})", "\"sample\"");
    refused(R"({"task":1,"sample":-1,"response":"x"})", "\"sample\"");
    refused(R"({"task":1,"sample":0})", "\"response\"");
    refused(R"({"task":1.5,"sample":0,"response":"x"})", "\"task\" is neither");
    refused(R"({"id":1})", "neither \"task\" nor");
    refused(R"({"id":1,"code1":3})", "\"code1\" is no string");
    refused(R"({"code1":"x"})", "\"id\" is missing");
    refused("{\"task\":1,\"sample\":0,\"response\":\"\xff\"}", "no JSON");
}

BOOST_AUTO_TEST_SUITE_END()
