#include "flags.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cuset/judge/candidate_view.h"
#include "cuset/stream/library_versions.h"
#include "tool.h"

namespace cuset {

namespace {

void add_modes(program& p, report_flags& flags) {
    p.add({
        {0, "tasks", "FILE",
         "The tasks, in a format of cuset-tasks(5). A report on one evaluation, --show and --html "
         "need "
         "it; --compare, --table, --turns, --fast and --profile count all of its tasks, instead of "
         "those that "
         "verdicts "
         "have.",
         &flags.tasks, value_kind::file},
        {0, "compare", "",
         "FILEs are two files of verdicts, A and B: print B's rates minus A's on the tasks that "
         "both have, with the intervals of the paired differences.",
         &flags.compare},
        {0, "table", "",
         "FILEs are conditions, NAME=VERDICTS[,VERDICTS...]: one row for each, in their order, "
         "with one file of verdicts a seed. A name ends at the last = before the first / or comma. "
         "With --tasks, its tasks are those that count.",
         &flags.table},
        {0, "turns", "",
         "FILEs are the verdicts of turns, in their order: each has those on answers asked for "
         "once "
         "more where the one before failed. Print what serial attempts solve, against as many "
         "answers, and as many tokens, of the first turn.",
         &flags.turns},
        {0, "costs", "",
         "Print what the answers that passed cost, as cuset-eval --count counted it: a line for "
         "each, with columns separated by tabs. With --estimate there, slowdown is how many times "
         "as long the GPU would take as with bench.cu.",
         &flags.costs},
        {0, "counts", "",
         "Print how well answers hit the counts that their tasks ask for (cuset-tasks(5)), a line "
         "for all, for each count and for each category of tasks, with columns separated by tabs.",
         &flags.counts},
        {0, "fast", "",
         "Print how many answers are correct and faster than bench.cu (KernelBench's fast_p), and "
         "the mean speed-up, from what cuset-eval --time measured or --estimate estimated. "
         "--pass-at, --json and --format tsv go with it.",
         &flags.fast},
        {0, "profile", "",
         "Print how near answers come to the GPU's roofline, from what cuset-eval --profile ncu "
         "measured: CUDABench's mean scores of the best of the first k samples. --pass-at, --json "
         "and --format tsv go with it.",
         &flags.profile},
        {0, "show", "TASK/SAMPLE",
         "Show one candidate of the FILEs: its verdict, which is the last one in --verdicts, all "
         "that the compiler said, the program, and the answer.",
         &flags.show},
        {0, "html", "FILE",
         "Write a page of the evaluation to FILE (- is standard output) instead of the report: its "
         "figures, and each candidate of the FILEs with its verdict in --verdicts and its program. "
         "The page is a temporary file first, renamed when it is whole.",
         &flags.html, value_kind::file},
        {0, "by-confidence", "",
         "FILEs are candidates with scores (cuset-sample --confidence), and --verdicts has the "
         "verdicts on them: print how well the hardest window of an answer foretells its verdict.",
         &flags.by_confidence},
        {0, "verdicts", "FILE",
         "The verdicts on the candidates, for --show, --html and --by-confidence.", &flags.verdicts,
         value_kind::file},
        {0, "fence", "WHICH",
         "With --show or --html: the fenced block of an answer that was its program, as cuset-eval "
         "--fence "
         "says.",
         &flags.fence, one_of("first", "last")},
        {0, "size", "N", "With --by-confidence: tokens in a window.", &flags.size,
         between(1, 1'000'000'000)},
    });
}

void add_table(program& p, report_flags& flags) {
    p.add({
        {0, "baseline", "NAME",
         "With --table: also print what sets the other conditions apart from this one.",
         &flags.baseline},
        {0, "format", "FORM",
         "The form of --table. tsv has a line for each condition and measure, with all figures "
         "in full; latex is a tabular that needs no package, with the rest as comments. --fast and "
         "--profile have text and tsv.",
         &flags.format, one_of("text", "markdown", "tsv", "latex")},
        {0, "family", "FIELD",
         "With --table and --tasks, or --html: the tasks' field whose value is a task's family. By "
         "default "
         "it is \"family\" where tasks have it, and else \"task_name\", which verdicts name "
         "too; \"id\" makes each task its own family. Without it the intervals of --html are those "
         "of the report, over task_name.",
         &flags.family},
        {0, "figures", "FILE",
         "With --table: more columns, from a TSV with the columns condition, seed, measure and "
         "value, such as a held-out loss for each training. Conditions that are not in the table "
         "are left alone.",
         &flags.figures, value_kind::file},
        {0, "common", "",
         "With --table: count the tasks that all files have, and say how many are dropped, "
         "instead of refusing files with different tasks.",
         &flags.common},
        {0, "plot", "FILE",
         "With --table: draw a measure with its intervals into FILE (SVG), over the numbers in "
         "conditions' names such as tau=0.05 or tau@0.05, a panel for each parameter, with the "
         "baseline as a dashed line.",
         &flags.plot, value_kind::file},
        {0, "measure", "NAME", "The column that --plot draws; by default the table's first.",
         &flags.measure},
    });
}

/// An option and whether it is given.
using given_option = std::pair<const char*, bool>;

/// Options that belong to one mode.
status check_mode_options(const report_flags& flags) {
    const report_flags usual;
    for (const auto& [option, is_given] :
         {given_option("--baseline", !flags.baseline.empty()),
          {"--format", flags.format != usual.format && !flags.fast && !flags.profile},
          {"--figures", !flags.figures.empty()},
          {"--common", flags.common},
          {"--plot", !flags.plot.empty()},
          {"--measure", !flags.measure.empty()}})
        if (is_given && !flags.table) return usage_error(std::string(option) + " needs --table");
    if (!flags.family.empty() && !flags.table && flags.html.empty())
        return usage_error("--family needs --table or --html");
    if (flags.size != usual.size && !flags.by_confidence)
        return usage_error("--size needs --by-confidence");
    if (flags.fence != usual.fence && flags.show.empty() && flags.html.empty())
        return usage_error("--fence needs --show or --html");
    if (!flags.counting.pass_at.empty() &&
        (flags.turns || flags.by_confidence || !flags.show.empty()))
        return usage_error(
            "--pass-at is for reports that have Pass@k: one evaluation, --html, --compare, --fast, "
            "--profile and --table");
    const bool reads_candidates = !flags.show.empty() || !flags.html.empty() || flags.by_confidence;
    if (!reads_candidates && !flags.verdicts.empty())
        return usage_error(
            "--verdicts goes with candidates (--show, --html, --by-confidence): here "
            "they are the FILEs");
    if (!reads_candidates && flags.stream.on_error != "stop")
        return usage_error("--on-error is for reading candidates");
    return {};
}

status check_table(const report_flags& flags) {
    if (flags.stream.files.empty())
        return usage_error("--table needs conditions: NAME=VERDICTS[,VERDICTS...]");
    if (flags.counting.json)
        return usage_error("--json does not go with --table: --format has its forms");
    if (!flags.measure.empty() && flags.plot.empty())
        return usage_error("--measure is what --plot draws");
    return {};
}

/// --fast and --profile have the same forms.
status check_fast(const report_flags& flags) {
    const std::string mode = flags.fast ? "--fast" : "--profile";
    if (flags.format != "text" && flags.format != "tsv")
        return usage_error(mode + " has the forms text and tsv of --format, and --json");
    if (flags.counting.json && flags.format != "text")
        return usage_error("--json and --format are two forms: choose one");
    if (!flags.counting.junit.empty()) return usage_error("--junit does not go with " + mode);
    return {};
}

/// --costs and --counts are tables of one form.
status check_tables(const report_flags& flags) {
    const std::string mode = flags.costs ? "--costs" : "--counts";
    for (const auto& [option, is_given] : {given_option("--json", flags.counting.json),
                                           {"--junit", !flags.counting.junit.empty()},
                                           {"--samples", flags.counting.samples != 0},
                                           {"--leave-out", !flags.counting.leave_out.empty()},
                                           {"--pass-at", !flags.counting.pass_at.empty()}})
        if (is_given)
            return usage_error(std::string(option) + " does not go with " + mode +
                               ": it is a table");
    return {};
}

status check_show(const report_flags& flags) {
    if (auto name = read_candidate_name(flags.show); !name) return std::move(name).error();
    if (flags.counting.json || !flags.counting.junit.empty())
        return usage_error("--show is a text: --json and --junit do not go with it");
    if (flags.verdicts.empty())
        return usage_error("--show needs --verdicts FILE, from an evaluation of the FILEs");
    return {};
}

status check_html(const report_flags& flags) {
    if (flags.counting.json || !flags.counting.junit.empty())
        return usage_error("--html is a page: --json and --junit do not go with it");
    if (flags.stream.output != report_flags().stream.output)
        return usage_error("--html names the file that is written: -o does not go with it");
    if (flags.verdicts.empty())
        return usage_error("--html needs --verdicts FILE, from an evaluation of the FILEs");
    return {};
}

/// --by-confidence joins two files that are there.
status check_by_confidence(const report_flags& flags) {
    if (flags.verdicts.empty())
        return usage_error(
            "--by-confidence needs --verdicts FILE, from an evaluation of the FILEs");
    for (const auto& [option, is_given] : {given_option("--tasks", !flags.tasks.empty()),
                                           {"--junit", !flags.counting.junit.empty()},
                                           {"--samples", flags.counting.samples != 0},
                                           {"--leave-out", !flags.counting.leave_out.empty()}})
        if (is_given)
            return usage_error(std::string(option) +
                               " does not go with --by-confidence: it takes verdicts as they are");
    return {};
}

/// A file that is named twice would look like a turn in which nothing passed.
status check_turns(const report_flags& flags) {
    const auto& files = flags.stream.files;
    if (files.size() < 2)
        return usage_error("--turns needs two or more files of verdicts, one a turn");
    for (std::size_t i = 0; i < files.size(); ++i)
        if (std::find(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(i), files[i]) !=
            files.begin() + static_cast<std::ptrdiff_t>(i))
            return usage_error(files[i] + " is named for two turns");
    if (!flags.counting.junit.empty()) return usage_error("--junit does not go with --turns");
    return {};
}

}  // namespace

program describe(report_flags& flags) {
    program p = new_program("cuset-report", "compare, count and show what was judged");
    p.description = report_description();
    add_modes(p, flags);
    add_table(p, flags);
    add_counting_flags(p, flags.counting, "The seed of the bootstrap.");
    add_stream_flags(p, flags.stream);
    for (auto& e : p.exit_codes)
        if (e.code == 3)
            e.meaning += " Or some candidates could not be judged, by no fault of theirs.";
    p.build_details = [] { return stream_library_versions(); };
    p.examples = {
        {"cuset-report --tasks tasks.jsonl --json v.jsonl | jq '.funnel'",
         "How far the candidates of existing verdicts came."},
        {"cuset-report --by-confidence --verdicts v.jsonl candidates.jsonl",
         "Whether the answers that pass are those that the model was sure of."},
        {"cuset-report --counts counts-v.jsonl",
         "How far from the counts the answers were that are numbers."},
        {"cuset-report --fast --format tsv timed.jsonl",
         "How many answers beat bench.cu, as a table: KernelBench's fast_p."},
        {"cuset-report --profile --format tsv profiled.jsonl",
         "How near the answers come to the GPU's roofline, as a table: CUDABench's score."},
        {"cuset-report --html page.html --tasks tasks.jsonl --verdicts v.jsonl candidates.jsonl && "
         "ls -l page.html",
         "A page to see in a browser what went wrong."},
        {"cuset-report --compare v.jsonl other.jsonl", "How two models differ, with intervals."},
        {"cuset-report --turns v.jsonl turn2.jsonl",
         "Whether a second turn for failed answers solves more than a second sample."},
        {"cuset-report --table --baseline sft sft=v.jsonl,v2.jsonl cuset=other.jsonl",
         "Two objectives, one of them with two seeds, and the difference between them."},
        {"cuset-report --table --format markdown --plot sweep.svg tau=0.05=v.jsonl "
         "tau=0.1=v2.jsonl",
         "A sweep as a table for a page, and as a drawing."},
    };
    p.see_also = {"cuset-eval", "cuset-sample", "cuset-view", "cuset-window", "cuset-tasks(5)"};
    return p;
}

std::string output_path(const report_flags& flags) {
    return flags.html.empty() ? flags.stream.output : flags.html;
}

status check(const report_flags& flags) {
    if (int{flags.compare} + int{flags.table} + int{!flags.show.empty()} +
            int{!flags.html.empty()} + int{flags.by_confidence} + int{flags.turns} +
            int{flags.costs} + int{flags.counts} + int{flags.fast} + int{flags.profile} >
        1)
        return usage_error(
            "--compare, --table, --turns, --costs, --counts, --fast, --profile, --show, --html and "
            "--by-confidence are modes: choose one");
    CUSET_TRY(check(flags.counting));
    CUSET_TRY(check_mode_options(flags));
    if (flags.table) CUSET_TRY(check_table(flags));
    if (flags.costs || flags.counts) CUSET_TRY(check_tables(flags));
    if (flags.fast || flags.profile) CUSET_TRY(check_fast(flags));
    if (!flags.show.empty()) CUSET_TRY(check_show(flags));
    if (!flags.html.empty()) CUSET_TRY(check_html(flags));
    if (flags.by_confidence) CUSET_TRY(check_by_confidence(flags));
    if (flags.turns) CUSET_TRY(check_turns(flags));
    if (flags.tasks.empty() && !flags.compare && !flags.table && !flags.turns && !flags.costs &&
        !flags.counts && !flags.fast && !flags.profile && !flags.by_confidence)
        return usage_error("--tasks FILE is needed");
    if (flags.compare && flags.stream.files.size() != 2)
        return usage_error("--compare needs two files of verdicts");
    if ((flags.compare || flags.table) && !flags.counting.junit.empty())
        return usage_error("--junit does not go with --compare or --table");
    std::vector<std::string> read = flags.stream.files;
    read.insert(read.end(), {flags.tasks, flags.verdicts, flags.figures, flags.counting.leave_out});
    return check_written_files({{flags.html.empty() ? "-o" : "--html", output_path(flags)},
                                {"--junit", flags.counting.junit},
                                {"--plot", flags.plot},
                                {"--rejects", flags.stream.rejects}},
                               read);
}

}  // namespace cuset
