// Programs on the disk that cuset-run compiles, and the files that they leave in a folder of the
// user's.
#include "cuset/judge/program_files.h"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>

#include "sandbox/room.h"
#include "trial/kept_files.h"

using namespace cuset;
namespace fs = std::filesystem;

namespace {

struct disk : sandbox_test::own_folder {
    fs::path at(const std::string& name) const { return folder / name; }
    fs::path put(const std::string& name, std::string_view text) const {
        fs::create_directories(at(name).parent_path());
        std::ofstream(at(name), std::ios::binary) << text;
        return at(name);
    }
    std::string text(const std::string& name) const { return sandbox_test::text_of(at(name)); }
};

std::vector<std::string> names(const program_files& program) {
    std::vector<std::string> found;
    for (const auto& file : program.source().files) found.push_back(file.path);
    return found;
}

void is(const std::vector<std::string>& found, const std::vector<std::string>& wanted) {
    BOOST_TEST(found == wanted, boost::test_tools::per_element());
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(program_files_on_the_disk, disk)

BOOST_AUTO_TEST_CASE(one_file_takes_flags_and_no_command) {
    const std::string file = put("one.cu", "int main() {}\n#include <cstdio>\n").string();
    const auto program = program_files::read({{file}, {"/usr/include"}, {"N=2"}});
    BOOST_REQUIRE(program);
    BOOST_TEST(program->source().command == "");
    is(program->source().flags, {"-I/usr/include", "-DN=2"});
    BOOST_TEST(program->in_users_files("program.cu:3: error: my_program.cu") ==
               file + ":3: error: my_program.cu");
    BOOST_TEST(program->first() == file);
}

BOOST_AUTO_TEST_CASE(headers_come_with_what_they_include) {
    const std::string file =
        put("src/a.cu", "#include \"a.h\"\n#include <shared.h>\n#include <stdio.h>\n").string();
    const std::string other = put("src/deep er/b.cu", "#include \"../a.h\"\n").string();
    put("src/a.h", "#include \"more/c.h\"\n#include \"missing.h\"\n");
    put("src/more/c.h", "#include \"c.h\"\n");
    put("include/shared.h", "#include \"beside.h\"\n// #include \"commented.h\"\n");
    put("include/beside.h", "");
    put("include/commented.h", "");
    put("src/unused.h", "");
    const auto program = program_files::read({{file, other}, {at("include").string()}, {}});
    BOOST_REQUIRE(program);
    is(names(*program), {"src/a.cu", "src/deep er/b.cu", "src/a.h", "include/shared.h",
                         "src/more/c.h", "include/beside.h"});
    BOOST_TEST(program->source().command ==
               "nvcc -o program './src/a.cu' './src/deep er/b.cu' '-Iinclude'");
    BOOST_TEST(program->source().takes_flags);
    BOOST_TEST(program->in_users_files("./src/a.cu:1: and src/a.cuh, not xsrc/a.cu") ==
               file + ":1: and src/a.cuh, not xsrc/a.cu");
}

BOOST_AUTO_TEST_CASE(a_file_beside_comes_before_one_of_a_folder) {
    const std::string file = put("src/a.cu", "#include \"a.h\"\n").string();
    put("src/a.h", "// beside\n");
    put("include/a.h", "// in the folder\n");
    const std::string include = at("include").string();
    const auto quoted = program_files::read({{file}, {include}, {}});
    BOOST_REQUIRE(quoted);
    BOOST_TEST(quoted->source().files.at(1).content == "// beside\n");
    put("src/a.cu", "#include <a.h>\n");
    const auto angled = program_files::read({{file}, {include}, {}});
    BOOST_REQUIRE(angled);
    BOOST_TEST(angled->source().files.at(1).content == "// in the folder\n");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_named) {
    const auto missing = program_files::read({{at("none.cu").string()}, {}, {}});
    BOOST_REQUIRE(!missing);
    BOOST_TEST(missing.error().message().find("none.cu") != std::string::npos);
    const auto no_file = program_files::read({{folder.string()}, {}, {}});
    BOOST_REQUIRE(!no_file);
    BOOST_TEST(no_file.error().message() == folder.string() + " is no file");
}

BOOST_AUTO_TEST_CASE(only_what_a_program_changed_is_kept) {
    put("mine/same", "same");
    put("mine/changed", "old");
    put("mine/deep/longer", "1");
    put("outside", "untouched");
    fs::create_symlink("../outside", at("mine/link"));
    const fs::path mine = at("mine"), given = at("given"), work = at("work");
    BOOST_REQUIRE(copy_files(mine, given));
    BOOST_REQUIRE(copy_files(mine, work));
    const auto written = fs::last_write_time(mine / "same");
    put("work/changed", "new");
    put("work/deep/longer", "12");
    put("work/new/file", "made");
    put("work/program", "not the user's");
    put("work/out", "not the user's");
    fs::remove(work / "link");
    put("work/link", "in the link's place");
    fs::create_symlink("/etc/passwd", work / "evil");
    fs::remove(work / "same");
    BOOST_REQUIRE(keep_files(work, given, mine, {"program", "out"}));
    BOOST_TEST(text("mine/changed") == "new");
    BOOST_TEST(text("mine/deep/longer") == "12");
    BOOST_TEST(text("mine/new/file") == "made");
    BOOST_TEST(text("mine/same") == "same");  // what the program removed stays
    BOOST_TEST((fs::last_write_time(mine / "same") == written));
    BOOST_TEST(text("mine/link") == "in the link's place");
    BOOST_TEST(text("outside") == "untouched");
    for (const char* const name : {"mine/program", "mine/out", "mine/evil"})
        BOOST_TEST(!fs::exists(fs::symlink_status(at(name))), name);
}

BOOST_AUTO_TEST_CASE(no_link_of_the_users_leads_a_file_elsewhere) {
    put("other/file", "untouched");
    put("work/folder/file", "made");
    fs::create_directories(at("mine"));
    fs::create_directories(at("given"));
    fs::create_directory_symlink("../other", at("mine/folder"));
    BOOST_REQUIRE(keep_files(at("work"), at("given"), at("mine"), {}));
    BOOST_TEST(text("other/file") == "untouched");
}

BOOST_AUTO_TEST_SUITE_END()
