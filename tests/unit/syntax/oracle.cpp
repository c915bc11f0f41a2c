// Compares the tagger with a scanner that shares nothing with it: character by character, slow.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <iterator>

#include "marked.h"

using cuset::code_span;
using cuset::span_kind;

namespace {

// Replaces dead text (comments, literals, #if 0) by blanks, so that offsets stay. Handles no #else
// of constant conditions and no splices: for plain files only.
std::string blank_dead_text(const std::string& text) {
    std::string out = text;
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to && i < out.size(); ++i) {
            if (out[i] != '\n') out[i] = ' ';
        }
    };
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (text.compare(i, 2, "//") == 0) {
            end = std::min(text.find('\n', i), text.size());
            blank(i, end);
        } else if (text.compare(i, 2, "/*") == 0) {
            end = text.find("*/", i + 2);
            end = end == text.npos ? text.size() : end + 2;
            blank(i, end);
        } else if (text.compare(i, 2, "R\"") == 0) {
            const std::size_t open = std::min(text.find('(', i), text.size());
            const std::string close = ")" + text.substr(i + 2, open - i - 2) + "\"";
            end = text.find(close, i);
            end = end == text.npos ? text.size() : end + close.size();
            blank(i, end);
        } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !std::isalnum(text[i - 1])))) {
            while (end < text.size() && text[end] != text[i] && text[end] != '\n') {
                end += text[end] == '\\' ? 2U : 1U;
            }
            ++end;
            blank(i, end);
        } else if (text.compare(i, 5, "#if 0") == 0) {
            end = std::min(text.find("#endif", i), text.size());
            blank(i, end);
        } else if (text.compare(i, 8, "#include") == 0 || text.compare(i, 7, "#pragma") == 0) {
            end = std::min(text.find('\n', i), text.size());
            blank(i, end);
        }
        i = end;
    }
    return out;
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string name_before(const std::string& s, std::size_t end) {
    int angles = 0;
    while (end > 0 && (std::isspace(static_cast<unsigned char>(s[end - 1])) != 0 || angles > 0 ||
                       s[end - 1] == '>')) {
        if (s[end - 1] == '>') ++angles;
        if (s[end - 1] == '<') --angles;
        --end;
    }
    std::size_t begin = end;
    while (begin > 0 && (is_name(s[begin - 1]) || s[begin - 1] == '#')) --begin;
    return s.substr(begin, end - begin);
}

// The span of the bracket at `open` and its partner.
std::size_t after_partner(const std::string& s, std::size_t open, char left, char right) {
    int depth = 0;
    for (std::size_t i = open; i < s.size(); ++i) {
        if (s[i] == left) ++depth;
        if (s[i] == right && --depth == 0) return i + 1;
    }
    return s.size();
}

// The beginnings of the heads: `__global__`, and each use of a macro that stands for it, such as
// `#define KERNEL extern "C" __global__ void`.
std::vector<std::size_t> find_heads(const std::string& s) {
    std::vector<std::size_t> heads;
    std::vector<std::string> macros = {"__global__"};
    for (std::size_t m = 0; m < macros.size(); ++m) {
        const std::string w = macros[m];
        for (std::size_t i = 0; (i = s.find(w, i)) != s.npos; i += w.size()) {
            if ((i > 0 && is_name(s[i - 1])) || is_name(s[i + w.size()])) continue;
            const std::string line =
                s.substr(s.rfind('\n', i) + 1, s.find('\n', i) - s.rfind('\n', i));
            const bool stands_for =
                line.starts_with("#define ") && line.find_first_of("({\\") == line.npos;
            if (!stands_for) {
                heads.push_back(i);
            } else if (m == 0) {
                macros.push_back(line.substr(8, line.find(' ', 8) - 8));
            }
        }
    }
    return heads;
}

std::vector<code_span> scan(const std::string& text) {
    const std::string s = blank_dead_text(text);
    std::vector<code_span> spans;
    for (const std::size_t i : find_heads(s)) {
        std::size_t open = i;
        std::size_t parameters = s.npos;
        while ((open = s.find_first_of("({;", open)) != s.npos && s[open] == '(') {
            if (name_before(s, open) != "__launch_bounds__") parameters = open;
            open = after_partner(s, open, '(', ')');
        }
        if (open == s.npos || s[open] == ';') continue;
        spans.push_back({span_kind::kernel, name_before(s, parameters), open,
                         after_partner(s, open, '{', '}')});
    }
    for (std::size_t i = 0; (i = s.find("<<<", i)) != s.npos; i += 3) {
        const std::size_t end = s.find(">>>", i);
        if (end == s.npos) continue;
        spans.push_back({span_kind::launch, name_before(s, i), i, end + 3});
    }
    for (const std::string function :
         {"cudaLaunchKernel", "cudaLaunchKernelEx", "cudaLaunchKernelExC",
          "cudaLaunchCooperativeKernel", "hipLaunchKernelGGL", "cuLaunchKernel"}) {
        for (std::size_t i = 0; (i = s.find(function + "(", i)) != s.npos; ++i) {
            if (i > 0 && is_name(s[i - 1])) continue;
            const std::size_t open = i + function.size();
            std::size_t first = open + 1;
            if (function.find("Ex") != function.npos) first = s.find(',', first) + 1;
            std::size_t name_end = s.find_first_of(",", first);
            while (name_end > 0 && !is_name(s[name_end - 1]) && s[name_end - 1] != '>') --name_end;
            spans.push_back(
                {span_kind::launch, name_before(s, name_end), i, after_partner(s, open, '(', ')')});
        }
    }
    std::ranges::sort(spans, {}, &code_span::begin);
    return spans;
}

// The string values of `field` in a file of JSON Lines. It reads enough of JSON for our own files.
std::vector<std::string> read_field(const std::string& path, const std::string& field) {
    std::vector<std::string> values;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        std::size_t i = line.find("\"" + field + "\":");
        if (i == line.npos) continue;
        i = line.find('"', i + field.size() + 3) + 1;
        std::string value;
        while (i < line.size() && line[i] != '"') {
            if (line[i] != '\\') {
                value += line[i++];
                continue;
            }
            const char c = line[i + 1];
            i += 2;
            if (c == 'u') {
                const auto point =
                    static_cast<unsigned>(std::stoul(line.substr(i, 4), nullptr, 16));
                i += 4;
                if (point < 0x80) {
                    value += static_cast<char>(point);
                } else {  // one byte is as good as the two or three that UTF-8 takes
                    value += point < 0x800 ? "\xC3\xA9" : "\xE2\x80\x94";
                }
            } else {
                value += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
            }
        }
        values.push_back(std::move(value));
    }
    return values;
}

void compare_all(const std::string& path, const std::string& field, std::size_t least) {
    const std::vector<std::string> texts = read_field(path, field);
    BOOST_TEST_REQUIRE(texts.size() >= least, path << ": only " << texts.size() << " texts");
    cuset::tagger tagger;
    std::size_t spans = 0, launches = 0;
    for (const std::string& text : texts) {
        const std::vector<code_span> expected = scan(text);
        const cuset::tagging found = tagger.tag(text);
        BOOST_CHECK_MESSAGE(found.spans == expected,
                            text << "\nscanner:" << cuset_test::show(expected, text)
                                 << "\ntagger:" << cuset_test::show(found.spans, text));
        spans += found.spans.size();
        for (const code_span& s : found.spans) launches += s.kind == span_kind::launch ? 1 : 0;
    }
    BOOST_TEST_MESSAGE(path << ": " << texts.size() << " texts, " << spans << " spans");
    BOOST_TEST(launches >= texts.size() / 2);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(against_a_plain_scanner)

// Disabled by default: ../CMakeLists.txt makes it a ctest of its own, skipped without the data.
BOOST_AUTO_TEST_CASE(cudabench, *boost::unit_test::disabled()) {
    compare_all(CUSET_SOURCE_DIR "/../shared/data/cudabench/cudabench-100.jsonl", "bench.cu", 100);
}

BOOST_AUTO_TEST_CASE(example_pairs) {
    compare_all(CUSET_SOURCE_DIR "/examples/pairs.jsonl", "response", 24);
}

BOOST_AUTO_TEST_SUITE_END()
