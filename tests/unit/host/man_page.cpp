// man/cuset-host.7 against the tables that it lists.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "cuset/host/runtime_files.h"
#include "translate/inline_ptx.h"

namespace {

/// The items of the list that begins after the line `head` and a .PP: one a line, up to a full
/// stop.
std::set<std::string> list_after(const std::string& page, const std::string& head) {
    std::set<std::string> items;
    std::size_t at = page.find(head);
    BOOST_REQUIRE_MESSAGE(at != page.npos, head);
    at = page.find('\n', at) + 1;
    if (page.compare(at, 4, ".PP\n") == 0) at += 4;
    for (bool is_last = false; !is_last;) {
        const std::size_t end = page.find('\n', at);
        BOOST_REQUIRE(end != page.npos);
        std::string line = page.substr(at, end - at);
        is_last = line.ends_with('.');
        line.pop_back();
        items.insert(line);
        at = end + 1;
    }
    return items;
}

std::set<std::string> as_set(const std::vector<std::string>& names) {
    return {names.begin(), names.end()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(man_page_lists_what_is_modelled) {
    std::ifstream in(CUSET_SOURCE_DIR "/man/cuset-host.7");
    const std::string page{std::istreambuf_iterator<char>(in), {}};
    BOOST_TEST_REQUIRE(!page.empty());
    std::set<std::string> headers, of_hip;
    for (const auto& file : cuset::runtime_files()) {
        constexpr std::string_view hip = "hip_include/";
        if (file.path.starts_with(hip)) of_hip.insert(std::string(file.path.substr(hip.size())));
        const bool is_public =
            file.path.starts_with("include/") && !file.path.starts_with("include/cuset_host/") &&
            !file.path.starts_with("include/cuda/std/") &&
            !file.path.starts_with("include/cuda/__") && !file.path.starts_with("include/thrust/");
        if (is_public) headers.insert(std::string(file.path.substr(8)));
    }
    const auto compare = [](const std::set<std::string>& told, const std::set<std::string>& known) {
        BOOST_CHECK_EQUAL_COLLECTIONS(told.begin(), told.end(), known.begin(), known.end());
    };
    compare(list_after(page, "that a program may include:"), headers);
    compare(list_after(page, "HIP's headers that a program may include:"), of_hip);
    compare(list_after(page, "rounding is to nearest even:"), as_set(cuset::ptx_instructions()));
    std::set<std::string> registers;
    for (const auto& name : cuset::ptx_special_registers()) registers.insert('%' + name);
    compare(list_after(page, "Special registers:"), registers);
}
