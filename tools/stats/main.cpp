// cuset-stats: tagged and scored pairs -> how sure a model is of CUDA code and of the rest.
#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>

#include "cuset/base/format.h"
#include "cuset/base/log.h"
#include "cuset/base/visible_text.h"
#include "cuset/region/confidence_summary.h"
#include "cuset/region/recorded_roles.h"
#include "cuset/stream/library_versions.h"
#include "cuset/stream/output.h"
#include "paper.h"
#include "report.h"
#include "tool.h"

namespace {

using namespace cuset;

struct stats_flags {
    stream_flags stream;
    std::int64_t size = 64;
    std::string threshold = "neutral";
    bool tsv = false, json = false, markdown = false, latex = false;
    std::string svg;
    std::vector<std::string> labels;
    std::string by = "spans", comments = "sensitive", windows = "hardest", within = "all";
    bool full = false, paper = false;
    field_flags fields;
};

program describe(stats_flags& flags) {
    program p =
        new_program("cuset-stats", "compare a model's confidence in CUDA code and in the rest");
    p.description = paragraphs(R"(
Reads pairs with spans (from cuset-tag) and token confidences (from cuset-score) and compares the
confidence in CUDA-sensitive tokens, those in kernels and launches, with that in neutral tokens,
which are all others. The chat template's end marker is neutral. A token of a launch inside a
kernel counts as the launch's. Several FILEs, for example scores from before and after training,
are shown side by side, each with its own figures; --threshold with a number holds them to one
threshold.

With several FILEs a last table compares each with the first, over the samples that both have:
those with the same id, or without ids in the same line. An id that a file has more than once is
left out. The interval is that of the paired differences over samples: what a pair has in common,
such as how hard its program is, cancels out.

The Kolmogorov-Smirnov statistic D is the largest difference between the two cumulative
distributions. p is the asymptotic two-sided probability of a difference at least that large by
chance; log10 p does not underflow. The tokens of one text are not independent, and with many
tokens p is tiny for any difference: compare D, which is the size of the difference, and the
difference of the means with its 95 % interval over samples, which takes the sample and not the
token for what was drawn (1.96 standard errors to each side, by Taylor linearisation of the two
ratios).

A sample has a low window if the mean confidence of its hardest window, which is the one that
cuset-window finds, is below --threshold. A window is on CUDA code if one of its tokens is
sensitive. The column "by chance" is what a window drawn at random from each of the same samples
would give: the mean over these samples of the share of the sample's windows that are on CUDA code.
A long sample counts as much as a short one. --size is shorter here than the 256 of
cuset-window and cuset-train, since nearly any window that long holds some CUDA code.

With --by roles the sensitive tokens are those whose role (from cuset-tag --roles) is index,
bound, memory, sync or launch, wherever they stand; all others are neutral, blank ones (white
space alone) too. --comments says what comments count as: sensitive leaves them where they stand,
so that those in kernels are sensitive; neutral; or drop, which leaves them out of everything, as
if the response had none. Records with roles get a table with a row for each role: the share of
tokens that the confidence mask leaves out (not above 0.1), and D and the difference of the means
against all other tokens.

--paper prints the quantities of Fig. 1 and 2 of CuSeT's paper under five readings of what is
sensitive and three of what low windows are, beside the paper's numbers. By a reading a model is
surer of CUDA code, or less sure, if the interval lies on that side of 0.

Densities are over 50 equal bins of [0, 1]. Confidences count with six significant digits, as
cuset-score prints them. Some figures are not defined: the test without sensitive or without
neutral tokens, an interval with tokens of one sample alone, and anything of no samples. They are
shown as - in the text, NA in TSV and null in JSON, and are no error. Memory does not grow with
the number of tokens, but for --windows other than hardest, --within cuda and --paper, which keep
some 9 bytes a token: it is some 5 MB for each input and power of ten of the confidences, and 100
bytes for each sample, 300 with roles.
)");
    p.options = {
        {0, "size", "N", "Tokens in a window.", &flags.size, between(1, 1'000'000'000)},
        {0, "threshold", "C",
         "The mean confidence of a low window is below this: neutral is the mean of all neutral "
         "tokens of the same input; a number (above 0, at most 1) holds for all inputs.",
         &flags.threshold},
        {0, "by", "WHAT",
         "What makes a token CUDA-sensitive: the spans of kernels and launches, or roles.",
         &flags.by, one_of("spans", "roles")},
        {0, "comments", "USE", "What comments count as; all but sensitive need roles.",
         &flags.comments, one_of("sensitive", "neutral", "drop")},
        {0, "windows", "WHICH",
         "The low windows that count: the hardest of each sample, all, or regions, which are low "
         "windows joined where they overlap. By chance then is the same for windows drawn at "
         "random "
         "from the same samples, of regions for stretches as long.",
         &flags.windows, one_of("hardest", "all", "regions")},
        {0, "full", "", "No windows that the ends of a response clip.", &flags.full},
        {0, "within", "WHERE",
         "With cuda, only windows on CUDA code count, a sample's hardest too: how many samples "
         "have "
         "a low one, and how many of these windows are low. By chance then is the share of all "
         "windows of the same samples that are low.",
         &flags.within, one_of("all", "cuda")},
        {0, "label", "NAME",
         "The name of an input in the report, in place of the file's. Give one for each FILE, in "
         "the same order.",
         &flags.labels},
        {0, "paper", "",
         "Print the quantities of the paper's figures under each reading, instead of the report. "
         "It needs roles.",
         &flags.paper},
        {0, "tsv", "", "A line for each figure, with tabs, and a column for each input.",
         &flags.tsv},
        {0, "json", "", "One JSON object.", &flags.json},
        {0, "markdown", "", "The report's tables in Markdown.", &flags.markdown},
        {0, "latex", "", "The report's tables in LaTeX, which need no package.", &flags.latex},
        {0, "svg", "FILE",
         "Also draw the densities and the cumulative distributions. The drawing follows a page's "
         "light or dark scheme.",
         &flags.svg, value_kind::file},
    };
    add_field_flags(p, flags.fields);
    add_stream_flags(p, flags.stream);
    p.build_details = stream_library_versions;
    p.examples = {
        {"cuset-tag pairs.jsonl | cuset-score | cuset-stats", "The figures of one model."},
        {"cuset-tag scored.jsonl.zst -o before.zst; cuset-stats --svg densities.svg before.zst",
         "Tag records that were scored without tags; and draw the densities."},
        {"cuset-tag after.jsonl.zst -o after.zst; cuset-stats --label before --label after "
         "--markdown before.zst after.zst",
         "Two inputs under names of their own, with the paired differences, for a page."},
        {"cuset-tag --roles scored.jsonl.zst | cuset-stats --by roles --comments drop",
         "The figures by what tokens are for, without comments."},
        {"cuset-tag --roles scored.jsonl.zst | cuset-stats --paper",
         "The paper's figures under each reading."},
        {"cuset-tag scored.jsonl.zst | cuset-stats --json | jq '.inputs[].test.d'",
         "The statistic alone."},
    };
    p.see_also = {"cuset-tag", "cuset-score", "cuset-window"};
    return p;
}

/// The statistics of all inputs; workers take turns.
struct shared_statistics {
    std::mutex mutex;
    std::vector<std::vector<confidence_statistics>> inputs;  // of each, for each reading
};

std::vector<stats_reading> readings_of(const stats_flags& flags) {
    stats_reading reading;
    reading.ends = flags.full ? window_ends::full : window_ends::clipped;
    if (flags.paper) {
        reading.keeps_windows = true;
        return readings_of_paper(reading);
    }
    reading.by_roles = flags.by == "roles";
    reading.comments = flags.comments == "drop"      ? comment_use::drop
                       : flags.comments == "neutral" ? comment_use::neutral
                                                     : comment_use::where_they_stand;
    reading.within_cuda = flags.within == "cuda";
    reading.keeps_windows = flags.windows != "hardest" || reading.within_cuda;
    return {reading};
}

class stats_worker final : public record_worker {
public:
    stats_worker(std::size_t size, const std::vector<stats_reading>& readings,
                 shared_statistics& all)
        : all_(all) {
        for (const stats_reading& reading : readings) {
            readers_.emplace_back(size, reading);
            needs_roles_ |= reading.needs_roles();
        }
    }

    void process(std::span<pair_record> records, std::span<record_outcome> outcomes) override {
        samples_.resize(std::max(samples_.size(), records.size()));
        for (std::size_t i = 0; i < records.size(); ++i)
            outcomes[i].error = read(records[i], samples_[i]);
        const std::lock_guard lock(all_.mutex);
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (!outcomes[i].error.is_ok()) continue;
            for (std::size_t r = 0; r < readers_.size(); ++r)
                all_.inputs[records[i].source][r].add(samples_[i][r]);
            outcomes[i].units = records[i].confidence.size();
        }
    }

private:
    status read(const pair_record& record, std::vector<sample_confidences>& samples) {
        if (!record.has_tag)
            return data_error("\"tag\" is missing (pipe the records through cuset-tag)");
        if (!record.token_end.empty() && record.token_end.back() > record.response.size())
            return data_error("\"score.end\" reaches past the response: scored from other text?");
        kernels_.clear();
        launches_.clear();
        for (const tagged_span& span : record.spans) {
            if (span.end > record.response.size())
                return data_error("\"tag.spans\" reach past the response: tags of other text?");
            if (span.kind == "kernel") {
                kernels_.push_back({span.begin, span.end});
            } else if (span.kind == "launch") {
                launches_.push_back({span.begin, span.end});
            } else {
                return data_error("\"tag.spans\": kind is neither kernel nor launch");
            }
        }
        runs_.clear();
        if (needs_roles_ || record.has_roles) CUSET_TRY(read_roles(record, runs_));
        samples.resize(readers_.size());
        scored_tokens tokens{record.response, record.token_end, record.confidence,
                             kernels_,        launches_,        {}};
        if (record.has_roles) tokens.roles = runs_;
        for (std::size_t r = 0; r < readers_.size(); ++r) {
            readers_[r].read(tokens, samples[r]);
            samples[r].key = fnv1a_64(record.id);
        }
        return {};
    }

    std::vector<sample_reader> readers_;
    bool needs_roles_ = false;
    shared_statistics& all_;
    std::vector<std::vector<sample_confidences>> samples_;  // of each record, for each reading
    std::vector<byte_span> kernels_, launches_;
    std::vector<role_run> runs_;
};

result<std::optional<double>> read_threshold(const std::string& text) {
    if (text == "neutral") return std::optional<double>();
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !(value > 0 && value <= 1))
        return usage_error("--threshold: '" + text +
                           "' is neither neutral nor a number above 0 and at most 1");
    return std::optional(value);
}

void tell_what_is_missing(const stats_column& column, bool by_roles) {
    const auto tell = [&](const char* what) { log(log_level::note, column.input + ": " + what); };
    const confidence_summary& s = column.summary;
    if (s.samples == 0) return tell("no records: nothing is defined");
    const bool neutral = s.kinds[static_cast<std::size_t>(token_kind::neutral)].tokens > 0;
    if (s.sensitive.tokens == 0)
        tell(by_roles ? "no tokens of a sensitive role: the test is not defined"
                      : "no tokens in kernels or launches: the test is not defined");
    else if (!neutral)
        tell("no neutral tokens: the test is not defined");
    if (!s.windows && !s.on_cuda)
        tell("no neutral tokens to take a threshold from: give one with --threshold");
    if (s.samples_with_roles > 0 && s.samples_with_roles < s.samples)
        tell(format("the figures by role are of the %llu samples that have roles",
                    static_cast<unsigned long long>(s.samples_with_roles))
                 .c_str());
    if (s.paired && s.paired->unpaired > 0)
        tell(format("%llu samples have no partner of their own id in the first input",
                    static_cast<unsigned long long>(s.paired->unpaired))
                 .c_str());
}

status check_options(const stats_flags& flags) {
    if (flags.tsv + flags.json + flags.markdown + flags.latex > 1)
        return usage_error("--tsv, --json, --markdown and --latex: choose one");
    if (flags.paper && (flags.tsv || flags.json || !flags.svg.empty()))
        return usage_error("--paper is for people: without --tsv, --json and --svg");
    if (flags.paper && (flags.by != "spans" || flags.comments != "sensitive" ||
                        flags.windows != "hardest" || flags.within != "all"))
        return usage_error(
            "--paper shows all readings: without --by, --comments, --windows and --within");
    if (flags.within == "cuda" && flags.windows != "hardest")
        return usage_error("--within cuda counts each window on CUDA code: without --windows");
    if (flags.svg == "-") return usage_error("--svg: standard output is no FILE");
    const std::size_t inputs = std::max<std::size_t>(1, flags.stream.files.size());
    if (!flags.labels.empty() && flags.labels.size() != inputs)
        return usage_error(
            format("--label: %zu for %zu inputs; give one for each", flags.labels.size(), inputs));
    return {};
}

result<stream_summary> make_statistics(const stats_flags& flags) {
    CUSET_TRY(check_options(flags));
    CUSET_ASSIGN(const auto threshold, read_threshold(flags.threshold));
    stream_options stream = to_stream_options(flags.stream);
    if (stream.inputs.empty()) stream.inputs.emplace_back("-");
    stream.unit = "tokens";
    // Both are opened before anything is read.
    CUSET_ASSIGN(output report, output::open(to_output_options(flags.stream, output_form::text)));
    stream.written.push_back({"the output", report.identity(), &report});
    std::optional<output> drawing;
    if (!flags.svg.empty()) {
        CUSET_ASSIGN(drawing, output::open({.path = flags.svg, .form = output_form::text}));
        stream.written.push_back({"--svg", drawing->identity()});
    }

    const std::vector<stats_reading> readings = readings_of(flags);
    shared_statistics all;
    for (std::size_t i = 0; i < stream.inputs.size(); ++i) all.inputs.emplace_back(readings.size());
    record_options wanted{
        .parts = record_part::response | record_part::tag | record_part::roles | record_part::score,
        .own_key = "",
        .prompt_field = {},
        .response_field = {}};
    flags.fields.put_into(wanted);
    CUSET_ASSIGN(const stream_summary summary, filter_records(stream, wanted, [&] {
                     return made_worker(std::make_unique<stats_worker>(
                         static_cast<std::size_t>(flags.size), readings, all));
                 }));

    const table_form form = flags.markdown ? table_form::markdown
                            : flags.latex  ? table_form::latex
                                           : table_form::text;
    stats_report shown;
    std::string paper;
    shown.size = static_cast<std::size_t>(flags.size);
    shown.reading = readings.front();
    shown.windows = flags.windows == "all"       ? window_choice::all
                    : flags.windows == "regions" ? window_choice::regions
                                                 : window_choice::hardest;
    for (std::size_t i = 0; i < stream.inputs.size(); ++i) {
        const std::string& path = stream.inputs[i];
        const std::string name = visible_text(!flags.labels.empty() ? flags.labels[i]
                                              : path == "-"         ? "standard input"
                                                                    : path);
        if (flags.paper) {
            if (i > 0) paper += '\n';
            paper += paper_text(name, shown.size, readings, all.inputs[i], threshold, form);
            continue;
        }
        shown.columns.push_back({name, summarize(all.inputs[i].front(), threshold, shown.windows,
                                                 shown.reading.within_cuda)});
        if (i > 0)
            shown.columns[i].summary.paired = compare(all.inputs[0].front(), all.inputs[i].front());
        tell_what_is_missing(shown.columns.back(), shown.reading.by_roles);
    }
    CUSET_TRY(report.write(flags.paper  ? paper
                           : flags.json ? to_json(shown)
                           : flags.tsv  ? to_tsv(shown)
                                        : to_text(shown, form)));
    if (drawing) {
        CUSET_TRY(drawing->write(to_svg(shown)));
        CUSET_TRY(drawing->finish());
    }
    CUSET_TRY(report.finish());
    return summary;
}

}  // namespace

int main(int argc, char** argv) {
    stats_flags flags;
    program p = describe(flags);
    return run_tool(p, flags.stream, argc, argv,
                    {.form = [] { return output_form::text; },
                     .run = [&] { return make_statistics(flags); },
                     .writes_at_end = true,
                     .prepare = [&] { return flags.fields.read(); }});
}
