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

/// The token after the longest context of `text` that the history knows, or -1.
std::int32_t next(const answer_history& history, const tokens& text) {
    std::optional<std::int32_t> found;
    for_contexts(text, [&](std::size_t, std::uint64_t key) {
        if (!found) found = history.next(key);
    });
    return found.value_or(-1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_followed_in_another_answer_is_found) {
    answer_history history;
    BOOST_TEST(next(history, numbers(1, 8)) == -1);
    history.add(numbers(100, 3), numbers(1, 12));
    BOOST_TEST(next(history, numbers(1, 8)) == 9);
    BOOST_TEST(next(history, {11}) == 12);
    BOOST_TEST(next(history, {12}) == -1);  // its end
    BOOST_TEST(next(history, {}) == -1);
    // The prompt's last tokens are a context, but nothing is learned of the prompt; and no answer
    // goes on with the next.
    BOOST_TEST(next(history, {102}) == 1);
    BOOST_TEST(next(history, {101}) == -1);
    history.add({}, numbers(50, 4));
    BOOST_TEST(next(history, {12}) == -1);
    BOOST_TEST(next(history, {12, 50}) == 51);
    // The last answer counts, for the longest context.
    history.add({}, tokens{5, 6, 7, 8, 77});
    BOOST_TEST(next(history, numbers(5, 4)) == 77);
    BOOST_TEST(next(history, numbers(1, 8)) == 9);
}

BOOST_AUTO_TEST_CASE(old_answers_are_forgotten) {
    answer_history history;
    history.add({}, numbers(1, 12));
    int missed = 0;
    for (std::int32_t i = 0; i < 5000; ++i) {
        history.add({}, numbers(1000 + 100 * i, 97));
        missed += next(history, numbers(1000 + 100 * i + 20, 8)) != 1000 + 100 * i + 28;
    }
    // Another context has taken its slot.
    BOOST_TEST(missed < 50);
    BOOST_TEST(next(history, numbers(1, 8)) == -1);
}

BOOST_AUTO_TEST_CASE(a_draft_takes_the_longest_context) {
    draft_memory run;
    run.answers.add({}, tokens{1, 2, 3, 4, 5, 6, 7, 8, 90});
    const auto proposed = [&](const tokens& text) {
        ngram_draft draft(4, run);
        draft.read(text);
        return draft.propose(1, 0);
    };
    // Eight of another answer, three of its own, four of another, two of its own; of the same
    // length its own.
    BOOST_TEST(proposed({6, 7, 8, 91, 1, 2, 3, 4, 5, 6, 7, 8}) == tokens{90});
    BOOST_TEST(proposed({6, 7, 8, 91, 9, 6, 7, 8}) == tokens{91});
    BOOST_TEST(proposed({7, 8, 91, 5, 6, 7, 8}) == tokens{90});
    BOOST_TEST(proposed({7, 8, 91, 9, 7, 8}) == tokens{91});
    // Off is off.
    ngram_draft off(0, run);
    off.read(numbers(1, 8));
    BOOST_TEST(off.propose(4, 0).empty());
}
