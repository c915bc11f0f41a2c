// Reports in which some samples could not be judged: bounds, names, and how they count.
#include "cuset/judge/report.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>

#include "cuset/base/visible_text.h"
#include "cuset/stream/line_reader.h"

using namespace cuset;

namespace {

const evaluation_setting setting{"host", "g++"};

verdict made(std::size_t task, std::uint64_t sample, failure why, stage reached,
             const std::string& diagnostic = {}) {
    verdict v;
    v.task = std::to_string(task);
    v.family = "f" + v.task;
    v.sample = sample;
    v.why = why;
    v.reached = reached;
    v.diagnostic = diagnostic;
    v.setting = setting;
    return v;
}

verdict passing(std::size_t task, std::uint64_t sample) {
    return made(task, sample, failure::none, stage::correct);
}
verdict failing(std::size_t task, std::uint64_t sample) {
    return made(task, sample, failure::wrong_output, stage::ran, "F");
}
verdict open(std::size_t task, std::uint64_t sample, const std::string& name = "inline PTX") {
    return made(task, sample, failure::unsupported, stage::extracted, name);
}

std::vector<counted_task> tasks(std::size_t count) {
    std::vector<counted_task> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back({std::to_string(i), "f" + std::to_string(i), {}});
    return all;
}

const named_rate& rate_in(const evaluation_report& r, stage passing, estimator how, std::size_t k) {
    for (const auto& one : r.rates)
        if (one.passing == passing && one.how == how && one.k == k) return one;
    BOOST_FAIL("no such rate");
    return r.rates.front();
}

bool is_near(double a, double b) { return std::abs(a - b) < 1e-12; }

}  // namespace

BOOST_AUTO_TEST_SUITE(report)

BOOST_AUTO_TEST_CASE(unsupported_samples_leave_rates_open) {
    const std::vector<verdict> verdicts{open(0, 0, "wmma"),
                                        passing(0, 1),
                                        failing(0, 2),
                                        open(1, 0),
                                        open(1, 1, "wmma"),
                                        failing(1, 2),
                                        failing(2, 0),
                                        failing(2, 1),
                                        made(2, 2, failure::unsupported, stage::compiled, "wmma")};
    const auto r = make_report(tasks(3), verdicts, setting, {});
    BOOST_REQUIRE(r.is_ok());
    BOOST_TEST(r->unsupported.count == 4U);
    BOOST_TEST(r->unsupported.tasks == 3U);
    BOOST_REQUIRE(r->unsupported.names.size() == 2U);
    BOOST_TEST((r->unsupported.names[0] == std::pair<std::string, std::size_t>("wmma", 3)));
    BOOST_TEST(r->failures[static_cast<std::size_t>(failure::unsupported)].count == 0U);
    const auto& first = rate_in(*r, stage::correct, estimator::any_of_first, 1);
    BOOST_TEST((is_near(first.value.mean, 0) && is_near(first.at_most, 2.0 / 3)));
    BOOST_TEST(first.open_tasks == 2U);
    // Task 0 is solved whatever its first sample does.
    const auto& third = rate_in(*r, stage::correct, estimator::any_of_first, 3);
    BOOST_TEST((is_near(third.value.mean, 1.0 / 3) && is_near(third.at_most, 1)));
    BOOST_TEST(third.open_tasks == 2U);
    // What was found at run time did compile.
    const auto& compiled = rate_in(*r, stage::compiled, estimator::unbiased, 1);
    BOOST_TEST((is_near(compiled.value.mean, 2.0 / 3) && is_near(compiled.at_most, 1)));
    const std::string text = to_text(*r), json = to_json(*r),
                      junit = to_junit(*r, tasks(3), verdicts, {});
    BOOST_TEST(text.find("unsupported 4 candidates of 3 tasks") != text.npos, text);
    BOOST_TEST(text.find("at most") != text.npos);
    BOOST_TEST((text.find("3  wmma") < text.find("1  inline PTX")), text);
    BOOST_TEST(json.find("\"unsupported\":{\"count\":4,\"tasks\":3,\"names\":[{\"name\":\"wmma\","
                         "\"count\":3}") != json.npos,
               json);
    BOOST_TEST(junit.find("<skipped message=\"unsupported: wmma\"/>") != junit.npos, junit);
    BOOST_TEST(junit.find("failures=\"1\" errors=\"0\" skipped=\"1\"") != junit.npos, junit);
}

BOOST_AUTO_TEST_CASE(the_evaluators_faults_leave_rates_open_too) {
    const auto fault = made(0, 0, failure::evaluator, stage::compiled, "gen.py ended with 1");
    const std::vector<verdict> verdicts{fault, passing(1, 0), failing(2, 0)};
    const auto r = make_report(tasks(3), verdicts, setting, {});
    BOOST_REQUIRE(r.is_ok());
    const auto& first = rate_in(*r, stage::correct, estimator::any_of_first, 1);
    BOOST_TEST((is_near(first.value.mean, 1.0 / 3) && is_near(first.at_most, 2.0 / 3)));
    BOOST_TEST(first.open_tasks == 1U);
    const std::string text = to_text(*r);
    BOOST_TEST(text.find("not judged  1 candidate of 1 task: ") != text.npos, text);
    BOOST_TEST(text.find("at most  open tasks") != text.npos, text);
    BOOST_TEST(text.find("\nevaluator ") != text.npos, text);
    const auto paired = compare_evaluations(tasks(3), verdicts, {passing(0, 0), passing(1, 0)}, {});
    BOOST_REQUIRE(paired.is_ok());
    BOOST_TEST(to_text(*paired).find("not judged  1 and 0 candidates: ") != std::string::npos);
    BOOST_TEST(to_json(*paired).find("\"not_judged_first\":1,\"not_judged_second\":0") !=
               std::string::npos);
    BOOST_TEST(is_near(paired->rates.front().at_least, 0.0), paired->rates.front().at_least);
}

BOOST_AUTO_TEST_CASE(nothing_is_said_where_all_was_judged) {
    const auto r = make_report(tasks(2), {passing(0, 0), failing(1, 0)}, setting, {});
    BOOST_REQUIRE(r.is_ok());
    const auto& rate = rate_in(*r, stage::correct, estimator::any_of_first, 1);
    BOOST_TEST((rate.at_most == rate.value.mean && rate.open_tasks == 0));
    BOOST_TEST(to_text(*r).find("unsupported") == std::string::npos);
    BOOST_TEST(to_text(*r).find("at most") == std::string::npos);
}

// The bounds are the rates of the same verdicts if all open ones failed, or passed.
BOOST_AUTO_TEST_CASE(bounds_are_those_of_all_or_none) {
    std::mt19937 random(20261121);
    for (int round = 0; round < 50; ++round) {
        std::vector<verdict> verdicts[2], low[2], high[2];
        for (int model = 0; model < 2; ++model)
            for (std::size_t task = 0; task < 6; ++task)
                for (std::uint64_t sample = 0; sample < 4; ++sample) {
                    const auto draw = random() % 3;
                    verdict v = draw == 0           ? passing(task, sample)
                                : draw == 1         ? failing(task, sample)
                                : random() % 2 == 0 ? open(task, sample)
                                                    : made(task, sample, failure::evaluator,
                                                           stage::answered, "gen.py");
                    verdicts[model].push_back(v);
                    low[model].push_back(
                        draw == 2 ? made(task, sample, failure::syntax_error, stage::extracted)
                                  : v);
                    high[model].push_back(draw == 2 ? passing(task, sample) : v);
                }
        const auto all = tasks(6);
        const auto r = make_report(all, verdicts[0], setting, {});
        const auto least = make_report(all, low[0], setting, {});
        const auto most = make_report(all, high[0], setting, {});
        BOOST_REQUIRE((r.is_ok() && least.is_ok() && most.is_ok()));
        for (std::size_t i = 0; i < r->rates.size(); ++i) {
            BOOST_TEST(r->rates[i].value.mean == least->rates[i].value.mean);
            BOOST_TEST(r->rates[i].value.low == least->rates[i].value.low);
            BOOST_TEST(is_near(r->rates[i].at_most, most->rates[i].value.mean));
        }
        const auto paired = compare_evaluations(all, verdicts[0], verdicts[1], {});
        const auto worst = compare_evaluations(all, high[0], low[1], {});
        const auto best = compare_evaluations(all, low[0], high[1], {});
        BOOST_REQUIRE((paired.is_ok() && worst.is_ok() && best.is_ok()));
        for (std::size_t i = 0; i < paired->rates.size(); ++i) {
            const auto& d = paired->rates[i];
            BOOST_TEST(is_near(d.at_least, worst->rates[i].second_minus_first.mean));
            BOOST_TEST(is_near(d.at_most, best->rates[i].second_minus_first.mean));
            BOOST_TEST(d.second_minus_first.mean >= d.at_least - 1e-12);
            BOOST_TEST(d.second_minus_first.mean <= d.at_most + 1e-12);
        }
    }
}

// U+FFFE makes XML ill-formed, C1 controls and marks of direction are orders to a terminal.
BOOST_AUTO_TEST_CASE(what_others_wrote_is_shown_not_obeyed) {
    const std::string nasty = "<\"&>\ufffe\u009b2J\u202e\x1b[31m\xff\r\n\t.";
    const evaluation_setting odd{"host", "g++" + nasty};
    std::vector<verdict> verdicts{failing(0, 0), open(1, 0, nasty)};
    std::vector<counted_task> of = tasks(2);
    verdicts[0].diagnostic = nasty + std::string(2000, 'x') + "the end";
    for (auto& v : verdicts) v.setting = odd;
    verdicts[0].task = of[0].id = "id" + nasty;
    verdicts[0].family = of[0].family = "family" + nasty;
    const auto r = make_report(of, verdicts, odd, {});
    BOOST_REQUIRE(r.is_ok());
    for (std::string text : {to_text(*r), to_junit(*r, of, verdicts, {})}) {
        BOOST_TEST(text.find("the end") != text.npos);
        std::replace(text.begin(), text.end(), '\n', ' ');
        BOOST_TEST(visible_text(text) == text);
        BOOST_TEST(text.find("\\ufffe\\x9b2J\\u202e\\x1b[31m\\xff\\r\\n\\t.") != text.npos, text);
    }
}

BOOST_AUTO_TEST_CASE(every_kind_has_a_name_that_is_read_again) {
    verdict_reader reader;
    for (std::size_t kind = 1; kind < failure_count; ++kind) {
        verdict v = made(1, 0, static_cast<failure>(kind), stage::answered, "x");
        bool any = false;  // some stage goes with each kind
        for (const stage s : {stage::answered, stage::extracted, stage::compiled, stage::ran}) {
            v.reached = s;
            std::string line = to_line(v);
            const std::size_t length = line.size() - 1;
            line.append(line_padding, ' ');
            const auto read = reader.read(std::string_view(line).substr(0, length));
            if (!read) continue;
            any = true;
            BOOST_TEST((read->why == v.why), line);
        }
        BOOST_TEST(any, name_of(v.why));
    }
}

BOOST_AUTO_TEST_SUITE_END()
