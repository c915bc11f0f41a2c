#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "cuset/cli/option_table.h"

using namespace cuset;

namespace {

// A program with every kind of option.
struct tool {
    tool() {
        p.name = "cuset-test";
        p.summary = "test the parser";
        p.version = "1.2.3";
        p.description = {"Does nothing. It's only here (for now)."};
        p.build_details = [] { return std::string("detail\n"); };
        p.options = {
            {'n', "count", "N", "How many: some.", &count, between(1, 100)},
            {0, "rate", "R", "A rate.", &rate},
            {0, "mode", "MODE", "What to do.", &mode, one_of("one", "two")},
            {0, "model", "DIR", "A folder.", &model, value_kind::folder},
            {'f', "flag", "", "It's a flag.", &flag},
        };
        add_stream_flags(p, stream);
    }
    // The words after the program's name; text, an error's message, or "go on".
    std::string run(std::initializer_list<const char*> words) {
        std::vector<const char*> argv = {"cuset-test"};
        argv.insert(argv.end(), words);
        auto parsed = parse(p, static_cast<int>(argv.size()), argv.data());
        if (!parsed) {
            BOOST_TEST(exit_code(parsed.error().kind()) == 2);
            BOOST_TEST(parsed.error().message().find('\n') == std::string::npos);
            return parsed.error().message();
        }
        if (parsed.value()) return *parsed.value();
        const status checked = check(stream);
        return checked ? "go on" : checked.message();
    }
    std::int64_t count = 5;
    double rate = 0.25;
    std::string mode = "one", model;
    bool flag = false;
    stream_flags stream;
    program p;
};

bool mentions(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(command_lines)

BOOST_AUTO_TEST_CASE(defaults_stay) {
    tool t;
    BOOST_TEST(t.run({}) == "go on");
    BOOST_TEST(t.count == 5);
    BOOST_TEST(t.rate == 0.25);
    BOOST_TEST(t.mode == "one");
    BOOST_TEST(!t.flag);
    BOOST_TEST(t.stream.output == "-");
    BOOST_TEST(t.stream.files.empty());
    BOOST_TEST(t.stream.shard_count == 1u);
}

BOOST_AUTO_TEST_CASE(ways_to_write_an_option) {
    const auto count = [](std::initializer_list<const char*> words) {
        tool t;
        BOOST_TEST(t.run(words) == "go on");
        return t.count;
    };
    BOOST_TEST(count({"--count=7"}) == 7);
    BOOST_TEST(count({"--count", "7"}) == 7);
    BOOST_TEST(count({"-n7"}) == 7);
    BOOST_TEST(count({"-n", "7"}) == 7);
    BOOST_TEST(count({"-n", "7", "--count=8"}) == 8);  // the last one counts
    tool t;
    BOOST_TEST(t.run({"a", "-fq", "-", "--rate=1e-3", "b", "--mode=two", "-o", "out", "--",
                      "-n"}) == "go on");
    BOOST_TEST(t.flag);
    BOOST_TEST(t.stream.quiet);
    BOOST_TEST(t.rate == 1e-3);
    BOOST_TEST(t.mode == "two");
    BOOST_TEST(t.stream.output == "out");
    const std::vector<std::string> files = {"a", "-", "b", "-n"};
    BOOST_TEST(t.stream.files == files, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(errors_name_the_option) {
    const auto error = [](std::initializer_list<const char*> words) { return tool().run(words); };
    BOOST_TEST(mentions(error({"--nothing"}), "--nothing"));
    BOOST_TEST(mentions(error({"-x"}), "-x"));
    BOOST_TEST(mentions(error({"--count"}), "--count"));
    BOOST_TEST(mentions(error({"--count=x"}), "--count"));
    BOOST_TEST(mentions(error({"--count=7x"}), "--count"));
    BOOST_TEST(mentions(error({"--count=0"}), "--count"));
    BOOST_TEST(mentions(error({"--count=101"}), "--count"));
    BOOST_TEST(mentions(error({"--count=99999999999999999999"}), "--count"));
    BOOST_TEST(mentions(error({"--count="}), "--count"));
    BOOST_TEST(mentions(error({"--rate=fast"}), "--rate"));
    BOOST_TEST(mentions(error({"--mode=three"}), "--mode"));
    BOOST_TEST(mentions(error({"--mode=on"}), "--mode"));  // no abbreviations
    BOOST_TEST(mentions(error({"--cou=7"}), "--cou"));
    BOOST_TEST(mentions(error({"-z", "20"}), "--compression"));
    BOOST_TEST(mentions(error({"-t", "-1"}), "--threads"));
    BOOST_TEST(mentions(error({"--on-error=ignore"}), "--on-error"));
    BOOST_TEST(mentions(error({"--generate=ps"}), "--generate"));
}

BOOST_AUTO_TEST_CASE(slips_are_told_what_was_meant) {
    const auto error = [](std::initializer_list<const char*> words) { return tool().run(words); };
    const std::string help = " (cuset-test --help lists the options)";
    BOOST_TEST(error({"--modle", "x"}) ==
               "--modle: there is no such option; did you mean --model?" + help);
    BOOST_TEST(error({"--modle=x"}) ==
               "--modle: there is no such option; did you mean --model?" + help);
    BOOST_TEST(error({"--cou=7"}) ==
               "--cou: there is no such option; did you mean --count?" + help);
    BOOST_TEST(error({"--nothing"}) == "--nothing: there is no such option" + help);
    BOOST_TEST(error({"-help"}) == "-help: it has two dashes: --help" + help);
    BOOST_TEST(error({"-count=3"}) == "-count: it has two dashes: --count" + help);
    BOOST_TEST(error({"-o=x"}) == "-o=x: no = stands behind a letter" + help);
    BOOST_TEST(mentions(error({"--mode=tow"}), "'tow' is none of one, two; did you mean two?"));
    BOOST_TEST(mentions(error({"--mode=banana"}), "'banana' is none of one, two"));
    BOOST_TEST(!mentions(error({"--mode=banana"}), "mean"));
    // The value of an option is none, whatever it looks like.
    tool t;
    BOOST_TEST(t.run({"--model", "-help", "-o", "-count"}) == "go on");
    BOOST_TEST(t.model == "-help");
    BOOST_TEST(tool().run({"--", "--modle"}) == "go on");
}

BOOST_AUTO_TEST_CASE(what_parsing_cannot_check) {
    for (const auto bad : {"", "1", "/", "1/", "/2", "2/2", "3/2", "0/0", "-1/2", "1/2/3", "a/b",
                           "1 /2", "0x1/2", "+0/2", "0/18446744073709551616"}) {
        const std::string word = std::string("--shard=") + bad;
        BOOST_TEST(mentions(tool().run({"--shard", bad}), "--shard"), bad);
        if (*bad) BOOST_TEST(mentions(tool().run({word.c_str()}), "--shard"), bad);
    }
    tool t;
    BOOST_TEST(t.run({"--shard=3/17"}) == "go on");
    BOOST_TEST(t.stream.shard_index == 3u);
    BOOST_TEST(t.stream.shard_count == 17u);
    BOOST_TEST(mentions(tool().run({"--on-error=skip"}), "--rejects"));
    BOOST_TEST(mentions(tool().run({"--rejects=x"}), "--on-error"));
    BOOST_TEST(tool().run({"--rejects=x", "--on-error=skip"}) == "go on");
}

BOOST_AUTO_TEST_CASE(plain_from_the_environment) {
    const auto plain = [](const char* value) {
        ::setenv("CUSET_PLAIN", value, 1);
        tool t;
        BOOST_TEST(t.run({}) == "go on");
        ::unsetenv("CUSET_PLAIN");
        return t.stream.plain;
    };
    BOOST_TEST(plain("1"));
    BOOST_TEST(!plain("0"));
    BOOST_TEST(!plain(""));
}

BOOST_AUTO_TEST_CASE(texts) {
    BOOST_TEST(tool().run({"--version"}) == "cuset-test 1.2.3\n");
    BOOST_TEST(tool().run({"-V"}) == "cuset-test 1.2.3\ndetail\n");
    const std::string help = tool().run({"--help"});
    BOOST_TEST(help.starts_with("usage: cuset-test [OPTION]... [FILE]...\n"));
    BOOST_TEST(mentions(help, "-n, --count=N"));
    BOOST_TEST(mentions(help, "How many: some. Default: 5."));
    BOOST_TEST(mentions(help, "One of one or two. Default: one."));
    for (const std::string form : {"man", "bash", "zsh", "fish"}) {
        const std::string text = tool().run({("--generate=" + form).c_str()});
        for (const char* name :
             {"count", "rate", "mode", "flag", "output", "shard", "help", "version"}) {
            // roff writes its dashes with a backslash; fish names options without dashes.
            std::string wanted = form == "man" ? "\\-\\-" : form == "fish" ? "-l " : "--";
            BOOST_TEST(mentions(text, wanted + name), form + ' ' + name);
        }
    }
    // Quotes survive the shells' own quoting.
    BOOST_TEST(mentions(tool().run({"--generate=zsh"}), "It'\\''s a flag"));
    BOOST_TEST(mentions(tool().run({"--generate=fish"}), "It\\'s a flag"));
    const tool t;
    const program& p = t.p;
    BOOST_TEST(help == help_text(p, 90));  // no terminal
    for (const std::size_t width : {50U, 72U, 120U})
        for (const std::string& text : {help_text(p, width), short_help_text(p, width)})
            for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
                end = text.find('\n', at);
                BOOST_TEST(end - at <= width, text.substr(at, end - at));
            }
}

// -h has one line an option, with what it is by default, and says where there is more.
BOOST_AUTO_TEST_CASE(short_help) {
    const tool t;
    const std::string text = tool().run({"-h"});
    BOOST_TEST(
        text.starts_with("usage: cuset-test [OPTION]... [FILE]...\n"
                         "cuset-test: test the parser\n\n"
                         "  -n, --count=N              How many [5]\n"
                         "      --rate=R               A rate [0.25]\n"));
    BOOST_TEST(
        mentions(text, "-o, --output=FILE          Write to FILE instead of standard output\n"));
    BOOST_TEST(mentions(text, "cuset-test --help tells more"));
    // The options of the tool, -h, --help, --version and -V.
    std::size_t options = 0;
    for (std::size_t at = text.find("\n  "); at != std::string::npos;
         at = text.find("\n  ", at + 1))
        ++options;
    BOOST_TEST(options == t.p.options.size() + 4);
    // What does not fit ends with dots, and the default stays.
    program narrow = t.p;
    narrow.options.resize(1);
    narrow.options[0].help = "How many of the things that are counted there are to be counted.";
    BOOST_TEST(mentions(short_help_text(narrow, 60),
                        "  -n, --count=N              How many of the things ... [5]\n"));
}

// Zero-padded numbers of a sweep are decimal; what is no decimal integer is refused.
BOOST_AUTO_TEST_CASE(integers_are_decimal) {
    tool t;
    BOOST_TEST(t.run({"--count", "010"}) == "go on");
    BOOST_TEST(t.count == 10);
    BOOST_TEST(t.run({"--count=08"}) == "go on");
    BOOST_TEST(t.count == 8);
    for (const char* bad :
         {"0x2", "1e1", "2.0", "", " 3", "3 ", "0", "101", "99999999999999999999"})
        BOOST_TEST(mentions(t.run({"--count", bad}), "is no integer from 1 to 100"), bad);
}

BOOST_AUTO_TEST_CASE(aliases) {
    tool t;
    t.p.find("rate")->aliases = {"learning-rate", "speed"};
    t.p.find("flag")->aliases = {"banner"};
    BOOST_TEST(t.run({"--learning-rate", "2", "--banner", "a"}) == "go on");
    BOOST_TEST(t.rate == 2);
    BOOST_TEST(t.flag);
    BOOST_TEST(t.stream.files == std::vector<std::string>{"a"}, boost::test_tools::per_element());
    // The last one counts, whatever it is called; its value may look like an option.
    BOOST_TEST(t.run({"--speed=3", "--rate=4"}) == "go on");
    BOOST_TEST(t.rate == 4);
    BOOST_TEST(t.run({"--rate=4", "--speed", "-3"}) == "go on");
    BOOST_TEST(t.rate == -3);
    BOOST_TEST(mentions(t.run({"--learning-rat=3"}), "did you mean --learning-rate?"));
    BOOST_TEST(mentions(t.run({"--learning_rate=3"}), "did you mean --learning-rate?"));
    BOOST_TEST(mentions(t.run({"--speed=fast"}), "'fast' is no number"));
    BOOST_TEST(t.p.find("speed") == t.p.find("rate"));
    BOOST_TEST(t.p.find("spee") == nullptr);
    t.rate = 0.25;
    BOOST_TEST(
        mentions(help_text(t.p, 90), "A rate. Default: 0.25. Also --learning-rate or --speed."));
    BOOST_TEST(mentions(man_page(t.p), "Also \\-\\-learning\\-rate or \\-\\-speed."));
}

// Words of a config file stand before those of the command line.
BOOST_AUTO_TEST_CASE(config_files) {
    tool t;
    std::string path;
    t.p.options.push_back({0, "config", "FILE", "Settings.", &path, value_kind::file});
    t.p.config = &path;
    t.p.read_config = [](const program&,
                         const std::string& file) -> result<std::vector<std::string>> {
        if (file == "bad") return usage_error("bad:1: no");
        return std::vector<std::string>{"--rate=3", "--count=7", "--flag", "of-the-file"};
    };
    BOOST_TEST(t.run({"--count=8", "--config=good", "-t", "2", "mine"}) == "go on");
    BOOST_TEST(t.rate == 3);
    BOOST_TEST(t.count == 8);
    BOOST_TEST(t.flag);
    BOOST_TEST(t.stream.threads == 2);
    BOOST_TEST(t.stream.files == (std::vector<std::string>{"of-the-file", "mine"}),
               boost::test_tools::per_element());
    BOOST_TEST(t.run({"--config=good", "--flag=false"}) == "go on");
    BOOST_TEST(!t.flag);
    BOOST_TEST(t.run({"--config=bad"}) == "bad:1: no");
    BOOST_TEST(mentions(t.run({"--config=bad", "--version"}), "1.2.3"));
    tool without;
    BOOST_TEST(without.run({"--count=8"}) == "go on");
}

BOOST_AUTO_TEST_CASE(words_of_another_program) {
    tool t;
    std::vector<std::string> arguments;
    t.p.arguments = &arguments;
    t.p.operands = "FILE... [-- ARGUMENT...]";
    BOOST_TEST(t.run({"--flag", "a", "--", "--frob", "--", "--help", ""}) == "go on");
    BOOST_TEST(t.stream.files == std::vector<std::string>{"a"}, boost::test_tools::per_element());
    BOOST_TEST(arguments == (std::vector<std::string>{"--frob", "--", "--help", ""}),
               boost::test_tools::per_element());
    BOOST_TEST(mentions(help_text(t.p, 90), "cuset-test [OPTION]... FILE... [-- ARGUMENT...]\n"));
    BOOST_TEST(mentions(man_page(t.p), "\\fIFILE\\fR... [\\-\\- \\fIARGUMENT\\fR...]\n"));
    tool without;
    BOOST_TEST(without.run({"--", "--help"}) == "go on");
    BOOST_TEST(without.stream.files == std::vector<std::string>{"--help"},
               boost::test_tools::per_element());
}

// --model "$UNSET" gives an empty value.
BOOST_AUTO_TEST_CASE(empty_values_are_refused) {
    tool t;
    BOOST_TEST(mentions(t.run({"--model", ""}), "empty"));
    BOOST_TEST(mentions(t.run({"--model="}), "empty"));
    BOOST_TEST(mentions(t.run({"-o", ""}), "empty"));
}

BOOST_AUTO_TEST_SUITE_END()
