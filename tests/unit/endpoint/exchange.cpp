// Tests what is sent, what is read, and how many requests there are at a time.
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <limits>

#include "asking.h"

using namespace cuset;
using namespace cuset::endpoint_test;

namespace {

std::string text_of(const std::string& body) {
    faulty_server server({reply("200 OK", body)});
    return ask(options_for(server)).text();
}

endpoint::draw only(const completion_request& request) {
    return [request, drawn = false]() mutable -> result<std::optional<completion_request>> {
        if (std::exchange(drawn, true)) return std::optional<completion_request>();
        return std::optional(request);
    };
}

std::size_t open_files() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(exchange)

BOOST_AUTO_TEST_CASE(whole_request) {
    faulty_server server({reply("200 OK", answer("yes"))});
    completion_request request;
    request.messages = {
        {"system", "be\tbrief"}, {"user", "say \"ü\"\n"}, {"assistant", ""}, {"user", "go on"}};
    request.max_new_tokens = 12;
    request.temperature = 0.25;
    request.top_p = 0.9;
    request.seed = std::numeric_limits<std::uint64_t>::max();
    auto options = options_for(server);
    options.url += "/?version=1#top";
    auto client = endpoint::open(options);
    BOOST_TEST_REQUIRE(client.is_ok());
    BOOST_TEST(client->model() == "m");
    const auto end = client->run(only(request), [](std::size_t number, result<completion> got) {
        BOOST_TEST(number == 0U);
        BOOST_TEST_REQUIRE(got.is_ok());
        BOOST_TEST(got->text == "yes");
        BOOST_TEST(got->tokens.value_or(0) == 7U);
        BOOST_TEST(got->finish == "stop");
        return status();
    });
    BOOST_TEST(end.is_ok());
    const auto seen = server.seen();
    BOOST_TEST_REQUIRE(seen.size() == 1U);
    BOOST_TEST(seen[0].target() == "POST /v1/chat/completions?version=1");
    BOOST_TEST(holds(seen[0].head, "\r\nAuthorization: Bearer " + the_key));
    BOOST_TEST(holds(seen[0].head, "\r\nContent-Type: application/json"));
    BOOST_TEST(seen[0].body ==
               "{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"be\\tbrief\"},"
               "{\"role\":\"user\",\"content\":\"say \\\"ü\\\"\\n\"},"
               "{\"role\":\"assistant\",\"content\":\"\"},"
               "{\"role\":\"user\",\"content\":\"go on\"}],\"max_tokens\":12,"
               "\"temperature\":0.25,\"top_p\":0.9,\"seed\":2147483647,\"stream\":false}");
}

BOOST_AUTO_TEST_CASE(plain_request) {
    faulty_server server({reply("200 OK", answer("yes"))});
    auto options = options_for(server);
    options.key.clear();
    options.url += "/chat/completions";
    BOOST_TEST(ask(options).text() == "yes");
    const auto seen = server.seen();
    BOOST_TEST(seen.at(0).target() == "POST /v1/chat/completions");
    BOOST_TEST(!holds(seen[0].head, "Authorization"));
    BOOST_TEST(seen[0].body ==
               "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"0\"}],"
               "\"temperature\":1,\"top_p\":1,\"seed\":0,\"stream\":false}");
}

BOOST_AUTO_TEST_CASE(query_in_no_message) {
    faulty_server server({reply("400 No", "{}")});
    auto options = options_for(server);
    options.url += "?secret=hunter2";
    BOOST_TEST(ask(options).error().message() == server.url() + "/chat/completions answers 400");
    BOOST_TEST(server.seen().at(0).target() == "POST /v1/chat/completions?secret=hunter2");
}

BOOST_AUTO_TEST_CASE(long_request) {
    faulty_server server({reply("200 OK", answer("yes"))});
    completion_request request;
    request.messages = {{"system", ""}, {"user", std::string(5'000'000, 'x')}};
    auto client = endpoint::open(options_for(server));
    const auto end = client->run(only(request), [](std::size_t, result<completion> got) {
        BOOST_TEST(got.is_ok());
        return status();
    });
    BOOST_TEST(end.is_ok());
    const std::string sent = server.seen().at(0).body;
    BOOST_TEST(sent.size() > 5'000'000U);
    // An empty system message is none.
    BOOST_TEST(!holds(sent.substr(0, 200), "system"));
}

BOOST_AUTO_TEST_CASE(texts) {
    BOOST_TEST(text_of(answer("a\\n\\u00fc\\ud83d\\ude00")) == "a\nü😀");
    // Lone surrogates, and text that only looks like one.
    BOOST_TEST(text_of(answer("\\ud83d")) == "\xef\xbf\xbd");
    BOOST_TEST(text_of(answer("\\ude00x")) == "\xef\xbf\xbdx");
    BOOST_TEST(text_of(answer("\\ud83d\\ud83d\\ude00")) == "\xef\xbf\xbd😀");
    BOOST_TEST(text_of(answer("\\\\ud83d")) == "\\ud83d");
    BOOST_TEST(text_of(answer("\\u0000")) == std::string(1, '\0'));
    BOOST_TEST(text_of("{\"choices\":[{\"message\":{\"content\":null}}]}").empty());
    BOOST_TEST(text_of("{\"choices\":[{\"message\":{\"reasoning_content\":\"hm\"}}]}").empty());
    BOOST_TEST(text_of("{\"choices\":[{\"message\":{\"content\":\"b\"},\"finish_reason\":null}],"
                       "\"usage\":null}") == "b");
}

BOOST_AUTO_TEST_CASE(thoughts) {
    const auto got = [](const std::string& message) {
        const std::string body = "{\"choices\":[{\"message\":{" + message + "}}]}";
        faulty_server server({reply("200 OK", body)});
        const auto all = ask(options_for(server));
        const auto& one = all.answers.at(0);
        return one ? one->text + '|' + one->thought : "error: " + one.error().message();
    };
    BOOST_TEST(got(R"("content":"a","reasoning_content":"\u00fc\ud83d")") == "a|ü\xef\xbf\xbd");
    BOOST_TEST(got(R"("content":"a","reasoning":"hm")") == "a|hm");
    BOOST_TEST(got(R"("content":null,"reasoning":"hm")") == "|hm");
    BOOST_TEST(got(R"("reasoning_content":"hm")") == "|hm");
    BOOST_TEST(got(R"("content":"a","reasoning_content":"1","reasoning":"2")") == "a|1");
    for (const char* nothing : {"null", "\"\"", "{\"text\":\"x\"}", "3"}) {
        BOOST_TEST(got(R"("content":"a","reasoning_content":)" + std::string(nothing)) == "a|");
        BOOST_TEST(got(R"("content":"a","reasoning":"2","reasoning_content":)" +
                       std::string(nothing)) == "a|2");
    }
    BOOST_TEST(got(R"("content":"<think>b</think>a")") == "<think>b</think>a|");
    BOOST_TEST(got(R"("role":"assistant")").ends_with("has no choices[0].message.content"));
}

BOOST_AUTO_TEST_CASE(reasons_to_finish) {
    const auto finish = [](const std::string& members) {
        const std::string body = R"({"choices":[{"message":{"content":"a"})" + members + "}]}";
        faulty_server server({reply("200 OK", body)});
        const auto all = ask(options_for(server));
        BOOST_TEST_REQUIRE(all.answers.at(0).is_ok());
        return all.answers.at(0)->finish;
    };
    for (const std::string known :
         {"stop", "length", "content_filter", "abort", "a \xc3\xbc b", ""})
        BOOST_TEST(finish(R"(,"finish_reason":")" + known + '"') == known);
    for (const char* none : {"", R"(,"finish_reason":null)", R"(,"finish_reason":3)"})
        BOOST_TEST(finish(none).empty());
}

BOOST_AUTO_TEST_CASE(name_of_the_length_limit) {
    faulty_server server([](int fd, const seen_request& request) {
        // Only what follows the question of the name is an attempt.
        if (request.arrival == 1) return send_all(fd, reply("500 No", ""));
        return send_all(
            fd, holds(request.body, "\"max_tokens\"")
                    ? reply("400 Bad Request",
                            "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not "
                            "supported with this model. Use 'max_completion_tokens' instead.\"}}")
                    : reply("200 OK", answer("yes")));
    });
    auto options = options_for(server);
    options.attempts = 2;
    options.concurrency = 1;
    completion_request request;
    request.messages = {{"user", "say yes"}};
    request.max_new_tokens = 12;
    auto client = endpoint::open(options);
    std::size_t drawn = 0, answered = 0;
    const auto end = client->run(
        [&]() -> result<std::optional<completion_request>> {
            return drawn++ < 3 ? std::optional(request) : std::nullopt;
        },
        [&](std::size_t, result<completion> got) {
            answered += got.is_ok();
            return status();
        });
    BOOST_TEST(end.is_ok());
    BOOST_TEST(answered == 3U);
    BOOST_TEST(server.seen().size() == 5U);  // one was told, one failed
    BOOST_TEST(holds(server.seen().back().body, "\"max_completion_tokens\":12"));
}

BOOST_AUTO_TEST_CASE(name_of_the_model) {
    faulty_server server({reply("500 Not yet", ""),
                          reply("200 OK", "{\"data\":[{\"id\":\"first\"},{\"id\":\"second\"}]}")});
    auto options = options_for(server);
    options.model.clear();
    const auto opened = endpoint::open(options);
    BOOST_TEST_REQUIRE(opened.is_ok());
    BOOST_TEST(opened.value().model() == "first");
    BOOST_TEST(server.seen().at(1).target() == "GET /v1/models");
    for (const char* body : {"{\"data\":[]}", "{}", "{\"data\":[{\"id\":3}]}"}) {
        faulty_server empty({reply("200 OK", body)});
        options.url = empty.url();
        const auto none = endpoint::open(options);
        BOOST_TEST_REQUIRE(!none.is_ok());
        BOOST_TEST((none.error().kind() == error_kind::data));
        BOOST_TEST(holds(none.error().message(), "the server lists no model"));
    }
    faulty_server closed({reply("401 Unauthorized", "{\"error\":\"" + the_key + "\"}")});
    options.url = closed.url();
    BOOST_TEST(endpoint::open(options).error().message() ==
               closed.url() + "/models answers 401: * (the key that was sent is refused)");
    faulty_server keyless({reply("403 Forbidden", "{\"error\":\"who?\"}")});
    options.url = keyless.url();
    options.key.clear();
    BOOST_TEST(endpoint::open(options).error().message() ==
               keyless.url() +
                   "/models answers 403: who? (no key was sent: set CUSET_API_KEY, or the variable "
                   "that --key-variable names)");
}

BOOST_AUTO_TEST_CASE(urls) {
    const auto refused = [](const std::string& url) {
        endpoint_options options;
        options.url = url;
        options.model = "m";
        const auto opened = endpoint::open(options);
        BOOST_TEST_CONTEXT(url) {
            BOOST_TEST_REQUIRE(!opened.is_ok());
            BOOST_TEST((opened.error().kind() == error_kind::usage));
            BOOST_TEST(!holds(opened.error().message(), "hunter2"), opened.error().message());
        }
        return opened ? "" : opened.error().message();
    };
    for (const char* url : {"ftp://host/v1", "file:///etc/passwd", "host:8000/v1", "host", "",
                            "localhost:8000", "gopher://host", "data:x"})
        BOOST_TEST(holds(refused(url), "does not begin with http:// or https://"), refused(url));
    for (const char* url : {"http://", "http://ho st/", "http://host:99999/", "http://:80/x"})
        refused(url);
    for (const char* url :
         {"http://user:hunter2@host/v1", "https://hunter2@host/v1", "ftp://u:hunter2@host/",
          "user:hunter2@host", "http://u:hunter2@h:x/", "http://u:hunter2@ho st/"})
        refused(url);
    BOOST_TEST(holds(refused("http://user:hunter2@host/v1"), "holds a user or a password"));
}

BOOST_AUTO_TEST_CASE(options_of_no_meaning) {
    const auto kind = [](auto change) {
        endpoint_options options;
        options.url = "http://localhost:1/v1";
        options.model = "m";
        change(options);
        const auto opened = endpoint::open(options);
        return opened ? error_kind::none : opened.error().kind();
    };
    BOOST_TEST((kind([](auto&) {}) == error_kind::none));
    BOOST_TEST((kind([](auto& o) { o.key = "a\r\nX: y"; }) == error_kind::usage));
    BOOST_TEST((kind([](auto& o) { o.concurrency = 0; }) == error_kind::usage));
    BOOST_TEST((kind([](auto& o) { o.concurrency = 1025; }) == error_kind::usage));
    BOOST_TEST((kind([](auto& o) { o.attempts = 0; }) == error_kind::usage));
    BOOST_TEST((kind([](auto& o) { o.timeout_seconds = 0; }) == error_kind::usage));
    BOOST_TEST((kind([](auto& o) { o.timeout_seconds = std::nan(""); }) == error_kind::usage));
    BOOST_TEST((kind([](auto& o) { o.first_back_off_seconds = -1; }) == error_kind::usage));
}

BOOST_AUTO_TEST_CASE(as_many_as_allowed) {
    constexpr std::size_t places = 4;
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t now = 0, most = 0;
    faulty_server server([&](int fd, const seen_request& request) {
        {
            std::unique_lock lock(mutex);
            most = std::max(most, ++now);
            changed.notify_all();
            // The first ones wait until all places are taken.
            changed.wait_for(lock, std::chrono::seconds(20), [&] { return most >= places; });
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(request.arrival % 3));
        const auto at = request.body.find("\"content\":\"") + 11;
        const std::string number = request.body.substr(at, request.body.find('"', at) - at);
        {
            const std::lock_guard lock(mutex);
            --now;
        }
        return send_all(fd, request.arrival % 5 == 4 ? reply("500 No", "")
                                                     : reply("200 OK", answer("to " + number)));
    });
    auto options = options_for(server);
    options.concurrency = places;
    options.attempts = 50;
    const auto all = ask(options, 60);
    BOOST_TEST_REQUIRE(all.end.is_ok());
    for (const auto& [number, one] : all.answers) {
        BOOST_TEST_REQUIRE(one.is_ok());
        BOOST_TEST(one.value().text == "to " + std::to_string(number));
    }
    BOOST_TEST(most == places);
}

BOOST_AUTO_TEST_CASE(out_of_order) {
    std::mutex mutex;
    std::condition_variable changed;
    std::size_t answered = 0;
    faulty_server server([&](int fd, const seen_request& request) {
        const bool first = holds(request.body, "\"content\":\"0\"");
        std::unique_lock lock(mutex);
        if (first) changed.wait_for(lock, std::chrono::seconds(20), [&] { return answered == 5; });
        const bool sent = send_all(fd, reply("200 OK", answer(first ? "late" : "early")));
        return sent;
    });
    auto options = options_for(server);
    options.concurrency = 2;
    auto client = endpoint::open(options);
    std::vector<std::size_t> order;
    std::size_t drawn = 0;
    const auto end = client->run(
        [&]() -> result<std::optional<completion_request>> {
            if (drawn == 6) return std::optional<completion_request>();
            completion_request request;
            request.messages = {{"user", std::to_string(drawn++)}};
            return std::optional(std::move(request));
        },
        [&](std::size_t number, result<completion> got) {
            order.push_back(number);
            BOOST_TEST(got->text == (number == 0 ? "late" : "early"));
            const std::lock_guard lock(mutex);
            ++answered;
            changed.notify_all();
            return status();
        });
    BOOST_TEST(end.is_ok());
    BOOST_TEST((order == std::vector<std::size_t>{1, 2, 3, 4, 5, 0}));
}

BOOST_AUTO_TEST_CASE(given_up) {
    std::atomic<bool> over = false;
    faulty_server server([&](int fd, const seen_request& request) {
        while (!over && !holds(request.body, "\"content\":\"0\""))
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return send_all(fd, reply("200 OK", answer("yes")));
    });
    const std::size_t before = open_files();
    auto client = endpoint::open(options_for(server));
    for (const bool from_draw : {true, false}) {
        std::size_t drawn = 0, delivered = 0;
        const auto end = client->run(
            [&]() -> result<std::optional<completion_request>> {
                if (from_draw && drawn == 8) return data_error("line 9");
                completion_request request;
                request.messages = {{"user", std::to_string(drawn++)}};
                return std::optional(std::move(request));
            },
            [&](std::size_t, result<completion>) {
                ++delivered;
                return from_draw ? status() : io_error("disk", ENOSPC);
            });
        BOOST_TEST(end.message() == (from_draw ? "line 9" : "disk: No space left on device"));
        BOOST_TEST(delivered == 1U);
    }
    over = true;
    // The server's own descriptors are closed later, each in its time.
    for (int i = 0; i < 1000 && open_files() > before; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    BOOST_TEST(open_files() <= before);
    const auto nothing = client->run(
        []() -> result<std::optional<completion_request>> {
            return std::optional<completion_request>();
        },
        [](std::size_t, result<completion>) { return status(); });
    BOOST_TEST(nothing.is_ok());
}

BOOST_AUTO_TEST_SUITE_END()
