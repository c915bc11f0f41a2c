#include "cuset/refine/past_turns.h"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "cuset/stream/json_writer.h"

using namespace cuset;

namespace {

namespace fs = std::filesystem;

/// Files of turns in a folder that goes with the object.
class turn_files {
public:
    turn_files()
        : folder_(fs::temp_directory_path() / ("cuset-refine-" + std::to_string(::getpid()))) {
        fs::create_directory(folder_);
    }
    ~turn_files() { fs::remove_all(folder_); }

    /// Adds an answer with its verdict; a text stands for what cuset-sample writes beside it.
    turn_files& add(std::size_t turn, std::uint64_t sample, stage reached, failure why,
                    const std::string& more = {}, const std::string& task = "t") {
        std::ofstream(answers(turn), std::ios::app)
            << "{\"task\":\"" + task + "\",\"sample\":" << sample << ",\"response\":\"" << turn
            << '/' << sample << '"' << more << "}\n";
        verdict v;
        v.task = task;
        v.sample = sample;
        v.reached = reached;
        v.why = why;
        v.setting.backend = "host";
        v.setting.toolchain = "g++";
        std::ofstream(verdicts(turn), std::ios::app) << to_line(v);
        return *this;
    }
    std::string answers(std::size_t turn) const { return folder_ / ("c" + std::to_string(turn)); }
    std::string verdicts(std::size_t turn) const { return folder_ / ("v" + std::to_string(turn)); }

    refine_settings settings(std::size_t turns) const {
        refine_settings s;
        for (std::size_t i = 1; i <= turns; ++i) {
            s.answers.push_back(answers(i));
            s.verdicts.push_back(verdicts(i));
        }
        return s;
    }

private:
    fs::path folder_;
};

past_turns read(refine_settings settings) {
    auto past = past_turns::read(std::move(settings));
    BOOST_REQUIRE(bool(past));
    return *std::move(past);
}

/// The plan as text: "1<1/1>" is a new answer to sample 1 that shows the answer "1/1".
std::string plan(const past_turns& past, const std::string& task = "t") {
    std::string text;
    for (const planned_answer& next : past.plan(task)) {
        if (!next.wrong) return next.wrong.message();
        text += (text.empty() ? "" : " ") + std::to_string(next.sample) + '<';
        for (const past_answer* a : next.shown)
            text += (a == next.shown.front() ? "" : ",") + a->answer.answer;
        text += '>';
    }
    return text;
}

constexpr stage extracted = stage::extracted, compiled = stage::compiled, ran = stage::ran;

}  // namespace

BOOST_AUTO_TEST_SUITE(turns)

BOOST_AUTO_TEST_CASE(asks_about_own_failures_of_the_last_turn) {
    turn_files files;
    files.add(1, 0, stage::correct, failure::none)
        .add(1, 1, ran, failure::wrong_output)
        .add(1, 2, compiled, failure::unsupported)
        .add(1, 3, ran, failure::evaluator)
        .add(1, 4, extracted, failure::syntax_error)
        .add(1, 0, stage::correct, failure::none, {}, "solved");
    const past_turns past = read(files.settings(1));
    BOOST_TEST(plan(past) == "1<1/1> 4<1/4>");
    BOOST_TEST(plan(past, "solved").empty());
    BOOST_TEST(plan(past, "unknown").empty());
    BOOST_TEST(past.counts().passed == 2);
    BOOST_TEST(past.counts().failed == 2);
    BOOST_TEST(past.counts().unjudged == 2);
    BOOST_TEST(past.plan("t").front().turn == 2);
}

BOOST_AUTO_TEST_CASE(histories_follow_samples_where_there_are_no_keys) {
    turn_files files;
    files.add(1, 0, ran, failure::wrong_output).add(1, 1, ran, failure::wrong_output);
    files.add(2, 0, extracted, failure::syntax_error).add(2, 1, ran, failure::wrong_output);
    refine_settings s = files.settings(2);
    BOOST_TEST(plan(read(s)) == "0<2/0> 1<2/1>");
    s.history = shown_history::all;
    BOOST_TEST(plan(read(s)) == "0<1/0,2/0> 1<1/1,2/1>");
    s.history = shown_history::best;
    BOOST_TEST(plan(read(s)) == "0<1/0> 1<2/1>");
    BOOST_TEST(read(s).plan("t").front().turn == 3);
}

BOOST_AUTO_TEST_CASE(histories_follow_keys_across_samples) {
    turn_files files;
    files.add(1, 0, ran, failure::wrong_output, ",\"key\":\"a\"")
        .add(1, 1, ran, failure::wrong_output, ",\"key\":\"b\"");
    files.add(2, 0, ran, failure::wrong_output, ",\"key\":\"c\",\"parent\":\"b\",\"turn\":2");
    files.add(3, 0, ran, failure::wrong_output, ",\"key\":\"d\",\"parent\":\"b\",\"turn\":3");
    refine_settings s = files.settings(3);
    s.history = shown_history::all;
    BOOST_TEST(plan(read(s)) == "0<1/1,3/0>");
    s.answers.erase(s.answers.begin());
    s.verdicts.erase(s.verdicts.begin());
    BOOST_TEST(plan(read(s)).find("one of them is in no file") != std::string::npos);
    s.history = shown_history::last;
    BOOST_TEST(plan(read(s)) == "0<3/0>");
}

BOOST_AUTO_TEST_CASE(a_search_takes_the_best_of_all_turns) {
    turn_files files;
    files.add(1, 0, extracted, failure::syntax_error)
        .add(1, 1, ran, failure::wrong_output)
        .add(1, 2, compiled, failure::unsupported)
        .add(2, 0, compiled, failure::crash)
        .add(2, 1, ran, failure::wrong_output);
    refine_settings s = files.settings(2);
    s.best = 2;
    s.samples = 5;
    BOOST_TEST(plan(read(s)) == "0<2/1> 1<1/1> 2<2/1> 3<1/1> 4<2/1>");
    s.best = 10;
    BOOST_TEST(plan(read(s)) == "0<2/1> 1<1/1> 2<2/0> 3<1/0> 4<2/1>");
    files.add(2, 7, stage::correct, failure::none);
    BOOST_TEST(plan(read(s)).empty());
}

BOOST_AUTO_TEST_CASE(a_conversation_has_no_thoughts) {
    turn_files files;
    files.add(1, 0, extracted, failure::syntax_error);
    std::ofstream(files.answers(1))
        << "{\"task\":\"t\",\"sample\":0,\"response\":\"<think>x</think>\\n\\n"
           "an answer\"}\n";
    const past_turns past = read(files.settings(1));
    const auto planned = past.plan("t");
    const auto told = feedback::open("");
    BOOST_REQUIRE((planned.size() == 1 && told));
    const auto turns = continued({{"user", "question"}}, planned.front(), *told);
    BOOST_REQUIRE(bool(turns));
    BOOST_TEST(turns->size() == 3);
    BOOST_TEST((*turns)[1].role == "assistant");
    BOOST_TEST((*turns)[1].content == "an answer");
    BOOST_TEST((*turns)[2].content.starts_with("The program does not compile."));
}

BOOST_AUTO_TEST_CASE(files_that_do_not_fit) {
    turn_files files;
    files.add(1, 0, extracted, failure::syntax_error).add(2, 5, ran, failure::wrong_output);
    refine_settings s = files.settings(1);
    s.verdicts[0] = files.verdicts(2);
    BOOST_TEST(!past_turns::read(s));
    s = files.settings(1);
    std::ofstream(files.answers(1), std::ios::app)
        << "{\"task\":\"t\",\"sample\":1,\"response\":\"\",\"turn\":0}\n";
    const auto past = past_turns::read(s);
    BOOST_REQUIRE(!bool(past));
    BOOST_TEST(past.error().message().find("c1:2: \"turn\" is no number") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
