#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>
#include <set>

#include "cuset/curate/checks.h"
#include "cuset/curate/code_tokens.h"
#include "cuset/curate/near_duplicates.h"

using namespace cuset;

namespace {

std::string normalised(std::string_view code, std::string_view ignored) {
    const auto parts = ignored_parts_named(ignored);
    BOOST_REQUIRE(parts);
    code_tokens tokens;
    tokens.read(code, {.ignore_literals = parts->literals});
    std::string out;
    tokens.normalised(*parts, out);
    return out;
}

constexpr std::string_view plain =
    "#include <cstdio>\n__global__ void add(float* x, int n) {\n  // one each\n  x[n] += "
    "1.5f;\n}\n";
constexpr std::string_view spaced =
    "#include  <cstdio> // for printf\n__global__ void add(float *x,int n)\n{ x[n]+=1.5f; /* */ }";
constexpr std::string_view renamed =
    "#include <cstdio>\n__global__ void f(float* data, int k) {\n  data[k] += 1.5f;\n}\n";

std::vector<std::uint64_t> shingles(std::string_view code, std::size_t width, bool names) {
    code_tokens tokens;
    tokens.read(code);
    std::vector<std::uint64_t> out;
    tokens.shingles(width, names, out);
    return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(tokens_and_sets)

BOOST_AUTO_TEST_CASE(what_is_ignored_makes_no_difference) {
    BOOST_TEST(normalised(plain, "comments,space") == normalised(spaced, "comments,space"));
    BOOST_TEST(normalised(plain, "space") != normalised(spaced, "space"));
    BOOST_TEST(normalised(plain, "comments") != normalised(spaced, "comments"));
    BOOST_TEST(normalised(plain, "comments,space") != normalised(renamed, "comments,space"));
    BOOST_TEST(normalised(plain, "comments,space,names") ==
               normalised(renamed, "comments,space,names"));
    BOOST_TEST(normalised("int a = b;", "comments,space,names") !=
               normalised("int a = a;", "comments,space,names"));
    BOOST_TEST(normalised("x = 1;", "comments,space,literals") ==
               normalised("x = 22;", "comments,space,literals"));
    BOOST_TEST(normalised("x = 1;", "comments,space") != normalised("x = 22;", "comments,space"));
    // Types, qualifiers, built-in variables and pragmas are the program's.
    for (const auto& [a, b] : {std::pair("float x;", "int x;"),
                               {"__device__ int x;", "__host__ int x;"},
                               {"x = threadIdx.x;", "x = blockIdx.x;"},
                               {"#pragma unroll 2\nfor (;;);", "#pragma unroll 4\nfor (;;);"},
                               {"a b;", "ab;"}})
        BOOST_TEST(normalised(a, "comments,space,names") != normalised(b, "comments,space,names"));
    BOOST_TEST(normalised("a\n// c\nb", "none") == "a\n// c\nb");
    BOOST_TEST(normalised("a // c\n b", "space") == "a\n//cb\n");
    BOOST_TEST(!ignored_parts_named("comments,spaces"));
    BOOST_TEST(!ignored_parts_named("names"));
    BOOST_TEST(!ignored_parts_named(""));
}

// The tokens of read(), written plainly, are what squeeze() makes of a text.
BOOST_AUTO_TEST_CASE(squeezing_is_reading_and_normalising) {
    constexpr std::string_view pieces[] = {"a",
                                           "_b1",
                                           "a_name_that_is_longer_than_sixteen_bytes",
                                           "+=",
                                           "<<<",
                                           ">> >",
                                           "::",
                                           "(",
                                           "}",
                                           "1.5e-3f",
                                           "0x1'000",
                                           "\"text // no comment\"",
                                           "'c'",
                                           "R\"x(raw\n\")x\"",
                                           "\"open",
                                           "'",
                                           " ",
                                           "\n",
                                           "\t",
                                           "// line\n",
                                           "/* block\n */",
                                           "/* open",
                                           "\\\n",
                                           "na\\\nme",
                                           "\n#include <x.h> // why\n",
                                           "\n#  define  F(x)  x /* y */ z\n",
                                           "\n%:define G %>\n",
                                           "\n%:  pragma once // p\n",
                                           "\n#if 0\n",
                                           "\n#if A /* b */ > 1\n",
                                           "\n#else\n",
                                           "\n#endif\n",
                                           "##",
                                           "#",
                                           "\xC3\xA4",
                                           "\xFF",
                                           "$",
                                           "@",
                                           "\\",
                                           std::string_view("\0", 1),
                                           "\r\n",
                                           "<:",
                                           ":>",
                                           "\n#\n",
                                           "\n# // none\n"};
    const unsigned seed = std::random_device()();
    BOOST_TEST_MESSAGE("seed " << seed);
    std::mt19937_64 random(seed);
    code_tokens read, squeezed;
    std::string found, normal;
    for (int round = 0; round < 5000; ++round) {
        std::string code;
        for (std::size_t i = random() % 40; i > 0; --i)
            code += pieces[random() % std::size(pieces)];
        read.read(code, {.hashes = round % 2 == 0, .names = false});
        std::string expected;
        for (const code_token& t : read.tokens()) {
            const std::string text = code.substr(t.begin, t.end - t.begin);
            bool is_in_line = false, is_in_block = false;
            for (std::size_t i = 0; i < text.size(); ++i) {
                const std::string two = text.substr(i, 2);
                if (text[0] == '#' && text.size() > 1) {
                    if (is_in_line && text[i] == '\n') is_in_line = false;
                    if (!is_in_line && !is_in_block) {
                        is_in_line = two == "//";
                        is_in_block = two == "/*";
                        if (is_in_block) ++i;
                        if (is_in_line || is_in_block) continue;
                    } else {
                        if (is_in_block && two == "*/") ++i, is_in_block = false;
                        continue;
                    }
                    if (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r')) continue;
                }
                expected += text[i];
            }
            expected += '\n';
        }
        squeezed.squeeze(code, found);
        read.normalised({}, normal);
        BOOST_REQUIRE(found == expected);
        BOOST_REQUIRE(normal == expected);
        BOOST_REQUIRE(squeezed.tokens().empty());
    }
}

BOOST_AUTO_TEST_CASE(shingles_are_runs_of_tokens) {
    BOOST_TEST(shingles("a b c d e f", 5, false).size() == 2U);
    BOOST_TEST(shingles("a b", 5, false).size() == 1U);
    BOOST_TEST(shingles(" // nothing", 5, false).empty());
    BOOST_TEST(shingles(plain, 5, true) == shingles(renamed, 5, true));
    BOOST_TEST(shingles(plain, 5, false) != shingles(renamed, 5, false));
    // Other names in one place is a renaming; the same name in two places is not.
    BOOST_TEST(shingles("a + b", 3, true) == shingles("c + d", 3, true));
    BOOST_TEST(shingles("a + b", 3, true) != shingles("c + c", 3, true));
    std::vector<text_word> words;
    words_of("Add TWO vectors, x1; größe!", words);
    BOOST_TEST(words.size() == 5U);
    BOOST_TEST(words[0].hash == hash_of_bytes("add"));
}

BOOST_AUTO_TEST_CASE(a_plan_finds_what_it_promises) {
    for (const double similar : {0.3, 0.5, 0.7, 0.8, 0.9, 1.0}) {
        const band_plan plan = plan_for(similar);
        BOOST_TEST(1 - std::pow(1 - std::pow(similar, plan.rows), plan.bands) >= 0.999 - 1e-12);
    }
    BOOST_TEST(plan_for(0.8).rows == 7U);
}

// Random sets of a known index share bands as often as the formula says.
BOOST_AUTO_TEST_CASE(bands_agree_as_often_as_the_formula_says) {
    const unsigned seed = std::random_device()();
    BOOST_TEST_MESSAGE("seed " << seed);
    std::mt19937_64 random(seed);
    const band_plan plan{32, 4};
    std::vector<std::uint32_t> minima;
    std::size_t agree = 0;
    constexpr std::size_t pairs = 400, elements = 60;
    for (std::size_t p = 0; p < pairs; ++p) {
        // 40 of 80 elements are shared.
        std::vector<std::uint64_t> a(elements), b;
        for (auto& x : a) x = random();
        b.assign(a.begin(), a.begin() + 40);
        while (b.size() < elements) b.push_back(random());
        std::shuffle(b.begin(), b.end(), random);
        std::vector<std::uint64_t> first(plan.bands), second(plan.bands);
        hash_bands(a, plan, minima, first);
        hash_bands(b, plan, minima, second);
        for (unsigned i = 0; i < plan.bands; ++i) agree += first[i] == second[i];
        make_set(a);
        make_set(b);
        BOOST_TEST(jaccard(a, b) == 0.5);
    }
    // Each band agrees with probability 1/16; sets are what varies, so the deviation is wide.
    BOOST_TEST(static_cast<double>(agree) == pairs * plan.bands / 16.0,
               boost::test_tools::tolerance(0.25));
}

BOOST_AUTO_TEST_CASE(sets_are_sorted_and_hold_each_element_once) {
    const unsigned seed = std::random_device()();
    BOOST_TEST_MESSAGE("seed " << seed);
    std::mt19937_64 random(seed);
    for (const std::size_t size : {0U, 1U, 255U, 256U, 5000U})
        for (const unsigned shift : {0U, 40U, 60U}) {
            std::vector<std::uint64_t> elements(size);
            for (auto& x : elements) x = random() >> shift;
            const std::set<std::uint64_t> expected(elements.begin(), elements.end());
            make_set(elements);
            BOOST_TEST(
                std::equal(elements.begin(), elements.end(), expected.begin(), expected.end()));
        }
    // Texts of every length, so that no byte is left out of a hash.
    std::string text(20, 'a');
    for (std::size_t length = 1; length <= text.size(); ++length)
        for (std::size_t i = 0; i < length; ++i) {
            std::string other = text.substr(0, length);
            other[i] = 'b';
            BOOST_TEST(hash_of_bytes(other) != hash_of_bytes(text.substr(0, length)));
        }
}

BOOST_AUTO_TEST_CASE(stopping_early_changes_no_answer) {
    const unsigned seed = std::random_device()();
    BOOST_TEST_MESSAGE("seed " << seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 3000; ++round) {
        // Small numbers, so that some indices are exactly the threshold.
        std::vector<std::uint64_t> a(random() % 200), b;
        const std::uint64_t range = 1 + random() % 300;
        for (auto& x : a) x = random() % range;
        b = a;
        for (std::size_t n = random() % 60; n > 0; --n) b.push_back(random() % range);
        make_set(a);
        make_set(b);
        for (const double least : {0.5, 0.8, 1.0})
            BOOST_TEST(is_jaccard_at_least(least, a, b) == (jaccard(a, b) >= least));
    }
}

BOOST_AUTO_TEST_CASE(clusters_are_the_components_of_similar_pairs) {
    const unsigned seed = std::random_device()();
    BOOST_TEST_MESSAGE("seed " << seed);
    std::mt19937_64 random(seed);
    std::vector<std::vector<std::uint64_t>> sets;
    for (std::size_t family = 0; family < 300; ++family) {
        std::vector<std::uint64_t> origin(30 + random() % 100);
        for (auto& x : origin) x = random();
        for (std::size_t copies = 1 + random() % 4; copies > 0; --copies) {
            sets.push_back(origin);
            for (std::size_t n = random() % 20; n > 0; --n)
                sets.back()[random() % origin.size()] = random();
        }
    }
    // More than a block of the file, in an order that mixes the families.
    while (sets.size() < 4500) sets.push_back({random(), random(), random()});
    std::shuffle(sets.begin(), sets.end(), random);
    const band_plan plan = plan_for(0.8);
    auto bands = band_file::make(plan);
    BOOST_REQUIRE(bands);
    std::vector<std::uint32_t> minima;
    std::vector<std::uint64_t> row(plan.bands);
    for (const auto& set : sets) {
        hash_bands(set, plan, minima, row);
        BOOST_REQUIRE(bands->append(row));
    }
    disjoint_sets found(sets.size()), expected(sets.size());
    near_options options;
    options.takes_part = [](std::uint32_t) { return true; };
    options.elements = [&](std::uint32_t i, std::vector<std::uint64_t>& out) {
        out = sets[i];
        return status();
    };
    BOOST_REQUIRE(join_near_duplicates(*bands, options, found));
    for (auto& set : sets) make_set(set);
    std::size_t pairs = 0, joined = 0;
    for (std::uint32_t i = 0; i < sets.size(); ++i)
        for (std::uint32_t j = i + 1; j < sets.size(); ++j)
            if (sets[i].size() > 3 && sets[j].size() > 3 && jaccard(sets[i], sets[j]) >= 0.8) {
                expected.join(i, j);
                ++pairs;
                joined += found.root(i) == found.root(j);
            }
    BOOST_TEST(pairs > 50U);
    // Each pair is missed with a probability of 0.001 at most.
    BOOST_TEST(joined + 3 >= pairs);
    // Nothing is joined that is not similar, directly or by others.
    for (std::uint32_t i = 0; i < sets.size(); ++i)
        BOOST_TEST(expected.root(i) == expected.root(found.root(i)));
}

BOOST_AUTO_TEST_CASE(checks_of_a_program) {
    code_tokens code;
    code.read(
        "// SPDX-License-Identifier: MIT OR Apache-2.0\nint a; /* bc */ #define B 1 // no\n"
        "const char* s = \"// no comment\";\n#pragma once // yes\n");
    const auto comments = comments_of(code);
    BOOST_REQUIRE(comments.size() == 4U);
    BOOST_TEST(comments[1] == "/* bc */");
    BOOST_TEST(comments[3] == "// yes");
    code.read("ab // cd");
    BOOST_TEST(comment_share(code) == 4.0 / 6);
    code.read("");
    BOOST_TEST(comment_share(code) == 0.0);
    const std::string token = "ghp_" + std::string(36, 'a');
    BOOST_TEST(secret_in("x = \"" + token + "\";").value_or("") == "ghp_...");
    BOOST_TEST(!secret_in("x = \"ghp_short\";"));
    BOOST_TEST(!secret_in("task-" + std::string(40, 'x')));
    BOOST_TEST(secret_in("-----BEGIN RSA PRIVATE KEY-----\n").has_value());
    BOOST_TEST(!secret_in("-----BEGIN CERTIFICATE-----\n"));
    BOOST_TEST(own_path_in("fopen(\"/home/ann/data.bin\")").value_or("") == "/home/ann/data.bin");
    BOOST_TEST(!own_path_in("https://example.org/home/ann"));
    BOOST_TEST(!own_path_in("a /home/ b"));
    BOOST_TEST(thought_of("<think> so \n</think>\ncode").value_or("?") == "so");
    BOOST_TEST(thought_of("so</think>code").value_or("?") == "so");
    BOOST_TEST(!thought_of("code"));
}

BOOST_AUTO_TEST_SUITE_END()
