// cuset: one name for all tools. "cuset tag ..." runs the program cuset-tag.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cuset/cli/suggestion.h"
#include "cuset_version.h"
#include "sibling_program.h"

namespace {

struct tool {
    std::string_view group, name, summary;
};

// The summaries are those of the tools: a test compares them.
constexpr std::array<tool, 13> tools{{
    {"look at pairs", "tag", "tag the kernels and launches in CUDA code"},
    {"look at pairs", "score", "score a model's confidence in every token of a reply"},
    {"look at pairs", "window", "find where a model is least sure in a kernel"},
    {"look at pairs", "stats", "compare a model's confidence in CUDA code and in the rest"},
    {"look at pairs", "view", "look at a kernel with a model's confidence in it"},
    {"train", "train", "fine-tune a model on tagged pairs with the CuSeT loss"},
    {"train", "merge", "merge a LoRA adapter into its base model"},
    {"judge", "run", "compile and run a CUDA program, and say what is wrong in it"},
    {"judge", "sample", "let a model answer tasks"},
    {"judge", "eval", "compile, run and compare what a model wrote"},
    {"judge", "report", "compare, count and show what was judged"},
    {"judge", "reward", "say what answers are worth to learn from"},
    {"judge", "curate", "make training pairs of answers, and drop bad ones"},
}};

namespace fs = std::filesystem;

std::string program_of(std::string_view name) { return "cuset-" + std::string(name); }

std::string overview() {
    const fs::path folder = cuset::own_folder();
    std::string text = "usage: cuset TOOL [OPTION]... [FILE]...\n";
    std::string_view group;
    for (const tool& t : tools) {
        if (t.group != group) text.append("\n").append(t.group).append(":\n");
        group = t.group;
        std::string line = "  " + std::string(t.name);
        line.resize(10, ' ');
        text += line.append(t.summary);
        std::error_code ignored;
        if (!fs::exists(folder / program_of(t.name), ignored)) text += " (not built here)";
        text += '\n';
    }
    return text +
           "\ncuset TOOL is the program cuset-TOOL: \"cuset tag --help\" lists its options, and "
           "cuset-tag(1) is its\nman page. cuset(7) shows how the tools work together.\n";
}

int complain(const std::string& text) {
    std::fputs(("cuset: " + text + '\n').c_str(), stderr);
    return 2;
}

int print(const std::string& text) {
    const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
    if (!written) std::fprintf(stderr, "cuset: standard output: %s\n", std::strerror(errno));
    return written ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view word = argc > 1 ? argv[1] : "";
    if (word.empty() || word == "--help" || word == "-h" || (word == "help" && argc == 2))
        return print(overview());
    if (word == "--version" || word == "-V")
        return print(std::string("cuset ") + cuset::version_number + '\n');
    // "cuset help tag" is "cuset tag --help".
    const bool asks_for_help = word == "help";
    const std::string name = asks_for_help ? argv[2] : std::string(word);
    std::vector<std::string> known;
    for (const tool& t : tools) known.emplace_back(t.name);
    if (std::find(known.begin(), known.end(), name) == known.end())
        return complain('"' + name + "\" is no tool" + cuset::did_you_mean(name, known) +
                        " (cuset alone lists them)");
    std::vector<std::string> words{program_of(name)};
    if (asks_for_help)
        words.emplace_back("--help");
    else
        words.insert(words.end(), argv + 2, argv + argc);
    std::fprintf(stderr, "cuset: %s\n", cuset::become_sibling(std::move(words)).c_str());
    return 1;
}
