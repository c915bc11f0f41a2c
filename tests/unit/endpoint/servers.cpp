// Tests when requests may be sent, which server gets one, and which is asked no more. Time is told.
#include <boost/test/unit_test.hpp>

#include "asking.h"
#include "cuset/base/log.h"
#include "server_pool.h"

using namespace cuset;
using namespace cuset::endpoint_test;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using time_point = server_pool::time_point;

const time_point begin = time_point() + std::chrono::hours(24);
std::vector<std::string> warnings;

server_pool pool_of(std::size_t servers, std::size_t concurrency = 2, std::size_t attempts = 3) {
    std::string urls;
    for (std::size_t i = 0; i < servers; ++i)
        urls += (i == 0 ? "http://s" : ",http://s") + std::to_string(i) + "/v1";
    auto pool = server_pool::open(urls, {concurrency, attempts, 1}, request_pace(0));
    BOOST_TEST_REQUIRE(pool.is_ok());
    warnings.clear();
    set_log_sink([](log_level level, std::string_view message) {
        if (level == log_level::warning) warnings.emplace_back(message);
    });
    return *std::move(pool);
}

request_tries request(std::size_t number, std::size_t servers) {
    request_tries tries;
    tries.number = number;
    tries.failures.resize(servers);
    return tries;
}

/// Fails one attempt at the server that the request goes to, and returns that server.
std::size_t fail(server_pool& pool, request_tries& tries, time_point now) {
    const auto to = pool.choice_for(tries, now);
    BOOST_TEST_REQUIRE(to.has_value());
    pool.sent(tries, *to, now);
    pool.ended(tries);
    pool.failed(tries, std::nullopt, "s" + std::to_string(*to) + " is down", now + milliseconds(1));
    return *to;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(servers)

BOOST_AUTO_TEST_CASE(at_equal_distances) {
    // Within no minute are there more than so many, also where a minute has no such part.
    for (const std::size_t most : {1U, 7U, 60U, 1000U}) {
        request_pace pace(most);
        std::vector<time_point> sent;
        for (time_point now = begin; sent.size() < 3 * most;
             now = std::max(now + std::chrono::nanoseconds(1), pace.earliest())) {
            BOOST_TEST_REQUIRE((pace.earliest() <= now));
            pace.sent(now);
            sent.push_back(now);
        }
        for (std::size_t i = most; i < sent.size(); ++i) {
            BOOST_TEST((sent[i] - sent[i - most] >= std::chrono::minutes(1)));
            BOOST_TEST((sent[i] - sent[i - most] <= std::chrono::minutes(1) + milliseconds(1)));
        }
    }
    // What was not sent in time is not made up for.
    request_pace pace(60);
    pace.sent(begin);
    BOOST_TEST((pace.earliest() == begin + seconds(1)));
    pace.sent(begin + seconds(100));
    BOOST_TEST((pace.earliest() == begin + seconds(101)));
    request_pace none(0);
    none.sent(begin);
    BOOST_TEST((none.earliest() <= begin));
}

BOOST_AUTO_TEST_CASE(one_that_is_slow_holds_up_no_other) {
    auto pool = pool_of(2);
    BOOST_TEST(pool.most_at_work() == 4U);
    std::vector<request_tries> all;
    for (std::size_t i = 0; i < 4; ++i) {
        auto& tries = all.emplace_back(request(i, 2));
        const auto to = pool.choice_for(tries, begin);
        BOOST_TEST_REQUIRE(to.has_value());
        BOOST_TEST(*to == i % 2);
        pool.sent(tries, *to, begin);
    }
    auto next = request(4, 2);
    BOOST_TEST(!pool.choice_for(next, begin).has_value());
    // Server 0 has answered nothing; server 1 gets one after the other.
    for (int i = 0; i < 5; ++i) {
        pool.ended(all[1]);
        pool.answered(all[1], begin);
        BOOST_TEST((pool.choice_for(next, begin) == std::optional<std::size_t>(1)));
        pool.sent(all[1], 1, begin);
    }
    // What a run gave up takes no place of the next one.
    pool.begin_run();
    BOOST_TEST(pool.choice_for(next, begin).has_value());
}

BOOST_AUTO_TEST_CASE(equal_load_is_spread) {
    auto pool = pool_of(3);
    for (std::size_t i = 0; i < 9; ++i) {
        auto tries = request(i, 3);
        const auto to = pool.choice_for(tries, begin);
        BOOST_TEST_REQUIRE(to.has_value());
        pool.sent(tries, *to, begin);
        pool.ended(tries);
        pool.answered(tries, begin);
    }
    for (const auto& s : pool.servers()) BOOST_TEST(s.sent == 3U);
}

BOOST_AUTO_TEST_CASE(one_that_fails_all_is_asked_no_more) {
    auto pool = pool_of(2);
    auto now = begin;
    for (std::size_t number = 0; number < 3; ++number) {
        auto tries = request(number, 2);
        pool.servers()[1].sent = 100;  // so that the first is chosen
        BOOST_TEST(fail(pool, tries, now) == 0U);
        BOOST_TEST(pool.servers()[0].is_lost == (number == 2));
        // It goes to the other at once, although it is not due for the same one.
        tries.due = now + seconds(10);
        now += milliseconds(2);
        BOOST_TEST((pool.choice_for(tries, now) == std::optional<std::size_t>(1)));
        // Meanwhile the first rests, and is then asked by one request alone.
        auto other = request(100 + number, 2);
        BOOST_TEST((pool.choice_for(other, now) == std::optional<std::size_t>(1)));
        if (number == 2) break;
        const auto rest = pool.end_of_rest(now);
        BOOST_TEST_REQUIRE(rest.has_value());
        now = *rest;
        pool.sent(other, 0, now);
        pool.servers()[0].sent = 0;
        BOOST_TEST((pool.choice_for(request(200, 2), now) == std::optional<std::size_t>(1)));
        pool.ended(other);
    }
    BOOST_TEST(pool.most_at_work() == 2U);
    BOOST_TEST(
        (warnings == std::vector<std::string>{"s0 is down: the other servers take its requests"}));
    // The last one stays.
    BOOST_TEST(!pool.lose(1, "s1 is down"));
    BOOST_TEST(pool.lose(0, "s0 is down"));
    BOOST_TEST(warnings.size() == 1U);
}

BOOST_AUTO_TEST_CASE(failures_of_one_moment_count_once) {
    auto pool = pool_of(2, 8);
    std::vector<request_tries> all;
    for (std::size_t i = 0; i < 8; ++i) pool.sent(all.emplace_back(request(i, 2)), 0, begin);
    for (auto& tries : all) {
        pool.ended(tries);
        pool.failed(tries, std::nullopt, "down", begin + milliseconds(5));
    }
    BOOST_TEST(pool.servers()[0].failed == 1U);
    // After its rest it answers again, and has all its places.
    const auto now = pool.end_of_rest(begin).value();
    pool.servers()[1].is_lost = true;
    pool.sent(all[0], 0, now);
    pool.ended(all[0]);
    pool.answered(all[0], now);
    BOOST_TEST(pool.servers()[0].failed == 0U);
    BOOST_TEST(!pool.end_of_rest(begin).has_value());
}

BOOST_AUTO_TEST_CASE(a_request_that_nobody_answers_costs_no_server) {
    auto pool = pool_of(2, 1);
    auto tries = request(0, 2);
    auto now = begin;
    while (!pool.is_out_of_attempts(tries)) {
        fail(pool, tries, now);
        now += std::chrono::minutes(5);
    }
    BOOST_TEST((tries.failures == std::vector<std::size_t>{3, 3}));
    BOOST_TEST((!pool.servers()[0].is_lost && !pool.servers()[1].is_lost));
    // Nor does a failure where others are answered meanwhile count against the server.
    auto busy = pool_of(2, 2);
    auto first = request(0, 2), second = request(1, 2);
    busy.sent(first, 0, begin);
    busy.sent(second, 0, begin);
    busy.ended(first);
    busy.answered(first, begin + milliseconds(1));
    busy.ended(second);
    busy.failed(second, std::nullopt, "oh", begin + milliseconds(2));
    BOOST_TEST((busy.servers()[0].failed == 0U && warnings.empty()));
}

BOOST_AUTO_TEST_CASE(named) {
    const auto refused = [](const std::string& urls) {
        const auto pool = server_pool::open(urls, {1, 1, 1}, request_pace(0));
        return pool ? "" : pool.error().message();
    };
    BOOST_TEST(refused("http://a/v1,https://b:1/v1?x=1,2").empty());
    BOOST_TEST(refused("http://a/v1,http://b/v1,http://a/v1/") ==
               "the server http://a/v1 is named twice");
    BOOST_TEST(holds(refused("http://a/v1,http://"), "the server's URL"));
    const auto parts = split_urls("http://a/v1?x=1,2,http://b,https://c,d");
    BOOST_TEST((parts == std::vector<std::string>{"http://a/v1?x=1,2", "http://b", "https://c,d"}));
}

BOOST_AUTO_TEST_CASE(last_one_as_the_only_one) {
    // A refused server is left, its request is not lost, and the other's errors are as ever.
    faulty_server closed({reply("404 Not Found", "{}")});
    faulty_server open([](int fd, const seen_request& request) {
        return send_all(fd, holds(request.body, "\"content\":\"1\"")
                                ? reply("400 Bad Request", "{\"error\":{\"message\":\"long\"}}")
                                : reply("200 OK", answer("yes")));
    });
    auto options = options_for(closed);
    options.url += "," + open.url() + "?key=hunter2";
    warnings.clear();
    set_log_sink([](log_level level, std::string_view message) {
        if (level == log_level::warning) warnings.emplace_back(message);
    });
    const auto all = ask(options, 20);
    set_log_sink(nullptr);
    BOOST_TEST_REQUIRE(all.end.is_ok(), all.end.message());
    for (const auto& [number, one] : all.answers) BOOST_TEST(one.is_ok() == (number != 1));
    BOOST_TEST((warnings ==
                std::vector<std::string>{closed.url() + "/chat/completions answers 404: the other "
                                                        "servers take its requests"}));
    BOOST_TEST(endpoint::open(options)->place() == closed.url() + ", " + open.url());
    // Where none is left, the run ends with the last one's error.
    faulty_server shut({reply("401 Unauthorized", "{}")});
    options.url = closed.url() + "," + shut.url();
    const auto none = ask(options, 5);
    BOOST_TEST((none.end.kind() == error_kind::data));
    BOOST_TEST(holds(none.end.message(), " answers 40"), none.end.message());
}

BOOST_AUTO_TEST_CASE(name_of_the_limit_at_each) {
    // One knows the limit of tokens by its newer name alone, the other by its older one alone.
    const auto only = [](std::string name) {
        return [name](int fd, const seen_request& request) {
            return send_all(fd, holds(request.body, '"' + name + '"')
                                    ? reply("200 OK", answer("yes"))
                                    : reply("400 Bad Request",
                                            "{\"error\":{\"message\":\"Use "
                                            "'max_completion_tokens' instead.\"}}"));
        };
    };
    faulty_server newer(only("max_completion_tokens")), older(only("max_tokens"));
    auto options = options_for(newer);
    options.url += "," + older.url();
    options.concurrency = 1;
    auto client = endpoint::open(options);
    std::size_t drawn = 0, answered = 0;
    const auto end = client->run(
        [&]() -> result<std::optional<completion_request>> {
            if (drawn++ == 10) return std::optional<completion_request>();
            completion_request request;
            request.messages = {{"user", "say yes"}};
            request.max_new_tokens = 12;
            return std::optional(std::move(request));
        },
        [&](std::size_t, result<completion> got) {
            answered += got.is_ok();
            return status();
        });
    BOOST_TEST(end.is_ok());
    BOOST_TEST(answered == 10U);
    BOOST_TEST(!older.seen().empty());
}

BOOST_AUTO_TEST_CASE(name_of_the_model_from_any) {
    faulty_server down({reply("503 Down", "")});
    faulty_server nameless({reply("200 OK", "{\"data\":[]}")});
    faulty_server up({reply("200 OK", "{\"data\":[{\"id\":\"it\"}]}")});
    auto options = options_for(down);
    options.model.clear();
    options.url += "," + nameless.url() + "," + up.url();
    const auto opened = endpoint::open(options);
    BOOST_TEST_REQUIRE(opened.is_ok());
    BOOST_TEST(opened->model() == "it");
    BOOST_TEST(down.seen().size() == 1U);
    BOOST_TEST(opened->most_in_flight() == 24U);
}

BOOST_AUTO_TEST_SUITE_END()
