#include "cuset/sample/ngram_draft.h"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace cuset;

namespace {

using tokens = std::vector<std::int32_t>;

tokens proposed(const ngram_draft& draft, std::size_t most) {
    const auto guess = draft.propose(most);
    return {guess.begin(), guess.end()};
}

ngram_draft after(std::size_t longest, const tokens& text) {
    ngram_draft draft(longest);
    draft.extend(text);
    return draft;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_draft_is_what_came_after_the_same_tokens) {
    BOOST_TEST(proposed(after(4, {1, 2, 3, 4, 5, 6, 7, 1, 2, 3}), 9) == (tokens{4, 5, 6, 7}));
    BOOST_TEST(proposed(after(4, {1, 2, 3, 4, 5, 6, 7, 1, 2, 3}), 2) == (tokens{4, 5}));
    // Three tokens before two, the last occurrence before earlier ones.
    BOOST_TEST(proposed(after(1, {1, 2, 3, 4, 9, 2, 3, 5, 1, 2, 3}), 9) == tokens{4});
    BOOST_TEST(proposed(after(1, {1, 2, 3, 4, 9, 2, 3, 5, 8, 2, 3}), 9) == tokens{5});
    BOOST_TEST(proposed(after(2, {1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3}), 9) == (tokens{5, 1}));
    // It ends where the text does.
    BOOST_TEST(proposed(after(9, {7, 7, 7}), 9) == tokens{7});
    BOOST_TEST(proposed(after(9, {1, 2, 3}), 9).empty());
    BOOST_TEST(proposed(after(9, {}), 9).empty());
    BOOST_TEST(proposed(after(9, {1, 2, 1, 2}), 0).empty());
    BOOST_TEST(proposed(after(0, {1, 2, 1, 2}), 9).empty());
}

BOOST_AUTO_TEST_CASE(a_draft_grows_with_what_was_right) {
    auto draft = after(4, {1, 2, 3, 4, 5, 6, 7, 1, 2, 3});
    draft.judge(0);
    BOOST_TEST(proposed(draft, 9) == tokens{4});
    draft.judge(1);
    BOOST_TEST(proposed(draft, 9) == (tokens{4, 5}));
    draft.judge(4);
    BOOST_TEST(proposed(draft, 9) == (tokens{4, 5, 6, 7}));
}

BOOST_AUTO_TEST_CASE(a_draft_is_the_same_however_its_text_came) {
    const tokens text = {5, 1, 2, 3, 5, 1, 2, 4, 5, 1};
    auto by_one = after(3, {});
    for (std::size_t i = 0; i < text.size(); ++i) {
        by_one.extend(std::span(text).subspan(i, 1));
        const auto at_once = after(3, tokens(text.begin(), text.begin() + std::ptrdiff_t(i) + 1));
        BOOST_TEST(proposed(by_one, 9) == proposed(at_once, 9));
    }
    BOOST_TEST(proposed(by_one, 9) == (tokens{2, 4, 5}));
}
