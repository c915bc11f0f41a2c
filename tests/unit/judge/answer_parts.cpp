// An answer taken apart: nothing of it is lost or told twice.
#include "cuset/judge/answer_parts.h"

#include <boost/test/unit_test.hpp>

using namespace cuset;

namespace {

const std::string kernel = "__global__ void f() {}\nint main() {}\n";

candidate answer(std::string text) {
    candidate c;
    c.answer = std::move(text);
    return c;
}

std::vector<answer_part> parts(const candidate& c, const task& t,
                               fence_choice fence = fence_choice::first) {
    return parts_of(c, t, protocol::cuset, fence);
}

/// The paths, with a dash for other text.
std::string paths(const std::vector<answer_part>& all) {
    std::string out;
    for (const auto& part : all) out += (part.path.empty() ? "-" : part.path) + ' ';
    return out;
}

void check_places(const candidate& c, const std::vector<answer_part>& all) {
    for (const auto& part : all)
        if (part.begin)
            BOOST_TEST(c.answer.substr(*part.begin, part.content.size()) == part.content);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(answer_parts)

BOOST_AUTO_TEST_CASE(one_program) {
    const candidate c =
        answer("Before.\n```cuda\n" + kernel + "```\nBehind.\n```cpp\nint g() {}\n```\n");
    const auto all = parts(c, task());
    BOOST_TEST(paths(all) == "- program.cu - ");
    BOOST_TEST(all[1].content == kernel);
    BOOST_TEST(all[2].content.ends_with("int g() {}\n```\n"));
    check_places(c, all);
    BOOST_TEST(paths(parts(answer("```cuda\n" + kernel + "```\n \n"), task())) == "program.cu ");
    BOOST_TEST(paths(parts(answer("I cannot."), task())) == "- ");
    BOOST_TEST(paths(parts(answer(" \n"), task())) == "");
    candidate code = answer(kernel);
    code.is_code = true;
    BOOST_TEST(paths(parts(code, task())) == "program.cu ");
}

BOOST_AUTO_TEST_CASE(the_last_fence) {
    const candidate c = answer("```cuda\nint a() {}\n```\n```cuda\n" + kernel + "```\n");
    BOOST_TEST(parts(c, task())[0].content == "int a() {}\n");
    const auto last = parts(c, task(), fence_choice::last);
    BOOST_TEST(paths(last) == "- program.cu ");
    BOOST_TEST(last[1].content == kernel);
}

BOOST_AUTO_TEST_CASE(several_files) {
    task t;
    t.build.emplace();
    t.build->build_command = "nvcc a.cu b.cu -o test.out";
    const std::string a = "#include \"b.h\"\n" + kernel, b = "int b() { return 1; }\n";
    const candidate c =
        answer("<think>```cuda\n" + a + "```</think>First\n```cuda\n// file: b.cu\n" + b +
               "```\nthen\n```cuda\n// file: a.cu\n" + a + "```\nend");
    const auto all = parts(c, t);
    BOOST_TEST(paths(all) == "- b.cu - a.cu - ");
    check_places(c, all);
    BOOST_TEST(*all[3].begin > *all[1].begin);  // not that of the reasoning
    // Files that are no part of a text have no place.
    candidate solution;
    solution.is_code = true;
    solution.files = {{"a.cu", a}};
    const auto given = parts(solution, t);
    BOOST_TEST(paths(given) == "a.cu ");
    BOOST_TEST(!given[0].begin.has_value());
}

BOOST_AUTO_TEST_SUITE_END()
