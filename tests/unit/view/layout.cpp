#include <boost/test/unit_test.hpp>
#include <cmath>

#include "texts.h"

using namespace cuset;

namespace {

// "text[first,last)" of each piece, ⏎ where it ends a line.
std::string shown(const std::string& response, const std::vector<std::uint64_t>& ends) {
    std::string out;
    for (const text_piece& p : lay_out(response, ends).pieces)
        out += response.substr(p.begin, p.end - p.begin) + '[' + std::to_string(p.first) + ',' +
               std::to_string(p.last) + (p.ends_line ? ")⏎ " : ") ");
    return out;
}

}  // namespace

BOOST_AUTO_TEST_CASE(layout_by_hand) {
    BOOST_TEST(shown("", {}) == "");
    BOOST_TEST(shown("ab", {1, 2}) == "a[0,1) b[1,2) ");
    // A token over lines is a piece of each; the newline at the end begins no line.
    BOOST_TEST(shown("a;\n\n  b\n", {1, 6, 8}) == "a[0,1) ;[1,2)⏎ [1,2)⏎   [1,2) b[2,3)⏎ ");
    // Tokens that share a character are one piece, with what else they made.
    BOOST_TEST(shown("x😀y", {2, 3, 6}) == "x😀y[0,3) ");
    BOOST_TEST(shown("x😀y", {1, 3, 5, 6}) == "x[0,1) 😀[1,3) y[3,4) ");
    // The template's tokens; text that no token has.
    BOOST_TEST(shown("a\n", {1, 2, 2, 2}) == "a[0,1) [1,2)⏎ [2,3) [3,4) ");
    BOOST_TEST(shown("ab\nc", {1}) == "a[0,1) b[1,1)⏎ c[1,1) ");
    BOOST_TEST(shown("é", {1}) == "é[0,1) ");
    BOOST_TEST(shown("", {0}) == "[0,1) ");
}

BOOST_AUTO_TEST_CASE(layout_at_random) {
    const std::uint32_t seed = 20261122;
    BOOST_TEST_MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 3000; ++round) {
        const scored_text text = test::random_text(random);
        const std::string& r = text.response;
        const text_layout layout = lay_out(r, text.token_end);
        // Byte by byte: each is in the piece that comes next, or is the newline behind it.
        std::size_t at = 0;
        std::vector<bool> has_piece(text.token_end.size());
        for (const text_piece& p : layout.pieces) {
            BOOST_REQUIRE_EQUAL(p.begin, at);
            BOOST_REQUIRE(r.substr(p.begin, p.end - p.begin).find('\n') == std::string::npos);
            at = p.end;
            for (std::size_t i = p.begin; i < p.end + p.ends_line; ++i) {
                // The token that holds the byte, by the definition of score.end.
                std::size_t token = 0;
                while (token < text.token_end.size() && text.token_end[token] <= i) ++token;
                // The bytes of a character that no token has belong to the character.
                if (token < text.token_end.size() || p.first == p.last)
                    BOOST_REQUIRE((p.first <= token && token < p.last) ||
                                  (p.first == p.last && token == text.token_end.size()));
            }
            for (std::size_t t = p.first; t < p.last; ++t) has_piece[t] = true;
            BOOST_REQUIRE(p.begin == r.size() || (r[p.begin] & 0xC0) != 0x80);
            if (p.ends_line) BOOST_REQUIRE_EQUAL(r.at(at++), '\n');
        }
        BOOST_REQUIRE_EQUAL(at, r.size());
        BOOST_REQUIRE(std::find(has_piece.begin(), has_piece.end(), false) == has_piece.end());

        // Lines by another way.
        std::size_t newlines = 0;
        for (std::size_t i = 0; i < r.size(); ++i) {
            BOOST_REQUIRE_EQUAL(layout.line_of(i), newlines);
            newlines += r[i] == '\n';
        }
        std::size_t next = 0;
        for (const text_line& line : layout.lines) {
            BOOST_REQUIRE(line.first_piece == next && line.last_piece > next);
            next = line.last_piece;
        }
        BOOST_REQUIRE_EQUAL(next, layout.pieces.size());
    }
}

BOOST_AUTO_TEST_CASE(smoothing_is_the_mean_around) {
    const std::vector<double> values{0, 1, 0.5, 0.25, 1};
    const std::vector<double> two = smoothed(values, 2), all = smoothed(values, 100);
    const std::vector<double> by_hand{0, 0.5, 0.75, 0.375, 0.625};  // the one before and itself
    for (std::size_t i = 0; i < values.size(); ++i) {
        BOOST_TEST(two[i] == by_hand[i]);
        BOOST_TEST(std::abs(all[i] - 0.55) < 1e-15);
    }
    BOOST_TEST(smoothed({}, 3).empty());
}

BOOST_AUTO_TEST_CASE(window_without_the_blanks_at_its_ends) {
    scored_text text = test::text_of("a\n  b;\n\n", {1, 4, 5, 6, 8, 8});
    const auto range = [&](std::size_t first, std::size_t last) {
        const byte_range r = visible_range(text, {first, last, 0});
        return std::to_string(r.begin) + '-' + std::to_string(r.end);
    };
    BOOST_TEST(range(0, 6) == "0-6");
    BOOST_TEST(range(1, 5) == "4-6");
    BOOST_TEST(range(1, 2) == "1-1");  // nothing to see
    BOOST_TEST(range(0, 0) == "0-0");
}

BOOST_AUTO_TEST_CASE(records_that_do_not_fit_are_refused) {
    const auto refused = [](pair_record record, std::size_t size = 0) {
        window_search search;
        scored_text out;
        record.response = "int a;";
        record.token_end = {3, 6};
        record.confidence = {0.5, 0.25};
        return [=]() mutable {
            const status s = take_scored_text(record, {.size = size}, role_set(), search, out);
            return s ? std::to_string(out.window.first) + '-' + std::to_string(out.window.last)
                     : s.message();
        };
    };
    pair_record plain;
    BOOST_TEST(refused(plain)() == "0-2");
    BOOST_TEST(refused(plain, 1)() == "1-2");
    pair_record window;
    window.has_window = true;
    window.window = {0, 1, 0.5};
    BOOST_TEST(refused(window)() == "0-1");
    BOOST_TEST(refused(window, 1)() == "1-2");
    window.window.min = 0.4;
    BOOST_TEST(refused(window)().find("scored anew since") != std::string::npos);
    BOOST_TEST(refused(window, 1)() == "1-2");
    window.window = {0, 3, 0.5};
    BOOST_TEST(refused(window)().find("past the scored tokens") != std::string::npos);
    pair_record tagged;
    tagged.has_tag = true;
    tagged.spans = {{"kernel", "k", 2, 7}};
    BOOST_TEST(refused(tagged)().find("\"tag.spans\" reaches past") == 0);

    scored_text first = test::text_of("ab", {1, 2}), second = first;
    BOOST_TEST(add_second_score(first, second, "f").is_ok());
    BOOST_TEST(first.after.size() == 2);
    second = test::text_of("ac", {1, 2});
    BOOST_TEST(add_second_score(first, second, "f").message().find("another response") !=
               std::string::npos);
    second = test::text_of("ab", {2, 2});
    BOOST_TEST(add_second_score(first, second, "f").message().find("other tokens") !=
               std::string::npos);
}
