#include "flags.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cuset/cli/suggestion.h"
#include "cuset/stream/library_versions.h"
#include "tool.h"

namespace cuset {
namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

color_depth chosen_depth(const view_flags& flags) {
    if (flags.color == "never") return color_depth::none;
    if (flags.color == "auto" && (!is_on_terminal(flags) || !variable("NO_COLOR").empty() ||
                                  variable("TERM").empty() || variable("TERM") == "dumb"))
        return color_depth::none;
    const auto colors = variable("COLORTERM");
    const bool is_direct =
        colors == "truecolor" || colors == "24bit" || variable("TERM").ends_with("-direct");
    return is_direct ? color_depth::direct : color_depth::indexed;
}

background chosen_background(const view_flags& flags) {
    if (flags.theme != "auto") return flags.theme == "light" ? background::light : background::dark;
    // COLORFGBG is "FOREGROUND;BACKGROUND" in numbers of the sixteen colours, if the terminal sets
    // it.
    const auto told = variable("COLORFGBG");
    const auto number =
        told.substr(told.rfind(';') == told.npos ? told.size() : told.rfind(';') + 1);
    const bool is_light = number == "7" || number == "15";
    return is_light ? background::light : background::dark;
}

std::size_t chosen_width(const view_flags& flags) {
    if (flags.width > 0) return static_cast<std::size_t>(flags.width);
    winsize size{};
    if (is_on_terminal(flags) && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
    return 0;
}

}  // namespace

program describe(view_flags& flags) {
    program p = new_program("cuset-view", "look at a kernel with a model's confidence in it");
    p.description = paragraphs(R"(
Reads pairs with token confidences (from cuset-score) and shows each response. The background of a
token is stronger the lower its confidence; from 0.9 on there is none. Before each line stand its
number, its confidence as a sparkline (one column a token, eight at most; each value is the mean
of --smooth tokens), and marks of the kernels (┃) and launches (») that it lies in, where
cuset-tag has found them. A frame holds the window of tokens with the lowest mean confidence, as
cuset-window's table has it, or the record's own (cuset-window --records, which counts windows that
the ends clip, too); its arrows stand where the window begins and ends. ▯ is a token of the chat template, which has no
text.

With --roles a row under the code tells what tokens are for: a role's first letter stands where a
run of its tokens begins, and a line under the rest of the run, in every mode of colours. A legend
comes first. On the page such tokens are underlined, and a button for each role switches its lines
off and on.

Colours need a terminal that has them, or --color=always. Lines are wrapped at the terminal's
width; elsewhere they are never wrapped. The colours differ in lightness, so that their order is
also visible without seeing hues. Control characters of a response are shown as pictures (␛) or
names (<U+202E>); none reaches the terminal. There is no pager: pipe into less -R with
--color=always.

With --html the tool writes one page that needs no network. The page has a list of the samples to
filter and sort, the code with each token's probability and its rank among all tokens of the page,
and the curve of the confidence. It follows light and dark schemes, and works with pointer and
keyboard.

With --compare, FILEs are the same pairs scored by two models, before and after. Colours then show
where the confidence rose and fell, and a column has the mean change of each line. Pairs are
matched by id; those without a partner are left out, and a note says how many. The frame is the
hardest window before.

The tool works on one thread and holds one record at a time. With --hardest N it holds N kernels
with their records, with --compare those that wait for their partner.
)");
    p.options = {
        {0, "id", "ID", "Only the record with this id.", &flags.id},
        {0, "hardest", "N",
         "Only the N kernels whose windows have the lowest means, the hardest first, as "
         "cuset-window --within kernel --top N ranks them; 0 takes all records, in the order of "
         "the input.",
         &flags.hardest, between(0, 1'000'000'000)},
        {0, "within", "PLACE",
         "What --hardest ranks. kernel: each kernel alone, over the tokens that have bytes in it; "
         "a kernel of fewer tokens than the window's is one window. response: whole records.",
         &flags.within, one_of("kernel", "response")},
        {0, "context", "N",
         "Show N lines before and after the window alone, and count those left out; -1 shows all, "
         "and of a kernel of --hardest that kernel. (On the page, the lines left out unfold.)",
         &flags.context, between(-1, 1'000'000'000)},
        {0, "size", "N",
         "Tokens in the window; 0 takes the window of the record (from cuset-window --records), "
         "or 256 if it has none, or with --clipped or --comments drop.",
         &flags.size, between(0, 1'000'000'000)},
        {0, "clipped", "",
         "Counts the windows that the ends of a response clip, too, as cuset-window --clipped and "
         "training do.",
         &flags.clipped},
        {0, "comments", "USE",
         "With drop, windows are those of the other tokens, as if the response had no comments; "
         "records need roles (cuset-tag --roles).",
         &flags.comments, one_of("keep", "drop")},
        {0, "roles", "LIST",
         "Show what tokens are for, where cuset-tag --roles has told: all, or some of index, "
         "bound, "
         "memory, sync, launch, transfer, arithmetic, host and comment, separated by commas.",
         &flags.roles},
        {0, "smooth", "N",
         "Each value of the sparkline and of the page's curve is the mean of N tokens.",
         &flags.smooth, between(1, 1'000'000'000)},
        {0, "html", "FILE",
         "Write a page to FILE (- is standard output) instead of text: to a temporary file first, "
         "renamed when it is whole.",
         &flags.html, value_kind::file},
        {0, "compare", "",
         "Read two FILEs, the same pairs scored before and after, and show what changed.",
         &flags.compare},
        {0, "color", "WHEN",
         "When to use colours: auto uses them on a terminal, unless NO_COLOR is set or TERM is "
         "dumb.",
         &flags.color, one_of("auto", "always", "never")},
        {0, "theme", "THEME",
         "The terminal's background; auto reads COLORFGBG, and takes dark if that is not set. "
         "(The page follows the browser, and has a switch.)",
         &flags.theme, one_of("auto", "dark", "light")},
        {0, "width", "N",
         "Wrap lines at N columns; 0 takes the terminal's width, and wraps nothing elsewhere.",
         &flags.width, between(0, 100'000)},
    };
    add_field_flags(p, flags.fields);
    add_stream_flags(p, flags.stream);
    p.environment.emplace_back(
        "NO_COLOR", "If it is not empty, there are no colours, unless --color says otherwise.");
    p.environment.emplace_back("COLORTERM",
                               "truecolor or 24bit gives 24-bit colours; anything else 256.");
    p.environment.emplace_back("COLORFGBG", "Whether the terminal is light, for --theme=auto.");
    p.build_details = stream_library_versions;
    p.examples = {
        {"cuset-tag pairs.jsonl | cuset-score | cuset-view --hardest 3 --color=always | less -R",
         "The three hardest kernels, in a pager."},
        {"cuset-tag scored.jsonl.zst | cuset-view --hardest 5 --size 32 --context 2",
         "The hardest 32 tokens of five kernels, with two lines around them."},
        {"cuset-view --size 32 scored.jsonl.zst", "Frame shorter windows."},
        {"cuset-tag --roles scored.jsonl.zst | cuset-view --roles index,bound",
         "Mark the tokens that compute indices and guard accesses."},
        {"cuset-view --html page.html scored.jsonl.zst && ls -l page.html",
         "A page to look at in a browser."},
        {"cuset-view --compare scored.jsonl.zst after.jsonl.zst",
         "Show what training has changed, token by token."},
    };
    p.see_also = {"cuset-tag", "cuset-score", "cuset-window"};
    return p;
}

result<role_set> chosen_roles(const view_flags& flags) {
    role_set roles;
    if (flags.roles == "all") return roles.set();
    for (std::size_t begin = 0; begin < flags.roles.size();) {
        const std::size_t end = std::min(flags.roles.find(',', begin), flags.roles.size());
        const std::string name = flags.roles.substr(begin, end - begin);
        begin = end + 1;
        if (const auto role = role_of_name(name)) {
            roles.set(static_cast<std::size_t>(*role));
            continue;
        }
        word_list names(role_names.begin(), role_names.end());
        names.emplace_back("all");
        return usage_error("--roles: '" + name + "' is no role" + did_you_mean(name, names));
    }
    return roles;
}

status check(const view_flags& flags) {
    if (flags.compare && flags.stream.files.size() != 2)
        return usage_error("--compare takes two FILEs, scored before and after");
    if (!flags.html.empty() && flags.stream.output != "-")
        return usage_error("--html FILE is where the output goes: -o does not go with it");
    return {};
}

window_search_options chosen_window(const view_flags& flags) {
    return {.size = static_cast<std::size_t>(flags.size),
            .ends = flags.clipped ? window_ends::clipped : window_ends::full,
            .drops_comments = flags.comments == "drop"};
}

std::string output_path(const view_flags& flags) {
    return flags.html.empty() ? flags.stream.output : flags.html;
}

bool is_on_terminal(const view_flags& flags) {
    return output_path(flags) == "-" && ::isatty(STDOUT_FILENO) == 1;
}

std::optional<std::size_t> chosen_context(const view_flags& flags) {
    if (flags.context < 0) return std::nullopt;
    return static_cast<std::size_t>(flags.context);
}

terminal_style chosen_style(const view_flags& flags, const role_set& roles) {
    return {.colors = chosen_depth(flags),
            .theme = chosen_background(flags),
            .width = chosen_width(flags),
            .smoothing = static_cast<std::size_t>(flags.smooth),
            .context = chosen_context(flags),
            .roles = roles};
}

}  // namespace cuset
