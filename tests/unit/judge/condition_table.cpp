// Tables of conditions: what is counted together, and what is refused. The figures themselves are
// compared with scipy's in tests/oracle/table_scipy.py.
#include "cuset/judge/condition_table.h"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>

#include "sandbox/room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

namespace {

verdict made(std::size_t task, std::uint64_t sample, failure why) {
    verdict v;
    v.task = "t" + std::to_string(task);
    v.family = "f" + std::to_string(task / 2);
    v.sample = sample;
    v.why = why;
    v.reached = why == failure::none           ? stage::correct
                : why == failure::syntax_error ? stage::extracted
                                               : stage::ran;
    v.tokens = 10 * (task + 1);
    v.setting = {"host", "g++"};
    return v;
}

/// Two samples of each of six tasks in three families; `passing` says which tasks pass.
condition_run run_of(const std::string& file, const std::vector<bool>& passing) {
    condition_run run{file, {}};
    for (std::size_t t = 0; t < passing.size(); ++t)
        for (std::uint64_t s = 0; s < 2; ++s)
            run.verdicts.push_back(made(t, s, passing[t] ? failure::none : failure::wrong_output));
    return run;
}
const std::vector<bool> none(6, false), all(6, true), half{true, false, true, false, true, false};

condition_runs condition(const std::string& name, std::vector<condition_run> runs) {
    return {name, std::move(runs), {}};
}

const table_measure* measure_in(const condition_table& table, const std::string& name) {
    for (const auto* measures : {&table.measures, &table.failures})
        for (const auto& measure : *measures)
            if (measure.name == name) return &measure;
    return nullptr;
}

void refused(const std::vector<condition_runs>& conditions, const table_options& options,
             error_kind kind, const std::string& words,
             const std::vector<condition_figure>& figures = {}) {
    const auto table = make_table(conditions, figures, options);
    BOOST_TEST_CONTEXT(words) {
        BOOST_REQUIRE(!table);
        BOOST_TEST((table.error().kind() == kind));
        BOOST_TEST(table.error().message().find(words) != std::string::npos,
                   table.error().message());
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(condition_tables)

BOOST_AUTO_TEST_CASE(names_and_files) {
    for (const auto& [text, name, files] :
         {std::tuple{"sft=a.jsonl", "sft", std::vector<std::string>{"a.jsonl"}},
          {"tau=0.05=a,b", "tau=0.05", {"a", "b"}},
          {"cuset=runs/tau=0.1/v", "cuset", {"runs/tau=0.1/v"}},
          {"tau=0.1=./x=1,y=2", "tau=0.1", {"./x=1", "y=2"}}}) {
        const auto read = read_condition(text);
        BOOST_REQUIRE_MESSAGE(read.is_ok(), text);
        BOOST_TEST(read->name == name);
        BOOST_TEST(read->files == files, boost::test_tools::per_element());
    }
    for (const char* text : {"a.jsonl", "=a", "a=", "a=b,", "a=,b", "a=b,b", "a=-", "x/a=b", ""})
        BOOST_TEST(!read_condition(text).is_ok(), text);
}

BOOST_AUTO_TEST_CASE(rates_tokens_and_failures) {
    const auto table = make_table({condition("a", {run_of("1", half), run_of("2", all)}),
                                   condition("b", {run_of("3", none)})},
                                  {}, {.baseline = "b"});
    BOOST_REQUIRE(table.is_ok());
    BOOST_TEST((table->tasks == 6U && table->families == 3U && table->rows[0].answers == 24U));
    const auto& pass = *measure_in(*table, "pass@1");
    BOOST_TEST(pass.of[0]->value.mean == 0.75);
    BOOST_TEST(pass.of[1]->value.mean == 0.0);
    BOOST_TEST(measure_in(*table, "pass@3") == nullptr);  // of two samples
    // Only the first seed has a partner.
    const paired_value& pair = *pass.of[0]->apart;
    BOOST_TEST(!pass.of[1]->apart);
    BOOST_TEST((pair.runs == 1U && pair.difference.mean == 0.5));
    BOOST_TEST((pair.above == 3U && pair.below == 0U && pair.sign_p == 0.25));
    BOOST_TEST(measure_in(*table, "tokens")->of[0]->value.mean == 35.0);
    BOOST_TEST(measure_in(*table, "wrong_output")->of[0]->count == 6U);
    BOOST_TEST(measure_in(*table, "wrong_output")->of[1]->count == 12U);
    BOOST_TEST(measure_in(*table, "checked@1") == nullptr);
}

BOOST_AUTO_TEST_CASE(tokens_of_all_answers_or_none) {
    condition_run part = run_of("1", half);
    part.verdicts[3].tokens.reset();
    const auto table =
        make_table({condition("a", {part}), condition("b", {run_of("2", half)})}, {}, {});
    BOOST_REQUIRE(table.is_ok());
    const auto& tokens = *measure_in(*table, "tokens");
    BOOST_TEST((!tokens.of[0] && tokens.of[1]));
}

BOOST_AUTO_TEST_CASE(under_check) {
    condition_run plain = run_of("1", all), checked = run_of("2", half);
    for (auto& v : checked.verdicts) v.setting.toolchain += ", checked, 4 orders";
    const auto table = make_table({{"a", {plain}, {checked}}, {"b", {plain}, {}}}, {}, {});
    BOOST_REQUIRE(table.is_ok());
    const auto& column = *measure_in(*table, "checked@1");
    BOOST_TEST((column.of[0]->value.mean == 0.5 && !column.of[1]));
    BOOST_TEST(measure_in(*table, "pass@1")->of[0]->value.mean == 1.0);
    // Verdicts under --check and others are no seeds of one condition.
    refused({{"a", {plain, checked}, {}}}, {}, error_kind::usage, "several settings");
}

BOOST_AUTO_TEST_CASE(what_is_missing_is_no_failure) {
    const auto whole = condition("a", {run_of("1", half)});
    condition_run task_less = run_of("2", half), sample_less = run_of("3", half),
                  unjudged = run_of("4", half);
    std::erase_if(task_less.verdicts, [](const verdict& v) { return v.task == "t4"; });
    task_less.verdicts.pop_back();  // of t5, which the other refusal finds
    sample_less.verdicts.pop_back();
    for (auto& v : unjudged.verdicts) v.why = failure::evaluator, v.diagnostic = "no numpy";
    refused({whole, condition("b", {task_less})}, {}, error_kind::data,
            "condition b (2) lacks 1 of the 6 tasks, task t4");
    refused({whole, condition("b", {sample_less})}, {}, error_kind::data, "lacks 1 of the 12");
    refused({whole, condition("b", {unjudged})}, {}, error_kind::data, "no numpy");
    refused({whole, condition("a", {run_of("5", all)})}, {}, error_kind::usage, "of the name a");
    refused({whole}, {.baseline = "c"}, error_kind::usage, "none of the conditions");
    refused({}, {}, error_kind::usage, "no condition");
    const auto common =
        make_table({whole, condition("b", {task_less})}, {}, {.samples = 2, .common = true});
    BOOST_REQUIRE(common.is_ok());
    BOOST_TEST((common->tasks == 5U && common->dropped == 1U && common->rows[1].missing == 1U));
    condition_run other = run_of("6", half);
    other.verdicts[2].task_hash.bytes[0] ^= 1;
    refused({whole, condition("b", {other})}, {}, error_kind::usage, "another version");
}

BOOST_AUTO_TEST_CASE(families_of_the_tasks) {
    table_options options;
    for (std::size_t t = 0; t < 6; ++t) {
        options.tasks.push_back({"t" + std::to_string(t), "f", {}});
        options.families["t" + std::to_string(t)] = t == 0 ? "one" : "other";
    }
    const auto conditions = {condition("a", {run_of("1", half)})};
    BOOST_TEST(make_table(conditions, {}, options)->families == 2U);
    options.tasks.push_back({"t6", "f", {}});
    refused(conditions, options, error_kind::data, "lacks 1 of the 7 tasks, task t6");
    options.tasks.resize(5);
    refused(conditions, options, error_kind::usage, "no such task");
}

BOOST_AUTO_TEST_CASE(figures_over_seeds) {
    const auto a = condition("a", {run_of("1", half)}), b = condition("b", {run_of("2", half)});
    const std::vector<condition_figure> figures{{"a", "1", "loss", 1},   {"a", "2", "loss", 2},
                                                {"a", "3", "loss", 6},   {"b", "2", "loss", 1},
                                                {"b", "3", "loss", 2.5}, {"c", "1", "loss", 9}};
    const auto table = make_table({a, b}, figures, {.baseline = "b"});
    BOOST_REQUIRE(table.is_ok());
    const auto& loss = *measure_in(*table, "loss");
    BOOST_TEST((loss.of[0]->value.mean == 3.0 && loss.of[0]->runs == 3U));
    BOOST_TEST((loss.of[0]->apart->runs == 2U && loss.of[0]->apart->difference.mean == 2.25));
    refused({a, b}, {}, error_kind::usage, "measure of the verdicts", {{"a", "1", "pass@1", 1}});
    refused({a, b}, {}, error_kind::data, "none is of a condition", {{"A", "1", "loss", 1}});
}

BOOST_AUTO_TEST_CASE(figures_file) {
    const own_folder room;
    const std::string path = (room.folder / "f.tsv").string();
    const auto read = [&](const std::string& text) {
        std::ofstream(path) << text;
        return read_figures(path);
    };
    const std::string heading = "seed\tvalue\tnote\tmeasure\tcondition\n";
    const auto good = read("\xef\xbb\xbf" + heading + "7\t-1e-3\t\tloss\ttau=1\r\n\n");
    BOOST_REQUIRE(good.is_ok());
    BOOST_TEST((good->size() == 1U && good->front().condition == "tau=1" &&
                good->front().seed == "7" && good->front().value == -1e-3));
    for (const auto& [text, words] :
         {std::pair<std::string, std::string>{"", "no figures"},
          {heading, "no figures"},
          {"seed\tvalue\tmeasure\n", "f.tsv:1: no column \"condition\""},
          {heading + "1\tnan\t\tm\tc\n", "f.tsv:2: 'nan'"},
          {heading + "1\t1x\t\tm\tc\n", "f.tsv:2: '1x'"},
          {heading + "1\t1\tm\tc\n", "4 columns"},
          {heading + "1\t1\t\t\tc\n", "measure is empty"},
          {heading + "1\t1\t\tm\tc\n1\t2\t\tm\tc\n", "f.tsv:3: m of condition c, seed 1 was"}}) {
        const auto bad = read(text);
        BOOST_REQUIRE_MESSAGE(!bad, words);
        BOOST_TEST((bad.error().kind() == error_kind::data));
        BOOST_TEST(bad.error().message().find(words) != std::string::npos, bad.error().message());
    }
}

BOOST_AUTO_TEST_SUITE_END()
