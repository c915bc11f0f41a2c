#include "cuset/train/token_masks.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

using namespace cuset;

namespace {

using flags = std::vector<bool>;

// Tokens: "int ", "i;", " //", " i", "\n", "x[", "i", "]=1", and one of the template.
const std::string response = "int i; // i\nx[i]=1";
const std::vector<std::size_t> ends{4, 6, 9, 11, 12, 14, 15, 18, 18};

pair_record record() {
    pair_record made;
    made.response = response;
    made.has_tag = made.has_roles = true;
    made.spans = {{"kernel", "k", 5, 13}};  // from ';' to 'x'
    made.roles = {{"arithmetic", 0, 6},
                  {"comment", 7, 11},
                  {"memory", 12, 14},
                  {"index", 14, 15},
                  {"memory", 15, 18}};
    return made;
}

struct read_flags {
    flags sensitive, left_out;
};

read_flags read(const token_masks& masks, const pair_record& given = record()) {
    read_flags found;
    const status done = read_masks(masks, given, ends, found.sensitive, found.left_out);
    BOOST_TEST(done.is_ok(), done.message());
    return found;
}

std::string error(const token_masks& masks, const pair_record& given) {
    flags sensitive, left_out;
    return read_masks(masks, given, ends, sensitive, left_out).message();
}

role_set roles(std::string_view names) { return roles_by_names(names).value(); }

}  // namespace

BOOST_AUTO_TEST_CASE(spans_are_the_default) {
    const read_flags found = read({});
    BOOST_TEST((found.sensitive == flags{0, 1, 1, 1, 1, 1, 0, 0, 0}));
    BOOST_TEST(found.left_out.empty());
}

BOOST_AUTO_TEST_CASE(roles_wherever_they_stand) {
    // The spans do not count; white space and the template's token have no role.
    const read_flags found = read({true, roles("index,memory"), false});
    BOOST_TEST((found.sensitive == flags{0, 0, 0, 0, 0, 1, 1, 1, 0}));
    BOOST_TEST(found.left_out.empty());
    BOOST_TEST(
        (read({true, roles("comment"), false}).sensitive == flags{0, 0, 1, 1, 0, 0, 0, 0, 0}));
    // Records of a run without the CUDA mask need no roles.
    BOOST_TEST((read({false, roles("index"), false}).sensitive == flags(9)));
}

BOOST_AUTO_TEST_CASE(dropped_comments) {
    for (const bool needed : {true, false}) {
        const read_flags found = read({needed, {}, true});
        BOOST_TEST((found.sensitive == flags{0, 1, 0, 0, 1, 1, 0, 0, 0}));
        BOOST_TEST((found.left_out == flags{0, 0, 1, 1, 0, 0, 0, 0, 0}));
    }
    const read_flags found = read({true, roles("index,comment"), true});
    BOOST_TEST((found.sensitive == flags{0, 0, 0, 0, 0, 0, 1, 0, 0}));
    BOOST_TEST((found.left_out == flags{0, 0, 1, 1, 0, 0, 0, 0, 0}));
}

BOOST_AUTO_TEST_CASE(tags_that_are_wrong) {
    pair_record bare = record();
    bare.has_roles = false;
    bare.roles.clear();
    BOOST_TEST(error({}, bare).empty());
    const std::string missing = "\"tag.roles\" is missing (tag the records with cuset-tag --roles)";
    BOOST_TEST(error({true, roles("index"), false}, bare) == missing);
    BOOST_TEST(error({false, {}, true}, bare) == missing);
    pair_record strange = record();
    strange.roles[1].role = "spin\n";
    BOOST_TEST(error({true, {}, true}, strange) == "\"tag.roles\": no role is called spin\\n");
    BOOST_TEST(error({}, strange).empty());
    strange = record();
    strange.roles.back().end = 19;
    BOOST_TEST(error({true, {}, true}, strange).find("reach past the response") !=
               std::string::npos);
    strange = record();
    strange.spans[0].end = 19;
    BOOST_TEST(error({}, strange).find("reaches past the response") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_of_roles) {
    BOOST_TEST(names_of(roles("sync,index,comment")) == "index,sync,comment");
    BOOST_TEST(roles("launch").count() == 1);
    for (const char* const wrong : {"", "index,", ",index", "Index", "index,index", "index sync"})
        BOOST_TEST((roles_by_names(wrong).error().kind() == error_kind::usage), wrong);
}
