#include "cuset/syntax/answer_files.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

namespace {

std::string found(const std::string& answer) {
    std::string text;
    for (const auto& file : find_answer_files(answer)) text += file.path + '=' + file.content + '|';
    return text;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(files_of_an_answer)

BOOST_AUTO_TEST_CASE(the_first_line_has_the_path) {
    for (const char* line : {"// file: a/b.cu", "//file:a/b.cu", "# file: a/b.cu", "; FILE: a/b.cu",
                             "/* file: a/b.cu */", "  // file: `a/b.cu` "})
        BOOST_TEST(
            found("```cuda\n" + std::string(line) + "\nint x;\n```\n") == "a/b.cu=\nint x;\n|",
            line);
    BOOST_TEST(found("```\n// file: a.cu\nx\n```\n```h\n// file: b.h\ny\n```\n") ==
               "a.cu=\nx\n|b.h=\ny\n|");
    // Whatever the path is: who reads it decides.
    BOOST_TEST(found("```\n// file: ../../etc/x\nx\n```\n") == "../../etc/x=\nx\n|");
    BOOST_TEST(found("```\n// file: two words\nx\n```\n") == "");
    BOOST_TEST(found("```\n// a.cu\nx\n```\n") == "");
    BOOST_TEST(found("```\nint x;\n// file: a.cu\n```\n") == "");
}

BOOST_AUTO_TEST_CASE(the_fence_has_the_path) {
    for (const char* info : {"cuda a/b.cu", "cuda:a/b.cu", "cpp file=a/b.cu",
                             "cpp title=\"a/b.cu\"", "cuda path=a/b.cu"})
        BOOST_TEST(found("```" + std::string(info) + "\nint x;\n```\n") == "a/b.cu=int x;\n|",
                   info);
    BOOST_TEST(found("```cuda numbered\nint x;\n```\n") == "");
    BOOST_TEST(found("```cuda\nint x;\n```\n") == "");
}

BOOST_AUTO_TEST_CASE(the_line_before_has_the_path) {
    for (const char* line :
         {"**a/b.cu**", "### `a/b.cu`", "File: a/b.cu", "### File: `a/b.cu`:", "a/b.cu:\n"})
        BOOST_TEST(found(std::string(line) + "\n```cuda\nint x;\n```\n") == "a/b.cu=int x;\n|",
                   line);
    for (const char* line : {"This goes into a/b.cu", "run.sh", "Here:", ""})
        BOOST_TEST(found(std::string(line) + "\n```cuda\nint x;\n```\n") == "", line);
    // The line before a block is not that before the next.
    BOOST_TEST(found("a.cu\n```cuda\nx\n```\n```cuda\ny\n```\n") == "a.cu=x\n|");
}

BOOST_AUTO_TEST_CASE(reasoning_does_not_count) {
    BOOST_TEST(found("<think>```\n// file: a.cu\nx\n```\n</think>```\n// file: b.cu\ny\n```\n") ==
               "b.cu=\ny\n|");
    BOOST_TEST(found("\n<think>\n```\n// file: a.cu\nx\n```\n") == "");
}

BOOST_AUTO_TEST_SUITE_END()
