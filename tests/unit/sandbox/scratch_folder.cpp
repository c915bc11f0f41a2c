#include "cuset/sandbox/scratch_folder.h"

#include <sys/stat.h>

#include "room.h"

using namespace cuset;
using namespace cuset::sandbox_test;

BOOST_FIXTURE_TEST_SUITE(scratch_folders, own_folder)

BOOST_AUTO_TEST_CASE(removes_what_has_its_own_names) {
    const fs::path tree = folder / "tree";
    for (const char* name : {".moved-0/s/t/u", ".moved-1/s/t", ".moved-2/.moved-0/.moved-1"})
        fs::create_directories(tree / name);
    std::ofstream(tree / ".moved-3") << "x";
    for (const char* name : {".moved-0/s", ".moved-2", "."}) ::chmod((tree / name).c_str(), 0);
    scratch_folder::remove_tree(tree);
    BOOST_TEST(!fs::exists(tree));
}

BOOST_AUTO_TEST_SUITE_END()
