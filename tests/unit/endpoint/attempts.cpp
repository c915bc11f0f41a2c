// Tests what is tried again, what ends a request, and what ends the run.
#include <chrono>
#include <ctime>

#include "asking.h"
#include "cuset/base/log.h"

using namespace cuset;
using namespace cuset::endpoint_test;

namespace {

const std::string good = reply("200 OK", answer("yes"));

/// Closes the connection after `bytes`.
faulty_server::handler first_cut(const std::string& bytes) {
    return [bytes](int fd, const seen_request& request) {
        return send_all(fd, request.arrival == 0 ? bytes : good) && request.arrival != 0;
    };
}

void second_attempt_succeeds(faulty_server& server) {
    BOOST_TEST(ask(options_for(server)).text() == "yes");
    BOOST_TEST(server.seen().size() == 2U);
}

std::string date_in(int seconds) {
    const std::time_t then = std::time(nullptr) + seconds;
    std::tm parts{};
    gmtime_r(&then, &parts);
    char text[64];
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return text;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(attempts)

BOOST_AUTO_TEST_CASE(of_codes_that_pass) {
    for (const char* code :
         {"408 Request Timeout", "409 Conflict", "425 Too Early", "429 Too Many Requests",
          "500 Internal Server Error", "502 Bad Gateway", "503 Service Unavailable"})
        BOOST_TEST_CONTEXT(code) {
            faulty_server server({reply(code, "{\"error\":\"busy\"}"), good});
            second_attempt_succeeds(server);
        }
}

BOOST_AUTO_TEST_CASE(of_broken_answers) {
    const std::string body = answer("yes");
    const std::string half = body.substr(0, body.size() / 2);
    for (const auto& bytes :
         {reply("200 OK", half), std::string("HTTP/1.1 200 OK\r\n\r\n") + half,
          "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + body,
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n" + body,
          reply("200 OK", "<html>busy</html>"), reply("200 OK", ""),
          reply("200 OK", "{\"a\":\"\xff\"}"), std::string("HTTP/1.1 20"), std::string("\r\nwhat"),
          std::string()})
        BOOST_TEST_CONTEXT(bytes) {
            faulty_server server(first_cut(bytes));
            second_attempt_succeeds(server);
        }
}

BOOST_AUTO_TEST_CASE(after_a_time_out) {
    std::atomic<bool> over = false;
    faulty_server server([&](int fd, const seen_request& request) {
        while (request.arrival == 0 && !over)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return send_all(fd, good);
    });
    auto options = options_for(server);
    options.timeout_seconds = 0.5;
    options.attempts = 20;  // a busy machine may be slow more than once
    BOOST_TEST(ask(options).text() == "yes");
    over = true;
    BOOST_TEST(server.seen().size() >= 2U);
}

BOOST_AUTO_TEST_CASE(wait_as_long_as_the_server_asks) {
    for (const std::string& after : {std::string("1"), date_in(3)}) {
        faulty_server server(
            {reply("429 Too Many Requests", "{}", "Retry-After: " + after + "\r\n"), good});
        const auto begin = std::chrono::steady_clock::now();
        second_attempt_succeeds(server);
        // libcurl counts a date in whole seconds from now.
        BOOST_TEST(seconds_since(begin) >= 0.99);
    }
    faulty_server server({reply("503 Down", "{}", "Retry-After: 86400\r\n"), good});
    const auto refused = ask(options_for(server));
    BOOST_TEST((refused.error().kind() == error_kind::io));
    BOOST_TEST(holds(refused.error().message(), "wants a wait of 86400 s"));
}

BOOST_AUTO_TEST_CASE(run_out) {
    faulty_server server({reply("503 Down", "{\"error\":{\"message\":\"load\\ning\"}}")});
    const auto failed = ask(options_for(server), 2);
    BOOST_TEST(server.seen().size() == 6U);
    BOOST_TEST(failed.end.is_ok());
    for (const auto& [number, one] : failed.answers) {
        BOOST_TEST((one.error().kind() == error_kind::io));
        BOOST_TEST(one.error().message() ==
                   server.url() + "/chat/completions answers 503: load ing (after 3 attempts)");
    }
}

BOOST_AUTO_TEST_CASE(without_a_server) {
    std::string url;
    {
        faulty_server server({good});
        url = server.url();
    }
    endpoint_options options;
    options.url = url;
    options.attempts = 2;
    options.first_back_off_seconds = 0.01;
    const auto opened = endpoint::open(options);
    BOOST_TEST_REQUIRE(!opened.is_ok());
    BOOST_TEST((opened.error().kind() == error_kind::io));
    BOOST_TEST(holds(opened.error().message(), "after 2 attempts"), opened.error().message());
    options.model = "m";
    BOOST_TEST((ask(options).error().kind() == error_kind::io));
}

BOOST_AUTO_TEST_CASE(not_of_refused_requests) {
    faulty_server server([](int fd, const seen_request& request) {
        const bool bad = holds(request.body, "\"content\":\"1\"");
        return send_all(
            fd, bad ? reply("400 Bad Request", "{\"error\":{\"message\":\"too\\n\\u001b long\"}}")
                    : good);
    });
    const auto some = ask(options_for(server), 3);
    BOOST_TEST_REQUIRE(some.end.is_ok());
    BOOST_TEST(server.seen().size() == 3U);
    BOOST_TEST((some.answers.at(0).is_ok() && some.answers.at(2).is_ok()));
    BOOST_TEST((some.answers.at(1).error().kind() == error_kind::data));
    BOOST_TEST(some.answers.at(1).error().message() ==
               server.url() + "/chat/completions answers 400: too long");
}

BOOST_AUTO_TEST_CASE(not_of_answers_of_another_shape) {
    for (const char* body :
         {"[]", "3", "{}", "{\"choices\":[]}", "{\"choices\":{}}", "{\"choices\":[{}]}",
          "{\"choices\":[{\"message\":\"x\"}]}", "{\"choices\":[{\"message\":{}}]}",
          "{\"choices\":[{\"message\":{\"content\":[1]}}]}",
          "{\"error\":{\"message\":\"no gpu\"}}"})
        BOOST_TEST_CONTEXT(body) {
            faulty_server server({reply("200 OK", body)});
            const auto refused = ask(options_for(server));
            BOOST_TEST(server.seen().size() == 1U);
            BOOST_TEST((refused.error().kind() == error_kind::data));
            BOOST_TEST(holds(refused.error().message(), "the answer"), refused.error().message());
            if (holds(body, "no gpu")) BOOST_TEST(holds(refused.error().message(), ": no gpu"));
        }
}

BOOST_AUTO_TEST_CASE(not_of_endless_answers) {
    for (const std::string& head : {std::string("\r\n{\"x\":\""), std::string("X-More: ")}) {
        faulty_server server([&](int fd, const seen_request&) {
            const std::string part = head.starts_with("\r")
                                         ? std::string(1 << 20, 'a')
                                         : "X-More: " + std::string(60'000, 'b') + "\r\n";
            if (!send_all(fd, "HTTP/1.1 200 OK\r\n" + (head.starts_with("\r") ? head : "")))
                return false;
            while (send_all(fd, part)) {
            }
            return false;
        });
        auto options = options_for(server);
        options.attempts = 1;
        const auto refused = ask(options);
        BOOST_TEST(!refused.error().is_ok());
        if (head.starts_with("\r")) {
            BOOST_TEST((refused.error().kind() == error_kind::data));
            BOOST_TEST(holds(refused.error().message(), "longer than 64 MiB"));
        }
    }
}

BOOST_AUTO_TEST_CASE(of_the_run) {
    for (const char* code :
         {"401 Unauthorized", "403 Forbidden", "404 Not Found", "405 Method Not Allowed"})
        BOOST_TEST_CONTEXT(code) {
            // This server repeats the key in its answer.
            faulty_server server([&](int fd, const seen_request& request) {
                const bool said = holds(request.head, "Authorization: Bearer " + the_key);
                return send_all(fd, reply(code, "{\"detail\":\"not with " + the_key + "\"}")) &&
                       said;
            });
            const auto ended = ask(options_for(server), 20);
            BOOST_TEST((ended.end.kind() == error_kind::data));
            BOOST_TEST(holds(ended.end.message(), "not with *"), ended.end.message());
            BOOST_TEST(server.seen().size() <= 8U);
        }
}

BOOST_AUTO_TEST_CASE(not_elsewhere) {
    faulty_server other({good});
    faulty_server server({reply("307 Temporary Redirect", "",
                                "Location: " + other.url() + "/chat/completions\r\n")});
    const auto ended = ask(options_for(server));
    BOOST_TEST((ended.end.kind() == error_kind::data));
    BOOST_TEST(holds(ended.end.message(), "answers 307: redirects are not followed"));
    BOOST_TEST(other.seen().empty());
}

BOOST_AUTO_TEST_CASE(are_told_now_and_then) {
    static std::mutex mutex;
    static std::vector<std::string> said;
    faulty_server server({reply("503 Down", "{\"message\":\"" + the_key + "\"}")});
    set_log_sink([](log_level, std::string_view message) {
        const std::lock_guard lock(mutex);
        said.emplace_back(message);
    });
    BOOST_TEST(ask(options_for(server), 10).end.is_ok());
    set_log_sink(nullptr);
    BOOST_TEST_REQUIRE(said.size() >= 1U);
    BOOST_TEST(said.size() <= 5U);  // of 20
    BOOST_TEST(said[0] == "waiting 0.0 s: " + server.url() + "/chat/completions answers 503: *");
}

BOOST_AUTO_TEST_SUITE_END()
