// Edits of a text, and the treatment of two that change the same bytes.
#include "text_edits.h"

#include <boost/test/unit_test.hpp>
#include <string>

using cuset::text_edits;

BOOST_AUTO_TEST_SUITE(edits)

BOOST_AUTO_TEST_CASE(beside_each_other) {
    text_edits edits("abc\ndef");
    edits.replace(3, 5, "-", false);
    edits.insert(5, "!");
    edits.insert(0, "<");
    edits.insert(3, "1");
    edits.insert(7, ">");
    BOOST_TEST((edits.apply() == "<abc1-\n!ef>"));
}

BOOST_AUTO_TEST_CASE(overlapping) {
    for (const auto& [begin, end] : {std::pair{1U, 3U}, {2U, 2U}, {0U, 2U}, {3U, 5U}, {0U, 7U}}) {
        text_edits edits("abcdefg");
        edits.replace(1, 4, "-", false);
        edits.replace(begin, end, "+", false);
        BOOST_TEST(!edits.apply().has_value(), begin << " to " << end);
    }
}

BOOST_AUTO_TEST_CASE(offers) {
    text_edits edits("(a)bcd(e)fgh");
    edits.offer({{0, 3, "f("}, {5, 5, ")"}});
    edits.offer({{6, 9, "g("}, {11, 11, ")"}});
    edits.replace(10, 12, "-", false);
    edits.insert(5, "!");
    BOOST_TEST((edits.apply() == "f(bc)!d(e)f-"));
    for (const auto& [begin, end] : {std::pair{0U, 2U}, {2U, 4U}, {1U, 2U}, {0U, 6U}}) {
        text_edits other("(a)bcd");
        other.replace(begin, end, "-", false);
        other.offer({{0, 3, "f("}, {5, 5, ")"}});
        BOOST_TEST((other.apply() == std::string("(a)bcd").replace(begin, end - begin, "-")));
    }
    text_edits beside("ab");
    beside.replace(0, 1, "-", false);
    beside.offer({{1, 1, "+"}});
    BOOST_TEST((beside.apply() == "-+b"));
}

BOOST_AUTO_TEST_SUITE_END()
