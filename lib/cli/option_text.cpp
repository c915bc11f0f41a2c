#include "option_text.h"

#include <sstream>

namespace cuset {

std::vector<std::string> paragraphs(std::string_view text) {
    std::vector<std::string> all;
    std::istringstream lines{std::string(text)};
    bool is_new = true;
    for (std::string line; std::getline(lines, line); is_new = line.empty()) {
        if (line.empty()) continue;
        if (is_new) all.emplace_back();
        all.back() += (is_new ? "" : " ") + line;
    }
    return all;
}

std::string default_of(const option& o) {
    if (const auto* integer = std::get_if<std::int64_t*>(&o.target))
        return std::to_string(**integer);
    if (const auto* number = std::get_if<double*>(&o.target)) {
        std::ostringstream text;
        text << **number;
        return text.str();
    }
    if (const auto* text = std::get_if<std::string*>(&o.target)) return **text == "-" ? "" : **text;
    return "";
}

std::vector<option> all_options(const program& p) {
    static bool flag = false;
    std::vector<option> options = p.options;
    options.push_back({'h', "", "", "Show the options, a line each.", &flag});
    options.push_back({0, "help", "", "Show what the tool does and all of its options.", &flag});
    options.push_back({0, "version", "", "Show the version.", &flag});
    options.push_back(
        {'V', "", "", "Show the version, and the versions of libraries and devices.", &flag});
    return options;
}

std::string full_help(const option& o) {
    std::string text = o.help;
    if (const word_list* words = o.words()) {
        text += " One of ";
        for (std::size_t i = 0; i < words->size(); ++i)
            text += (i == 0 ? "" : i + 1 == words->size() ? " or " : ", ") + (*words)[i];
        text += '.';
    }
    if (const std::string d = default_of(o); !d.empty()) text += " Default: " + d + '.';
    for (const std::string& alias : o.aliases)
        text += (&alias == o.aliases.data() ? " Also --" : " or --") + alias;
    if (!o.aliases.empty()) text += '.';
    return text;
}

std::string first_sentence(const std::string& help) {
    // A full stop inside a name (.zst) or inside parentheses does not end the sentence.
    int depth = 0;
    for (std::size_t i = 0; i < help.size(); ++i) {
        depth += (help[i] == '(') - (help[i] == ')');
        const bool ends_word = i + 1 == help.size() || help[i + 1] == ' ';
        if (depth == 0 && ends_word && std::string_view(".:;").find(help[i]) != std::string::npos)
            return help.substr(0, i);
    }
    return help;
}

std::string usage(const program& p) {
    return p.name + " [OPTION]..." + (p.files ? ' ' + p.operands : "");
}

}  // namespace cuset
