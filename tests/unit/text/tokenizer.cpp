#include "cuset/text/tokenizer.h"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "small_tokenizer.h"

namespace {

using cuset::tokenizer;
using cuset_test::added_token;
using cuset_test::small_tokenizer;

tokenizer load(const small_tokenizer& source) {
    auto made = tokenizer::parse(source.json(), "small.json");
    BOOST_REQUIRE_MESSAGE(made, made.error().message());
    return std::move(made).value();
}

using ids = std::vector<std::int32_t>;
using ends = std::vector<std::size_t>;

void check(const tokenizer& t, std::string_view text, const ids& want_ids, const ends& want_ends) {
    ids got_ids;
    ends got_ends;
    const cuset::status done = t.encode(text, got_ids, got_ends);
    BOOST_TEST(done.is_ok());
    BOOST_TEST_CONTEXT("text " << text) {
        BOOST_TEST(got_ids == want_ids, boost::test_tools::per_element());
        BOOST_TEST(got_ends == want_ends, boost::test_tools::per_element());
    }
    ids without_ends;
    BOOST_TEST(t.encode(text, without_ends).is_ok());
    BOOST_TEST(without_ends == want_ids, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(merges_by_rank_then_from_the_left) {
    // 256 = "bc", 257 = "ab", 258 = "aa", 259 = "abc" out of "a" and "bc".
    const auto t = load({.merges = {{"b", "c"}, {"a", "b"}, {"a", "a"}, {"a", "bc"}}});
    check(t, "abc", {259}, {3});
    check(t, "ab", {257}, {2});
    check(t, "aaa", {258, 'a'}, {2, 3});
    check(t, "aab", {'a', 257}, {1, 3});  // "ab" has the lower rank
    check(t, "", {}, {});
    check(t, " abc", {' ', 259}, {1, 4});
}

BOOST_AUTO_TEST_CASE(appends) {
    const auto t = load({});
    ids i{7};
    ends e{3};
    BOOST_TEST(t.encode("x", i, e).is_ok());
    BOOST_TEST(i == (ids{7, 'x'}), boost::test_tools::per_element());
    BOOST_TEST(e == (ends{3, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(parts_of_characters_end_at_their_bytes) {
    // U+4E2D is E4 B8 AD; the first two bytes are a token.
    const auto t = load({.merges = {{"\xE4", "\xB8"}}});
    check(t, "\u4e2d!", {256, 0xAD, '!'}, {2, 3, 4});
}

BOOST_AUTO_TEST_CASE(missing_bytes_belong_to_no_token) {
    const auto t = load({.merges = {{"a", "b"}}, .missing_bytes = "\xC3\xA9\n"});
    check(t, "a\u00e9b", {256}, {4});  // the neighbours meet
    check(t, "\u00e9", {}, {});
    check(t, "x\n\n", {'x'}, {1});
    check(t, "\n\nx", {'x'}, {3});
    const std::string long_word = std::string(100, 'x') + "a\u00e9b";
    ids i;
    ends e;
    BOOST_TEST(t.encode(long_word, i, e).is_ok());
    BOOST_TEST(i.size() == 101U);
    BOOST_TEST(i.back() == 256);
    BOOST_TEST(e.back() == 104U);
}

BOOST_AUTO_TEST_CASE(both_spellings_of_merges) {
    const small_tokenizer words{.merges = {{" ", "i"}, {" i", "f"}}};
    small_tokenizer pairs = words;
    pairs.merge_pairs = true;
    check(load(words), "x if", {'x', 257}, {1, 4});
    check(load(pairs), "x if", {'x', 257}, {1, 4});
}

BOOST_AUTO_TEST_CASE(ignore_merges_finds_whole_words) {
    small_tokenizer source{.merges = {{"a", "b"}, {"ab", "c"}, {"c", "d"}, {"abc", "d"}}};
    source.merges[3] = {"abcd", "e"};  // needs "abcd", which no merge makes
    const std::string broken = source.json();
    BOOST_TEST(!tokenizer::parse(broken, "small.json"));
    source.merges[3] = {"ab", "cd"};  // 259 "abcd", but "abc" is made first
    check(load(source), "abcd", {257, 'd'}, {3, 4});
    source.model_options = "\"ignore_merges\":true,";
    check(load(source), "abcd", {259}, {4});
    check(load(source), "abcda", {257, 'd', 'a'}, {3, 4, 5});
}

BOOST_AUTO_TEST_CASE(added_tokens) {
    small_tokenizer source;
    source.added = "[" + added_token(256, "<|end|>", "special") + "," +
                   added_token(257, "<|en", "") + "," +
                   added_token(258, "<|s|>", "lstrip rstrip special") + "]";
    const auto t = load(source);
    check(t, "<|end|>", {256}, {7});
    check(t, "a<|end|><|en", {'a', 256, 257}, {1, 8, 12});
    check(t, "<|en|>", {257, '|', '>'}, {4, 5, 6});  // the longer one does not match
    check(t, "<|e", {'<', '|', 'e'}, {1, 2, 3});
    check(t, "a \n<|s|> \u3000b", {'a', 258, 'b'}, {1, 12, 13});
    check(t, " <|s|> <|s|>", {258, 258}, {7, 12});
    BOOST_TEST(t.is_special(256));
    BOOST_TEST(!t.is_special(257));
    BOOST_TEST(!t.is_special('a'));
    BOOST_TEST(t.vocab_size() == 259U);
}

BOOST_AUTO_TEST_CASE(nfc_keeps_offsets_of_the_source) {
    // 256 = C3 A9, the composed letter.
    small_tokenizer source{.merges = {{"\xC3", "\xA9"}}};
    source.normalizer = R"({"type":"NFC"})";
    source.pre_tokenizer = cuset_test::qwen_pre_tokenizer;
    source.added = "[" + added_token(257, "\u2126", "normalized") + "]";  // Ohm sign: NFC is U+03A9
    const auto t = load(source);
    check(t, "\u00e9", {256}, {2});
    // The mark went into the letter: the token ends with the letter it was composed from.
    check(t, "e\u0301!", {256, '!'}, {1, 4});
    check(t, "x\u2126y", {'x', 257, 'y'}, {1, 4, 5});
    check(t, "x\u03a9y", {'x', 257, 'y'}, {1, 3, 4});
    // Hangul: two of three parts of U+D55C.
    check(t, "\u1112\u1161\u11ab", {0xED, 0x95, 0x9C}, {3, 3, 3});
}

BOOST_AUTO_TEST_CASE(long_words_are_not_quadratic) {
    const auto t = load({.merges = {{"a", "a"}, {"aa", "aa"}, {" ", " "}, {"  ", "  "}}});
    for (const char c : {'a', ' '}) {
        const std::string text(1 << 20, c);
        ids i;
        ends e;
        BOOST_TEST(t.encode(text, i, e).is_ok());
        BOOST_TEST(i.size() == text.size() / 4);
        BOOST_TEST(e.back() == text.size());
    }
    // Both ways of merging, on the two sides of the border between them.
    for (std::size_t n = 1; n < 130; ++n) {
        ids i;
        ends e;
        BOOST_TEST(t.encode(std::string(n, 'a'), i, e).is_ok());
        ids want(n / 4, 257);
        if ((n & 2) != 0) want.push_back(256);
        if ((n & 1) != 0) want.push_back('a');
        BOOST_TEST(i == want, boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(two_tokenizers_share_a_thread) {
    // Enough of them that their words meet in the thread's cache.
    const small_tokenizer first{.merges = {{"a", "b"}}};
    const small_tokenizer second{.merges = {{"b", "a"}}};
    std::vector<tokenizer> loaded;
    for (int i = 0; i < 150; ++i) {
        loaded.push_back(load(first));
        check(loaded.back(), "aba", {256, 'a'}, {2, 3});
        loaded.push_back(load(second));
        check(loaded.back(), "aba", {'a', 256}, {1, 3});
    }
    check(loaded.front(), "aba", {256, 'a'}, {2, 3});
}

/// Merging as it is defined: the lowest rank, the leftmost of equals, over and over.
ids merged_plainly(const std::vector<std::pair<std::string, std::string>>& merges,
                   std::string_view word) {
    std::vector<std::string> parts;
    for (const char c : word) parts.emplace_back(1, c);
    while (true) {
        std::size_t rank = merges.size(), at = 0;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            for (std::size_t r = 0; r < rank; ++r) {
                if (merges[r] == std::pair(parts[i], parts[i + 1])) {
                    rank = r;
                    at = i;
                }
            }
        }
        if (rank == merges.size()) break;
        parts[at] += parts[at + 1];
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    ids out;
    for (const std::string& part : parts) {
        std::int32_t id = static_cast<unsigned char>(part[0]);
        for (std::size_t r = 0; r < merges.size(); ++r) {
            if (merges[r].first + merges[r].second == part) id = 256 + static_cast<std::int32_t>(r);
        }
        out.push_back(id);
    }
    return out;
}

BOOST_AUTO_TEST_CASE(random_merges) {
    std::mt19937 random(20261121);
    const auto below = [&random](std::size_t n) { return random() % n; };
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> tokens{"a", "b", "c"};
        small_tokenizer source;
        while (source.merges.size() < 25) {
            const std::string left = tokens[below(tokens.size())];
            const std::string right = tokens[below(tokens.size())];
            if (std::find(tokens.begin(), tokens.end(), left + right) != tokens.end()) continue;
            tokens.push_back(left + right);
            source.merges.emplace_back(left, right);
        }
        const auto t = load(source);
        for (const std::size_t size : {5U, 16U, 17U, 47U, 48U, 49U, 300U}) {
            std::string word;
            while (word.size() < size) word += "abc"[below(3)];
            ids got;
            BOOST_TEST(t.encode(word, got).is_ok());
            BOOST_TEST(got == merged_plainly(source.merges, word),
                       boost::test_tools::per_element());
        }
    }
}

BOOST_AUTO_TEST_CASE(many_threads) {
    const auto t = load({.merges = {{"a", "b"}, {" ", "ab"}, {"c", "c"}}});
    std::string text;
    for (int i = 0; i < 2000; ++i) text += "ab cc" + std::to_string(i * 7919) + " ab\n";
    ids want;
    ends want_ends;
    BOOST_REQUIRE(t.encode(text, want, want_ends).is_ok());
    std::vector<std::thread> threads;
    std::vector<int> good(8, 0);
    for (std::size_t n = 0; n < good.size(); ++n) {
        threads.emplace_back([&, n] {
            ids i;
            ends e;
            good[n] = t.encode(text, i, e).is_ok() && i == want && e == want_ends ? 1 : 0;
        });
    }
    for (auto& thread : threads) thread.join();
    for (const int g : good) BOOST_TEST(g == 1);
}

BOOST_AUTO_TEST_CASE(ids_and_bytes) {
    small_tokenizer source{.merges = {{" ", "i"}}};
    source.added = "[" + added_token(257, "<|end|>", "special") + "]";
    const auto t = load(source);
    BOOST_TEST(t.id_of("\u0120i").value() == 256);  // as the file spells it
    BOOST_TEST(t.id_of("<|end|>").value() == 257);
    BOOST_TEST(!t.id_of(" i"));
    BOOST_TEST(!t.id_of("\xFF"));
    BOOST_TEST(t.bytes_of(256) == " i");
    BOOST_TEST(t.bytes_of(257) == "<|end|>");
    BOOST_TEST(t.bytes_of(-1).empty());
    BOOST_TEST(t.bytes_of(258).empty());
    std::string text;
    t.decode(ids{'x', 256, 257, 999}, text);
    BOOST_TEST(text == "x i<|end|>");
    text.clear();
    t.decode(ids{'x', 257}, text, true);
    BOOST_TEST(text == "x");
}

BOOST_AUTO_TEST_CASE(invalid_utf8_is_refused) {
    const auto t = load({});
    ids i{1};
    ends e{1};
    for (const std::string_view text : {"\xFF", "a\xC3", "\xED\xA0\x80", "\xC0\x80"}) {
        BOOST_TEST((t.encode(text, i, e).kind() == cuset::error_kind::data));
    }
    BOOST_TEST(i.size() == 1U);
    BOOST_TEST(e.size() == 1U);
}

}  // namespace
