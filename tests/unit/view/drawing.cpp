// What reaches a terminal or a page, for any content of the record.
#include <boost/test/unit_test.hpp>
#include <clocale>
#include <cmath>
#include <set>

#include "cuset/view/html_page.h"
#include "cuset/view/terminal_view.h"
#include "glyphs.h"
#include "texts.h"

using namespace cuset;

namespace {

using rgb = std::array<double, 3>;

rgb linear(std::uint32_t color) {
    rgb out{};
    for (std::size_t i = 0; i < 3; ++i) {
        const double c = (color >> (16 - 8 * i) & 0xFF) / 255.0;
        out[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }
    return out;
}
// Relative luminance and contrast of WCAG 2.
double luminance(const rgb& c) { return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; }
double contrast(double a, double b) { return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05); }

// Dichromats' view of linear colours (Viénot, Brettel and Mollon 1999, severity 1, as Machado,
// Oliveira and Fernandes 2009 tabulate it).
using matrix = std::array<rgb, 3>;
constexpr matrix normal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr matrix protan{{{0.152286, 1.052583, -0.204868},
                         {0.114503, 0.786281, 0.099216},
                         {-0.003882, -0.048116, 1.051998}}};
constexpr matrix deutan{{{0.367322, 0.860646, -0.227968},
                         {0.280085, 0.672501, 0.047413},
                         {-0.011820, 0.042940, 0.968881}}};
constexpr matrix tritan{{{1.255528, -0.076749, -0.178779},
                         {-0.078411, 0.930809, 0.147602},
                         {0.004733, 0.691367, 0.303900}}};
double luminance_for(const matrix& eye, std::uint32_t color) {
    const rgb c = linear(color);
    rgb seen{};
    for (std::size_t i = 0; i < 3; ++i)
        seen[i] = std::clamp(eye[i][0] * c[0] + eye[i][1] * c[1] + eye[i][2] * c[2], 0.0, 1.0);
    return luminance(seen);
}

// xterm's colours 16 to 255.
std::uint32_t xterm(unsigned index) {
    if (index >= 232) return 0x010101U * (8 + 10 * (index - 232));
    constexpr std::array<std::uint32_t, 6> level{0, 95, 135, 175, 215, 255};
    index -= 16;
    return level[index / 36] << 16 | level[index / 6 % 6] << 8 | level[index % 6];
}

std::string safe(std::string_view text) { return safe_text(text, glyph_reader()); }

}  // namespace

BOOST_AUTO_TEST_CASE(every_eye_can_order_and_read_the_shades) {
    const auto check = [](const auto& shades, background b, const char* name) {
        for (const bool is_indexed : {false, true}) {
            for (const matrix& eye : {normal, protan, deutan, tritan}) {
                double last = b == background::dark ? 0 : 1;
                for (const shade& s : shades) {
                    const std::uint32_t color = is_indexed ? xterm(s.indexed) : s.color;
                    const double now = luminance_for(eye, color);
                    BOOST_TEST_CONTEXT(name << " indexed " << is_indexed << " color " << std::hex
                                            << color) {
                        // Away from the background, by a step that can be seen.
                        BOOST_TEST((b == background::dark ? now > last : now < last));
                        BOOST_TEST(contrast(now, last) >= 1.05);
                    }
                    last = now;
                }
            }
            for (const shade& s : shades) {
                const double back = luminance(linear(is_indexed ? xterm(s.indexed) : s.color));
                BOOST_TEST(contrast(back, s.has_dark_text ? 0 : 1) >= 4.5);  // WCAG AA
            }
        }
    };
    for (const background b : {background::dark, background::light}) {
        check(confidence_shades(b), b, "confidence");
        check(rise_shades(b), b, "rise");
        check(fall_shades(b), b, "fall");
    }
}

BOOST_AUTO_TEST_CASE(roles_can_be_read_and_told_apart) {
    std::set<char> letters;
    for (std::size_t i = 0; i < token_roles; ++i) {
        letters.insert(letter_of(static_cast<token_role>(i)));
        for (const background b : {background::dark, background::light}) {
            const ink& shown = role_inks(b)[i];
            BOOST_TEST(shown.color == xterm(shown.indexed));
            const std::uint32_t page = b == background::dark ? 0x14141b : 0xffffff;
            // WCAG AA for text.
            BOOST_TEST(contrast(luminance(linear(shown.color)), luminance(linear(page))) >= 4.5);
        }
    }
    BOOST_TEST(letters.size() == token_roles);
}

BOOST_AUTO_TEST_CASE(steps_at_their_edges) {
    BOOST_TEST(confidence_step(1) == 0);
    BOOST_TEST(confidence_step(0.9) == 0);
    BOOST_TEST(confidence_step(0.899999) == 1);
    BOOST_TEST(confidence_step(0.1) == 4);
    BOOST_TEST(confidence_step(0.0999999) == 5);
    BOOST_TEST(confidence_step(0) == 6);
    BOOST_TEST(change_step(0.5, 0.54) == 0);
    BOOST_TEST(change_step(0.25, 0.75) == 3);
    BOOST_TEST(change_step(0.75, 0.5) == -2);
}

BOOST_AUTO_TEST_CASE(nothing_is_an_order_to_the_terminal) {
    BOOST_TEST(safe("\x1b[31m\a") == "␛[31m␇");
    BOOST_TEST(safe(std::string_view("\0\r\x7f", 3)) == "␀␍␡");
    BOOST_TEST(safe("\u009b31m") == "<U+009B>31m");  // a control sequence in one character
    BOOST_TEST(safe("a\u202eb\u2066c\u200d\u2028") == "a<U+202E>b<U+2066>c<U+200D><U+2028>");
    BOOST_TEST(safe("\xF3\xA0\x81\x81") == "<U+E0041>");
    BOOST_TEST(safe("é漢😀") == "é漢😀");
    const glyph_reader reader;
    const auto columns = [&](std::string_view text, std::size_t column = 0) {
        std::size_t at = 0;
        return reader.next(text, at, column).columns;
    };
    BOOST_TEST(columns("a") == 1);
    BOOST_TEST(columns("é") == 1);
    BOOST_TEST(columns("漢") == 2);
    BOOST_TEST(columns("😀") == 2);
    BOOST_TEST(columns("\u0301") == 0);
    BOOST_TEST(columns("\t") == 4);
    BOOST_TEST(columns("\t", 3) == 1);
}

BOOST_AUTO_TEST_CASE(locale_is_as_it_was) {
    const locale_t before = ::uselocale(nullptr);
    { const glyph_reader reader; }
    BOOST_TEST((::uselocale(nullptr) == before));
}

BOOST_AUTO_TEST_CASE(random_texts_are_drawn_safely) {
    const std::uint32_t seed = 20261123;
    BOOST_TEST_MESSAGE("seed " << seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 1000; ++round) {
        scored_text text = test::random_text(random);
        if (random() % 2 != 0) {
            text.after = text.confidence;
            std::shuffle(text.after.begin(), text.after.end(), random);
        }
        const std::size_t from = text.response.empty() ? 0 : random() % text.response.size();
        text.spans = {{"kernel", "\x1bk<", from, text.response.size()}};
        for (std::size_t at = 0; at < text.response.size();) {
            const std::size_t end =
                std::min<std::size_t>(text.response.size(), at + 1 + random() % 9);
            text.roles.push_back({static_cast<token_role>(random() % token_roles), at, end});
            at = end + random() % 4;
        }
        terminal_style style{.width = random() % 3 == 0 ? 0 : 10 + random() % 60};
        std::string out;
        append_view(text, style, out);
        for (const char c : out) BOOST_REQUIRE(c == '\n' || (c >= 0x20 || c < 0));
        BOOST_REQUIRE(out.find("\u202e") == out.npos && out.find("\u009b") == out.npos);
        // In colour: the same text, with codes of our own form around it.
        style.colors = random() % 2 != 0 ? color_depth::direct : color_depth::indexed;
        std::string colored, plain;
        append_view(text, style, colored);
        for (std::size_t i = 0; i < colored.size(); ++i) {
            if (colored[i] != '\x1b') {
                plain += colored[i];
                continue;
            }
            const std::size_t end = colored.find('m', i);
            BOOST_REQUIRE(colored[i + 1] == '[' && end != colored.npos);
            BOOST_REQUIRE(colored.find_first_not_of("0123456789;", i + 2) == end);
            i = end;
        }
        // But for the blank that a coloured newline is.
        std::erase(plain, ' ');
        std::erase(out, ' ');
        if (style.width == 0 && text.window.first == text.window.last)
            BOOST_REQUIRE_EQUAL(plain, out);

        std::string page;
        append_sample(text, style.context, page);
        // Its own four tags, and no other.
        std::size_t tags = 0;
        for (const char c : page) tags += c == '<';
        BOOST_REQUIRE_EQUAL(tags, 4U);
        for (const char c : page) BOOST_REQUIRE(c == '\n' || c >= 0x20 || c < 0);
    }
}

BOOST_AUTO_TEST_CASE(page_is_whole) {
    const std::string page = page_begin({}) + std::string(page_end());
    BOOST_TEST(page.starts_with("<!doctype html>"));
    BOOST_TEST(page.ends_with("</html>\n"));
    for (const char* mark : {"/* page.css */", "/* page.js */", "{\"settings\":0}", "<!-- samples"})
        BOOST_TEST(page.find(mark) == page.npos);
    BOOST_TEST(page.find("http://www.w3.org/2000/svg") != page.npos);
    BOOST_TEST(page.find("</script>") != page.npos);
}
