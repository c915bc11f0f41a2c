// Makes man page and completions from the option table.
#include <algorithm>
#include <cctype>

#include "cuset/cli/option_table.h"
#include "option_text.h"

namespace cuset {
namespace {

// Escapes the characters that have a meaning in roff.
std::string roff(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
            out += "\\&";
            out += c;
        } else {
            out += c;
        }
    }
    return out;
}

// The text with its words in capitals, which stand for others, in italics.
std::string italic_words(std::string_view text) {
    std::string out;
    bool is_word = false;
    for (const char c : text) {
        const bool is_capital = c >= 'A' && c <= 'Z';
        if (is_capital != is_word) out += is_capital ? "\\fI" : "\\fR";
        is_word = is_capital;
        out += c == '-' ? std::string("\\-") : std::string(1, c);
    }
    return is_word ? out + "\\fR" : out;
}

std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

// Quotes a text with the single quotes of bash, zsh and fish.
std::string single_quoted(std::string_view text, std::string_view escaped_quote) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += escaped_quote;
        } else {
            out += c;
        }
    }
    return out + "'";
}

std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& word : words) out += (out.empty() ? "" : " ") + word;
    return out;
}

std::string function_name(const program& p) {
    std::string name = '_' + p.name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

}  // namespace

std::string man_page(const program& p) {
    std::string out = ".TH " + upper(p.name) + " 1 \"\" \"cuset " + p.version + "\" \"cuset\"\n";
    out += ".SH NAME\n" + roff(p.name) + " \\- " + roff(p.summary) + '\n';
    out += ".SH SYNOPSIS\n.B " + roff(p.name) + "\n[\\fIOPTION\\fR]...";
    out += p.files ? ' ' + italic_words(p.operands) + '\n' : "\n";
    out += ".SH DESCRIPTION\n";
    for (std::size_t i = 0; i < p.description.size(); ++i)
        out += (i ? ".PP\n" : "") + roff(p.description[i]) + '\n';
    out += ".SH OPTIONS\n";
    for (const option& o : all_options(p)) {
        out += ".TP\n";
        if (o.letter) out += std::string("\\fB\\-") + o.letter + "\\fR";
        if (o.letter && !o.name.empty()) out += ", ";
        if (!o.name.empty()) out += "\\fB\\-\\-" + roff(o.name) + "\\fR";
        if (!o.metavar.empty()) out += "=\\fI" + roff(o.metavar) + "\\fR";
        out += '\n' + roff(full_help(o)) + '\n';
    }
    out += ".SH EXIT STATUS\n";
    for (const auto& e : p.exit_codes)
        out += ".TP\n.B " + std::to_string(e.code) + '\n' + roff(e.meaning) + '\n';
    if (!p.environment.empty()) out += ".SH ENVIRONMENT\n";
    for (const auto& [name, meaning] : p.environment)
        out += ".TP\n.B " + name + '\n' + roff(meaning) + '\n';
    if (!p.examples.empty()) out += ".SH EXAMPLES\n";
    for (const auto& e : p.examples)
        out += ".PP\n" + roff(e.meaning) + "\n.PP\n.EX\n" + roff(e.command) + "\n.EE\n";
    if (!p.see_also.empty()) {
        out += ".SH SEE ALSO\n";
        for (const std::string& page : p.see_also) {
            const std::size_t section = std::min(page.find('('), page.size());
            out += ".BR " + roff(page.substr(0, section)) + ' ' +
                   (section < page.size() ? page.substr(section) : "(1)") +
                   (&page == &p.see_also.back() ? "\n" : " ,\n");
        }
    }
    return out;
}

std::string bash_completion(const program& p) {
    std::string words;
    std::string cases;
    for (const option& o : all_options(p)) {
        std::string pattern;
        if (o.letter) {
            words += std::string(" -") + o.letter;
            pattern = std::string("-") + o.letter;
        }
        if (!o.name.empty()) {
            words += " --" + o.name;
            pattern += (pattern.empty() ? "--" : "|--") + o.name;
        }
        if (o.metavar.empty()) continue;
        cases += "        " + pattern + ") ";
        if (const word_list* choices = o.words()) {
            cases += "mapfile -t COMPREPLY < <(compgen -W '" + joined(*choices) + "' -- \"$word\")";
        } else if (o.is_path(value_kind::file)) {
            cases += "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")";
        } else if (o.is_path(value_kind::folder)) {
            cases += "mapfile -t COMPREPLY < <(compgen -d -- \"$word\")";
        } else {
            cases += "COMPREPLY=()";
        }
        cases += "; return ;;\n";
    }
    const std::string function = function_name(p);
    return "# bash completion for " + p.name + "; generated by " + p.name + " --generate=bash\n" +
           function +
           "() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    if [[ $word == = ]]; then word=; fi\n"
           "    if [[ $previous == = && COMP_CWORD -gt 1 ]]; then "
           "previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    case $previous in\n" +
           cases +
           "    esac\n"
           "    if [[ $word == -* ]]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W '" +
           words.substr(1) +
           "' -- \"$word\")\n"
           "    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F " +
           function + ' ' + p.name + '\n';
}

std::string zsh_completion(const program& p) {
    std::string out = "#compdef " + p.name + "\n# generated by " + p.name + " --generate=zsh\n" +
                      "_arguments -s -S \\\n";
    for (const option& o : all_options(p)) {
        std::string help = first_sentence(o.help);
        for (const char special : {'[', ']'})
            for (std::size_t at = 0; (at = help.find(special, at)) != std::string::npos; at += 2)
                help.insert(at, 1, '\\');
        std::string value;
        if (!o.metavar.empty()) {
            value = ":" + o.metavar + ":";
            if (const word_list* choices = o.words()) {
                value += "(" + joined(*choices) + ")";
            } else if (o.is_path(value_kind::file)) {
                value += "_files";
            } else if (o.is_path(value_kind::folder)) {
                value += "_files -/";
            }
        }
        if (o.letter)
            out += "    " +
                   single_quoted(std::string("-") + o.letter + (value.empty() ? "" : "+") + "[" +
                                     help + "]" + value,
                                 "'\\''") +
                   " \\\n";
        if (!o.name.empty())
            out +=
                "    " +
                single_quoted("--" + o.name + (value.empty() ? "" : "=") + "[" + help + "]" + value,
                              "'\\''") +
                " \\\n";
    }
    return out + (p.files ? "    '*:file:_files'\n" : "    ':'\n");
}

std::string fish_completion(const program& p) {
    std::string out =
        "# fish completion for " + p.name + "; generated by " + p.name + " --generate=fish\n";
    for (const option& o : all_options(p)) {
        out += "complete -c " + p.name;
        if (o.letter) out += std::string(" -s ") + o.letter;
        if (!o.name.empty()) out += " -l " + o.name;
        if (const word_list* choices = o.words()) {
            out += " -x -a " + single_quoted(joined(*choices), "\\'");
        } else if (o.is_path(value_kind::folder)) {
            out += " -x -a '(__fish_complete_directories)'";
        } else if (!o.metavar.empty()) {
            out += o.is_path(value_kind::file) ? " -r" : " -x";
        }
        out += " -d " + single_quoted(first_sentence(o.help), "\\'") + '\n';
    }
    return out;
}

}  // namespace cuset
