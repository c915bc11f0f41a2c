// A separate folder for each test, and whether this machine can make a sandbox.
#pragma once

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "cuset/sandbox/sandbox.h"

namespace cuset::sandbox_test {

namespace fs = std::filesystem;

struct own_folder {
    own_folder()
        : folder(fs::temp_directory_path() / ("cuset-sandbox-" + std::to_string(::getpid()))) {
        fs::remove_all(folder);
        fs::create_directories(folder);
    }
    own_folder(const own_folder&) = delete;
    own_folder& operator=(const own_folder&) = delete;
    ~own_folder() { fs::remove_all(folder); }
    fs::path folder;
};

inline bool can_sandbox(boost::unit_test::test_unit_id) {
    static const bool can = [] {
        const auto opened = sandbox::open(false);
        if (!opened) BOOST_TEST_MESSAGE("skipped: " << opened.error().message());
        return opened.is_ok();
    }();
    return can;
}

inline std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

}  // namespace cuset::sandbox_test
