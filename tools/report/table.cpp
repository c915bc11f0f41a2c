#include "table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "cuset/base/log.h"
#include "cuset/judge/task.h"
#include "cuset/stream/output_file.h"
#include "cuset/stream/pair_record.h"
#include "tool.h"

namespace cuset {

namespace {

result<std::vector<condition_runs>> read_conditions(const std::vector<condition_files>& names) {
    std::vector<condition_runs> conditions;
    for (const auto& files : names) {
        CUSET_ASSIGN(auto runs, read_runs(files));
        conditions.push_back(std::move(runs));
    }
    return conditions;
}

result<std::vector<condition_files>> read_names(const std::vector<std::string>& operands) {
    std::vector<condition_files> names;
    for (const auto& operand : operands) {
        CUSET_ASSIGN(auto files, read_condition(operand));
        names.push_back(std::move(files));
    }
    return names;
}

/// One file under two names makes two rows of one run.
void tell_shared_files(const std::vector<condition_files>& names) {
    std::map<std::string, std::string> owners;
    for (const auto& name : names)
        for (const auto& file : name.files)
            if (const auto [owner, is_new] = owners.emplace(file, name.name);
                !is_new && owner->second != name.name)
                log(log_level::note,
                    file + " stands for " + owner->second + " and for " + name.name);
}

void tell_unjudged(const condition_table& table) {
    for (const auto& row : table.rows)
        if (row.evaluator > 0)
            log(log_level::warning, row.name + ": " + std::to_string(row.evaluator) + " of " +
                                        std::to_string(row.answers) +
                                        " answers could not be judged, and count as not passed");
}

status read_tasks(const report_flags& flags, table_options& options) {
    if (flags.tasks.empty()) {
        if (!flags.family.empty()) return usage_error("--family needs --tasks");
        options.family_field = "task_name";
        return {};
    }
    CUSET_ASSIGN(const task_set tasks, task_set::read(flags.tasks));
    options.tasks = counted_tasks(flags.stream, tasks);
    const std::string field = flags.family.empty() ? "family" : flags.family;
    CUSET_ASSIGN(auto families, read_families(flags.tasks, field, flags.family.empty()));
    options.family_field = families ? field : "task_name";
    if (families) options.families = std::move(*families);
    return {};
}

}  // namespace

status write_condition_table(const report_flags& flags, output& out) {
    CUSET_ASSIGN(const report_options counted, to_report_options(flags.counting));
    CUSET_ASSIGN(const auto names, read_names(flags.stream.files));
    std::vector<std::string> read;
    for (const auto& name : names) read.insert(read.end(), name.files.begin(), name.files.end());
    CUSET_TRY(check_written_files({{"-o", flags.stream.output}, {"--plot", flags.plot}}, read));
    table_options options;
    options.baseline = flags.baseline;
    options.samples = counted.samples;
    options.seed = counted.seed;
    options.left_out = counted.left_out;
    options.pass_at = counted.pass_at;
    options.common = flags.common;
    CUSET_TRY(read_tasks(flags, options));
    CUSET_ASSIGN(auto conditions, read_conditions(names));
    for (auto& condition : conditions)
        for (auto* runs : {&condition.runs, &condition.checked})
            for (auto& run : *runs)
                std::erase_if(run.verdicts, [&](const verdict& v) {
                    return !is_in_shard(v.task, flags.stream.shard_index, flags.stream.shard_count);
                });
    std::vector<condition_figure> figures;
    if (!flags.figures.empty()) {
        CUSET_ASSIGN(figures, read_figures(flags.figures));
    }
    CUSET_ASSIGN(const condition_table table, make_table(conditions, figures, options));
    tell_shared_files(names);
    tell_unjudged(table);
    std::size_t samples = SIZE_MAX;
    for (const auto& row : table.rows) samples = std::min(samples, row.most_samples);
    tell_too_large(counted.pass_at, samples);
    std::string drawing;
    if (!flags.plot.empty()) {
        CUSET_ASSIGN(drawing, to_svg(table, flags.measure));
    }
    if (flags.format == "tsv") {
        CUSET_TRY(out.write(to_tsv(table)));
    } else {
        CUSET_TRY(out.write(to_report(table, flags.format == "markdown" ? table_form::markdown
                                             : flags.format == "latex"  ? table_form::latex
                                                                        : table_form::text)));
    }
    if (!flags.plot.empty()) CUSET_TRY(write_whole_file(flags.plot, drawing));
    return out.finish();
}

}  // namespace cuset
