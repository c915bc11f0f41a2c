// Sends requests to a test's server and keeps what comes back.
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <string>

#include "cuset/endpoint/endpoint.h"
#include "faulty_server.h"

namespace cuset::endpoint_test {

inline const std::string the_key = "sk-secret/4711+key==";

inline endpoint_options options_for(const faulty_server& server) {
    endpoint_options options;
    options.url = server.url();
    options.model = "m";
    options.key = the_key;
    options.attempts = 3;
    options.timeout_seconds = 60;
    options.first_back_off_seconds = 0.01;
    return options;
}

struct outcome {
    status end;
    std::map<std::size_t, result<completion>> answers;

    /// The only answer's text, or its error.
    std::string text() const {
        BOOST_TEST_REQUIRE(end.is_ok(), end.message());
        BOOST_TEST_REQUIRE(answers.size() == 1U);
        const auto& one = answers.begin()->second;
        return one ? one.value().text : "error: " + one.error().message();
    }
    const status& error() const {
        BOOST_TEST_REQUIRE(end.is_ok(), end.message());
        BOOST_TEST_REQUIRE(answers.size() == 1U);
        BOOST_TEST_REQUIRE(!answers.begin()->second.is_ok());
        return answers.begin()->second.error();
    }
};

/// `count` requests with the prompts "0", "1", ….
inline outcome ask(const endpoint_options& options, std::size_t count = 1) {
    auto server = endpoint::open(options);
    BOOST_TEST_REQUIRE(server.is_ok());
    outcome out;
    std::size_t drawn = 0;
    out.end = server->run(
        [&]() -> result<std::optional<completion_request>> {
            if (drawn == count) return std::optional<completion_request>();
            completion_request request;
            request.messages = {{"user", std::to_string(drawn++)}};
            return std::optional(std::move(request));
        },
        [&](std::size_t number, result<completion> answer) -> status {
            BOOST_TEST(out.answers.emplace(number, std::move(answer)).second);
            return {};
        });
    if (out.end) BOOST_TEST(out.answers.size() == count);
    // The key is in no message, whatever happens.
    BOOST_TEST(out.end.message().find(the_key) == std::string::npos);
    for (const auto& [number, answer] : out.answers)
        if (!answer) BOOST_TEST(answer.error().message().find(the_key) == std::string::npos);
    return out;
}

inline bool holds(const std::string& text, std::string_view part) {
    return text.find(part) != text.npos;
}

}  // namespace cuset::endpoint_test
