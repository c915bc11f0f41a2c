#include "cuset/sample/ngram_draft.h"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace cuset;

namespace {

using tokens = std::vector<std::int32_t>;

/// What is guessed after a text without other answers, however unlikely.
tokens proposed(std::size_t longest, const tokens& text, std::size_t most) {
    draft_memory run;
    ngram_draft draft(longest, run);
    draft.read(text);
    return draft.propose(most, 0);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_draft_is_what_came_after_the_same_tokens) {
    const tokens text = {1, 2, 3, 4, 5, 6, 7, 1, 2, 3};
    BOOST_TEST(proposed(4, text, 9) == (tokens{4, 5, 6, 7}));
    BOOST_TEST(proposed(9, text, 2) == (tokens{4, 5}));
    // The longest context counts, and of its occurrences the last.
    BOOST_TEST(proposed(1, {1, 2, 3, 4, 9, 2, 3, 5, 1, 2, 3}, 9) == tokens{4});
    BOOST_TEST(proposed(1, {1, 2, 3, 4, 9, 2, 3, 5, 8, 2, 3}, 9) == tokens{5});
    BOOST_TEST(proposed(2, {1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3}, 9) == (tokens{5, 1}));
    BOOST_TEST(proposed(1, {1, 2, 3, 4, 5,  6, 7, 8, 90, 9, 2, 3, 4,
                            5, 6, 7, 8, 91, 1, 2, 3, 4,  5, 6, 7, 8},
                        9) == tokens{90});
    // One token is a context too.
    BOOST_TEST(proposed(1, {1, 2, 3, 1}, 9) == tokens{2});
    // Guesses are contexts of further ones.
    BOOST_TEST(proposed(9, {7, 7}, 4) == (tokens{7, 7, 7, 7}));
    BOOST_TEST(proposed(9, {1, 2, 3}, 9).empty());
    BOOST_TEST(proposed(9, {}, 9).empty());
    BOOST_TEST(proposed(9, {1, 2, 1, 2}, 0).empty());
    BOOST_TEST(proposed(0, {1, 2, 1, 2}, 9).empty());
}

BOOST_AUTO_TEST_CASE(a_draft_is_as_long_as_it_is_worth) {
    draft_memory run;
    ngram_draft draft(9, run);
    draft.read(tokens{1, 2, 1});
    // Half of the guesses of a kind that is not known yet count as right.
    BOOST_TEST(draft.propose(9, 0.4).size() == 1);
    BOOST_TEST(draft.propose(9, 0.2).size() == 2);
    BOOST_TEST(draft.propose(9, 0.6).empty());
    // A text that does as guessed makes drafts longer, one that does not makes them shorter; the
    // next answer of the run knows it.
    for (int i = 0; i < 100; ++i) draft.extend(i % 2 == 0 ? 2 : 1);
    ngram_draft after_right(9, run);
    after_right.read(tokens{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8});
    BOOST_TEST(after_right.propose(1, 0.7) == tokens{9});
    for (int i = 0; i < 200; ++i) {
        ngram_draft wrong(9, run);
        wrong.read(tokens{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8});
        wrong.extend(10);
    }
    BOOST_TEST(after_right.propose(1, 0.1).empty());
}

BOOST_AUTO_TEST_CASE(a_draft_is_the_same_however_its_text_came) {
    const tokens text = {5, 1, 2, 3, 5, 1, 2, 4, 5, 1};
    draft_memory run;
    ngram_draft by_one(3, run);
    for (std::size_t i = 0; i < text.size(); ++i) {
        by_one.extend(text[i]);
        const tokens begin(text.begin(), text.begin() + std::ptrdiff_t(i) + 1);
        BOOST_TEST(by_one.propose(9, 0) == proposed(3, begin, 9));
    }
    BOOST_TEST(by_one.propose(9, 0) == (tokens{2, 4, 5}));
}
