#include "cuset/judge/task.h"

#include "sandbox/room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

namespace {

result<task_set> read(const std::string& text) {
    const own_folder room;
    std::ofstream(room.folder / "tasks", std::ios::binary) << text;
    return task_set::read((room.folder / "tasks").string());
}

void refused(const std::string& text, const std::string& words) {
    const auto set = read(text);
    BOOST_TEST_CONTEXT(text) {
        BOOST_REQUIRE(!set);
        BOOST_TEST((set.error().kind() == error_kind::data));
        BOOST_TEST(set.error().message().find(words) != std::string::npos, set.error().message());
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tasks)

BOOST_AUTO_TEST_CASE(fields) {
    const auto set = read(
        "{\"id\":16,\"task_name\":\"Copy\",\"inputs\":[{\"name\":\"a\"},{\"name\":\"b.c\"}],"
        "\"outputs\":[{\"name\":\"o\"}],\"bench.cu\":\"int main(){}\\n\",\"gen.py\":\"g\","
        "\"compare.py\":\"c\",\"other\":1}\n\n{\"id\":\"x/1\"}\n");
    BOOST_REQUIRE(set.is_ok());
    BOOST_REQUIRE(set->tasks().size() == 2U);
    const task* t = set->find("16");
    BOOST_REQUIRE(t != nullptr);
    BOOST_TEST(t->family == "Copy");
    BOOST_TEST((t->inputs == std::vector<std::string>{"a", "b.c"}));
    BOOST_TEST((t->outputs == std::vector<std::string>{"o"}));
    BOOST_TEST(t->program == "int main(){}\n");
    BOOST_TEST((t->generator == "g" && t->comparer == "c"));
    BOOST_TEST(set->find("x/1")->family == "x/1");
    BOOST_TEST(set->find("x/1")->comparer.empty());
    BOOST_TEST(set->find("17") == nullptr);
}

BOOST_AUTO_TEST_CASE(declared_sizes) {
    const auto bytes = [](const std::string& dtype, const std::string& shape) {
        const std::string array =
            R"([{"name":"a","dtype":")" + dtype + R"(","shape":)" + shape + "}]";
        const auto set = read(R"({"id":1,"inputs":)" + array + R"(,"outputs":)" + array + "}\n");
        BOOST_REQUIRE(set.is_ok());
        return set->tasks()[0].declared_bytes / 2;
    };
    BOOST_TEST(bytes("float32", R"J("(1024, 700)")J") == 4U * 1024 * 700);
    BOOST_TEST(bytes("float32", "[1024,700]") == 4U * 1024 * 700);
    BOOST_TEST(bytes("double", R"J("(3,)")J") == 24U);
    BOOST_TEST(bytes("complex64", R"J("()")J") == 8U);
    BOOST_TEST(bytes("bool", "[]") == 1U);
    BOOST_TEST(bytes("string", "[4]") == 0U);
    BOOST_TEST(bytes("int8", "4") == 0U);
    BOOST_TEST(bytes("int64", R"J("(9223372036854775807,)")J") > std::uint64_t{1} << 62);
}

BOOST_AUTO_TEST_CASE(problems_of_kernelbench) {
    const auto only = [](const std::string& more) {
        const auto set =
            read(R"({"problem_id":23,"name":"23_Sum","code":"a = '\"\u001f\"'\n")" + more + "}\n");
        BOOST_REQUIRE(set.is_ok());
        return set->tasks().front();
    };
    const task t = only(R"(,"level":1)");
    BOOST_TEST(t.id == "1/23");
    BOOST_TEST(t.family == "23_Sum");
    BOOST_TEST(t.module == "a = '\"\x1f\"'\n");
    BOOST_TEST(t.inputs.size() == 6U);
    BOOST_TEST(t.outputs.size() == 5U);
    BOOST_TEST(t.unsupported.empty());
    BOOST_TEST(t.generator.ends_with("\nreference(\"a = '\\\"\\u001f\\\"'\\n\", None)\n"));
    BOOST_TEST(t.comparer.ends_with("\ncompare(None)\n"));
    BOOST_TEST(only(R"(,"tolerance":0.25)").comparer.ends_with("\ncompare(0.25)\n"));
    BOOST_TEST(only(R"(,"tolerance":null,"id":null,"level":null)").id == "23");
    BOOST_TEST(only(R"(,"id":"own","level":1)").id == "own");
    BOOST_TEST((only(R"(,"level":1,"tolerance":0.25)").hash() != t.hash()));
    BOOST_TEST((only(R"(,"level":1,"other":2)").hash() == t.hash()));
    refused(R"({"problem_id":1,"code":" "})", "\"code\" is blank");
    refused(R"({"problem_id":1,"code":"c","tolerance":-1})", "\"tolerance\" is no number of 0");
    refused(R"({"problem_id":1,"code":"c","level":[1]})", "\"level\" is neither");
}

BOOST_AUTO_TEST_CASE(bad_lines) {
    refused("", "no task");
    refused("{\"id\":1}\n{\"id\":\"1\"}\n", ":2: there is a task \"1\" already");
    refused("{\"id\":1}\n{", ":2: no JSON");
    refused("5\n", ":1: no JSON object");
    refused("[]\n", "no task");
    refused("[{\"id\":1},\n[]]\n", ":2: element 2: no JSON object");
    refused("{}\n", "\"id\" is missing");
    refused("{\"id\":1.5}\n", "\"id\" is neither");
    refused("{\"id\":1,\"gen.py\":3}\n", "\"gen.py\" is no string");
    refused("{\"id\":1,\"inputs\":3}\n", "\"inputs\" is no array");
    refused("{\"id\":1,\"inputs\":[\"a\"]}\n", "\"inputs\" has no \"name\"");
    for (const char* name : {"", "..", ".x", "a/b", "/etc/passwd", "a\\u0000b"})
        refused("{\"id\":1,\"outputs\":[{\"name\":\"" + std::string(name) + "\"}]}\n",
                "\"outputs\" is no plain file name");
    BOOST_TEST((task_set::read("/nowhere/tasks.jsonl").error().kind() == error_kind::io));
}

BOOST_AUTO_TEST_CASE(sources_have_a_size) {
    const std::string most(16 << 20, 'x');
    for (const std::string name : {"bench.cu", "gen.py", "compare.py"}) {
        const std::string begin = "{\"id\":1,\"" + name + "\":\"" + most;
        BOOST_TEST(read(begin + "\"}\n").is_ok());
        const auto set = read(begin + "x\"}\n");
        BOOST_REQUIRE(!set);
        BOOST_TEST(
            set.error().message().ends_with("tasks:1: \"" + name + "\" is larger than 16 MiB"));
    }
}

BOOST_AUTO_TEST_CASE(hash_is_of_the_fields) {
    const auto hash = [](const std::string& text) { return read(text)->tasks().front().hash(); };
    const auto plain = hash("{\"id\":1,\"gen.py\":\"a\"}\n");
    BOOST_TEST((plain == hash("{ \"gen.py\" : \"\\u0061\", \"id\": 1, \"gpu\":\"any\" }\n")));
    BOOST_TEST((plain != hash("{\"id\":1,\"compare.py\":\"a\"}\n")));
    BOOST_TEST((plain != hash("{\"id\":1,\"gen.py\":\"b\"}\n")));
    BOOST_TEST((hash("{\"id\":1,\"inputs\":[{\"name\":\"a\"}]}\n") !=
                hash("{\"id\":1,\"outputs\":[{\"name\":\"a\"}]}\n")));
    // A name may hold what another program begins with.
    BOOST_TEST((hash("{\"id\":1,\"gen.py\":\"ab\",\"compare.py\":\"c\"}\n") !=
                hash("{\"id\":1,\"gen.py\":\"a\",\"compare.py\":\"bc\"}\n")));
}

BOOST_AUTO_TEST_CASE(cudabench) {
    const fs::path file =
        fs::path(CUSET_SOURCE_DIR) / "../shared/data/cudabench/cudabench-100.jsonl";
    if (!fs::exists(file)) {
        BOOST_TEST_MESSAGE("skipped: no " << file);
        return;
    }
    const auto set = task_set::read(file.string());
    BOOST_REQUIRE(set.is_ok());
    BOOST_TEST(set->tasks().size() == 100U);
    for (const auto& t : set->tasks()) {
        BOOST_TEST_CONTEXT(t.id) {
            BOOST_TEST((!t.inputs.empty() && !t.outputs.empty()));
            BOOST_TEST((!t.program.empty() && !t.generator.empty() && !t.comparer.empty()));
        }
    }
}

BOOST_AUTO_TEST_CASE(questions) {
    const std::string text =
        R"({"id":"q","task_name":"f","answer":"cost.fp32_sass","bench.cu":"int main() {}",)"
        R"("kernel":"k","launches":"all","arguments":"8 'a b'","grid":[4,2],"block":256,)"
        R"("tolerance":0.5,"category":"c"})";
    const auto set = read(text);
    BOOST_REQUIRE(set.is_ok());
    const task& t = set->tasks()[0];
    BOOST_REQUIRE(t.question);
    const count_question& q = *t.question;
    BOOST_TEST((q.quantity == "cost.fp32_sass" && q.kernel == "k" && q.category == "c"));
    BOOST_TEST((q.all_launches && q.tolerance == 0.5));
    BOOST_TEST((q.arguments == std::vector<std::string>{"8", "a b"}));
    BOOST_TEST((q.grid == std::array<std::uint64_t, 3>{4, 2, 1}));
    BOOST_TEST((q.block == std::array<std::uint64_t, 3>{256, 1, 1}));
    // A change of any of them makes it another task.
    for (const auto& [word, other] :
         {std::pair{"fp32_sass", "fp32"}, std::pair{"\"k\"", "\"l\""}, std::pair{"all", "first"},
          std::pair{"'a b'", "a b"}, std::pair{"[4,2]", "[4]"}, std::pair{"256", "128"},
          std::pair{"0.5", "0.25"}, std::pair{"\"c\"", "\"d\""}}) {
        std::string changed = text;
        changed.replace(changed.find(word), std::string_view(word).size(), other);
        BOOST_TEST((read(changed)->tasks()[0].hash() != t.hash()), changed);
    }
    // A field of another format says nothing.
    BOOST_TEST(
        !read(R"({"id":1,"answer":"42","bench.cu":"x","compare.py":"c"})")->tasks()[0].question);
    BOOST_TEST(!read(R"({"id":1,"answer":"cost.flops","harness":"h"})")->tasks()[0].question);
    BOOST_TEST(!read(R"({"id":1,"answer":"42","bench.cu":"x"})")->tasks()[0].question);
    BOOST_TEST(
        !read(R"({"id":1,"prompt":"p","answer":"__global__ void k() {}"})")->tasks()[0].question);
    refused(R"({"id":1,"answer":"cost.time","bench.cu":"x"})",
            "\"answer\" is \"cost.time\", and none of cost.flops");
}

BOOST_AUTO_TEST_SUITE_END()
