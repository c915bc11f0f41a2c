// Makes the texts of -h and --help from the option table.
#include <algorithm>
#include <sstream>

#include "cuset/cli/option_table.h"
#include "option_text.h"

namespace cuset {
namespace {

constexpr std::size_t help_column = 26;
constexpr std::size_t short_help_column = 29;

// Breaks a text between words. Its first line begins in column `indent`, and so do the others.
std::string wrap(std::string_view text, std::size_t indent, std::size_t width) {
    std::string out;
    std::size_t column = indent;
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
        const bool starts_line = column == indent && (out.empty() || out.back() == ' ');
        if (!starts_line && column + 1 + word.size() > width) {
            out += '\n' + std::string(indent, ' ');
            column = indent;
        } else if (!starts_line) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out + '\n';
}

std::string left_column(const option& o) {
    std::string left = o.letter ? std::string("  -") + o.letter : "    ";
    if (!o.name.empty()) left += (o.letter ? ", --" : "  --") + o.name;
    if (!o.metavar.empty()) left += '=' + o.metavar;
    return left;
}

// The beginning of a text, up to a word's end, with dots where something is left out.
std::string shortened(const std::string& text, std::size_t width) {
    constexpr std::string_view dots = " ...";
    if (text.size() <= width) return text;
    const std::size_t room = width > dots.size() ? width - dots.size() : 0;
    const std::size_t blank = text.rfind(' ', room);
    return text.substr(0, blank == std::string::npos ? 0 : blank) + std::string(dots);
}

// What an option does, in a few words: the first sentence, or the words that it accepts where the
// help explains one after the other.
std::string brief(const option& o) {
    std::string sentence = first_sentence(o.help);
    const word_list* words = o.words();
    if (!words || std::find(words->begin(), words->end(), sentence) == words->end())
        return sentence;
    sentence.clear();
    for (const std::string& word : *words) sentence += (sentence.empty() ? "" : " | ") + word;
    return sentence;
}

}  // namespace

std::string short_help_text(const program& p, std::size_t width) {
    std::string out = "usage: " + usage(p) + '\n' + p.name + ": " + p.summary + "\n\n";
    for (const option& o : all_options(p)) {
        std::string line = left_column(o);
        line.resize(std::max(short_help_column, line.size() + 2), ' ');
        const std::string value = default_of(o);
        const std::string tail = value.empty() ? "" : " [" + value + ']';
        const std::size_t taken = line.size() + tail.size();
        out += line + shortened(brief(o), width > taken ? width - taken : 0) + tail + '\n';
    }
    if (!p.examples.empty()) out += "\n  " + p.examples.front().command + '\n';
    return out + '\n' +
           wrap(p.name +
                    " --help tells more of each option; the values in brackets are the "
                    "defaults.",
                0, width);
}

std::string help_text(const program& p, std::size_t width) {
    std::string out = "usage: " + usage(p) + "\n\n";
    for (const auto& text : p.description) out += wrap(text, 0, width) + '\n';
    out += "options:\n";
    for (const option& o : all_options(p)) {
        const std::string left = left_column(o);
        if (left.size() + 2 > help_column) {
            out += left + '\n' + std::string(help_column, ' ');
        } else {
            out += left + std::string(help_column - left.size(), ' ');
        }
        out += wrap(full_help(o), help_column, width);
    }
    if (!p.examples.empty()) out += "\nexamples:\n";
    for (const auto& e : p.examples) out += "  " + e.command + "\n      " + e.meaning + '\n';
    return out;
}

}  // namespace cuset
