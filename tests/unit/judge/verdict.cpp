// Tests which lines of a file of verdicts are believed.
#include "cuset/judge/verdict.h"

#include "cuset/judge/verdict_log.h"
#include "sandbox/room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

namespace {

const std::string digits(64, 'a');

/// A right verdict, with one of its fields as `text` says.
std::string line_with(const std::string& field, const std::string& text) {
    std::vector<std::pair<std::string, std::string>> fields{{"task", "16"},
                                                            {"sample", "0"},
                                                            {"family", "\"f\""},
                                                            {"stage", "\"ran\""},
                                                            {"failure", "\"wrong_output\""},
                                                            {"diagnostic", "\"d\""},
                                                            {"compile", "1.5"},
                                                            {"run", "0"},
                                                            {"compare", "0.25"},
                                                            {"tokens", "null"},
                                                            {"key", '"' + digits + '"'},
                                                            {"task_hash", '"' + digits + '"'},
                                                            {"backend", "\"gpu\""},
                                                            {"toolchain", "\"nvcc\""},
                                                            {"protocol", "\"cuset\""},
                                                            {"inputs", "1"}};
    std::string line = "{";
    for (const auto& [name, value] : fields) {
        if (name == "compile") line += "\"seconds\":{";
        line += '"' + name + "\":" + (name == field ? text : value);
        line += name == "compare" ? "}," : name == "inputs" ? "}" : ",";
    }
    return line;
}

result<std::vector<verdict>> read(const std::string& text) {
    const own_folder room;
    std::ofstream(room.folder / "v", std::ios::binary) << text;
    return read_verdicts({(room.folder / "v").string()});
}

void refused(const std::string& line, const std::string& words) {
    const auto all = read("\n" + line + "\n");
    BOOST_TEST_CONTEXT(line) {
        BOOST_REQUIRE(!all);
        BOOST_TEST((all.error().kind() == error_kind::data));
        BOOST_TEST(all.error().message().find("v:2: ") != std::string::npos);
        BOOST_TEST(all.error().message().find(words) != std::string::npos, all.error().message());
    }
}

std::string outcome(const std::string& stage, const std::string& failure,
                    const std::string& backend) {
    std::string line = line_with("stage", '"' + stage + '"');
    const auto put = [&](const std::string& from, const std::string& to) {
        line.replace(line.find(from), from.size(), to);
    };
    put("\"wrong_output\"", failure == "null" ? failure : '"' + failure + '"');
    put("\"gpu\"", '"' + backend + '"');
    return line;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(verdict_files)

BOOST_AUTO_TEST_CASE(a_right_one) {
    const auto all = read(line_with("sample", "9999"));
    BOOST_REQUIRE(all.is_ok());
    BOOST_TEST((all->front().sample == 9999U && all->front().compare_seconds == 0.25));
    BOOST_TEST(all->front().key.hexadecimal() == digits);
    BOOST_TEST(to_line(all->front()) == line_with("sample", "9999") + "\n");
}

BOOST_AUTO_TEST_CASE(findings) {
    verdict v = read(line_with("sample", "0")).value().front();
    v.findings = {{failure::race, "kernel k, line 12: x"}, {failure::none, "a note"}};
    const std::string line = to_line(v);
    BOOST_TEST(
        line.ends_with(",\"findings\":[{\"kind\":\"race\",\"message\":\"kernel k, line 12: x\","
                       "\"line\":12},{\"kind\":\"note\",\"message\":\"a note\",\"line\":null}]}\n"),
        line);
    BOOST_TEST((read(line).value().front().findings == v.findings));
}

BOOST_AUTO_TEST_CASE(samples_and_numbers) {
    for (const char* sample : {"10000", "1000000000000", "18446744073709551615", "-1", "0.5", "1e3",
                               "null", "\"0\"", "18446744073709551616"})
        refused(line_with("sample", sample), "");
    refused(line_with("sample", "10000"), "0 to 9999");
    for (const char* field : {"compile", "run", "compare"})
        for (const char* number : {"-1", "-1e-9", "1e999", "null", "\"1\""})
            refused(line_with(field, number), "");
    refused(line_with("run", "-1"), "\"run\" in \"seconds\"");
    for (const char* tokens : {"-1", "0.5", "\"3\"", "{}"})
        refused(line_with("tokens", tokens), "\"tokens\"");
}

BOOST_AUTO_TEST_CASE(stages_beside_failures) {
    for (const auto& [stage, failure, backend] :
         {std::array<std::string, 3>{"correct", "null", "gpu"},
          {"correct", "null", "host"},
          {"compiled", "null", "compile-only"},
          {"answered", "no_code", "gpu"},
          {"extracted", "syntax_error", "compile-only"},
          {"extracted", "unsupported", "compile-only"},
          {"compiled", "unsupported", "host"},
          {"compiled", "crash", "gpu"},
          {"ran", "race", "host"},
          {"ran", "no_kernel_launch", "gpu"},
          {"ran", "evaluator", "gpu"}})
        BOOST_TEST(read(outcome(stage, failure, backend)).is_ok(), stage << ' ' << failure);
    for (const auto& [stage, failure, backend] :
         {std::array<std::string, 3>{"correct", "wrong_output", "gpu"},
          {"ran", "null", "gpu"},
          {"compiled", "null", "gpu"},
          {"answered", "null", "host"},
          {"correct", "null", "compile-only"},
          {"extracted", "null", "compile-only"},
          {"ran", "crash", "compile-only"},
          {"compiled", "crash", "compile-only"},
          {"compiled", "syntax_error", "gpu"},
          {"correct", "evaluator", "gpu"},
          {"correct", "unsupported", "host"},
          {"extracted", "run_timeout", "gpu"},
          {"compiled", "wrong_output", "gpu"}})
        refused(outcome(stage, failure, backend), "has stage " + stage);
    refused(outcome("done", "null", "gpu"), "\"stage\"");
    refused(outcome("ran", "none", "gpu"), "\"failure\"");
    refused(outcome("ran", "bad_luck", "gpu"), "\"failure\"");
    refused(outcome("correct", "null", "tpu"), "no backend \"tpu\"");
}

BOOST_AUTO_TEST_CASE(keys) {
    const std::string old = "\"0123456789abcdef\"";
    for (const char* field : {"key", "task_hash"}) {
        refused(line_with(field, old), "earlier version");
        for (const std::string& key : {std::string("\"\""), '"' + digits + "a\"",
                                       "\"g" + digits.substr(1) + '"', std::string("7")})
            refused(line_with(field, key), field);
    }
    const own_folder room;
    const std::string path = (room.folder / "log").string();
    std::ofstream(path) << line_with("key", old) << '\n';
    const auto opened = verdict_log::open(path, {"gpu", "nvcc"});
    BOOST_REQUIRE(!opened);
    BOOST_TEST((opened.error().kind() == error_kind::data));
    BOOST_TEST(opened.error().message().find("log:1: ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(protocols_and_inputs) {
    const std::string plain = line_with("", ""),
                      cudabench = line_with("protocol", "\"cudabench-2026\""),
                      several = line_with("inputs", "3");
    BOOST_TEST((read(cudabench)->front().setting.rule == protocol::cudabench_2026));
    BOOST_TEST(read(several)->front().setting.inputs == 3U);
    BOOST_TEST(to_line(read(cudabench)->front()) == cudabench + "\n");
    // What earlier versions called so followed the rule of that time.
    BOOST_TEST(to_line(read(line_with("protocol", "\"cudabench\""))->front()) ==
               line_with("protocol", "\"cudabench-2025\"") + "\n");
    // Records of earlier versions have neither.
    std::string old = plain;
    old.resize(old.find(",\"protocol\""));
    BOOST_TEST(to_line(read(old + "}")->front()) == plain + "\n");
    refused(line_with("protocol", "\"kernelbench\""), "no protocol \"kernelbench\"");
    refused(line_with("protocol", "3"), "\"protocol\"");
    for (const char* inputs : {"0", "-1", "\"3\"", "1.5"})
        refused(line_with("inputs", inputs), "\"inputs\"");
    // Neither reports nor logs mix them, and both say what differs.
    for (const auto& [other, words] : {std::pair{cudabench, std::string("protocol cudabench-2026")},
                                       std::pair{several, std::string("3 sets of inputs")}}) {
        std::string second = other;
        second.replace(second.find("\"sample\":0"), 10, "\"sample\":1");
        const auto mixed = read(plain + "\n" + second);
        BOOST_REQUIRE(!mixed);
        BOOST_TEST(mixed.error().message().find(words) != std::string::npos,
                   mixed.error().message());
    }
    const own_folder room;
    const std::string path = (room.folder / "log").string();
    std::ofstream(path) << plain << '\n' << cudabench << '\n';
    evaluation_setting setting{"gpu", "nvcc"};
    const auto ours = verdict_log::open(path, setting);
    BOOST_REQUIRE(!ours);
    BOOST_TEST((ours.error().kind() == error_kind::usage));
    BOOST_TEST(
        ours.error().message().find("log:2: this verdict was made with --protocol cudabench-2026, "
                                    "and this run has --protocol cuset") != std::string::npos,
        ours.error().message());
    setting.inputs = 2;
    const auto two = verdict_log::open(path, setting);
    BOOST_REQUIRE(!two);
    BOOST_TEST(two.error().message().find("log:1: ") != std::string::npos);
    std::ofstream(path) << plain << '\n';
    BOOST_TEST(verdict_log::open(path, {"gpu", "another nvcc"}).is_ok());
}

// The last of two fields with one name counts, as in what people read files with.
BOOST_AUTO_TEST_CASE(the_last_of_two_counts) {
    std::string line = outcome("correct", "null", "gpu");
    line.insert(line.size() - 1, ",\"failure\":\"crash\"");
    refused(line, "beside failure crash");
}

BOOST_AUTO_TEST_CASE(a_diagnostic_is_shown_not_obeyed) {
    const auto all = read(line_with("diagnostic", R"("\u001b[2J \ufffe \u009b \u202e \ud800")"));
    BOOST_REQUIRE(all.is_ok());
    BOOST_TEST(all->front().diagnostic == "\\x1b[2J \\ufffe \\x9b \\u202e \uFFFD");
}

BOOST_AUTO_TEST_CASE(parts_of_a_run_share_no_candidate) {
    const own_folder room;
    const std::string first = (room.folder / "a").string(), second = (room.folder / "b").string();
    const std::string one = line_with("sample", "1") + '\n', two = line_with("sample", "2") + '\n';
    std::ofstream(first) << one << one;
    std::ofstream(second) << two;
    BOOST_TEST(read_verdicts({first, second})->size() == 2U);
    std::ofstream(second) << two << one;
    const auto both = read_verdicts({first, second});
    BOOST_REQUIRE(!both);
    BOOST_TEST((both.error().kind() == error_kind::usage));
    BOOST_TEST(both.error().message().find("b:2: sample 1") != std::string::npos);
    BOOST_TEST(both.error().message().find("--table") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(replaced_verdicts_are_removed) {
    const own_folder room;
    const std::string path = (room.folder / "log").string();
    const std::string stale = line_with("run", "1") + '\n', other = line_with("sample", "7") + '\n',
                      kept = line_with("run", "2.50") + '\n';
    const evaluation_setting setting{"gpu", "nvcc"};
    std::ofstream(path) << kept;
    verdict again = read_verdicts({path})->front();
    std::ofstream(path) << stale << other << kept;
    {
        auto opened = verdict_log::open(path, setting);
        BOOST_REQUIRE(opened.is_ok());
        BOOST_REQUIRE(opened->remove_replaced().is_ok());
        BOOST_TEST(text_of(path) == other + kept);  // byte for byte
        // The file has another inode now, and the lock of this one protects nothing.
        BOOST_TEST(verdict_log::open(path, setting).is_ok());
    }
    {
        auto opened = verdict_log::open(path, setting);
        BOOST_REQUIRE(opened->remove_replaced().is_ok());
        BOOST_TEST(text_of(path) == other + kept);
        again.run_seconds = 9;
        BOOST_REQUIRE(opened->append(again).is_ok());
        BOOST_REQUIRE(opened->remove_replaced().is_ok());
        BOOST_TEST(text_of(path) == other + line_with("run", "9") + '\n');
    }
}

BOOST_AUTO_TEST_CASE(counts_of_answers) {
    const auto with = [](const std::string& count) {
        std::string line = outcome("extracted", "wrong_number", "host");
        line.insert(line.size() - 1, ",\"count\":" + count);
        return line;
    };
    const std::string missed =
        with(R"({"quantity":"cost.flops","category":"c","expected":2048,"answer":1024,)"
             R"("relative_error":0.5,"hidden_flops":true,"stated_hidden_flops":false})");
    const auto all = read(missed);
    BOOST_REQUIRE(all);
    const verdict& v = all->front();
    BOOST_TEST((v.why == failure::wrong_number && v.reached == stage::extracted));
    BOOST_TEST((v.count->expected == std::optional(2048.0) && v.count->category == "c"));
    BOOST_TEST((v.count->hidden_flops == std::optional(true)));
    BOOST_TEST((v.count->stated_hidden_flops == std::optional(false)));
    BOOST_TEST(to_line(v) == missed + "\n");
    const std::string open =
        with(R"({"quantity":"cost.flops","category":"","expected":null,"answer":0.5,)"
             R"("relative_error":null,"hidden_flops":null,"stated_hidden_flops":null})");
    BOOST_TEST(to_line(read(open)->front()) == open + "\n");
    count_outcome count;
    BOOST_TEST(!count.relative_error());
    count.expected = count.answer = 0;
    BOOST_TEST((count.relative_error() == std::optional(0.0)));
    count.answer = 1;
    BOOST_TEST(!count.relative_error());
    count.expected = 4;
    BOOST_TEST((count.relative_error() == std::optional(0.75)));
    for (
        const char* wrong :
        {"null", "7", "{}", R"({"quantity":"q"})",
         R"({"quantity":"q","category":"c","expected":"1","answer":1,"hidden_flops":null,"stated_hidden_flops":null})",
         R"({"quantity":"q","category":"c","expected":-1,"answer":1,"hidden_flops":null,"stated_hidden_flops":null})",
         R"({"quantity":"q","category":"c","expected":1,"answer":1,"hidden_flops":1,"stated_hidden_flops":null})"})
        refused(with(wrong), "\"count\" is wrong");
    BOOST_TEST(read(outcome("answered", "no_number", "host")).is_ok());
    refused(outcome("ran", "no_number", "host"), "has stage ran");
    BOOST_TEST(read(outcome("extracted", "wrong_number", "host")).is_ok());
    refused(outcome("ran", "wrong_number", "host"), "has stage ran");
}

BOOST_AUTO_TEST_SUITE_END()
