// cuset-curate: candidates and verdicts, or pairs -> pairs to train on.
#include <filesystem>

#include "compile.h"
#include "cuset/base/log.h"
#include "cuset/curate/data_card.h"
#include "cuset/curate/source_files.h"
#include "cuset/curate/twin_files.h"
#include "cuset/stream/line_source.h"
#include "flags.h"
#include "sources.h"

namespace {

using namespace cuset;

result<tokenizer> load_tokenizer(const std::string& path) {
    const std::filesystem::path given(path);
    return tokenizer::load(std::filesystem::is_directory(given) ? given / "tokenizer.json" : given);
}

result<benchmark_index> read_benchmarks(const curate_flags& flags) {
    benchmark_index index({.words = static_cast<std::size_t>(flags.words),
                           .tokens = static_cast<std::size_t>(flags.tokens),
                           .similar = flags.similar,
                           .shingle = static_cast<std::size_t>(flags.shingle)});
    for (const auto& file : flags.against) CUSET_TRY(index.add(file));
    return index;
}

/// The lines of the input, one by one.
std::function<result<std::optional<curation_line>>()> lines_of(line_source& lines) {
    return [&lines]() -> result<std::optional<curation_line>> {
        CUSET_ASSIGN(const line* const l, lines.next());
        if (l == nullptr) return std::optional<curation_line>();
        curation_line made;
        set_text(made, l->text);
        made.place = lines.place();
        return std::optional(std::move(made));
    };
}

status tell(const curate_flags& flags, const curation_counts& counts) {
    std::string table;
    for (const auto& row : funnel_of(counts)) {
        if (flags.report.empty()) log(log_level::note, row);
        table += row + '\n';
    }
    if (flags.report.empty()) return {};
    CUSET_ASSIGN(output out, output::open({.path = flags.report, .form = output_form::text}));
    CUSET_TRY(out.write(table));
    return out.finish();
}

/// An output that is one of the files that are read beside the records would take its place.
status check_files(const curate_flags& flags, const std::vector<written_file>& written) {
    std::vector<std::string> read{flags.tasks, flags.tokenizer, flags.from_sources, flags.ask.ask,
                                  flags.ask.system};
    read.insert(read.end(), flags.verdicts.begin(), flags.verdicts.end());
    read.insert(read.end(), flags.against.begin(), flags.against.end());
    for (const auto& path : read)
        for (const auto& file : written)
            if (!path.empty() && path != "-" && file.identity.is_same_file(identify(path)))
                return usage_error(file.name + " and the input " + path + " are the same file");
    return {};
}

result<stream_summary> curate(const curate_flags& flags, const card_options& card) {
    std::optional<output> out;
    if (!flags.dry_run) {
        CUSET_ASSIGN(out, output::open(to_output_options(flags.stream, output_form::records)));
    }
    CUSET_TRY(check(flags));
    CUSET_ASSIGN(curation_options options, to_curation_options(flags));
    CUSET_TRY(check(options.wanted));
    stream_options stream = to_stream_options(flags.stream);
    stream.rejects.clear();
    if (out) stream.written = {{"-o", out->identity(), &*out}};
    std::optional<output> rejects;
    if (!flags.stream.rejects.empty()) {
        CUSET_ASSIGN(rejects,
                     output::open({.path = flags.stream.rejects,
                                   .form = output_form::text,
                                   .compression_level = static_cast<int>(flags.stream.level)}));
        stream.written.push_back({"--rejects", rejects->identity()});
    }
    for (const auto& [name, path] : {std::pair("--report", &flags.report),
                                     {"--card", &flags.card},
                                     {"--resume", &flags.resume}})
        if (!path->empty()) stream.written.push_back({name, identify(*path)});
    CUSET_TRY(check_files(flags, stream.written));
    // Sources are no lines; an input that is empty stands for them.
    if (!flags.from_sources.empty()) stream.inputs = {"/dev/null"};
    CUSET_ASSIGN(line_source lines, line_source::open(stream));
    std::optional<source_files> sources;
    std::optional<twin_files> twins;
    if (!flags.from_sources.empty()) {
        CUSET_ASSIGN(sources, source_files::open(flags.from_sources, flags.encoding == "latin1"));
    }
    if (flags.pairs != "none") {
        const std::string_view wanted = flags.pairs == "cuda-hip" ? "hip" : "cuda";
        CUSET_ASSIGN(twins, twin_files::read([&] { return sources->next(); }, wanted));
    }

    std::optional<tokenizer> words;
    if (!flags.tokenizer.empty()) {
        CUSET_ASSIGN(words, load_tokenizer(flags.tokenizer));
        options.words = &*words;
    }
    std::optional<benchmark_index> benchmarks;
    if (!flags.against.empty()) {
        CUSET_ASSIGN(benchmarks, read_benchmarks(flags));
        options.benchmarks = &*benchmarks;
    }
    program_compiler compiler;
    if (flags.compile) {
        CUSET_ASSIGN(compiler, open_compiler(flags));
    }
    pair_maker make;
    std::optional<candidate_join> join;
    if (!flags.tasks.empty()) {
        join_options joined{flags.tasks, flags.verdicts, {}, {}};
        CUSET_ASSIGN(joined.stage, stage_named(flags.stage));
        CUSET_ASSIGN(joined.ask, to_ask_options(flags.ask, flags.fields));
        CUSET_ASSIGN(join, candidate_join::open(std::move(joined)));
        make = [&](const curation_line& l, std::vector<made_pair>& pairs) {
            return join->make(l, pairs);
        };
    }
    if (sources && flags.endpoint.empty()) {
        CUSET_ASSIGN(make, open_prompt_maker(flags));
    }
    curation work(std::move(options), make);
    if (twins)
        CUSET_TRY(work.read([&] { return twins->next(); }));
    else
        CUSET_TRY(sources ? work.read([&] { return sources->next(); })
                          : work.read(lines_of(lines)));
    CUSET_TRY(work.decide(compiler));
    if (!flags.endpoint.empty()) CUSET_TRY(ask_instructions(flags, work));
    CUSET_ASSIGN(const curation_counts counts,
                 work.write({out ? &*out : nullptr, rejects ? &*rejects : nullptr}));
    CUSET_TRY(tell(flags, counts));
    if (!flags.card.empty()) {
        card_options described = card;
        described.benchmarks = flags.against;
        described.benchmark_tasks = benchmarks ? benchmarks->tasks() : 0;
        CUSET_TRY(write_whole_file(flags.card, data_card(counts, described)));
    }
    if (rejects) CUSET_TRY(rejects->finish());
    if (out) CUSET_TRY(out->finish());
    return stream_summary{counts.read, counts.bad};
}

}  // namespace

int main(int argc, char** argv) {
    curate_flags flags;
    program p = describe(flags);
    const card_options card{p.version, {argv, argv + argc}, {}, 0};
    return run_tool(p, flags.stream, argc, argv,
                    {.run = [&] { return curate(flags, card); },
                     .writes_at_end = true,
                     .prepare = [&] { return flags.fields.read(); }});
}
