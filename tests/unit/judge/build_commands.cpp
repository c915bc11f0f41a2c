// Build commands of tasks: their words, what is read of nvcc's, and sources with their headers.
#include <boost/test/unit_test.hpp>

#include "build/flat_source.h"
#include "build/hip_program.h"
#include "build/nvcc_command.h"
#include "build/shell_words.h"
#include "tasks/answer.h"

using namespace cuset;

namespace {

const std::vector<task_file> files{
    {"solution.cu", ""}, {"test/a.cu", ""}, {"test/b.cu", ""}, {"test/deep/c.cu", ""}};

std::string words_of(std::string_view command) {
    const auto words = shell_words(command);
    if (!words) return words.error().message();
    std::string text;
    for (const auto& word : *words) text += '[' + word.text + (word.is_pattern ? "*]" : "]");
    return text;
}

std::string unmodelled(std::string_view command) {
    const auto read = read_nvcc_command(command, files);
    return read ? "" : read.error().message();
}

std::string flat(const std::vector<task_file>& all, const std::vector<std::string>& folders = {}) {
    line_origins origins;
    const auto made = flatten(all, all.front().path, folders, 0, origins);
    return made ? made->text : made.error().message();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(build_commands)

// The values are those of dash: `printf '[%s]' WORDS`.
BOOST_AUTO_TEST_CASE(words) {
    BOOST_TEST(words_of("nvcc -o t  a.cu\t'b c.cu' \"d\"e\n") == "[nvcc][-o][t][a.cu][b c.cu][de]");
    BOOST_TEST(words_of("a\\ b 'c\\d' \"e\\\"f\\g\" ''") == "[a b][c\\d][e\"f\\g][]");
    BOOST_TEST(words_of("nvcc a.cu \\\n  b.cu") == "[nvcc][a.cu][b.cu]");
    BOOST_TEST(words_of("nvcc test/*.cu 'x*.cu' a#b x=~") == "[nvcc][test/*.cu*][x*.cu][a#b][x=~]");
    BOOST_TEST(words_of("") == "");
    for (const auto& [command, needs] : {std::pair{"a && b", "a list of commands (&)"},
                                         {"a; b", "a list of commands (;)"},
                                         {"a | b", "a list of commands (|)"},
                                         {"a\nb", "a list of commands (a new line)"},
                                         {"(a)", "a list of commands (()"},
                                         {"a > b", "a redirection (>)"},
                                         {"a $B", "an expansion ($)"},
                                         {"a \"$B\"", "an expansion ($)"},
                                         {"a `b`", "an expansion (`)"},
                                         {"a ~/b", "a home folder (~)"},
                                         {"a # b", "a comment (#)"},
                                         {"a 'b", "a quote that is not closed"},
                                         {"a \\", "a backslash at its end"}})
        BOOST_TEST(words_of(command) == needs);
    BOOST_TEST(words_of(shell_quoted("it's; $x")) == "[it's; $x]");
}

BOOST_AUTO_TEST_CASE(patterns) {
    const auto sources = read_nvcc_command("nvcc part[12].cu 'odd[1].cu' -o p",
                                           {{"part1.cu", ""}, {"part2.cu", ""}, {"part3.cu", ""}});
    BOOST_REQUIRE(static_cast<bool>(sources));
    BOOST_TEST(sources->sources == (std::vector<std::string>{"part1.cu", "part2.cu", "odd[1].cu"}),
               boost::test_tools::per_element());

    for (const char* path : {"test/a.cu", "test/.cu", "test/ab.cu"})
        BOOST_TEST(matches("test/*.cu", path), path);
    for (const char* path : {"test/a/b.cu", "test/a.cuh", "a.cu", "test/a.c"})
        BOOST_TEST(!matches("test/*.cu", path), path);
    BOOST_TEST((matches("?.cu", "a.cu") && !matches("?.cu", "/.cu") && !matches("?.cu", "ab.cu")));
    BOOST_TEST((matches("*/*a*b", "x/aab") && !matches("*/*a*b", "x/ba") && matches("**", "")));
    for (const char* pattern : {"[ab].cu", "[!b].cu", "[^bc].cu", "[a-c].cu", "[[:lower:]].cu",
                                "[]a].cu", "[x-za]*", "*[a].cu"})
        BOOST_TEST(matches(pattern, "a.cu"), pattern);
    for (const char* pattern : {"[b].cu", "[!a].cu", "[b-d].cu", "[[:digit:]].cu", "[ab.cu", "[]"})
        BOOST_TEST(!matches(pattern, "a.cu"), pattern);
    BOOST_TEST((matches("[x", "[x") && matches("[]", "[]") && !matches("a[/]b", "a/b")));
}

BOOST_AUTO_TEST_CASE(nvcc_flags) {
    const auto read = read_nvcc_command(
        "/usr/local/cuda/bin/nvcc -std=c++20 -O3 -arch=sm_90 -gencode "
        "arch=compute_80,code=[sm_80,compute_80] "
        "-I. "
        "-I include/x/ -isystem /usr/include/y -DN=3 -U M -rdc true --extended-lambda -lineinfo "
        "-Xcompiler -Wall,-O2 -lcudart -l pthread -lcublas -l cufft -lcusparse -o ./out/t.out "
        "./solution.cu test/*.cu",
        files);
    BOOST_REQUIRE(read.is_ok());
    BOOST_TEST(
        (read->sources == std::vector<std::string>{"solution.cu", "test/a.cu", "test/b.cu"}));
    BOOST_TEST((read->folders == std::vector<std::string>{".", "include/x"}));
    BOOST_TEST((read->flags == std::vector<std::string>{"-std=c++20", "-I/usr/include/y", "-DN=3",
                                                        "-UM", "--extended-lambda"}));
    BOOST_TEST((read->relocatable && read->output == "out/t.out"));
    BOOST_TEST(!read->is_all_cuda);
    BOOST_TEST(read_nvcc_command("nvcc -x cu solution.cu", files)->is_all_cuda);
    BOOST_TEST(read_nvcc_command("nvcc solution.cu", files)->output == "a.out");
    for (const char* spelling : {"-std=c++20", "-std c++20", "--std=c++20", "--std c++20"}) {
        const auto standard = read_nvcc_command(std::string("nvcc a.cu ") + spelling, files)->flags;
        BOOST_TEST((standard == std::vector<std::string>{"-std=c++20"}), spelling);
    }
    BOOST_TEST(!read_nvcc_command("nvcc -rdc=false solution.cu", files)->relocatable);
    for (const auto& [command, says] :
         {std::pair{"nvcc a.cu -lcudnn", "-lcudnn"},
          {"nvcc a.cu -l cusparseLt", "-lcusparseLt"},
          {"nvcc -c a.cu", "nvcc's flag -c"},
          {"nvcc -dc a.cu", "nvcc's flag -dc"},
          {"nvcc a.cu -Xcompiler -fopenmp", "-Xcompiler -fopenmp"},
          {"nvcc a.cu -Xcompiler=-Wl,-rpath", "-Xcompiler -Wl,-rpath"},
          {"nvcc a.cu b.o", "the build's input b.o"},
          {"nvcc -ptx a.cu", "nvcc's flag -ptx"},
          {"g++ a.cu", "a build command that is no call of nvcc or hipcc"},
          {"nvcc -O2", "a build command without sources"},
          {"nvcc a.cu -o", "-o without its value"},
          {"nvcc a.cu -o ../x", "the build's output ../x"},
          {"cd x && nvcc a.cu", "the build command has a list of commands (&)"}})
        BOOST_TEST(unmodelled(command) == says);
}

BOOST_AUTO_TEST_CASE(calls_of_hipcc) {
    const auto read = read_nvcc_command(
        "/opt/rocm/bin/hipcc -std=c++17 -O3 -Wall -Wno-unused-result --offload-arch=gfx90a "
        "--offload-arch gfx1100 -munsafe-fp-atomics -ffast-math -x hip -Iinclude -I . -DN=3 -lm "
        "-lamdhip64 -L/opt/rocm/lib -pthread -o t solution.cu main.cpp kernel.hip",
        files);
    BOOST_REQUIRE(read.is_ok());
    BOOST_TEST(
        (read->sources == std::vector<std::string>{"solution.cu", "main.cpp", "kernel.hip"}));
    BOOST_TEST((read->folders == std::vector<std::string>{"include", "."}));
    BOOST_TEST((read->flags == std::vector<std::string>{"-std=c++17", "-DN=3"}));
    BOOST_TEST((read->is_hip && read->is_all_cuda && !read->relocatable && read->output == "t"));
    BOOST_TEST(read_nvcc_command("hipcc -fgpu-rdc solution.cu", files)->relocatable);
    BOOST_TEST(!read_nvcc_command("nvcc solution.cu", files)->is_hip);
    // Where all GPUs have warps of 64 lanes, no program has fewer.
    for (const char* wide : {"--offload-arch=gfx90a", "--offload-arch=gfx942:sramecc+",
                             "--offload-arch=gfx906,gfx908", "--offload-arch gfx803"})
        BOOST_TEST(
            read_nvcc_command("hipcc solution.cu " + std::string(wide), files)->has_wide_warps);
    for (const char* narrow :
         {"", "--offload-arch=gfx1100", "--offload-arch=native", "--offload-arch=gfx90a,gfx1030"})
        BOOST_TEST(
            !read_nvcc_command("hipcc solution.cu " + std::string(narrow), files)->has_wide_warps);
    for (const auto& [command, says] :
         {std::pair{"nvcc a.hip", "the build's input a.hip"},
          {"hipcc a.cpp -lrocblas", "-lrocblas"},
          {"hipcc a.cpp -lcudart", "-lcudart"},
          {"hipcc -c a.cpp", "hipcc's flag -c"},
          {"hipcc -fopenmp a.cpp", "hipcc's flag -fopenmp"},
          {"hipcc a.cpp -mwavefrontsize64", "hipcc's flag -mwavefrontsize64"},
          {"hipcc a.cpp -Wl,-rpath,/x", "hipcc's flag -Wl,-rpath,/x"},
          {"hipcc -x c++ a.cpp", "hipcc's flag -x c++"},
          {"hipcc -arch=sm_90 a.cpp", "hipcc's flag -arch=sm_90"},
          {"hipcc a.cpp -Xcompiler -O2", "hipcc's flag -Xcompiler"},
          {"hipcc a.c", "the build's input a.c"},
          {"myhipcc a.cpp", "a build command that is no call of nvcc or hipcc"}})
        BOOST_TEST(unmodelled(command) == says);
}

BOOST_AUTO_TEST_CASE(headers_are_written_into_their_sources) {
    BOOST_TEST(flat({{"a.cu", "#include \"a.h\"\n#include <cstdio>\nint y;\n"},
                     {"a.h", "int x;"}}) == "int x;\n\n#include <cstdio>\nint y;\n");
    // Beside the including file first, then in the folders in their order; <> only in these.
    const std::vector<task_file> two{{"s/a.cu", "#include \"h.h\"\n#include <h.h>\n"},
                                     {"s/h.h", "beside\n"},
                                     {"i/h.h", "folder\n"},
                                     {"h.h", "top\n"}};
    BOOST_TEST(flat(two, {"i", "."}) == "beside\n\nfolder\n\n");
    BOOST_TEST(flat(two, {".", "i"}) == "beside\n\ntop\n\n");
    BOOST_TEST(flat({{"a.cu", "#include \"x/../b.h\"\n"}, {"b.h", "b\n"}}) == "b\n\n");
    // Dead includes stay dead, and quoted ones in comments and strings are none.
    const std::string dead =
        "#if 0\n#include \"b.h\"\n#endif\n// #include \"b.h\"\n/*\n#include \"b.h\"\n*/\n";
    BOOST_TEST(flat({{"a.cu", dead}, {"b.h", "b\n"}}) == dead);
    // A guarded header comes once, an unguarded one each time.
    const std::string twice = "#include \"b.h\"\n#include \"b.h\"\n";
    BOOST_TEST(flat({{"a.cu", twice}, {"b.h", "X(1)\n"}}) == "X(1)\n\nX(1)\n\n");
    const std::string guarded = "// text\n#ifndef B\n#define B\nint b;\n#endif // B\n";
    BOOST_TEST(flat({{"a.cu", twice}, {"b.h", guarded}}) == guarded + "\n\n");
    const std::string once = flat({{"a.cu", twice}, {"b.h", "#pragma once\nint b;\n"}});
    BOOST_TEST(once == "#ifndef INCLUDED_ONCE_1\n#define INCLUDED_ONCE_1\n\nint b;\n#endif\n\n\n");
    // The first of two may be dead to the compiler: both come, and the guards decide.
    const std::string maybe = flat(
        {{"a.cu", "#ifdef A\n#include \"b.h\"\n#endif\n#include \"b.h\"\n"}, {"b.h", guarded}});
    BOOST_TEST(maybe == "#ifdef A\n" + guarded + "\n#endif\n" + guarded + "\n");
    // A guard around the including header is no condition.
    const std::string inner = flat({{"a.cu", "#include \"c.h\"\n#include \"b.h\"\n"},
                                    {"c.h", "#ifndef C\n#define C\n#include \"b.h\"\n#endif\n"},
                                    {"b.h", guarded}});
    BOOST_TEST(inner == "#ifndef C\n#define C\n" + guarded + "\n#endif\n\n\n");
    BOOST_TEST(flat({{"a.cu", "#include NAME\n"}}) == "an #include whose name a macro gives");
    BOOST_TEST(flat({{"a.cu", "#include \"a.cu\"\n"}}) == "#includes nested more than 64 deep");
    BOOST_TEST(flat({{"a.cu", "#if __has_include(\"b.h\")\n#endif\n"}}) ==
               "__has_include in a task's files");
    std::string doubling = "#include \"b.h\"\n#include \"b.h\"\n";
    BOOST_TEST(flat({{"a.cu", "#include \"b.h\"\n"}, {"b.h", doubling}}) !=
               "");  // ends, with one of the two limits
}

BOOST_AUTO_TEST_CASE(lines_have_the_numbers_of_their_files) {
    const std::string macro = "#define HERE \\\n    __LINE__\n";
    BOOST_TEST(flat({{"a.cu", "#include \"b.h\"\n" + macro + "int x = __LINE__;\n"},
                     {"b.h", "int y = __LINE__;\n\n"}}) ==
               "int y = 1;\n\n\n" + macro + "int x = 4;\n");
    const std::string with_returns = "#define HERE \\\r\n    __LINE__\r\n";
    BOOST_TEST(flat({{"a.cu", with_returns}}) == with_returns);
    const std::string numbered = "#line 7\nint x = __LINE__;\n";
    BOOST_TEST(flat({{"a.cu", numbered}}) == numbered);
}

BOOST_AUTO_TEST_CASE(messages_lead_back_to_files) {
    const std::vector<task_file> all{
        {"a.cu", "1\n#include \"h.h\"\n3\n4\n"}, {"b.cu", "x\ny\n"}, {"h.h", "p\nq\n"}};
    line_origins origins;
    const auto first = flatten(all, "a.cu", {}, 0, origins);
    BOOST_REQUIRE(first.is_ok());
    const auto second = flatten(all, "b.cu", {}, first->lines, origins);
    BOOST_REQUIRE(second.is_ok());
    // Each line's own number leads to the file and line that have its text.
    const auto check = [&](const std::string& text, std::size_t line, const std::string& told) {
        std::string_view rest = second->text;
        const std::string& whole = line <= first->lines ? first->text : second->text;
        rest = whole;
        for (std::size_t i = 1; i < line; ++i) rest.remove_prefix(rest.find('\n') + 1);
        BOOST_TEST(rest.substr(0, rest.find('\n')) == text);
        BOOST_TEST(origins.in_files("program.cu(" + std::to_string(line) + "): error") ==
                   told + ": error");
    };
    check("1", 1, "a.cu(1)");
    check("p", 2, "h.h(1)");
    check("q", 3, "h.h(2)");
    check("3", 5, "a.cu(3)");
    check("4", 6, "a.cu(4)");
    check("x", first->lines + 1, "b.cu(1)");
    check("y", first->lines + 2, "b.cu(2)");
    BOOST_TEST(origins.in_files("thread 3, line 3: reads what line 5 wrote") ==
               "thread 3, line 2 of h.h: reads what line 3 of a.cu wrote");
    BOOST_TEST(origins.in_files("unit1/program.cu:3:7: error: a\nprogram.cu: In b") ==
               "h.h:2:7: error: a\nprogram.cu: In b");
    BOOST_TEST(origins.in_files("in line x") == "in line x");
}

BOOST_AUTO_TEST_CASE(paths) {
    for (const char* path : {"a.cu", "a/b/c.cuh", "a_b+c-d.1", "x"})
        BOOST_TEST(path_fault(path) == "");
    for (const char* path :
         {"", "/a", "a//b", "a/", "../a", "a/../b", "a/..", "./a", ".a", "-a", "a/-b", "a b",
          "a\\b", "a\nb", "\xc3\xa4.cu", "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q"})
        BOOST_TEST(!path_fault(path).empty(), path);
    BOOST_TEST(!path_fault(std::string("a\0b", 3)).empty());
    BOOST_TEST(!path_fault(std::string(201, 'a')).empty());
    BOOST_TEST((are_in_each_other("a", "a/b") && are_in_each_other("a/b", "a") &&
                !are_in_each_other("a", "ab") && !are_in_each_other("a", "a")));
}

BOOST_AUTO_TEST_CASE(names_that_answers_may_have) {
    build_plan plan;
    plan.context = {{"include/k.h", ""}, {"Makefile", ""}};
    plan.tests = {{"test/main.cu", ""}, {"data.txt", ""}};
    plan.solution = {{"extra.txt", ""}};
    plan.build_command = "nvcc -o t kernel.cu test/*.cu";
    BOOST_TEST(default_name(plan) == "kernel.cu");
    for (const char* name :
         {"kernel.cu", "solution.cu", "include/k.h", "extra.txt", "more.cuh", "a/b.cpp"})
        BOOST_TEST(name_fault(name, plan) == "", name);
    for (const char* name : {"test/main.cu", "test/x.cu", "test/d/x.h", "data.txt", "Makefile",
                             "run.sh", "t", "../kernel.cu", "include/k.h/a.cu", "test"})
        BOOST_TEST(!name_fault(name, plan).empty(), name);
    plan.build_command = "nvcc -o t a.cu b.cu";
    BOOST_TEST(default_name(plan) == "solution.cu");
    // A source for hipcc is nothing to nvcc.
    plan.build_command = "nvcc -o t kernel.cu kernel.hip";
    BOOST_TEST(default_name(plan) == "kernel.cu");
    BOOST_TEST(name_fault("more.hip", plan) == "is no C++ or CUDA file");
    plan.build_command = "/opt/rocm/bin/hipcc -o t kernel.hip";
    BOOST_TEST(default_name(plan) == "kernel.hip");
    BOOST_TEST(name_fault("more.hip", plan) == "");
}

BOOST_AUTO_TEST_CASE(headers_of_hip) {
    using cuset::includes_hip;
    const std::string hip = "#include <hip/hip_runtime.h>\n";
    const std::string guarded = "#ifndef A_H\n#define A_H\n" + hip + "#endif\n";
    std::vector<cuset::task_file> files = {{"a.cu", "#include \"gpu.h\"\n"}, {"gpu.h", guarded}};
    BOOST_TEST(includes_hip(files, "a.cu", {}, {}));
    BOOST_TEST(!includes_hip(files, "b.cu", {}, {}));
    BOOST_TEST(!includes_hip(files, "a.cu", {}, {"A_H=1"}));
    files.push_back({"b.h", "#define A_H\n"});
    BOOST_TEST(!includes_hip(files, "a.cu", {}, {}));
    files = {{"a.cu", "#if X\n#include \"gpu.h\"\n#endif\n"}, {"gpu.h", hip}};
    BOOST_TEST(!includes_hip(files, "a.cu", {}, {}));
    // The program's own folder may have that name, and headers may include each other.
    files = {{"a.cu", "#include \"hip/own.h\"\n"}, {"hip/own.h", "#pragma once\n"}};
    BOOST_TEST(!includes_hip(files, "a.cu", {}, {}));
    files = {{"a.cu", "#include <gpu.h>\n"},
             {"i/gpu.h", "#include \"b.h\"\n"},
             {"i/b.h", "#include \"gpu.h\"\n" + hip}};
    BOOST_TEST(includes_hip(files, "a.cu", {"i"}, {}));
    BOOST_TEST(!includes_hip(files, "a.cu", {}, {}));
}

BOOST_AUTO_TEST_SUITE_END()
