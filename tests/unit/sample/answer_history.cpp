#include "cuset/sample/answer_history.h"

#include <boost/test/unit_test.hpp>
#include <numeric>
#include <vector>

#include "cuset/sample/ngram_draft.h"

using namespace cuset;

namespace {

using tokens = std::vector<std::int32_t>;

tokens numbers(std::int32_t first, std::size_t count) {
    tokens made(count);
    std::iota(made.begin(), made.end(), first);
    return made;
}

constexpr std::size_t eight = answer_history::longest_context;
constexpr std::size_t four = answer_history::shortest_context;

}  // namespace

BOOST_AUTO_TEST_CASE(what_followed_in_another_answer_is_found) {
    answer_history history;
    BOOST_TEST(history.find(numbers(1, 8), eight, 9).empty());
    history.add(numbers(100, 3), numbers(1, 12));
    BOOST_TEST(history.find(numbers(1, 8), eight, 9) == numbers(9, 4));  // up to its end
    BOOST_TEST(history.find(numbers(1, 8), eight, 2) == numbers(9, 2));
    BOOST_TEST(history.find(numbers(5, 4), four, 9) == numbers(9, 4));
    BOOST_TEST(history.find(numbers(9, 4), four, 9).empty());
    BOOST_TEST(history.find(numbers(2, 3), four, 9).empty());  // too short a text
    BOOST_TEST(history.find({}, eight, 9).empty());
    // The prompt's last tokens are a context, and no answer goes on with the next.
    BOOST_TEST(history.find(tokens{100, 101, 102, 1}, four, 2) == numbers(2, 2));
    history.add({}, numbers(50, 4));
    BOOST_TEST(history.find(tokens{12, 50, 51, 52}, four, 2).empty());
    // The last answer counts.
    history.add({}, tokens{5, 6, 7, 8, 77});
    BOOST_TEST(history.find(numbers(5, 4), four, 9) == tokens{77});
    BOOST_TEST(history.find(numbers(1, 8), eight, 9) == numbers(9, 4));
}

BOOST_AUTO_TEST_CASE(old_answers_are_forgotten) {
    answer_history history;
    history.add({}, numbers(1, 12));
    constexpr std::size_t enough = 1 << 16;
    int missed = 0;
    for (std::int32_t i = 0; i < 700; ++i) {
        history.add({}, numbers(1000 + 100 * i, 97));
        const tokens last = numbers(1000 + 100 * i + 20, 8);
        const tokens found = history.find(last, eight, 3);
        missed += found.empty();  // another context has taken its slot
        BOOST_REQUIRE((found.empty() || found == numbers(1000 + 100 * i + 28, 3)));
    }
    BOOST_TEST(missed < 10);
    static_assert(700 * 98 > enough);
    BOOST_TEST(history.find(numbers(1, 8), eight, 9).empty());
    BOOST_TEST(history.find(numbers(1, 4), four, 9).empty());
}

BOOST_AUTO_TEST_CASE(a_draft_takes_the_longest_context) {
    answer_history history;
    history.add({}, tokens{1, 2, 3, 4, 5, 6, 7, 8, 90});
    const auto proposed = [&](const tokens& text) {
        ngram_draft draft(4, &history);
        draft.extend(text);
        return draft.propose(1);
    };
    // Eight of another answer, three of its own, four of another, two of its own.
    BOOST_TEST(proposed({6, 7, 8, 91, 1, 2, 3, 4, 5, 6, 7, 8}) == tokens{90});
    BOOST_TEST(proposed({6, 7, 8, 91, 5, 6, 7, 8}) == tokens{91});
    BOOST_TEST(proposed({7, 8, 91, 5, 6, 7, 8}) == tokens{90});
    BOOST_TEST(proposed({7, 8, 91, 7, 8}) == tokens{91});
    // Off is off.
    ngram_draft off(0, &history);
    off.extend(numbers(1, 8));
    BOOST_TEST(off.propose(4).empty());
}
